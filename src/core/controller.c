// SPDX-License-Identifier: GPL-2.0-or-later
/* controller: see controller.h. This file: the step, decisions while holding, and what the device made of them. */
#include "core/controller.h"

#include <math.h>

#include "core/controller-internal.h"

#define DWELL_S 2.0  /* between decisions */
#define TOKENS 6.0   /* decisions: burst ... */
#define TOKEN_S 30.0 /* ... and seconds per further one */
#define DEBT 2.0     /* so many more may be borrowed ... */
#define URGENT 0.05  /* ... for a gain as large: half a minute of it is worth more than quiet */
#define IDLE_S 5.0
#define TRAFFIC_PPS 500.0 /* one sample of it is traffic ... */
#define AWAKE_PPS 100.0	  /* ... and so are several of this; apart from MODEL_IDLE_PPS, or noise would wake and lull */
#define AWAKE_SAMPLES 3
#define STEAL_MAX 0.05
#define AVERAGE_S 1.0
#define AVERAGE_FLAPPING_S 30.0
#define REFUSED_S 60.0	  /* before asking again for something the device did not take */
#define ROUND_UP_PART 0.5 /* of the cap; a device that rounds up further is not rounding */
#define WINDOW_S 10.0

static const char *const state_names[CTL_STATE_COUNT] = {
	[CTL_HOLD] = "hold",
	[CTL_UP] = "up",
	[CTL_LADDER] = "ladder",
	[CTL_PROBE_LOW] = "probe-low",
	[CTL_PROBE_BACK] = "probe-back",
};

void controller_init(struct controller *c, const struct policy *p, const struct ctl_limits *limits)
{
	*c = (struct controller){
		.cpu_target_ratio = p->cpu_target_ratio,
		.interval_usecs = limits->default_usecs,
		.from_usecs = limits->default_usecs,
		.changed_s = CTL_NEVER_S,
		.allowed_s = CTL_NEVER_S,
		.tokens = TOKENS,
		.backoff_s = CTL_BACKOFF_S,
		.probe_s = CTL_NEVER_S,
		.probe_wait_s = CTL_PROBE_S,
		.to_min = true,
		.sensitive_s = CTL_NEVER_S,
		.lonely_s = CTL_NEVER_S,
		.quiet_s = CTL_NEVER_S,
		.dropped_s = CTL_NEVER_S,
		.over_s = -1,
		.under_s = -1,
		.idle_s = -1,
	};
	model_init(&c->model, p, limits);
	regime_init(&c->regime);
	window_reset(&c->now, c->interval_usecs);
}

double controller_interval(const struct controller *c)
{
	return c->interval_usecs;
}

enum ctl_state controller_state(const struct controller *c)
{
	return c->state;
}

const char *controller_state_name(enum ctl_state s)
{
	return state_names[s];
}

bool controller_closed(const struct controller *c)
{
	return c->settled && (c->settled_why == REASON_CLOSED || c->settled_why == REASON_LONELY);
}

double ctl_samples_needed(const struct ctl_input *in)
{
	return fmax(ceil(CTL_SPAN_S / in->dt_s), 3);
}

void ctl_hold(struct controller *c)
{
	c->state = CTL_HOLD;
	c->look = 0;
}

void ctl_settle(struct controller *c, enum reason why)
{
	c->settled = true;
	c->settled_why = why;
	if (why == REASON_LONELY)
		c->lonely_s = c->now_s;
	if (controller_closed(c))
		guard_sensitive(c);
	c->retry_s = c->now_s + c->backoff_s;
	c->backoff_s = fmin(c->backoff_s * 2, CTL_BACKOFF_MAX_S);
	c->probe_s = c->now_s + c->probe_wait_s;
	ctl_hold(c);
}

/* Everything that was measured belongs to another setting now. */
static void start_over(struct controller *c, double usecs)
{
	model_end_block(&c->model);
	c->interval_usecs = usecs;
	c->changed_s = c->now_s;
	c->straddles = true;
	c->lowered = false;
	c->more_polls = 0;
	window_reset(&c->now, usecs);
	regime_new_setting(&c->regime);
}

bool ctl_propose(struct controller *c, double usecs, enum reason why, struct decision *ret)
{
	usecs = model_fit(&c->model, usecs);
	ret->reason = why;
	if (fabs(usecs - c->interval_usecs) < 1e-9)
		return false;
	c->from_usecs = c->interval_usecs;
	start_over(c, usecs);
	c->proposed = true;
	c->changes++;
	ret->change = true;
	ret->interval_usecs = usecs;
	ret->frames = guard_frames(c);
	return true;
}

bool ctl_propose_paid(struct controller *c, double usecs, enum reason why, struct decision *ret)
{
	if (c->tokens < 1 && !(ret->gain >= URGENT && c->tokens >= 1 - DEBT)) {
		ret->reason = REASON_WAITING;
		return false;
	}
	if (!ctl_propose(c, usecs, why, ret))
		return false;
	c->tokens--;
	return true;
}

static void note_round_up(struct model *m, double usecs)
{
	m->round_up_usecs = fmax(m->round_up_usecs, fmin(usecs, ROUND_UP_PART * m->cap_usecs));
}

void controller_took(struct controller *c, double interval_usecs)
{
	bool proposed = c->proposed;

	c->proposed = false;
	if (fabs(interval_usecs - c->interval_usecs) < 1e-9)
		return;
	if (!proposed) { /* moved by someone else, or rolled back: it was not good, whatever we measured */
		start_over(c, interval_usecs);
		ctl_settle(c, REASON_ROLLBACK);
		return;
	}
	if (fabs(interval_usecs - c->from_usecs) < 1e-9) { /* rejected, or rounded to what it was */
		ctl_hold(c);
		c->allowed_s = c->now_s + REFUSED_S;
	}
	if (interval_usecs > c->interval_usecs && interval_usecs != c->from_usecs)
		note_round_up(&c->model, interval_usecs - c->interval_usecs);
	c->interval_usecs = c->now.interval_usecs = interval_usecs;
}

/* The load became another one: what was learnt about its sensitivity is void, and so is a running test. */
static void new_regime(struct controller *c, const struct ctl_input *in, struct decision *ret)
{
	c->regimes++;
	guard_note_busy(c);
	guard_note_rare(c, in);
	c->lowered = false;
	window_reset(&c->now, c->interval_usecs);
	c->more_polls = 0;
	if (!regime_flapping(&c->regime, c->now_s)) {
		model_restart(&c->model, in);
		if (c->starved)
			c->model.cpu_price = 1; /* the CPU target raises it again if need be */
		c->starved = c->settled = false;
		c->backoff_s = CTL_BACKOFF_S;
		c->sped_up = c->to_min = false;
		c->cleared_usecs = 0;
	}
	c->probe_wait_s = CTL_PROBE_S;
	c->probe_s = fmin(c->probe_s, c->now_s + CTL_PROBE_FIRST_S);
	ret->reason = REASON_MEASURING;
	if (!test_void(c, in->pps, ret))
		return;
	/* what the new load did before the undoing: the last samples, which the regime took for its level */
	c->lowered = c->interval_usecs < c->from_usecs;
	c->high = (struct ctl_window){ .n = 3, .pps = in->pps, .variance = pow(c->regime.sigma_pps, 2) };
}

static void hold(struct controller *c, const struct ctl_input *in, struct decision *ret)
{
	ret->reason = REASON_MEASURING;
	if (c->now.n >= 5 && c->now.n * in->dt_s >= 1 && guard_lonely(c)) {
		ctl_settle(c, REASON_LONELY);
		ctl_propose(c, c->model.limits.min_usecs, REASON_LONELY, ret);
		return;
	}
	if (c->lowered && c->now.n >= ctl_samples_needed(in))
		guard_lowering(c);
	if (c->now_s - c->changed_s < DWELL_S || c->now_s < c->allowed_s || c->now.n < ctl_samples_needed(in) ||
	    c->regime.outside)
		return;
	if (c->tokens < 1 - DEBT) {
		ret->reason = REASON_WAITING;
		return;
	}
	law_step(c, in, ret);
}

/* A few packets now and then are no traffic: ten a second come in ones and twos, and seldom as five in a tenth. */
static void note_idle(struct controller *c, double pps)
{
	c->awake = pps >= AWAKE_PPS ? c->awake + 1 : 0;
	if (pps >= TRAFFIC_PPS || c->awake >= AWAKE_SAMPLES)
		c->idle_s = -1;
	else if (c->idle_s < 0 && pps < MODEL_IDLE_PPS)
		c->idle_s = c->now_s;
}

/* Averages, and what they feed. Returns the regime's verdict. A sample that straddles a change of ours still tells the
 * rate, but nothing about a setting. */
static bool observe(struct controller *c, const struct ctl_input *in, bool straddles, struct ctl_input *ret_expected)
{
	struct ctl_input s = *in;
	bool flapping, changed = !straddles && regime_update(&c->regime, c->now_s, in->dt_s, in->pps);

	if (!straddles)
		s.pps = regime_expected(&c->regime, in->pps);
	if (in->pps > 0) {
		s.bytes_ps *= s.pps / in->pps;
		s.polls_ps *= s.pps / in->pps;
	}
	flapping = regime_flapping(&c->regime, c->now_s);
	model_average(&c->model, &s, flapping ? AVERAGE_FLAPPING_S : AVERAGE_S);
	note_idle(c, in->pps);
	c->tokens = fmin(c->tokens + in->dt_s / TOKEN_S, TOKENS);
	*ret_expected = s;
	return changed;
}

static bool usable(const struct ctl_input *in)
{
	return !in->skip && in->dt_s > 0 && in->have_pps && in->pps >= 0 && in->pps < 1e12 &&
	       !(in->steal_ratio > STEAL_MAX);
}

/* Nothing can be measured without traffic: a test ends, and no decision is needed to rest. */
static bool rest_when_idle(struct controller *c, struct decision *ret)
{
	if (c->idle_s < 0 || c->now_s - c->idle_s <= IDLE_S || c->now_s < c->allowed_s)
		return false;
	ctl_hold(c);
	ctl_propose(c, model_rest(&c->model), REASON_IDLE, ret);
	return true;
}

static void judge(struct controller *c, const struct ctl_input *in, struct decision *ret)
{
	struct ctl_input expected;
	bool changed, straddles = c->straddles;

	c->straddles = false;
	changed = observe(c, in, straddles, &expected);
	if (guard_ring(c, in, ret))
		return;
	guard_cpu_target(c);
	ret->reason = REASON_MEASURING;
	if (straddles)
		return;
	model_learn(&c->model, in, c->interval_usecs);
	window_add(&c->now, &expected, WINDOW_S / in->dt_s + 10);
	c->now.noise_pps = c->regime.sigma_pps;
	if (guard_follow(c, in, ret))
		return;
	if (changed)
		new_regime(c, in, ret);
	else if (rest_when_idle(c, ret))
		return;
	else if (guard_more_polls(c, in, ret))
		return;
	else if (c->state != CTL_HOLD && c->idle_s >= 0)
		test_void(c, in->pps, ret); /* the load ended: that says nothing about the interval */
	else if (c->state != CTL_HOLD)
		test_step(c, in, ret);
	else
		hold(c, in, ret);
}

void controller_step(struct controller *c, const struct ctl_input *in, struct decision *ret)
{
	*ret = (struct decision){ .from_usecs = c->interval_usecs, .interval_usecs = c->interval_usecs };
	ret->frames = guard_frames(c);
	c->now_s = in->now_s;
	if (c->probe_s == CTL_NEVER_S)
		c->probe_s = c->now_s + CTL_PROBE_START_S;
	c->proposed = false;
	if (model_over_cap(&c->model, c->interval_usecs) && c->now_s >= c->allowed_s) {
		ctl_hold(c);
		if (ctl_propose(c, model_limit(&c->model), REASON_CAP, ret))
			c->changed_s = CTL_NEVER_S; /* forced: it does not delay a decision */
	} else if (!usable(in)) {
		ret->reason = REASON_SKIPPED;
	} else {
		judge(c, in, ret);
	}
	ret->pps = model_lambda(&c->model) * 1e6;
	ret->polls_ps = window_polls_ps(&c->model, &c->now);
	ret->cost_usecs = c->model.a_usecs;
}
