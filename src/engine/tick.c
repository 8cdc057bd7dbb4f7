// SPDX-License-Identifier: GPL-2.0-or-later
/* tick: see tick.h. The order of the stages is the order of the functions below. */
#include "engine/tick.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "engine/guard.h"
#include "engine/target.h"

#define REFRESH_NS NSEC_PER_SEC /* deferral sends no notification: look once a second whether it is still ours */
#define CPU_AVERAGE_S 2.0	/* CPU time that is only sampled at ticks says nothing over less */

static bool settling(const struct target *t, nsec_t now)
{
	return now < t->settle_until || rings_settling(&t->rings);
}

/* 1 sample, 2 estimate: rates since the tick before, and whether they mean anything. */
static int measure(struct target *t, nsec_t now, struct report *r)
{
	struct backend *b = t->apply.backend;
	struct sample *old = &t->samples[t->flip], *fresh = &t->samples[t->flip ^ 1];
	int err = b->ops->sample(b, &t->nic, fresh);
	enum trouble trouble;

	if (err < 0) {
		t->have_previous = false;
		t->skipped[r->skipped = SKIP_MISSING]++;
		return err;
	}
	t->flip ^= 1;
	trouble = health_look(&t->health, old, fresh, now);
	if (trouble != TROUBLE_COUNT && t->state == TARGET_ACTIVE)
		target_enter_safe(t, health_text(trouble), now);
	if (t->have_previous) {
		r->skipped = health_rates(old, fresh, t->nic.has_device ? t->nic.speed_mbps : 0, &r->rates);
		t->skipped[r->skipped] += r->skipped != SKIP_NONE;
		r->rates_valid = r->skipped == SKIP_NONE;
		if (!r->rates_valid) {
			watch_skip(&t->watch);
			watch_skip(&t->queues.watch);
		}
	}
	t->have_previous = true;
	queues_measure(t, now);
	if (r->rates_valid)
		poll_source_update(&t->polls, b, &t->nic, &r->rates);
	return 0;
}

/* What packets cost the busiest CPU, over all NICs. Where the kernel accounts it exactly the sample has it. */
static void average_cpu(struct target *t, const struct rates *r)
{
	double w = t->cpu_ratio < 0 ? 1 : 1 - exp(-r->dt_s / CPU_AVERAGE_S);

	if (r->have & SAMPLE_CPU)
		t->cpu_ratio += w * (r->busiest_softirq_ratio - t->cpu_ratio);
}

static void lane_input(const struct target *t, struct lane *l, const struct report *r, bool skip, struct ctl_input *ret)
{
	mech_input(l, &r->rates, (double)r->now / NSEC_PER_SEC, ret);
	/* the CPU target needs a number; learning what a packet costs needs an exact one */
	l->ctl.model.limits.learn_costs = ret->have_cpu;
	if (!ret->have_cpu && t->cpu_ratio >= 0) {
		ret->cpu_ratio = t->cpu_ratio;
		ret->have_cpu = true;
	}
	ret->skip |= skip || l->waiting.change;
}

/* Is the timer felt at all? Not asked where a number of frames ends the wait. */
static void test_effect(const struct target *t, struct lane *l, const struct ctl_input *in, struct report *r)
{
	enum knob frames = l->dir == QUEUE_RX ? KNOB_RX_FRAMES : KNOB_TX_FRAMES;
	uint64_t n = knob_has(&t->apply.current, frames) ? t->apply.current.value[frames] : 0;

	if (l->kind != MECH_TIMER || (n > 1 && in->pps / 1e6 * controller_interval(&l->ctl) > (double)n / 2))
		return;
	if (effect_step(&l->effect, in, l->dir == QUEUE_RX ? t->nic.rx_queues : t->nic.tx_queues))
		r->dead |= KNOB_BIT(mech_timer(l));
}

/* 3 decide: what each lane's controller wants. Always heard, also when nothing will be written: it learns. */
static void decide(struct target *t, struct report *r, bool skip)
{
	bool closed = false, queues;
	double polls_ps = -1;

	average_cpu(t, &r->rates);
	queues = queues_decide(t, r, skip);
	for (unsigned i = 0; i < t->n_lanes; i++) {
		struct lane *l = &t->lanes[i];
		struct decision *d = &r->decision[l->dir];
		struct ctl_input in;

		if (queues && l->dir == QUEUE_RX)
			continue;
		lane_input(t, l, r, skip, &in);
		controller_step(&l->ctl, &in, d);
		if (!d->change && l->waiting.change)
			*d = l->waiting;
		test_effect(t, l, &in, r);
		r->decided[l->dir] = true;
		r->cost[l->dir] = (struct report_cost){ l->ctl.model.a_usecs, l->ctl.model.b_usecs,
							l->ctl.model.confidence };
		closed |= controller_closed(&l->ctl);
		if (l->dir == QUEUE_RX && in.have_polls)
			polls_ps = in.polls_ps;
	}
	if (polls_ps < 0 && (r->rates.have & SAMPLE_POLLS))
		polls_ps = r->rates.polls_ps;
	diagnose(&(struct symptoms){ .nic = &t->nic,
				     .rates = &r->rates,
				     .polls_ps = polls_ps,
				     .closed = closed,
				     .current = &t->apply.current },
		 &r->diagnosis);
	r->diagnosis.class = diagnosis_vote(&t->diagnoses, r->diagnosis.class);
}

/* Not its turn: what the lanes decided stands, unmeasured, until it is. */
static void postpone(struct target *t, const struct report *r)
{
	for (unsigned i = 0; i < t->n_lanes; i++)
		if (r->decision[t->lanes[i].dir].change)
			t->lanes[i].waiting = r->decision[t->lanes[i].dir];
	queues_postpone(t);
}

/* Exactly as it was found, also where single queues or NAPI instances differed: no value for the device says that. */
static void back_to_rest(struct target *t, const struct knob_set *want, struct apply_result *res)
{
	res->written = apply_is_rest(&t->apply, want);
	res->error = apply_restore(&t->apply, &t->nic, t->yielded, res->message);
	if (res->error < 0)
		res->written = 0;
}

/* What cannot be read or put in force at this moment, as on the way down and up, will be: no lesson for the law. */
static void tell_lanes(struct target *t, const struct report *r, int error)
{
	for (unsigned i = 0; i < t->n_lanes; i++) {
		struct lane *l = &t->lanes[i];

		if (knob_has(&t->apply.current, mech_timer(l)) && (!error || r->decision[l->dir].change))
			controller_took(&l->ctl, queues_interval(t, l));
	}
}

/* 5 apply: write, read back, tell the controllers what the device really has. */
static void apply(struct target *t, struct report *r, const struct knob_set *want, nsec_t now)
{
	struct apply_result res = { .before = t->apply.current };

	if (t->state == TARGET_ACTIVE && !t->queues.knobs && apply_is_rest(&t->apply, want))
		back_to_rest(t, want, &res);
	else if (t->state == TARGET_ACTIVE || t->state == TARGET_OBSERVING)
		apply_set(&t->apply, &t->nic, want, &res);
	r->before = res.before;
	r->wanted = *want;
	r->written = t->state == TARGET_ACTIVE ? res.written : 0;
	r->would_write = t->state == TARGET_OBSERVING ? res.written : 0;
	r->clamped = res.clamped;
	r->error = res.error;
	if (res.message[0])
		memcpy(r->message, res.message, ERR_MAX);
	if (r->written & ~knob_channel_mask(CHANNEL_RINGS))
		queues_overwritten(t);
	if (!r->error)
		r->error = queues_write(t, r);
	guard_wrote(t, r, now);
	r->dead |= res.dead;
	r->now_set = t->apply.current;
	tell_lanes(t, r, res.error);
	if (r->dead)
		target_choose(t);
	target_count_errors(t, r->error, now, r);
}

/* Every reading wakes a device that sleeps for lack of a link. What ethtool changes there, the kernel tells. */
static bool sleeps(const struct target *t)
{
	bool deferral = false;

	for (unsigned i = 0; i < t->n_lanes; i++)
		deferral |= t->lanes[i].kind == MECH_DEFERRAL;
	return !t->nic.carrier && t->facts.ethtool_tells && !deferral;
}

/* Someone else's hand on a knob that tells nobody: now and then, and before a change overwrites it. */
static void look_for_others(struct target *t, nsec_t now, struct report *r)
{
	if (now - t->last_refresh < REFRESH_NS && !t->suspected && !r->decision[QUEUE_RX].change &&
	    !r->decision[QUEUE_TX].change)
		return;
	if (sleeps(t))
		return;
	t->last_refresh = now;
	target_notified(t, HAND_UNSEEN, &r->yielded);
	target_count_resets(t, now, r);
}

/* What the device forgot because of a write of ours is nobody's change: the lanes write it anew. */
static void read_after_upset(struct target *t)
{
	uint32_t foreign;
	bool reshaped;

	if (t->upset && apply_refresh(&t->apply, &t->nic, &foreign, &reshaped) == 0)
		t->upset = false;
}

static void judge(struct target *t, nsec_t now, struct report *r)
{
	struct knob_set want = { 0 }, undo = { 0 };
	bool calm = !settling(t, now), undone = false;

	if (t->state == TARGET_NEW)
		t->state = target_ready_state(t);
	if (!t->nic.up)
		return; /* the law goes on where it was when it is up again */
	read_after_upset(t);
	if (t->state == TARGET_ACTIVE && calm) {
		watch_step(&t->watch, &r->rates, &t->apply.current, now, &undo, r->message);
		undone = queues_watch(t, r, now);
	}
	decide(t, r, undo.have || undone || !calm);
	look_for_others(t, now, r);
	/* after a yield the mechanisms are other ones than those that decided */
	if (r->yielded || guard_step(t, r, now, &undo, &want))
		apply(t, r, &want, now);
	else
		postpone(t, r);
	compare_step(t, r, undo.have || undone || !calm);
}

int tick_run(struct target *t, nsec_t now, struct report *ret)
{
	int r;

	*ret = (struct report){ .now = now, .nic = t->nic, .before = t->apply.current, .now_set = t->apply.current };
	if (t->state == TARGET_SAFE && now >= t->safe_until)
		target_leave_safe(t);
	target_end_holds(t, now, ret);
	memcpy(ret->queues, t->queues.told, ERR_MAX);
	t->queues.told[0] = 0;
	r = measure(t, now, ret);
	if (r == -ENODEV)
		t->state = TARGET_GONE;
	if (r == 0 && ret->rates_valid)
		judge(t, now, ret);
	ret->state = t->state;
	ret->changes_per_minute = pace_per_minute(&t->pace, now);
	if (!ret->message[0] && t->state != TARGET_ACTIVE)
		memcpy(ret->message, t->why, ERR_MAX);
	return r == -ENODEV ? r : 0;
}
