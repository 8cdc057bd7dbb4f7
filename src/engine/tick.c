// SPDX-License-Identifier: GPL-2.0-or-later
/* tick: see tick.h. The order of the stages is the order of the functions below. */
#include "engine/tick.h"

#include <errno.h>
#include <string.h>

#include "engine/target.h"

#define REFRESH_NS NSEC_PER_SEC /* deferral sends no notification: look once a second whether it is still ours */

/* 1 sample, 2 estimate: rates since the tick before. */
static int measure(struct target *t, struct report *r)
{
	struct backend *b = t->apply.backend;
	struct sample *fresh = &t->samples[t->flip ^ 1];
	int err = b->ops->sample(b, &t->nic, fresh);

	if (err < 0) {
		t->have_previous = false;
		return err;
	}
	t->flip ^= 1;
	r->rates_valid = t->have_previous && rates_between(&t->samples[t->flip ^ 1], fresh, &r->rates) == RATES_OK;
	t->have_previous = true;
	if (r->rates_valid)
		poll_source_update(&t->polls, b, &t->nic, &r->rates);
	return 0;
}

/* 3 decide: what each lane's controller wants. Always heard, also when nothing will be written: it learns. */
static void decide(struct target *t, struct report *r, double now_s)
{
	bool closed = false;
	double polls_ps = -1;

	for (unsigned i = 0; i < t->n_lanes; i++) {
		struct lane *l = &t->lanes[i];
		struct ctl_input in;

		mech_input(l, &r->rates, now_s, &in);
		controller_step(&l->ctl, &in, &r->decision[l->dir]);
		r->decided[l->dir] = true;
		closed |= controller_closed(&l->ctl);
		if (l->dir == QUEUE_RX && in.have_polls)
			polls_ps = in.polls_ps;
	}
	if (polls_ps < 0 && (r->rates.have & SAMPLE_POLLS))
		polls_ps = r->rates.polls_ps;
	diagnose(&t->nic, &r->rates, polls_ps, closed, &r->diagnosis);
}

/* 4 guard: the last word before a write. Leaves in *want what may be written. */
static void guard(const struct target *t, const struct report *r, struct knob_set *want)
{
	const struct policy *p = &t->rules.policy;

	*want = (struct knob_set){ 0 };
	for (unsigned i = 0; i < t->n_lanes; i++) {
		const struct lane *l = &t->lanes[i];
		const struct decision *d = &r->decision[l->dir];
		struct knob_set s;

		/* also the setting in force: a driver may have forgotten it. What the device has is not written again. */
		mech_knobs(l, d->change ? d->interval_usecs : controller_interval(&l->ctl), d->frames, &t->caps,
			   &t->quirk, &s);
		if (!d->change && !target_has_touched(t, &s))
			continue; /* never touched: nothing to keep in force */
		knob_set_overlay(want, &s);
	}
	want->have &= ~t->yielded;
	knob_set_clamp(want, &t->caps.knobs);
	for (int k = 0; k < KNOB_COUNT; k++) {
		if (!knob_has(want, k) || !(p->limited & KNOB_BIT(k)))
			continue;
		if (want->value[k] < p->limit_min[k])
			want->value[k] = p->limit_min[k];
		if (want->value[k] > p->limit_max[k])
			want->value[k] = p->limit_max[k];
	}
}

/* 5 apply: write, read back, tell the controllers what the device really has. */
static void apply(struct target *t, struct report *r, const struct knob_set *want, nsec_t now)
{
	struct apply_result res = { .before = t->apply.current };

	if (t->state == TARGET_ACTIVE || t->state == TARGET_OBSERVING)
		apply_set(&t->apply, &t->nic, want, &res);
	r->before = res.before;
	r->now_set = t->apply.current;
	r->wanted = *want;
	r->written = t->state == TARGET_ACTIVE ? res.written : 0;
	r->would_write = t->state == TARGET_OBSERVING ? res.written : 0;
	r->clamped = res.clamped;
	r->dead = res.dead;
	r->error = res.error;
	memcpy(r->message, res.message, ERR_MAX);
	for (unsigned i = 0; i < t->n_lanes; i++)
		controller_took(&t->lanes[i].ctl, mech_interval(&t->lanes[i], &t->apply.current));
	if (res.dead)
		target_choose(t);
	target_count_errors(t, res.error, now, r);
}

/* Someone else's hand on a knob that tells nobody: now and then, and before a change overwrites it. */
static void look_for_others(struct target *t, nsec_t now, struct report *r)
{
	if (now - t->last_refresh < REFRESH_NS && !r->decision[QUEUE_RX].change && !r->decision[QUEUE_TX].change)
		return;
	t->last_refresh = now;
	target_notified(t, &r->yielded);
}

int tick_run(struct target *t, nsec_t now, struct report *ret)
{
	struct knob_set want;
	int r;

	*ret = (struct report){ .now = now, .nic = t->nic, .before = t->apply.current, .now_set = t->apply.current };
	r = measure(t, ret);
	if (r == -ENODEV)
		t->state = TARGET_GONE;
	if (t->state == TARGET_SAFE && now >= t->safe_until)
		target_leave_safe(t);
	if (r == 0 && ret->rates_valid) {
		if (t->state == TARGET_NEW)
			t->state = target_ready_state(t);
		decide(t, ret, (double)now / NSEC_PER_SEC);
		look_for_others(t, now, ret);
		want.have = 0;
		if (!ret->yielded) /* else the mechanisms are other ones than those that decided */
			guard(t, ret, &want);
		apply(t, ret, &want, now);
	}
	ret->state = t->state;
	if (!ret->message[0] && t->state != TARGET_ACTIVE)
		memcpy(ret->message, t->why, ERR_MAX);
	return r == -ENODEV ? r : 0;
}
