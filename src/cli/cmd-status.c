// SPDX-License-Identifier: GPL-2.0-or-later
/* ethtune status: what the daemon does with each interface, or in detail with one. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/client.h"
#include "cli/print.h"

enum { OPT_JSON = CMD_OPTION };

static const struct cmd_option options[] = {
	{ "json", OPT_JSON, NULL, "print one JSON object" },
	{ 0 },
};

static const char *or_dash(const char *s)
{
	return s[0] ? s : "-";
}

static void add_row(struct table *t, json_object *nic)
{
	char rx[16], tx[16];
	double interval = nic_rate(nic, "rx_interval_usecs");

	table_add(t, "%s", nic_word(nic, "name"));
	table_add(t, "%s", nic_state(nic));
	table_add(t, "%s", nic_word(nic, "mode"));
	table_add(t, "%s", or_dash(nic_word(nic, "policy")));
	table_add(t, "%s", nic_word(nic, "mechanism"));
	table_add(t, "%s", print_rate(nic_rate(nic, "rx_packets_per_second"), rx, sizeof(rx)));
	table_add(t, "%s", print_rate(nic_rate(nic, "tx_packets_per_second"), tx, sizeof(tx)));
	if (interval < 0)
		table_add(t, "-");
	else
		table_add(t, "%.0f us", interval);
	table_add(t, "%s", nic_word(nic, "why")[0] ? nic_word(nic, "why") : or_dash(nic_word(nic, "reason")));
}

static void print_all(json_object *nics)
{
	static const char *const head[] = { "NAME", "STATE", "MODE",	 "POLICY", "MECHANISM",
					    "RX/S", "TX/S",  "INTERVAL", "REASON" };
	struct table t;

	table_init(&t, sizeof(head) / sizeof(head[0]));
	for (size_t i = 0; i < t.columns; i++)
		table_add(&t, "%s", head[i]);
	for (size_t i = 0; i < json_object_array_length(nics); i++)
		add_row(&t, json_object_array_get_idx(nics, i));
	table_end(&t, true, "");
}

static void line(const char *what, const char *text)
{
	if (text[0])
		printf("  %-11s %s\n", what, text);
}

static void print_control(json_object *nic)
{
	double until = nic_number(nic, "control_until_usec");
	const char *control = nic_word(nic, "control");
	time_t t = (time_t)(until / 1e6);
	char clock[32] = "it is resumed";
	struct tm tm;

	if (!strcmp(control, "auto"))
		return;
	if (until > 0 && localtime_r(&t, &tm))
		strftime(clock, sizeof(clock), "%F %T", &tm);
	printf("  %-11s %s on request, until %s\n", "control", control, clock);
}

static void print_traffic(json_object *nic)
{
	char rx[16], tx[16], irqs[16], polls[16];

	if (nic_rate(nic, "rx_packets_per_second") < 0)
		return;
	printf("  %-11s %s packets/s received, %s sent, %s interrupts/s, %s polls/s\n", "traffic",
	       print_rate(nic_rate(nic, "rx_packets_per_second"), rx, sizeof(rx)),
	       print_rate(nic_rate(nic, "tx_packets_per_second"), tx, sizeof(tx)),
	       print_rate(nic_rate(nic, "interrupts_per_second"), irqs, sizeof(irqs)),
	       print_rate(nic_rate(nic, "polls_per_second"), polls, sizeof(polls)));
}

static void print_foreign(json_object *nic)
{
	json_object *a;

	if (!json_object_object_get_ex(nic, "foreign", &a) || !json_object_array_length(a))
		return;
	printf("  %-11s", "foreign");
	for (size_t i = 0; i < json_object_array_length(a); i++)
		printf("%s %s", i ? "," : "", json_object_get_string(json_object_array_get_idx(a, i)));
	printf(": set by someone else, left alone until resumed\n");
}

static void print_one(json_object *nic)
{
	char text[512], speed[32];
	double mbps = nic_number(nic, "speed_mbps");

	printf("%s: %s, mode %s (policy %s), at most %.0f us\n", nic_word(nic, "name"), nic_word(nic, "state"),
	       nic_word(nic, "mode"), or_dash(nic_word(nic, "policy")), nic_number(nic, "max_latency_usecs"));
	printf("  %-11s %s, link %s, %s\n", "driver", or_dash(nic_word(nic, "driver")), nic_word(nic, "link"),
	       print_speed(mbps > 0 ? (uint32_t)mbps : 0, speed, sizeof(speed)));
	line("left alone", nic_word(nic, "why"));
	print_control(nic);
	line("mechanism", nic_word(nic, "mechanism"));
	line("settings", nic_knobs(nic, "knobs", text, sizeof(text)));
	line("found", nic_knobs(nic, "originals", text, sizeof(text)));
	print_foreign(nic);
	print_traffic(nic);
	line("diagnosis", nic_word(nic, "diagnosis"));
	line("decision", nic_word(nic, "decision"));
}

static int status(struct client *c, const char *name, bool json)
{
	json_object *nics, *o;
	int code = client_nics(c, name, &nics);

	if (code != EXIT_DONE)
		return code;
	if (json) {
		o = json_object_new_object();
		json_object_object_add(o, "nics", nics);
		json_end(o, true);
		return code;
	}
	if (name)
		print_one(json_object_array_get_idx(nics, 0));
	else
		print_all(nics);
	json_object_put(nics);
	return code;
}

int cmd_status(const struct cmd *c, int argc, char **argv)
{
	struct client client;
	bool json = false;
	const char *arg;
	int code, id;

	while ((id = cmd_next_option(c, options, argc, argv, &arg, &code)) != CMD_END) {
		if (id == CMD_STOP)
			return code;
		json = true;
	}
	if (argc - optind > 1)
		return cmd_fail(c, EXIT_USAGE, "takes at most one interface");
	code = client_open(&client, c);
	if (code == EXIT_DONE)
		code = status(&client, argv[optind], json);
	client_close(&client);
	return code;
}
