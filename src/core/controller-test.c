// SPDX-License-Identifier: GPL-2.0-or-later
/* controller-test: experiments on the live load. The law assumes that the load does not care about the delay; these
 * find the loads that do (window-limited TCP, request/response) by measuring throughput at two intervals. */
#include <math.h>

#include "core/controller-internal.h"

#define RECOVERY 0.3 /* part of the lost throughput that the first step down must bring back */
#define LOOKS_MIN 3
#define NEAR_MIN_USECS 3.0

static bool enough(const struct controller *c, const struct ctl_input *in, double spans)
{
	return c->now.n >= spans * ctl_samples_needed(in);
}

static bool precise(const struct controller *c, const struct ctl_input *in, double error)
{
	return CTL_SIGMAS * error < 2 * CTL_MIN_EFFECT || c->now.n * in->dt_s >= CTL_TEST_MAX_S;
}

/* The next rung down: not past the interval from before the test, nor to what cannot be told from the minimum. */
static double next_rung(const struct controller *c, double from_usecs)
{
	double usecs = from_usecs / CTL_RUNG, least = c->model.limits.min_usecs;

	if (c->base_usecs < from_usecs && usecs < 1.5 * c->base_usecs)
		usecs = c->base_usecs;
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

static void lost(struct controller *c, double change, struct decision *ret)
{
	double gain = window_gain(&c->model, &c->low, &c->now);

	c->reverts++;
	ret->gain = gain;
	if (guard_lonely(c)) {
		ctl_settle(c, REASON_LONELY);
		ctl_propose(c, c->model.limits.min_usecs, REASON_LONELY, ret);
		return;
	}
	if (c->settled && gain <= 0) { /* known, and still so */
		ctl_settle(c, REASON_CLOSED);
		ctl_propose(c, c->base_usecs, REASON_CLOSED, ret);
		return;
	}
	c->high = c->prev = c->now;
	c->best = gain > 0 ? c->now : c->low;
	c->first_drop = change;
	c->rung = c->look = 0;
	c->state = CTL_LADDER;
	ctl_propose(c, next_rung(c, c->interval_usecs), REASON_LADDER, ret);
}

/* Raised: a look at once and further ones, each twice as long, while nothing is certain. */
static void step_up(struct controller *c, const struct ctl_input *in, struct decision *ret)
{
	double error, change;

	if (!enough(c, in, c->look < 4 ? 1 << c->look : 4 * c->look))
		return;
	change = window_change(&c->low, &c->now, &error);
	if (change < -CTL_MIN_EFFECT && change < -CTL_SIGMAS * error) {
		/* better than before all the same: whether a shorter interval is better still can wait for a closer
		 * look */
		if (c->look < LOOKS_MIN - 1 && !c->settled && window_gain(&c->model, &c->low, &c->now) > 0)
			c->look++;
		else
			lost(c, change, ret);
		return;
	}
	if (++c->look < LOOKS_MIN || !precise(c, in, error))
		return;
	ctl_hold(c);
	c->settled = false;
	c->backoff_s = CTL_BACKOFF_S;
	c->probe_s = c->now_s + c->probe_wait_s;
	if (change > CTL_MIN_EFFECT && change > CTL_SIGMAS * error)
		guard_starved(c);
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

static void step_ladder(struct controller *c, const struct ctl_input *in, struct decision *ret)
{
	struct model *m = &c->model;
	double error, gain;

	if (!enough(c, in, 2))
		return;
	if (c->rung++ == 0 && c->first_drop < 0 &&
	    window_change(&c->high, &c->now, &error) < RECOVERY * -c->first_drop) {
		no_recovery(c, ret);
		return;
	}
	gain = window_gain(m, &c->prev, &c->now);
	c->prev = c->now;
	if (window_gain(m, &c->best, &c->now) > 0)
		c->best = c->now;
	ret->gain = gain;
	if (gain > 0 && c->interval_usecs > m->limits.min_usecs) {
		ctl_propose(c, next_rung(c, c->interval_usecs), REASON_LADDER, ret);
		return;
	}
	ctl_settle(c, REASON_CLOSED);
	ctl_propose(c, c->best.interval_usecs, REASON_CLOSED, ret);
}

bool test_start_probe(struct controller *c, struct decision *ret)
{
	double usecs = model_fit(&c->model, c->interval_usecs / CTL_RUNG);
	struct ctl_window high = c->now;

	if (usecs >= c->interval_usecs || !ctl_propose_paid(c, usecs, REASON_PROBE, ret))
		return false;
	c->high = high;
	c->base_usecs = high.interval_usecs;
	c->state = CTL_PROBE_LOW;
	c->probes++;
	return true;
}

static void step_probe_low(struct controller *c, const struct ctl_input *in, struct decision *ret)
{
	double error;

	if (!enough(c, in, 4))
		return;
	window_change(&c->high, &c->now, &error);
	if (!precise(c, in, error))
		return;
	c->low = c->now;
	c->state = CTL_PROBE_BACK;
	ctl_propose(c, c->base_usecs, REASON_PROBE_END, ret);
}

/* Against the mean of before and after: a drift of the load cancels. */
static void step_probe_back(struct controller *c, const struct ctl_input *in, struct decision *ret)
{
	struct ctl_window both;
	double error, before, after, change;

	if (!enough(c, in, 4) || c->now.n < c->low.n * 0.9)
		return;
	before = window_change(&c->high, &c->low, &error);
	after = window_change(&c->now, &c->low, &error);
	both = window_pool(&c->high, &c->now);
	change = window_change(&both, &c->low, &error);
	ctl_hold(c);
	if (before <= 0 || after <= 0 || change <= CTL_MIN_EFFECT || change <= CTL_SIGMAS * error) {
		c->probe_s = c->now_s + c->probe_wait_s;
		c->probe_wait_s = fmin(c->probe_wait_s * 2, CTL_BACKOFF_MAX_S);
		return;
	}
	ret->gain = window_gain(&c->model, &c->now, &c->low);
	if (ret->gain <= 0) {
		ctl_settle(c, REASON_CLOSED);
		ret->reason = REASON_CLOSED;
		return;
	}
	c->best = c->prev = c->low;
	c->base_usecs = c->interval_usecs; /* no lower bound for the rungs */
	c->first_drop = 0;
	c->rung = 0;
	c->reverts++;
	c->state = CTL_LADDER;
	if (!ctl_propose(c, next_rung(c, c->low.interval_usecs), REASON_LADDER, ret))
		ctl_settle(c, REASON_CLOSED);
}

void test_step(struct controller *c, const struct ctl_input *in, struct decision *ret)
{
	ret->reason = REASON_MEASURING;
	switch (c->state) {
	case CTL_UP: step_up(c, in, ret); break;
	case CTL_LADDER: step_ladder(c, in, ret); break;
	case CTL_PROBE_LOW: step_probe_low(c, in, ret); break;
	case CTL_PROBE_BACK: step_probe_back(c, in, ret); break;
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
