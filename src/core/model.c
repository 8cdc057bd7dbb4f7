// SPDX-License-Identifier: GPL-2.0-or-later
/* model: see model.h. The square-root law and what it needs: docs/control-law.md has the derivation. */
#include "core/model.h"

#include <math.h>
#include <string.h>

#define OVER_PART 0.05	   /* of the cap: tolerance of deferral around it */
#define FREE_UTILITY 0.01  /* a resting interval may cost this much */
#define REST_PPS 1000.0	   /* above, rest at the minimum: could be request/response, where every us counts */
#define RING_MARGIN 0.25   /* part of the ring that a line-rate burst may fill during one interval */
#define WIRE_OVERHEAD 24.0 /* bytes a frame takes on the wire beyond its own (preamble, gap, FCS) */
#define NO_WIRE_FACTOR 0.5 /* wire's speed unknown: the mean rate may fill twice the part that a burst may */
#define FRAMES_FACTOR 4.0  /* frames are a safety stop: four times what the interval gathers */
#define FRAMES_MIN 32.0
#define FRAMES_MAX 256.0  /* where the ring is unknown */
#define DEFER_EMPTY 2.0	  /* empty polls that deferral adds after a packet (napi-defer-hard-irqs) */
#define DEFER_ON 2.0	  /* packets per period that make deferral worth starting ... */
#define DEFER_ON_LATE 3.0 /* ... where timers are this late, or later: */
#define DEFER_LATE_USECS 40.0
#define DEFER_OFF 1.5	     /* ... and below which it is taken back */
#define DEFER_TIMER_PART 0.1 /* CPU of a late timer (exits of a guest), part of its lateness */
#define DEFER_MIN_PART 0.55  /* an interval below this part of the lateness only adds empty polls */
/* Bursts gather better than the model says: more is saved than the present polls suggest. Deferral goes by a clock. */
#define GATHER_TIMER 2.0
#define GATHER_DEFERRAL 1.4
#define FEW_POLLS_PS 20.0
#define MORE_POLLS_RATIO 0.9
#define NOTICEABLE_USECS 4.0
#define LONELY_PACKETS 0.25 /* further packets due per interval that make lonely interrupts suspicious ... */
#define LONELY_LEAST 0.1    /* ... or so few, if counted this much better: */
#define LONELY_SIGMAS 10.0
#define LONELY_PART 0.2	    /* part of them that came */
#define LONELY_MOST 0.5	    /* but so many are company; frames or the budget may have ended the wait */
#define PACING_STEPS 8
#define TIME_LEFT_LEAST 0.1 /* a CPU that is full polls all the time anyway; b is an estimate */

const struct cost_prior model_priors[MODEL_PRIORS] = {
	{ "arm-small", 5.7, 2.8, 4.8 }, /* in-order cores, Cortex-A53 class */
	{ "x86", 1.35, 0.4, 1.5 },	/* recent, on bare metal */
	{ "vm", 2.5, 1.5, 3.5 },	/* guest */
	{ "fallback", 3.0, 1.0, 2.5 },
};

const struct cost_prior *model_prior_by_name(const char *name)
{
	for (int i = 0; i < MODEL_PRIORS; i++)
		if (!strcmp(model_priors[i].name, name))
			return &model_priors[i];
	return &model_priors[MODEL_PRIORS - 1];
}

static double clamp(double x, double lo, double hi)
{
	return x < lo ? lo : x > hi ? hi : x;
}

void model_init(struct model *m, const struct policy *p, const struct ctl_limits *limits)
{
	const struct cost_prior *fallback = &model_priors[MODEL_PRIORS - 1];

	*m = (struct model){
		.limits = *limits,
		.w_cpu = mode_table[p->mode].w_cpu,
		.w_lat = mode_table[p->mode].w_lat,
		.cap_usecs = policy_cap_usecs(p),
		.cpu_price = 1,
		.ring_margin = RING_MARGIN,
		.cpu_ratio = -1,
		.singly = -1,
		.minding = 1,
		.floor_usecs = limits->floor_usecs > 0 ? limits->floor_usecs : 0,
	};
	if (!(m->limits.prior.a_usecs > 0 && m->limits.prior.b_usecs > 0))
		m->limits.prior = *fallback;
	if (!(m->limits.step_usecs > 0))
		m->limits.step_usecs = 1;
	m->a_usecs = m->limits.prior.a_usecs;
	m->b_usecs = m->limits.prior.b_usecs;
}

void model_average(struct model *m, const struct ctl_input *in, double tau_s)
{
	double w = m->primed ? 1 - exp(-in->dt_s / tau_s) : 1;

	m->primed = true;
	m->pps += w * (in->pps - m->pps);
	m->pps2 += w * (in->pps * in->pps - m->pps2);
	m->bytes_ps += w * (in->bytes_ps - m->bytes_ps);
	if (!in->have_cpu)
		return;
	w = m->cpu_ratio >= 0 ? 1 - exp(-in->dt_s / 2) : 1;
	m->cpu_ratio += w * (in->cpu_ratio - m->cpu_ratio);
}

void model_restart(struct model *m, const struct ctl_input *in)
{
	m->pps = in->pps;
	m->pps2 = in->pps * in->pps;
	m->bytes_ps = in->bytes_ps;
	m->singly = -1;
	m->minding = 1;
	/* CPU that has nothing to do with our packets is a constant part of the CPU per packet only at one rate */
	m->fit = (struct cost_fit){ 0 };
}

double model_lambda(const struct model *m)
{
	return m->pps > 0 ? m->pps2 / m->pps / 1e6 : 0;
}

double model_line_rate(const struct model *m)
{
	double bytes = m->pps > 1 && m->bytes_ps > 0 ? clamp(m->bytes_ps / m->pps, 60, 9000) : 1500;

	/* 1 Mbit/s is 1 bit per us */
	return m->limits.link_mbps > 0 ? m->limits.link_mbps / ((bytes + WIRE_OVERHEAD) * 8)
				       : NO_WIRE_FACTOR * m->pps / 1e6;
}

double model_price(const struct model *m)
{
	return m->w_lat / m->cap_usecs;
}

static bool is_on(double interval_usecs)
{
	return interval_usecs > 0;
}

double model_period(const struct model *m, double interval_usecs)
{
	return m->limits.kind == MECH_DEFERRAL && is_on(interval_usecs) ? interval_usecs + m->floor_usecs
									: interval_usecs;
}

double model_poll_cost(const struct model *m, double interval_usecs)
{
	double usecs = m->a_usecs + m->limits.prior.wakeup_usecs;

	if (!is_on(interval_usecs))
		return usecs;
	switch (m->limits.kind) {
	case MECH_TIMER: break;
	case MECH_PACING: return usecs + (MODEL_PACING_COST - 1) * m->a_usecs;
	case MECH_DEFERRAL: return usecs + DEFER_TIMER_PART * m->floor_usecs;
	}
	return usecs;
}

/* Time that the packets themselves leave: what arrives while others are polled needs no interrupt. A cycle of waiting
 * and polling lasts (1 / lambda + T) / (1 - lambda b). b is an estimate, and where other CPUs do part of the work the
 * polls are shorter: never less than the interrupts that were counted say. */
static double time_left(const struct model *m)
{
	return fmax(fmax(1 - m->pps / 1e6 * m->b_usecs, fmin(m->singly, 1)), TIME_LEFT_LEAST);
}

/* A pause begins after the poll, not with a packet: what came meanwhile ends the cycle, unless nothing did. */
double model_gap(const struct model *m, double lambda, double interval_usecs)
{
	if (m->limits.kind == MECH_PACING && is_on(interval_usecs))
		return m->a_usecs + exp(-lambda * interval_usecs) / lambda;
	return 1 / lambda;
}

double model_polls_ps(const struct model *m, double interval_usecs)
{
	double lambda = model_lambda(m), period = model_period(m, interval_usecs);

	if (lambda <= 0)
		return 0;
	if (m->limits.kind == MECH_DEFERRAL && is_on(interval_usecs))
		return 1e6 * fmin(1 / period, (1 + DEFER_EMPTY) * lambda);
	return 1e6 * time_left(m) / (model_gap(m, lambda, interval_usecs) + period);
}

double model_cost(const struct model *m, double interval_usecs)
{
	/* The interval, not the period, is what a packet pays: a late timer hides behind latency that is there anyway
	 * (the measured round trip grows by about the interval). The cap holds the whole period all the same. */
	return m->cpu_price * m->w_cpu * model_poll_cost(m, interval_usecs) * model_polls_ps(m, interval_usecs) / 1e6 +
	       model_price(m) * interval_usecs;
}

double model_present_cost(const struct model *m, double interval_usecs, double polls_ps)
{
	double by_model = model_cost(m, interval_usecs), gather;

	if (polls_ps < 0)
		return by_model;
	gather = m->limits.kind == MECH_DEFERRAL ? GATHER_DEFERRAL : GATHER_TIMER;
	return fmin(by_model, m->cpu_price * m->w_cpu * model_poll_cost(m, interval_usecs) * gather * polls_ps / 1e6 +
				      model_price(m) * interval_usecs);
}

bool model_lonely(const struct model *m, double interval_usecs, double pps, double polls_ps, double error)
{
	double due = pps / 1e6 * interval_usecs; /* further packets that an interval should gather */

	if (m->limits.kind == MECH_DEFERRAL || polls_ps <= FEW_POLLS_PS ||
	    interval_usecs <= m->limits.min_usecs + NOTICEABLE_USECS)
		return false;
	return due >= clamp(LONELY_SIGMAS * error, LONELY_LEAST, LONELY_PACKETS) &&
	       pps / polls_ps - 1 < fmin(LONELY_PART * due, LONELY_MOST);
}

bool model_more_polls(const struct model *m, double interval_usecs, double pps, double polls_ps)
{
	return m->limits.kind == MECH_DEFERRAL && interval_usecs > m->limits.min_usecs && polls_ps >= FEW_POLLS_PS &&
	       polls_ps > MORE_POLLS_RATIO * pps;
}

/* What the cap leaves to the interval itself. */
static double below_cap(const struct model *m, double cap_usecs)
{
	return cap_usecs - (m->limits.kind == MECH_DEFERRAL ? m->floor_usecs : 0);
}

double model_limit(const struct model *m)
{
	double limit = below_cap(m, MODEL_CAP_PART * m->cap_usecs) - m->round_up_usecs, rate = model_line_rate(m);

	if (m->limits.ring_entries > 0 && rate > 0)
		limit = fmin(limit, below_cap(m, m->ring_margin * m->limits.ring_entries / rate));
	if (limit < m->limits.min_on_usecs || limit < 0)
		limit = 0;
	return limit;
}

bool model_over_limit(const struct model *m, double interval_usecs)
{
	/* the lateness of timers is a noisy estimate: no change for a few us of it */
	double slack = m->limits.kind == MECH_DEFERRAL ? OVER_PART * m->cap_usecs : 1;

	return interval_usecs > model_limit(m) + slack;
}

bool model_over_cap(const struct model *m, double interval_usecs)
{
	return interval_usecs > m->limits.min_usecs && model_period(m, interval_usecs) > m->cap_usecs;
}

static double quantise(const struct model *m, double usecs)
{
	const struct ctl_limits *l = &m->limits;
	double v = clamp(floor(usecs / l->step_usecs + 0.5) * l->step_usecs, l->min_usecs, l->max_usecs);

	if (v > l->min_usecs && v < l->min_on_usecs)
		v = v < l->min_on_usecs / 2 ? l->min_usecs : ceil(l->min_on_usecs / l->step_usecs) * l->step_usecs;
	return v;
}

double model_fit(const struct model *m, double usecs)
{
	double limit = model_limit(m);
	double v = quantise(m, fmin(usecs, limit));

	if (v > limit) /* rounded up */
		v = quantise(m, v - m->limits.step_usecs);
	return v > limit ? m->limits.min_usecs : v;
}

double model_rest(const struct model *m)
{
	double free = FREE_UTILITY / model_price(m);

	if (m->pps > REST_PPS)
		free = 0;
	else if (m->limits.kind == MECH_DEFERRAL) /* delays nobody who is alone: as it was found */
		free = m->limits.default_usecs;
	return model_fit(m, fmin(m->limits.default_usecs, free));
}

/* Deferral must find a few packets in every period, or it only adds timer polls. */
static double target_deferral(const struct model *m, double best_period, double interval_usecs)
{
	double start = DEFER_ON + (DEFER_ON_LATE - DEFER_ON) * fmin(m->floor_usecs / DEFER_LATE_USECS, 1);
	double lambda = model_lambda(m), on = interval_usecs > m->limits.min_usecs ? DEFER_OFF : start;
	double limit = model_limit(m), usecs;

	if (lambda <= 0 || limit <= m->limits.min_usecs || lambda * (limit + m->floor_usecs) < on)
		return m->limits.min_usecs;
	usecs = fmax(fmax(best_period, on / lambda) - m->floor_usecs, DEFER_MIN_PART * m->floor_usecs);
	usecs = fmax(usecs, m->limits.min_on_usecs);
	usecs = model_fit(m, usecs);
	return model_cost(m, usecs) < model_cost(m, m->limits.min_usecs) ? usecs : m->limits.min_usecs;
}

double model_best_period(const struct model *m, double more_price)
{
	/* any interval above 0 stands for "on" here: its poll cost */
	double left = m->limits.kind == MECH_DEFERRAL ? 1 : time_left(m); /* a clock that starts after the poll */

	return sqrt(m->cpu_price * m->w_cpu * model_poll_cost(m, 1) * left / (model_price(m) + more_price));
}

/* Where the cost of a pause is least, if it is anywhere: one of less than a packet gathers nothing. The root by
 * iteration, as the gap depends on the pause. */
static double target_pacing(const struct model *m, double lambda, double best_period)
{
	double usecs = best_period;

	for (int i = 0; i < PACING_STEPS && is_on(usecs); i++)
		usecs = fmax(0, best_period * sqrt(1 - exp(-lambda * usecs)) - model_gap(m, lambda, usecs));
	return usecs;
}

double model_target(const struct model *m, double interval_usecs)
{
	double lambda = model_lambda(m), rest = model_rest(m), usecs;
	double best = model_best_period(m, 0);

	if (m->limits.kind == MECH_DEFERRAL)
		return target_deferral(m, best, interval_usecs);
	if (lambda <= 0)
		return model_fit(m, rest);
	usecs = m->limits.kind == MECH_PACING ? target_pacing(m, lambda, best) : best - 1 / lambda;
	usecs = model_fit(m, fmax(usecs, rest));
	/* rounded up to the smallest useful one, or a pause that gathers nothing */
	return usecs > rest && model_cost(m, usecs) >= model_cost(m, rest) ? rest : usecs;
}

double model_frames(const struct model *m, double interval_usecs)
{
	double most = m->limits.ring_entries > 0 ? m->limits.ring_entries / 4 : FRAMES_MAX;

	if (!m->limits.has_frames || !is_on(interval_usecs))
		return 0;
	return floor(fmin(fmax(FRAMES_FACTOR * (1 + m->pps / 1e6 * interval_usecs), FRAMES_MIN), most));
}
