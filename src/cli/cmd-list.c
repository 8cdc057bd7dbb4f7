// SPDX-License-Identifier: GPL-2.0-or-later
/* ethtune list: the interfaces, what each is and what of it can be tuned. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>

#include "cli/print.h"
#include "cli/session.h"
#include "core/policy.h"

enum { OPT_JSON = CMD_OPTION };

static const struct cmd_option options[] = {
	{ "json", OPT_JSON, NULL, "print one JSON object" },
	{ 0 },
};

/* Words of the set bits, comma separated; "nothing" for none. */
static void tunable_text(unsigned bits, char *buf, size_t size)
{
	size_t n = 0;

	snprintf(buf, size, "nothing");
	for (unsigned i = 0; i < PRINT_TUNABLES && n < size; i++)
		if (bits & 1U << i)
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? "," : "", print_tunable_names[i]);
}

static json_object *tunable_json(unsigned bits)
{
	json_object *a = json_object_new_array();

	for (unsigned i = 0; i < PRINT_TUNABLES; i++)
		if (bits & 1U << i)
			json_object_array_add(a, json_object_new_string(print_tunable_names[i]));
	return a;
}

static void add_row(struct table *t, const struct nic_info *nic, unsigned tunables, const struct policy *p)
{
	char text[96];

	table_add(t, "%s", nic->name);
	table_add(t, "%s", nic->driver[0] ? nic->driver : nic->kind[0] ? nic->kind : "-");
	table_add(t, "%s", print_link(nic));
	table_add(t, "%s", print_speed(nic->speed_mbps, text, sizeof(text)));
	table_add(t, "rx %u tx %u", nic->rx_queues, nic->tx_queues);
	tunable_text(tunables, text, sizeof(text));
	table_add(t, "%s", text);
	table_add(t, "%s/%s", p->name, mode_table[p->mode].name);
}

static json_object *row_json(const struct nic_info *nic, unsigned tunables, const struct policy *p)
{
	json_object *o = json_nic(nic);

	json_object_object_add(o, "tunable", tunable_json(tunables));
	json_object_object_add(o, "policy", json_object_new_string(p->name));
	json_object_object_add(o, "mode", json_object_new_string(mode_table[p->mode].name));
	return o;
}

static void list(struct session *s, bool json)
{
	static const char *const head[] = { "NAME", "DRIVER", "LINK", "SPEED", "QUEUES", "TUNABLE", "POLICY" };
	json_object *nics = json_object_new_array(), *o = json_object_new_object();
	struct target_rules rules;
	struct policy fallback;
	struct table t;

	policy_default(&fallback);
	table_init(&t, sizeof(head) / sizeof(head[0]));
	for (size_t i = 0; i < t.columns; i++)
		table_add(&t, "%s", head[i]);
	for (size_t i = 0; i < s->n_nics; i++) {
		struct nic_caps caps = { 0 };
		struct quirk_effect quirk;

		/* one that left meanwhile is left out; one that cannot be asked has nothing to offer */
		if (s->backend->ops->caps(s->backend, &s->nics[i], &caps) == -ENODEV)
			continue;
		session_rules(s, &s->nics[i], &fallback, &rules);
		quirk_apply(rules.quirks, rules.n_quirks, &rules.subject, NULL, &caps, &quirk);
		add_row(&t, &s->nics[i], print_tunables(&caps), &rules.policy);
		json_object_array_add(nics, row_json(&s->nics[i], print_tunables(&caps), &rules.policy));
	}
	json_object_object_add(o, "nics", nics);
	json_end(o, json);
	table_end(&t, !json, "");
}

int cmd_list(const struct cmd *c, int argc, char **argv)
{
	struct session s;
	bool json = false;
	const char *arg;
	int code, id;

	while ((id = cmd_next_option(c, options, argc, argv, &arg, &code)) != CMD_END) {
		if (id == CMD_STOP)
			return code;
		json = true;
	}
	if (optind < argc)
		return cmd_fail(c, EXIT_USAGE, "takes no argument, '%s' is one too many", argv[optind]);
	code = session_open(&s, c);
	if (code == EXIT_DONE)
		list(&s, json);
	session_close(&s);
	return code;
}
