// SPDX-License-Identifier: GPL-2.0-or-later
/* compare: see compare.h. */
#include "engine/compare.h"

#include <math.h>

#include "core/controller-internal.h"
#include "engine/target.h"

#define FIRST_NS (30 * NSEC_PER_SEC) /* of traffic, to the first comparison */
#define AGAIN_NS (300 * NSEC_PER_SEC)
#define AGAIN_MAX_NS (6 * 3600 * NSEC_PER_SEC)
#define SETTLE_NS (1500 * NSEC_PER_MSEC) /* from a change of hands until samples count */
#define PHASE_NS (4 * NSEC_PER_SEC)
#define PPS_MIN 1000.0
#define SAMPLES_MIN 8.0
#define GAIN_MIN 0.02	/* utility worth a change of hands */
#define STEADY_MAX 0.1	/* the load may drift so much between before and after */
#define COLLAPSE 0.5	/* no need to look any longer */
#define COLLAPSE_SAMPLES 3.0
#define WINDOW_MAX 1000.0

static bool pinned(const struct policy *p, enum knob k)
{
	return (p->limited & KNOB_BIT(k)) && p->limit_min[k] == p->limit_max[k];
}

bool compare_possible(const struct target *t)
{
	uint32_t need = KNOB_BIT(KNOB_ADAPTIVE_RX) | KNOB_BIT(KNOB_RX_USECS);
	struct knob_set rest;

	apply_rest(&t->apply, &rest);
	if (t->rules.policy.mechanism != MECHANISM_AUTO || !mode_table[t->rules.policy.mode].tunes || t->apply.dry_run)
		return false;
	if (pinned(&t->rules.policy, KNOB_ADAPTIVE_RX) || pinned(&t->rules.policy, KNOB_RX_USECS))
		return false;
	return (need & t->caps.knobs.settable & ~(t->apply.dead | t->yielded)) == need &&
	       knob_has(&rest, KNOB_ADAPTIVE_RX) && rest.value[KNOB_ADAPTIVE_RX];
}

void compare_knobs(const struct target *t, struct knob_set *ret)
{
	*ret = (struct knob_set){ 0 };
	if ((t->compare.tried || t->compare.phase >= COMPARE_OTHER) && t->rules.policy.mechanism == MECHANISM_AUTO)
		knob_put(ret, KNOB_ADAPTIVE_RX, !t->compare.in_force);
}

/* A lane as ours would be: for its prices, and for what counts as an interrupt. */
static void our_lane(const struct target *t, struct lane *ret)
{
	struct knob_set rest;
	struct mech_context c;

	apply_rest(&t->apply, &rest);
	target_context(t, &c, &rest);
	mech_lane(&c, QUEUE_RX, MECH_TIMER, ret);
}

/* Hands over. Ours begins at once with the interval that is right for this load, and keeps it while it is compared; the
 * transmit lane does not notice. */
static void hand_over(struct target *t, bool ours)
{
	struct lane *l = &t->lanes[0], tx = { .dir = QUEUE_RX };

	for (unsigned i = 0; i < t->n_lanes; i++)
		if (t->lanes[i].dir == QUEUE_TX)
			tx = t->lanes[i];
	t->compare.in_force = ours;
	target_choose(t);
	for (unsigned i = 0; i < t->n_lanes && tx.dir == QUEUE_TX; i++)
		if (t->lanes[i].dir == QUEUE_TX)
			t->lanes[i] = tx;
	if (!ours || !t->n_lanes || l->dir != QUEUE_RX)
		return;
	l->waiting = (struct decision){
		.change = true,
		.interval_usecs = t->compare.our_usecs,
		.from_usecs = controller_interval(&l->ctl),
		.frames = model_frames(&l->ctl.model, t->compare.our_usecs),
		.reason = REASON_COMPARE,
	};
	t->compare.restart = true;
}

/* The lane took what was written for it as a loss of its own: it starts anew from there. */
static void restart_lane(struct target *t)
{
	struct lane *l = &t->lanes[0];
	struct knob_set rest;
	struct mech_context c;

	if (!t->compare.restart || !t->n_lanes || l->dir != QUEUE_RX || l->waiting.change)
		return;
	t->compare.restart = false;
	apply_rest(&t->apply, &rest);
	target_context(t, &c, &rest);
	mech_lane_here(&c, QUEUE_RX, l->kind, l);
}

static void enter(struct compare *c, enum compare_phase phase, nsec_t from)
{
	c->phase = phase;
	c->measure = from;
	c->until = from + PHASE_NS;
}

static void wait_for(struct compare *c, nsec_t now, nsec_t wait)
{
	c->phase = COMPARE_REST;
	c->next = now + wait;
}

void compare_void(struct target *t)
{
	struct compare *c = &t->compare;

	if (c->phase == COMPARE_REST)
		return;
	c->phase = COMPARE_REST;
	c->primed = false;
	if (c->in_force != c->ours)
		hand_over(t, c->ours);
}

/* How long the driver lets packets wait, by its interrupts; bursts look like waiting, so never more than the cap, nor
 * than the longest that it chooses from. */
static double waited_usecs(const struct ctl_window *w, const struct nic_profile *p, double cap_usecs)
{
	double pps = fmax(w->pps, 1), usecs = w->polls_ps > 0 ? 1e6 / w->polls_ps - 1e6 / pps : 0;

	if (p->n)
		cap_usecs = fmin(cap_usecs, p->row[p->n - 1].usecs);
	return fmin(fmax(usecs, 0), cap_usecs);
}

static bool useful(const struct ctl_window *w)
{
	return w->n >= SAMPLES_MIN && w->pps >= PPS_MIN && (w->polls_n > 0 || w->cpu_n > 0);
}

static void begin(struct target *t, nsec_t now)
{
	struct compare *c = &t->compare;
	struct lane l;

	our_lane(t, &l);
	c->model = l.ctl.model;
	window_reset(&c->before, 0);
	window_reset(&c->other, 0);
	window_reset(&c->after, 0);
	enter(c, COMPARE_BEFORE, now);
}

/* The interval that the law would have for what was just measured. */
static double law_usecs(const struct compare *c, const struct rates *r)
{
	struct ctl_input in = { .pps = c->before.pps };
	struct model m = c->model;

	in.bytes_ps = r->rx_pps > 0 ? r->rx_bytes_ps / r->rx_pps * in.pps : 0;
	model_restart(&m, &in);
	return model_target(&m, 0);
}

static void end_before(struct target *t, const struct report *r)
{
	struct compare *c = &t->compare;

	if (!useful(&c->before)) {
		wait_for(c, r->now, FIRST_NS);
		return;
	}
	c->our_usecs = c->ours ? controller_interval(&t->lanes[0].ctl) : law_usecs(c, &r->rates);
	if (!c->ours && c->our_usecs <= 0) { /* the law would not let packets wait: nothing to win by doing so */
		wait_for(c, r->now, FIRST_NS);
		return;
	}
	enter(c, COMPARE_OTHER, r->now + SETTLE_NS);
	hand_over(t, !c->ours);
}

static void end_other(struct target *t, const struct report *r)
{
	enter(&t->compare, COMPARE_AFTER, r->now + SETTLE_NS);
	hand_over(t, t->compare.ours);
}

/* Is the other one better? Against before and after, and against both together; a load that went its own way says
 * nothing. Sets the gain of ours over the driver's. */
static bool verdict(struct target *t, bool *ret_void)
{
	struct compare *c = &t->compare;
	struct ctl_window both = window_pool(&c->before, &c->after);
	double theirs, gain, error, drift;

	both.polls_n = fmin(c->before.polls_n, c->after.polls_n);
	both.polls_ps = (c->before.polls_ps + c->after.polls_ps) / 2;
	both.cpu_ratio = (c->before.cpu_ratio + c->after.cpu_ratio) / 2;
	theirs = waited_usecs(c->ours ? &c->other : &both, &t->caps.rx_profile, c->model.cap_usecs);
	c->before.interval_usecs = c->after.interval_usecs = both.interval_usecs = c->ours ? c->our_usecs : theirs;
	c->other.interval_usecs = c->ours ? theirs : c->our_usecs;
	drift = fabs(window_change(&c->before, &c->after, &error));
	*ret_void = !useful(&c->other) || !useful(&c->after) || drift > fmax(STEADY_MAX, CTL_SIGMAS * error);
	gain = window_gain(&c->model, &both, &c->other);
	c->gain = c->ours ? -gain : gain;
	window_change(&both, &c->other, &error);
	return gain > fmax(GAIN_MIN, CTL_SIGMAS * error) && window_gain(&c->model, &c->before, &c->other) > 0 &&
	       window_gain(&c->model, &c->after, &c->other) > 0;
}

static void end_after(struct target *t, const struct report *r)
{
	struct compare *c = &t->compare;
	bool is_void, better = verdict(t, &is_void);

	c->wait_ns = c->wait_ns ? c->wait_ns * 2 : AGAIN_NS;
	if (c->wait_ns > AGAIN_MAX_NS)
		c->wait_ns = AGAIN_MAX_NS;
	wait_for(c, r->now, c->wait_ns);
	if (is_void)
		return;
	c->tried++;
	if (better) {
		c->ours = !c->ours;
		hand_over(t, c->ours);
	}
	c->won += c->ours;
}

static void add(struct target *t, const struct report *r, struct ctl_window *w)
{
	struct ctl_input in;
	struct lane l;

	our_lane(t, &l);
	mech_input(&l, &r->rates, (double)r->now / NSEC_PER_SEC, &in);
	if (in.have_pps && in.dt_s > 0)
		window_add(w, &in, WINDOW_MAX);
}

/* So much worse that it need not last. */
static bool collapsed(const struct compare *c)
{
	return c->phase == COMPARE_OTHER && c->other.n >= COLLAPSE_SAMPLES &&
	       c->other.pps < COLLAPSE * c->before.pps;
}

static bool due(struct target *t, const struct report *r)
{
	struct compare *c = &t->compare;

	if (!c->primed)
		wait_for(c, r->now, c->wait_ns ? c->wait_ns : FIRST_NS);
	c->primed = true;
	if (r->rates.rx_pps < PPS_MIN && r->now + FIRST_NS > c->next)
		c->next = r->now + FIRST_NS; /* of traffic */
	return r->now >= c->next;
}

void compare_step(struct target *t, struct report *r, bool skip)
{
	struct compare *c = &t->compare;
	struct ctl_window *w = c->phase == COMPARE_BEFORE ? &c->before :
			       c->phase == COMPARE_OTHER  ? &c->other :
							    &c->after;

	if (t->state != TARGET_ACTIVE || !compare_possible(t) || r->rolled_back) {
		compare_void(t);
		return;
	}
	if (c->phase == COMPARE_REST) {
		restart_lane(t);
		if (!skip && due(t, r))
			begin(t, r->now);
		return;
	}
	if (c->ours && c->phase == COMPARE_BEFORE && r->decision[QUEUE_RX].change) { /* in the middle of something */
		wait_for(c, r->now, FIRST_NS);
		return;
	}
	if (!skip && r->now > c->measure)
		add(t, r, w);
	if (r->now < c->until && !collapsed(c))
		return;
	switch (c->phase) {
	case COMPARE_BEFORE: end_before(t, r); break;
	case COMPARE_OTHER: end_other(t, r); break;
	case COMPARE_AFTER: end_after(t, r); break;
	case COMPARE_REST: break;
	}
}
