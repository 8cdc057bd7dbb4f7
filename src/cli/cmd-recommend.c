// SPDX-License-Identifier: GPL-2.0-or-later
/* ethtune recommend: measures one interface after the other and prints what would serve it better. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/ask.h"

static const struct cmd_option options[] = {
	ASK_OPTIONS,
	{ "format", OPT_FORMAT, "WORD", "text (default), json, ethtool, link, nm or policy" },
	{ "json", OPT_JSON, NULL, "the same as --format json" },
	{ "probe", OPT_PROBE, NULL, "try the advice: apply, measure, put back, print what was measured" },
	{ 0 },
};

struct tally {
	unsigned advised, tunable, failed;
	json_object *all; /* with JSON */
};

/* Applies, measures and puts back. A refusal is told and leaves the advice as the model made it. */
static int probe(struct session *s, const struct ask *ask, const struct target_rules *rules, struct advice *a)
{
	struct state_dir state;
	struct apply *apply;
	char err[ERR_MAX] = "", not_back[ERR_MAX] = "";
	int lock, r, code = session_state(s, &state, &lock);

	if (code != EXIT_DONE)
		return code;
	apply = malloc(sizeof(*apply));
	if (!apply)
		r = -ENOMEM;
	else {
		apply_init(apply, s->backend, &state, false);
		r = apply_attach(apply, &a->nic, err);
		if (r == 0 && !err[0])
			r = advise_probe(apply, rules, ask->duration_s, session_progress, s, a, not_back);
	}
	session_progress_end(s);
	free(apply);
	close(lock);
	state_close(&state);
	if (not_back[0])
		return cmd_fail(s->cmd, EXIT_FAILED, "%s still has the settings that were tried (ethtune restore): %s",
				a->nic.name, not_back);
	if (r == -EINTR)
		return cmd_fail(s->cmd, EXIT_FAILED, "interrupted; %s is as it was", a->nic.name);
	if (r < 0 || err[0])
		return cmd_fail(s->cmd, EXIT_FAILED, "%s: cannot try the advice: %s", a->nic.name,
				err[0] ? err : strerror(-r));
	return EXIT_DONE;
}

static int recommend_one(struct session *s, const struct ask *ask, const struct nic_info *nic, struct tally *t)
{
	struct target_rules rules;
	struct advice a;
	char doing[64];
	int r, code = EXIT_DONE;

	ask_rules(s, ask, nic, &rules);
	snprintf(doing, sizeof(doing), "measuring %s", nic->name);
	s->doing = doing;
	r = advise_run(s->backend, nic, &rules, ask->duration_s, session_progress, s, &a);
	session_progress_end(s);
	if (r == -EINTR)
		return cmd_fail(s->cmd, EXIT_FAILED, "interrupted");
	if (r < 0)
		return cmd_fail(s->cmd, EXIT_FAILED, "%s: %s", nic->name, strerror(-r));
	if (ask->probe && a.advised.have) {
		snprintf(doing, sizeof(doing), "trying it on %s", nic->name);
		code = probe(s, ask, &rules, &a);
	}
	s->doing = NULL;
	t->advised += a.advised.have != 0;
	t->tunable += a.tunable;
	if (t->all)
		json_object_array_add(t->all, advice_json(&a));
	else
		ask->format->print(&a, &rules.policy);
	return code;
}

/* Without being named only what a mechanism fits, and a policy does not exclude, is measured. */
static bool worth_asking(struct session *s, const struct ask *ask, const struct nic_info *nic)
{
	const struct machine_facts unknown = { 0 };
	struct target_rules rules;
	struct quirk_effect quirk;
	struct knob_set current;
	struct nic_caps caps;
	struct mech_context c = { .nic = nic,
				  .caps = &caps,
				  .rest = &current,
				  .policy = &rules.policy,
				  .quirk = &quirk,
				  .facts = &unknown };
	struct lane lanes[2];
	char why[ERR_MAX];

	if (!nic->up || s->backend->ops->caps(s->backend, nic, &caps) < 0 ||
	    s->backend->ops->read(s->backend, nic, &current) < 0)
		return false;
	ask_rules(s, ask, nic, &rules);
	quirk_apply(rules.quirks, rules.n_quirks, &rules.subject, &current, &caps, &quirk);
	return rules.policy.mode != MODE_OFF && mech_choose(&c, lanes, why) > 0;
}

static void recommend_all(struct session *s, const struct ask *ask, struct tally *t)
{
	for (size_t i = 0; i < s->n_nics && !s->interrupted; i++)
		if (worth_asking(s, ask, &s->nics[i]) && recommend_one(s, ask, &s->nics[i], t) != EXIT_DONE)
			t->failed++;
	if (!t->tunable && !t->failed)
		cmd_fail(s->cmd, 0, "no interface here is up and can be tuned");
}

static void recommend_named(struct session *s, const struct ask *ask, char **names, struct tally *t)
{
	for (; *names && !s->interrupted; names++) {
		int code = EXIT_DONE;
		const struct nic_info *nic = session_find(s, *names, &code);

		if (nic)
			code = recommend_one(s, ask, nic, t);
		if (code != EXIT_DONE && code != EXIT_UNTUNABLE)
			t->failed++;
	}
}

/* What an unprivileged caller does not get, in one line. */
static void say_what_is_missing(const struct session *s)
{
	if (!session_may_write())
		cmd_fail(s->cmd, 0, "without root polls are not counted and what can be set is not known for sure");
}

static int recommend(struct session *s, const struct ask *ask, char **names)
{
	struct tally t = { .all = ask->format->print ? NULL : json_object_new_array() };

	say_what_is_missing(s);
	if (*names)
		recommend_named(s, ask, names, &t);
	else
		recommend_all(s, ask, &t);
	if (t.all) {
		json_object *o = json_object_new_object();

		json_object_object_add(o, "nics", t.all);
		json_object_object_add(o, "change_advised", json_object_new_boolean(t.advised != 0));
		json_end(o, !s->interrupted);
	}
	if (t.failed)
		return EXIT_FAILED;
	return t.advised ? EXIT_ADVISED : t.tunable ? EXIT_DONE : EXIT_UNTUNABLE;
}

int cmd_recommend(const struct cmd *c, int argc, char **argv)
{
	struct session s;
	struct ask ask;
	const char *arg;
	int code, id;

	ask_init(&ask);
	while ((id = cmd_next_option(c, options, argc, argv, &arg, &code)) != CMD_END) {
		if (id != CMD_STOP)
			code = ask_option(c, id, arg, &ask);
		if (id == CMD_STOP || code != EXIT_DONE)
			return code;
	}
	if (ask.probe && !session_may_write())
		return cmd_fail(c, EXIT_FAILED, "--probe needs root or CAP_NET_ADMIN");
	code = session_open(&s, c);
	if (code == EXIT_DONE)
		code = recommend(&s, &ask, argv + optind);
	session_close(&s);
	return code;
}
