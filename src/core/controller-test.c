// SPDX-License-Identifier: GPL-2.0-or-later
/* controller-test: experiments on the live load. The law assumes that the load does not care about the delay; these
 * find the loads that do (window-limited TCP, request/response) by measuring throughput at two intervals. */
#include <math.h>

#include "core/controller-internal.h"

#define RECOVERY 0.3 /* part of the lost throughput that the first step down must bring back */
#define LOOKS_MIN 3
#define FIRST_LOOK 3 /* samples, for a disaster only: */
#define DISASTER 0.3 /* throughput lost */
#define NEAR_MIN_USECS 1.5
#define NEIGHBOUR 0.6 /* furthest look between two rungs, part of their distance */
#define MUCH_LONGER 4.0
#define AT_MIN_S 4.0	 /* longest measurement at the minimum */
#define RUNG_MAX_S 2.0	 /* of measuring on one rung while noise hides the gain */
#define IDLES_ERROR 0.03 /* of the rates that are compared */
#define BUNCHES 2.0	 /* margin of what polls show of them */
#define CPU_FREE 0.7	 /* the minimum must leave CPU time to be tried */

static bool enough(const struct controller *c, const struct ctl_input *in, double spans)
{
	return c->now.n >= spans * ctl_samples_needed(in);
}

/* Long enough: small changes would show, or more of it would not help, as the other side is known no better. */
static bool precise(const struct controller *c, const struct ctl_input *in, const struct ctl_window *other,
		    double error)
{
	return CTL_SIGMAS * error < 2 * CTL_MIN_EFFECT || c->now.n >= MUCH_LONGER * other->n ||
	       c->now.n * in->dt_s >= CTL_TEST_MAX_S;
}

/* The minimum may cost much, and what it is to show is large. */
static bool precise_at_min(const struct controller *c, const struct ctl_input *in, double error)
{
	return c->interval_usecs <= c->model.limits.min_usecs &&
	       (CTL_SIGMAS * error < CTL_SPEED_UP || c->now.n * in->dt_s >= AT_MIN_S);
}

/* The next rung down: not to what cannot be told from the minimum. */
static double next_rung(const struct controller *c, double from_usecs)
{
	double usecs = from_usecs / CTL_RUNG, least = c->model.limits.min_usecs;

	return usecs < least + NEAR_MIN_USECS ? least : usecs;
}

void test_start_up(struct controller *c, const struct ctl_window *before)
{
	c->low = *before;
	c->base_usecs = before->interval_usecs;
	c->state = CTL_UP;
	c->look = 0;
	c->tests++;
}

/* The load itself had slowed down. If the raise was good even so, compared with before or with the same load now, back
 * to it; else the law decides anew from here. */
static void no_recovery(struct controller *c, struct decision *ret)
{
	ctl_hold(c);
	c->retry_s = c->regime.changed_s = c->now_s;
	c->settled = false;
	c->probe_s = c->now_s + c->probe_wait_s;
	ret->reason = REASON_VOID;
	if (window_gain(&c->model, &c->low, &c->high) > 0 || window_gain(&c->model, &c->now, &c->high) > 0)
		ctl_propose(c, c->high.interval_usecs, REASON_VOID, ret);
	else
		c->probe_s = c->now_s + CTL_PROBE_FIRST_S;
}

/* One rung measured: the best so far, and its neighbours. Packets that wait are diluted by those that do not: when in
 * doubt, the shorter interval. */
static void keep_best(struct controller *c)
{
	struct ctl_window *w = &c->now, *best = &c->best;
	double gain = window_gain(&c->model, best, w);
	bool shorter = w->interval_usecs < best->interval_usecs;

	if (gain > (shorter ? -MODEL_MIN_GAIN : 0)) {
		c->above = c->prev;
		if (shorter)
			c->below.n = 0;
		else
			c->below = *best;
		*best = *w;
	} else if (!shorter) {
		c->above = *w;
	} else if (c->below.n < 1) {
		c->below = *w;
	}
}

/* The top of a parabola through the best rung and its neighbours, over log T; 0 when it is not worth a look. */
static double between_rungs(const struct controller *c)
{
	const struct model *m = &c->model;
	double x0 = log(c->best.interval_usecs + NEAR_MIN_USECS), p, q, top;
	double xa = log(c->above.interval_usecs + NEAR_MIN_USECS) - x0, ua = window_gain(m, &c->best, &c->above);
	double xb = log(c->below.interval_usecs + NEAR_MIN_USECS) - x0, ub = window_gain(m, &c->best, &c->below);

	if (c->above.n < 1 || c->below.n < 1 || xa <= 0 || xb >= 0)
		return 0;
	q = (ua / xa - ub / xb) / (xa - xb);
	p = ua / xa - q * xa;
	if (q >= 0 || p * p / (-4 * q) < MODEL_MIN_GAIN)
		return 0;
	top = fmin(fmax(-p / (2 * q), NEIGHBOUR * xb), NEIGHBOUR * xa);
	return model_fit(m, exp(x0 + top) - NEAR_MIN_USECS);
}

/* The minimum must leave the CPU time to be tried. Packets that come in bunches need few interrupts there, too. */
static bool can_try_min(const struct controller *c)
{
	const struct model *m = &c->model;
	double expected = fmax(model_polls_ps(m, c->now.interval_usecs), 1), singly = 1;

	if (m->limits.kind != MECH_DEFERRAL && c->now.polls_n > 0)
		singly = fmin(BUNCHES * c->now.polls_ps / expected, 1);
	return (m->a_usecs * singly + m->b_usecs) * m->pps / 1e6 < CPU_FREE;
}

/* Last looks: at the minimum, where other laws hold (deferral is off), and between two rungs. */
static void end_ladder(struct controller *c, struct decision *ret)
{
	double usecs;

	if (c->stage == LADDER_RUNGS && !c->saw_min && can_try_min(c)) {
		c->stage = LADDER_MIN;
		if (ctl_propose(c, c->model.limits.min_usecs, REASON_LADDER, ret))
			return;
	}
	if (c->stage != LADDER_BETWEEN) {
		c->stage = LADDER_BETWEEN;
		usecs = between_rungs(c);
		if (usecs > 0 && fabs(usecs - c->best.interval_usecs) > 1 && ctl_propose(c, usecs, REASON_LADDER, ret))
			return;
	}
	ctl_settle(c, REASON_CLOSED);
	ctl_propose(c, c->best.interval_usecs, REASON_CLOSED, ret);
}

/* The first rung brought nothing back. Did the load slow down by itself? Only the setting from before tells. Returns
 * true when it decided. */
static bool check_drop(struct controller *c, struct decision *ret)
{
	double error;

	if (c->first_drop >= 0)
		return false;
	if (window_change(&c->high, &c->now, &error) >= RECOVERY * -c->first_drop) {
		c->first_drop = 0;
		return false;
	}
	if (c->interval_usecs <= c->base_usecs || !ctl_propose(c, c->base_usecs, REASON_LADDER, ret))
		no_recovery(c, ret);
	return true;
}

static void step_ladder(struct controller *c, const struct ctl_input *in, struct decision *ret)
{
	struct ctl_window rung = c->now;
	double error, gain, usecs = -1;

	window_change(&c->prev, &rung, &error);
	gain = window_gain(&c->model, &c->prev, &rung);
	if (!enough(c, in, window_clear(gain, error) ? 1 : 2))
		return;
	if (fabs(gain) < error && rung.n * in->dt_s < RUNG_MAX_S)
		return;
	ret->gain = gain;
	if (check_drop(c, ret)) {
		c->prev = rung;
		return;
	}
	keep_best(c);
	c->prev = rung;
	if (c->interval_usecs <= c->model.limits.min_usecs)
		c->saw_min = true;
	else if (c->stage == LADDER_RUNGS && gain > 0)
		usecs = next_rung(c, c->interval_usecs);
	if (usecs < 0 || !ctl_propose(c, usecs, REASON_LADDER, ret))
		end_ladder(c, ret);
}

static void start_ladder(struct controller *c, const struct ctl_window *best, const struct ctl_window *from,
			 double first_drop, struct decision *ret)
{
	double usecs, least = c->model.limits.min_usecs;

	c->best = *best;
	c->prev = *from;
	c->above = c->high;
	c->below.n = 0;
	c->stage = LADDER_RUNGS;
	c->saw_min = best->interval_usecs <= least || c->low.interval_usecs <= least;
	c->first_drop = first_drop;
	c->look = 0;
	c->reverts++;
	c->tokens--;
	c->state = CTL_LADDER;
	usecs = next_rung(c, from->interval_usecs);
	if ((c->saw_min && usecs <= least) || !ctl_propose(c, usecs, REASON_LADDER, ret)) /* known already */
		end_ladder(c, ret);
}

/* Nothing lost, but too little saved: packets come in bunches, or the CPU is busy with them anyway. Counters that are
 * off by much cannot show that. */
static bool idles(const struct controller *c, const struct ctl_window *low, const struct ctl_window *high)
{
	double error;

	window_change(low, high, &error);
	return low->polls_n > 0 && high->polls_n > 0 && error < IDLES_ERROR &&
	       !c->starved && window_saving(&c->model, low, high) < MODEL_MIN_GAIN / 2;
}

static void lost(struct controller *c, double change, struct decision *ret)
{
	double gain = window_gain(&c->model, &c->low, &c->now);

	ret->gain = gain;
	if (guard_lonely(c)) {
		c->reverts++;
		ctl_settle(c, REASON_LONELY);
		ctl_propose(c, c->model.limits.min_usecs, REASON_LONELY, ret);
		return;
	}
	if (c->settled && gain <= 0) { /* known, and still so */
		c->reverts++;
		ctl_settle(c, REASON_CLOSED);
		ctl_propose(c, c->base_usecs, REASON_CLOSED, ret);
		return;
	}
	c->high = c->now;
	start_ladder(c, gain > 0 ? &c->high : &c->low, &c->high, change, ret);
}

/* Raised: a look at once and further ones, each twice as long, while nothing is certain. */
static void step_up(struct controller *c, const struct ctl_input *in, struct decision *ret)
{
	double error, change = window_change(&c->low, &c->now, &error);

	if (c->now.n == FIRST_LOOK && change < -DISASTER && change < -CTL_SIGMAS * error) {
		lost(c, change, ret);
		return;
	}
	if (!enough(c, in, c->look < 4 ? 1 << c->look : 4 * c->look))
		return;
	if (change < -CTL_MIN_EFFECT && change < -CTL_SIGMAS * error) {
		/* better than before all the same: whether a shorter interval is better still can wait for a closer
		 * look */
		if (c->look < LOOKS_MIN - 1 && !c->settled && window_gain(&c->model, &c->low, &c->now) > 0)
			c->look++;
		else
			lost(c, change, ret);
		return;
	}
	if (++c->look < LOOKS_MIN || !precise(c, in, &c->low, error))
		return;
	if (idles(c, &c->low, &c->now)) {
		c->reverts++;
		ctl_settle(c, REASON_BUNCHED);
		ctl_propose(c, c->base_usecs, REASON_BUNCHED, ret);
		return;
	}
	ctl_hold(c);
	c->settled = false;
	c->backoff_s = CTL_BACKOFF_S;
	c->probe_s = c->now_s + c->probe_wait_s;
	if (change > CTL_MIN_EFFECT && change > CTL_SIGMAS * error && window_trend(&c->now) < change / 3) {
		guard_starved(c);
		return;
	}
	/* no harm, it seems; but was there a way to see it, and is anything known about the setting before? */
	c->to_min = (change < -CTL_MIN_EFFECT && change < -error) || CTL_SIGMAS * error > CTL_SURE ||
		    c->base_usecs > fmax(c->cleared_usecs, c->model.limits.min_usecs + NEAR_MIN_USECS);
	if (c->to_min)
		c->probe_s = c->now_s;
	else
		c->cleared_usecs = c->interval_usecs;
}

bool test_start_probe(struct controller *c, struct decision *ret)
{
	const struct model *m = &c->model;
	double usecs = model_fit(m, c->interval_usecs / CTL_RUNG);
	struct ctl_window high = c->now;

	if ((c->to_min || m->limits.kind == MECH_DEFERRAL) && can_try_min(c)) /* deferral: other laws hold there */
		usecs = m->limits.min_usecs;
	if (usecs >= c->interval_usecs || !ctl_propose_paid(c, usecs, REASON_PROBE, ret))
		return false;
	c->tokens--; /* there and back */
	c->to_min = false;
	c->high = high;
	c->base_usecs = high.interval_usecs;
	c->state = CTL_PROBE_LOW;
	c->probes++;
	return true;
}

/* It minds. From a minimum the way leads down from the top again: the best may lie between. */
static void probe_found(struct controller *c, struct decision *ret)
{
	const struct ctl_window low = c->low, high = c->high;
	bool better = window_gain(&c->model, &high, &low) > 0;

	if (low.interval_usecs <= c->model.limits.min_usecs) {
		start_ladder(c, better ? &low : &high, &high, 0, ret);
	} else if (better) {
		start_ladder(c, &low, &low, 0, ret);
	} else {
		ctl_settle(c, REASON_CLOSED);
		ret->reason = REASON_CLOSED;
	}
}

/* Obvious, and not the drift of a load that was growing before; a few samples could not show that. */
static bool by_itself(const struct controller *c, const struct ctl_input *in, double change)
{
	return change > CTL_OBVIOUS && c->high.n >= 2 * ctl_samples_needed(in) && window_trend(&c->high) < change / 4;
}

static void step_probe_low(struct controller *c, const struct ctl_input *in, struct decision *ret)
{
	double error, change = window_change(&c->high, &c->now, &error);
	bool faster = change > 0 && window_clear(change, error);

	if (!enough(c, in, faster ? 1 : 2) ||
	    (!faster && !precise_at_min(c, in, error) && (!enough(c, in, 4) || !precise(c, in, &c->high, error))))
		return;
	c->low = c->now;
	if (faster && (c->sped_up || by_itself(c, in, change)) && window_gain(&c->model, &c->high, &c->low) > 0) {
		probe_found(c, ret); /* no need to go back: so much, or the second time in a row */
		return;
	}
	c->state = CTL_PROBE_BACK;
	ctl_propose(c, c->base_usecs, REASON_PROBE_END, ret);
}

/* Against the mean of before and after: a drift of the load cancels. */
static void step_probe_back(struct controller *c, struct decision *ret)
{
	struct ctl_window both;
	double error, before, after, change;

	if (c->now.n < c->low.n * 0.9)
		return;
	before = window_change(&c->high, &c->low, &error);
	after = window_change(&c->now, &c->low, &error);
	both = window_pool(&c->high, &c->now);
	change = window_change(&both, &c->low, &error);
	ctl_hold(c);
	c->sped_up = false;
	if (before <= 0 || after <= 0 || change <= CTL_MIN_EFFECT || change <= CTL_SIGMAS * error) {
		if (c->low.interval_usecs <= c->model.limits.min_usecs && CTL_SIGMAS * error < CTL_SURE)
			c->cleared_usecs = c->interval_usecs;
		c->probe_s = c->now_s + c->probe_wait_s;
		c->probe_wait_s = fmin(c->probe_wait_s * 2, CTL_BACKOFF_MAX_S);
		if (idles(c, &c->low, &both)) {
			ctl_settle(c, REASON_BUNCHED);
			ctl_propose(c, c->low.interval_usecs, REASON_BUNCHED, ret);
		}
		return;
	}
	ret->gain = window_gain(&c->model, &c->now, &c->low);
	c->high = c->now;
	probe_found(c, ret);
}

void test_step(struct controller *c, const struct ctl_input *in, struct decision *ret)
{
	ret->reason = REASON_MEASURING;
	switch (c->state) {
	case CTL_UP: step_up(c, in, ret); break;
	case CTL_LADDER: step_ladder(c, in, ret); break;
	case CTL_PROBE_LOW: step_probe_low(c, in, ret); break;
	case CTL_PROBE_BACK: step_probe_back(c, ret); break;
	case CTL_HOLD:
	case CTL_STATE_COUNT: break;
	}
}

bool test_void(struct controller *c, double pps, struct decision *ret)
{
	double back = c->state == CTL_LADDER ? c->best.interval_usecs : c->base_usecs;
	/* a raise that is followed by more traffic did no harm, and the law would not want less now */
	bool harmless = c->state == CTL_UP && pps > c->low.pps;
	bool undo = c->state != CTL_HOLD && c->state != CTL_PROBE_BACK && !harmless;

	if (c->state != CTL_HOLD)
		c->tokens--; /* tests that are cut short cost double */
	ctl_hold(c);
	return undo && ctl_propose(c, back, REASON_VOID, ret);
}
