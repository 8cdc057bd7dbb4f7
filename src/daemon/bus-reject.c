// SPDX-License-Identifier: GPL-2.0-or-later
/* bus-reject: see bus-reject.h. The prices are the control law's own: utility 1 is the whole throughput of the load. */
#include "daemon/bus-reject.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define WORTH 0.005 /* the gain that the law asks of a change; see docs/control-law.md */

struct teller {
	reject_fn *fn;
	void *arg;
	const char *what; /* in front of the sentence */
};

__attribute__((format(printf, 2, 3))) static void say(const struct teller *t, const char *format, ...)
{
	char text[384];
	va_list ap;
	int n = snprintf(text, sizeof(text), "%s%s", t->what, t->what[0] ? " " : "");

	va_start(ap, format);
	vsnprintf(text + n, sizeof(text) - (size_t)n, format, ap);
	va_end(ap);
	t->fn(text, t->arg);
}

static void say_interval(const struct teller *t, const struct controller *c, double usecs)
{
	double now = model_cost(&c->model, c->interval_usecs), loss = model_cost(&c->model, usecs) - now;

	if (loss >= WORTH)
		say(t, "%.0f us instead of %.0f: interrupts and delay together would cost %.1f%% more", usecs,
		    c->interval_usecs, 100 * loss);
	else if (loss > -WORTH)
		say(t, "%.0f us instead of %.0f: a difference of %.2f%%, too small to be worth a change", usecs,
		    c->interval_usecs, 100 * fabs(loss));
	else
		say(t, "%.0f us instead of %.0f: the model expects %.1f%% less cost, but what was measured decides",
		    usecs, c->interval_usecs, -100 * loss);
}

/* Neighbours of the present interval, as far as the device and the cap have them. */
static void say_intervals(const struct teller *t, const struct controller *c)
{
	double now = c->interval_usecs, limit = model_limit(&c->model), told[5];
	double candidates[] = { 0, now / 2, now ? now * 2 : c->model.limits.min_on_usecs, limit };
	unsigned n = 0;

	told[n++] = now;
	for (unsigned i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++) {
		double usecs = candidates[i] > 0 ? model_fit(&c->model, candidates[i]) : 0;
		bool again = false;

		for (unsigned j = 0; j < n; j++)
			again |= fabs(told[j] - usecs) < 0.5;
		if (again)
			continue;
		told[n++] = usecs;
		say_interval(t, c, usecs);
	}
	if (limit > 0)
		say(t, "more than %.0f us: the latency cap of %.0f us or the ring does not allow it", limit,
		    c->model.cap_usecs);
}

static void say_lane(const struct lane *l, const struct teller *all)
{
	const struct controller *c = &l->ctl;
	struct teller t = *all;

	t.what = knob_table[mech_timer(l)].name;
	if (c->settled && c->retry_s > c->now_s)
		say(&t, "at another interval: what measured best is kept for another %.0f s: %s", c->retry_s - c->now_s,
		    reason_table[c->settled_why].sentence);
	if (c->model.primed && c->model.pps > 0)
		say_intervals(&t, c);
}

static void say_avoided(const struct target *t, nsec_t now, const struct teller *all)
{
	for (int k = 0; k < KNOB_COUNT; k++) {
		const struct avoid *a = &t->watch.avoid[k];
		struct teller one = *all;
		char bad[24], good[24];

		one.what = knob_table[k].name;
		if (a->until > now)
			say(&one, "%s: it got worse with it; %s in its place for another %llu s",
			    knob_format(k, a->bad, bad, sizeof(bad)), knob_format(k, a->good, good, sizeof(good)),
			    (unsigned long long)((a->until - now) / NSEC_PER_SEC));
	}
}

static void say_knobs(uint32_t bits, const char *why, const struct teller *all)
{
	for (int k = 0; k < KNOB_COUNT; k++) {
		struct teller one = *all;

		one.what = knob_table[k].name;
		if (bits & KNOB_BIT(k))
			say(&one, "%s", why);
	}
}

static void say_mechanisms(const struct target *t, const struct teller *all)
{
	bool timers = t->caps.knobs.settable & (KNOB_BIT(KNOB_RX_USECS) | KNOB_BIT(KNOB_TX_USECS));
	bool deferral = t->caps.knobs.settable & KNOB_BIT(KNOB_GRO_FLUSH_TIMEOUT);

	if (!t->n_lanes)
		return;
	if (t->lanes[0].kind != MECH_DEFERRAL && deferral)
		say(all, "software deferral: hardware timers do the work, and both delays would add up");
	else if (t->lanes[0].kind != MECH_DEFERRAL)
		say(all, "software deferral: the kernel offers none for this device");
	else if (timers)
		say(all, "hardware timers: the policy asks for software deferral, or they have no effect here");
	else
		say(all, "hardware timers: the driver offers none");
}

void reject_explain(const struct member *m, nsec_t now, reject_fn *fn, void *arg)
{
	const struct target *t = m->target;
	struct teller all = { fn, arg, "" };

	if (m->control.state == CONTROL_PAUSED)
		say(&all, "any change: paused on request, until it is resumed");
	if (m->control.state == CONTROL_RESTORED)
		say(&all, "any change: the originals were asked for, until it is resumed");
	if (member_why(m)[0])
		say(&all, "any change: %s", member_why(m));
	if (!t)
		return;
	for (unsigned i = 0; i < t->n_lanes; i++)
		say_lane(&t->lanes[i], &all);
	say_avoided(t, now, &all);
	say_knobs(t->yielded, "at all: someone else set it, so it is theirs until `ethtune resume`", &all);
	say_knobs(t->apply.dead & ~t->yielded, "at all: the device does not take it", &all);
	say_mechanisms(t, &all);
}
