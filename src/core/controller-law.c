// SPDX-License-Identifier: GPL-2.0-or-later
/* controller-law: what the model says while the controller holds: whether to raise, lower, probe or stay. */
#include <math.h>

#include "core/controller-internal.h"

#define PROBE_PPS 200.0 /* less traffic is no test */
#define NOTICEABLE_USECS 4.0

static void decide(struct controller *c, const struct ctl_input *in, double target, struct decision *ret)
{
	bool up = target > c->interval_usecs;
	enum reason why = !up			   ? REASON_LAW_DOWN
			  : c->starved		   ? REASON_STARVED
			  : c->model.cpu_price > 1 ? REASON_CPU_TARGET
						   : REASON_LAW;
	struct ctl_window before = c->now;

	if (up && CTL_SIGMAS * window_error(&before) > CTL_SURE && before.n * in->dt_s < CTL_PATIENCE_S) {
		ret->reason = REASON_MEASURING;
		return;
	}
	if (!ctl_propose_paid(c, target, why, ret))
		return;
	if (!up) {
		c->probe_s = fmin(c->probe_s, c->now_s + CTL_PROBE_FIRST_S);
		c->high = before;
		c->lowered = true;
		return;
	}
	test_start_up(c, &before);
}

/* What a measurement found keeps its interval until the retry is due. */
static bool hold_settled(struct controller *c, double target, struct decision *ret)
{
	ret->reason = c->settled_why;
	if (model_over_limit(&c->model, c->interval_usecs)) {
		ctl_propose(c, model_limit(&c->model), REASON_LAW_DOWN, ret);
		return true;
	}
	if (c->now_s < c->retry_s)
		return true;
	if (target <= c->interval_usecs || ret->gain < MODEL_MIN_GAIN) {
		c->retry_s = c->now_s + c->backoff_s;
		return true;
	}
	return false;
}

static double gain_wanted(const struct controller *c, double target)
{
	const struct ctl_window *w = &c->now;
	bool blind = c->interval_usecs <= c->model.limits.min_usecs && w->polls_n > 0 &&
		     w->polls_ps > CTL_SINGLY * w->pps && c->model.limits.kind != MECH_DEFERRAL;

	return blind && target > c->interval_usecs ? CTL_TRY_GAIN : MODEL_MIN_GAIN;
}

void law_step(struct controller *c, const struct ctl_input *in, struct decision *ret)
{
	const struct model *m = &c->model;
	double target = model_target(m, c->interval_usecs);
	double polls_ps = target > c->interval_usecs ? window_polls_ps(m, &c->now) : -1;
	double present = model_present_cost(m, c->interval_usecs, polls_ps);

	ret->gain = present - model_cost(m, target);
	if (regime_flapping(&c->regime, c->now_s)) {
		guard_flapping(c, target, ret);
		return;
	}
	if (c->settled) {
		if (hold_settled(c, target, ret))
			return;
	} else if (ret->gain < gain_wanted(c, target) && !model_over_limit(m, c->interval_usecs)) {
		ret->reason = REASON_STEADY;
		if (c->now_s < c->probe_s || c->interval_usecs < m->limits.min_usecs + NOTICEABLE_USECS ||
		    m->pps < PROBE_PPS || c->tokens < 1)
			return;
		c->probe_s = c->now_s + c->probe_wait_s;
		test_start_probe(c, ret);
		return;
	}
	decide(c, in, target, ret);
}
