// SPDX-License-Identifier: GPL-2.0-or-later
/* controller-test: experiments on the live load. The law assumes that the load does not care about the delay; these
 * find the loads that do (window-limited TCP, request/response) by measuring throughput at two intervals. */
#include <math.h>

#include "core/controller-internal.h"

#define LOOKS_MIN 3
#define FIRST_LOOK 3 /* samples, for a disaster only: */
#define DISASTER 0.3 /* throughput lost */
#define MUCH_LONGER 4.0
#define AT_MIN_S 4.0	 /* longest measurement at the minimum */
#define IDLES_ERROR 0.03 /* of the rates that are compared */

bool test_enough(const struct controller *c, const struct ctl_input *in, double spans)
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

void test_start_up(struct controller *c, const struct ctl_window *before)
{
	c->low = *before;
	c->base_usecs = before->interval_usecs;
	c->state = CTL_UP;
	c->look = 0;
	c->tests++;
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
	ladder_start(c, gain > 0 ? &c->high : &c->low, &c->high, change, ret);
}

/* Raised: a look at once and further ones, each twice as long, while nothing is certain. */
static void step_up(struct controller *c, const struct ctl_input *in, struct decision *ret)
{
	double error, change = window_change(&c->low, &c->now, &error);

	if (c->now.n == FIRST_LOOK && change < -DISASTER && change < -CTL_SIGMAS * error) {
		lost(c, change, ret);
		return;
	}
	if (!test_enough(c, in, c->look < 4 ? 1 << c->look : 4 * c->look))
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
		    c->base_usecs > fmax(c->cleared_usecs, c->model.limits.min_usecs + CTL_NEAR_MIN_USECS);
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

	if ((c->to_min || m->limits.kind == MECH_DEFERRAL) && ladder_can_try_min(c))
		usecs = m->limits.min_usecs; /* with deferral other laws hold there */
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
		ladder_start(c, better ? &low : &high, &high, 0, ret);
	} else if (better) {
		ladder_start(c, &low, &low, 0, ret);
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

	if (!test_enough(c, in, faster ? 1 : 2) ||
	    (!faster && !precise_at_min(c, in, error) && (!test_enough(c, in, 4) || !precise(c, in, &c->high, error))))
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
	case CTL_LADDER: ladder_step(c, in, ret); break;
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
