// SPDX-License-Identifier: GPL-2.0-or-later
/* ethtune explain: the last decisions of an interface with the numbers that led there, and what was not done and why.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/client.h"
#include "cli/print.h"
#include "core/units.h"

enum { OPT_JSON = CMD_OPTION, OPT_LAST };

static const struct cmd_option options[] = {
	{ "json", OPT_JSON, NULL, "print one JSON object" },
	{ "last", OPT_LAST, "N", "only the last N decisions" },
	{ 0 },
};

static const char *clock_text(double usec, char *buf, size_t size)
{
	time_t t = (time_t)(usec / 1e6);
	struct tm tm;

	if (!localtime_r(&t, &tm) || !strftime(buf, size, "%T", &tm))
		snprintf(buf, size, "?");
	return buf;
}

static void print_changes(json_object *entry)
{
	bool written = false;
	json_object *list, *v;
	char old[32], new[32];

	if (json_object_object_get_ex(entry, "written", &v))
		written = json_object_get_boolean(v);
	if (!json_object_object_get_ex(entry, "changes", &list))
		return;
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		json_object *change = json_object_array_get_idx(list, i);

		for (int k = 0; k < KNOB_COUNT; k++)
			if (!strcmp(knob_table[k].json, nic_word(change, "knob")))
				printf("           %s %s from %s to %s\n", written ? "set" : "would set",
				       knob_table[k].name,
				       knob_format(k, (uint64_t)nic_number(change, "old"), old, sizeof(old)),
				       knob_format(k, (uint64_t)nic_number(change, "new"), new, sizeof(new)));
	}
}

static void print_list(json_object *entry, const char *key, const char *what)
{
	json_object *list;

	if (!json_object_object_get_ex(entry, key, &list))
		return;
	for (size_t i = 0; i < json_object_array_length(list); i++)
		printf("           %s: %s\n", json_object_get_string(json_object_array_get_idx(list, i)), what);
}

static void print_decision(json_object *entry)
{
	double first = nic_number(entry, "first_usec"), last = nic_number(entry, "last_usec");
	char from[16], to[16];

	printf("  %s", clock_text(first, from, sizeof(from)));
	if (last - first >= 1e6)
		printf(" to %s (%.0f times)", clock_text(last, to, sizeof(to)), nic_number(entry, "times"));
	printf("\n           saw %s\n           %s: %s\n", nic_word(entry, "diagnosis"), nic_word(entry, "reason"),
	       nic_word(entry, "text"));
	print_changes(entry);
	if (nic_word(entry, "queues")[0])
		printf("           queues: %s\n", nic_word(entry, "queues"));
	print_list(entry, "yielded", "changed by someone else, theirs from now on");
	print_list(entry, "rolled_back", "put back");
	print_list(entry, "clamped", "the device took another value than asked");
}

static void print_text(const char *name, json_object *decisions, json_object *rejected)
{
	size_t n = json_object_array_length(decisions);

	printf(n ? "%s: the last %zu decisions, the latest at the end\n" : "%s: no decisions yet\n", name, n);
	for (size_t i = 0; i < n; i++)
		print_decision(json_object_array_get_idx(decisions, i));
	n = json_object_array_length(rejected);
	if (n)
		printf("What is not done, and why:\n");
	for (size_t i = 0; i < n; i++)
		printf("  %s\n", json_object_get_string(json_object_array_get_idx(rejected, i)));
}

/* ["rx_usecs", 3, 50] -> {"knob": "rx_usecs", "old": 3, "new": 50} */
static void name_changes(json_object *decisions)
{
	static const char *const keys[] = { "knob", "old", "new" };
	json_object *list;

	for (size_t i = 0; i < json_object_array_length(decisions); i++) {
		if (!json_object_object_get_ex(json_object_array_get_idx(decisions, i), "changes", &list))
			continue;
		for (size_t j = 0; j < json_object_array_length(list); j++) {
			json_object *o = json_object_new_object();

			for (size_t k = 0; k < 3; k++)
				json_object_object_add(o, keys[k],
						       json_object_get(json_object_array_get_idx(
							       json_object_array_get_idx(list, j), k)));
			json_object_array_put_idx(list, j, o);
		}
	}
}

static int explain(struct client *c, const char *name, uint32_t last, bool json)
{
	json_object *decisions = NULL, *rejected = NULL, *o;
	sd_bus_message *m = NULL;
	int code = client_call(c, &m, "Explain", "su", name, last);

	if (code != EXIT_DONE)
		return code;
	if (client_json(m, &decisions) < 0 || client_json(m, &rejected) < 0) {
		code = cmd_fail(c->cmd, EXIT_FAILED, "the answer cannot be understood");
	} else {
		name_changes(decisions);
		if (!json)
			print_text(name, decisions, rejected);
		o = json_object_new_object();
		json_object_object_add(o, "name", json_object_new_string(name));
		json_object_object_add(o, "decisions", json_object_get(decisions));
		json_object_object_add(o, "rejected", json_object_get(rejected));
		json_end(o, json);
	}
	json_object_put(decisions);
	json_object_put(rejected);
	sd_bus_message_unref(m);
	return code;
}

int cmd_explain(const struct cmd *c, int argc, char **argv)
{
	struct client client;
	uint64_t last = 0;
	bool json = false;
	const char *arg;
	int code, id;

	while ((id = cmd_next_option(c, options, argc, argv, &arg, &code)) != CMD_END) {
		if (id == CMD_STOP)
			return code;
		if (id == OPT_JSON)
			json = true;
		else if (units_parse_u64(arg, &last) < 0 || !last || last > UINT32_MAX)
			return cmd_fail(c, EXIT_USAGE, "--last: '%s' is not a number above 0", arg);
	}
	if (argc - optind != 1)
		return cmd_fail(c, EXIT_USAGE, "takes one interface");
	code = client_open(&client, c);
	if (code == EXIT_DONE)
		code = explain(&client, argv[optind], (uint32_t)last, json);
	client_close(&client);
	return code;
}
