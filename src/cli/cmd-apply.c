// SPDX-License-Identifier: GPL-2.0-or-later
/* ethtune apply: the advice, or the settings given, once; originals are saved for `ethtune restore`. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/ask.h"

static const struct cmd_option options[] = {
	ASK_OPTIONS,
	{ "set", OPT_SET, "SETTINGS", "apply these without measuring, e.g. \"rx-usecs=50 rx-frames=0\"" },
	{ "dry-run", OPT_DRY_RUN, NULL, "say what would be set and write nothing" },
	{ 0 },
};

struct plan {
	struct knob_set advised, asked, current; /* asked: before the driver's manners had their say */
	struct nic_caps caps;
	struct quirk_effect quirk;
};

/* More than one frame and no timer would leave the last packets of a burst waiting for the next one. */
static int check_pair(const struct cmd *c, const struct knob_set *set, const struct knob_set *current, enum knob frames,
		      enum knob usecs)
{
	const struct knob_set *time = knob_has(set, usecs) ? set : current;

	if (knob_has(set, frames) && set->value[frames] > 1 && knob_has(time, usecs) && !time->value[usecs])
		return cmd_fail(c, EXIT_USAGE, "%s above 1 with %s 0 could hold packets for ever",
				knob_table[frames].name, knob_table[usecs].name);
	return EXIT_DONE;
}

/* Of what would be written: rounding may have made a short time none. */
static int check_set(const struct cmd *c, const struct nic_info *nic, const struct plan *p)
{
	int code;

	for (int k = 0; k < KNOB_COUNT; k++)
		if (knob_has(&p->advised, k) && !(p->caps.knobs.settable & KNOB_BIT(k)))
			return cmd_fail(c, EXIT_FAILED, "%s: %s is not supported%s", nic->name, knob_table[k].name,
					p->quirk.deny & KNOB_BIT(k) ? " (ethtuned-drivers(7))" : "");
	code = check_pair(c, &p->advised, &p->current, KNOB_RX_FRAMES, KNOB_RX_USECS);
	return code ? code : check_pair(c, &p->advised, &p->current, KNOB_TX_FRAMES, KNOB_TX_USECS);
}

/* The settings given, as near as the driver takes them: some values it raises in silence, refuses half way, or means
 * something else by. */
static int decide_set(struct session *s, const struct ask *ask, const struct nic_info *nic,
		      const struct target_rules *rules, struct plan *ret)
{
	int r = s->backend->ops->caps(s->backend, nic, &ret->caps);

	if (r == 0)
		r = s->backend->ops->read(s->backend, nic, &ret->current);
	if (r < 0)
		return cmd_fail(s->cmd, EXIT_FAILED, "%s: %s", nic->name, strerror(-r));
	quirk_apply(rules->quirks, rules->n_quirks, &rules->subject, &ret->current, &ret->caps, &ret->quirk);
	ret->asked = ret->advised = ask->set;
	for (int k = 0; k < KNOB_COUNT; k++)
		/* a value that names one of the driver's own algorithms is meant when it is given by hand */
		if (knob_has(&ret->advised, k) && !quirk_is_magic(&ret->quirk, k, ret->advised.value[k]))
			knob_put(&ret->advised, k, quirk_round(&ret->quirk, k, ret->advised.value[k]));
	return check_set(s->cmd, nic, ret);
}

/* What is wanted: the given settings, or what measuring says. Nothing wanted: ret->advised is empty. */
static int decide(struct session *s, const struct ask *ask, const struct nic_info *nic, struct plan *ret)
{
	struct target_rules rules;
	struct advice a;
	int r;

	ask_rules(s, ask, nic, &rules);
	if (!ask->have_set && !mode_table[rules.policy.mode].tunes)
		return cmd_fail(s->cmd, EXIT_FAILED, "%s: policy %s says %s; --mode overrules it", nic->name,
				rules.policy.name, mode_table[rules.policy.mode].name);
	if (ask->have_set)
		return decide_set(s, ask, nic, &rules, ret);
	s->doing = "measuring";
	r = advise_run(s->backend, nic, &rules, ask->duration_s, session_progress, s, &a);
	session_progress_end(s);
	s->doing = NULL;
	if (r == -EINTR)
		return cmd_fail(s->cmd, EXIT_FAILED, "interrupted; nothing was changed");
	if (r < 0)
		return cmd_fail(s->cmd, EXIT_FAILED, "%s: %s", nic->name, strerror(-r));
	advice_text(&a, &rules.policy);
	*ret = (struct plan){ a.advised, a.advised, a.current, a.caps, a.quirk };
	return a.tunable ? EXIT_DONE : EXIT_UNTUNABLE;
}

static void print_value(const struct knob_set *s, enum knob k)
{
	char text[32];

	printf("%s", knob_has(s, k) ? print_knob(k, s->value[k], text, sizeof(text)) : "?");
}

static void print_change(const char *name, enum knob k, const struct knob_set *from, const struct knob_set *to,
			 const struct knob_set *asked, const char *verb)
{
	char text[32];

	printf("%s: %s %s", name, verb, knob_table[k].name);
	putchar(' ');
	print_value(from, k);
	printf(" -> ");
	print_value(to, k);
	if (knob_has(to, k) && knob_has(asked, k) && to->value[k] != asked->value[k])
		printf(" (clamped: %s was asked for)", print_knob(k, asked->value[k], text, sizeof(text)));
	puts("");
}

/* p->current: the values when the command began; apply_attach() may have gone back to originals in between, so all
 * knobs that were set then are part of what is wanted. */
static int write_once(struct session *s, struct apply *apply, const struct nic_info *nic, const struct plan *p)
{
	const struct knob_set *before = &p->current, *advised = &p->advised;
	struct apply_result res = { .error = 0 };
	struct knob_set want = *before, diff;
	char err[ERR_MAX] = "";
	int r = apply_attach(apply, nic, err);

	if (r < 0 || err[0])
		return cmd_fail(s->cmd, EXIT_FAILED, "%s: %s", nic->name, err[0] ? err : strerror(-r));
	want.have &= p->caps.knobs.settable;
	knob_set_overlay(&want, advised);
	r = apply_set(apply, nic, &want, &res);
	if (r < 0 && !(res.dead & advised->have)) {
		apply_restore(apply, nic, 0, err); /* half a change is none */
		return cmd_fail(s->cmd, EXIT_FAILED, "%s: %s", nic->name, res.message[0] ? res.message : strerror(-r));
	}
	knob_set_diff(&apply->current, before, &diff);
	for (int k = 0; k < KNOB_COUNT; k++)
		if ((diff.have | advised->have) & KNOB_BIT(k))
			print_change(nic->name, k, before, &apply->current, &p->asked, "set");
	for (int k = 0; k < KNOB_COUNT; k++)
		if (res.dead & advised->have & KNOB_BIT(k))
			r = cmd_fail(s->cmd, EXIT_FAILED, "%s: %s is not supported: %s", nic->name, knob_table[k].name,
				     res.message[0] ? res.message : "refused");
	return r;
}

static int write_locked(struct session *s, const struct nic_info *nic, const struct plan *p)
{
	struct apply *apply = malloc(sizeof(*apply));
	struct state_dir state;
	int lock, code;

	if (!apply)
		return cmd_fail(s->cmd, EXIT_FAILED, "no memory");
	code = session_state(s, &state, &lock);
	if (code == EXIT_DONE) {
		apply_init(apply, s->backend, &state, false);
		apply->together = p->quirk.together;
		code = write_once(s, apply, nic, p);
		close(lock);
		state_close(&state);
	}
	free(apply);
	return code;
}

static int apply_one(struct session *s, const struct ask *ask, const char *name)
{
	struct plan p = { .advised = { 0 } };
	int code;
	const struct nic_info *nic = session_find(s, name, &code);

	if (nic)
		code = decide(s, ask, nic, &p);
	if (!nic || code != EXIT_DONE || !p.advised.have)
		return code;
	if (!ask->dry_run)
		return write_locked(s, nic, &p);
	for (int k = 0; k < KNOB_COUNT; k++)
		if (knob_has(&p.advised, k))
			print_change(name, k, &p.current, &p.advised, &p.asked, "would set");
	return EXIT_DONE;
}

int cmd_apply(const struct cmd *c, int argc, char **argv)
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
	if (argc - optind != 1)
		return cmd_fail(c, EXIT_USAGE, "needs one interface");
	if (ask.have_mode && !mode_table[ask.policy.mode].tunes)
		return cmd_fail(c, EXIT_USAGE, "mode %s never writes", mode_table[ask.policy.mode].name);
	if (!ask.dry_run && !session_may_write())
		return cmd_fail(c, EXIT_FAILED, "needs root or CAP_NET_ADMIN");
	code = session_open(&s, c);
	if (code == EXIT_DONE)
		code = apply_one(&s, &ask, argv[optind]);
	session_close(&s);
	return code;
}
