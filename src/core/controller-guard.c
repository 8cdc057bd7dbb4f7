// SPDX-License-Identifier: GPL-2.0-or-later
/* controller-guard: what does not wait for the law: ring drops, the CPU target, and mechanisms that gather nothing. */
#include <math.h>

#include "core/controller-internal.h"

#define CPU_FULL 0.9	 /* above, drops are the CPU's fault */
#define RING_BLAME 0.05	 /* part of the ring that an interval must be able to fill to be blamed for drops */
#define RING_MARGIN 0.25 /* see model.c; grown back up to this */
#define RING_MARGIN_MIN 0.02
#define RING_QUIET_S 600.0
#define FRAMES_SLACK 1.5 /* they are four times what an interval gathers; a write for less is none */
#define PRICE_MAX 64.0 /* CPU target: at most 8 times the interval */
#define TARGET_OVER 1.05
#define TARGET_UNDER 0.75
#define OVER_S 2.0
#define UNDER_S 20.0
#define FLAPPING_PACKETS 2.0 /* per period, for deferral to begin */
#define SENSITIVE_PART 0.5
#define BUSY_SAMPLES 5 /* to believe that a load took a wait well */
#define BUSY_SLACK 1.3 /* further than the law would go is not remembered */
#define BUSY_BAND 1.33 /* rates so close are the same load */
#define BUSY_AGAIN 1   /* samples that look like it */
#define QUIET_PACKETS 0.25 /* below 1 the law waits for none; loads around that are better left in peace */
#define QUIET_AFTER_S 4.0  /* what lasts shorter is not worth two changes */
#define FOLLOW_S 0.7   /* between a lowering and the way back */

static void blame_interval(struct controller *c)
{
	struct model *m = &c->model;
	double filled = m->limits.ring_entries > 0
				? model_period(m, c->interval_usecs) * model_line_rate(m) / m->limits.ring_entries
				: 0;

	if (filled >= RING_BLAME)
		m->ring_margin = fmin(fmax(fmin(filled, m->ring_margin) / 2, RING_MARGIN_MIN), RING_MARGIN);
}

bool guard_ring(struct controller *c, const struct ctl_input *in, struct decision *ret)
{
	struct model *m = &c->model;
	bool fresh = c->now_s - c->dropped_s > 3 * in->dt_s; /* else the last lowering has not worked yet */

	if (!in->have_drops || in->drops_ps <= 0 || m->cpu_ratio >= CPU_FULL) {
		if (c->now_s - c->dropped_s > RING_QUIET_S && m->ring_margin < RING_MARGIN) {
			m->ring_margin = fmin(m->ring_margin * 1.5, RING_MARGIN);
			c->dropped_s = c->now_s;
		}
		return false;
	}
	if (fresh)
		blame_interval(c);
	c->dropped_s = c->now_s;
	if (c->interval_usecs <= model_limit(m) || c->interval_usecs <= m->limits.min_usecs)
		return false;
	ctl_hold(c);
	c->reverts++;
	return ctl_propose(c, model_limit(m), REASON_RING, ret);
}

double guard_frames(struct controller *c)
{
	double want = model_frames(&c->model, c->interval_usecs);

	if (!(c->frames < want * FRAMES_SLACK && c->frames > want / FRAMES_SLACK))
		c->frames = want;
	return c->frames;
}

static void since(double *start_s, bool now, double now_s)
{
	if (!now)
		*start_s = -1;
	else if (*start_s < 0)
		*start_s = now_s;
}

void guard_cpu_target(struct controller *c)
{
	struct model *m = &c->model;
	double target = c->cpu_target_ratio;

	if (target >= 1 || target <= 0 || m->cpu_ratio < 0)
		return;
	since(&c->over_s, m->cpu_ratio > TARGET_OVER * target, c->now_s);
	since(&c->under_s, m->cpu_ratio < TARGET_UNDER * target, c->now_s);
	if (c->over_s >= 0 && c->now_s - c->over_s >= OVER_S && c->interval_usecs < 0.85 * model_limit(m)) {
		m->cpu_price = fmin(m->cpu_price * 2, PRICE_MAX);
		c->over_s = c->now_s;
	}
	if (c->under_s >= 0 && c->now_s - c->under_s >= UNDER_S) {
		m->cpu_price = fmax(m->cpu_price / 2, 1);
		c->under_s = c->now_s;
	}
}

/* The law weighs CPU time; where the CPU is full, interrupts cost packets, which weigh more. */
void guard_starved(struct controller *c)
{
	c->starved = true;
	c->model.cpu_price = fmin(c->model.cpu_price * 2, PRICE_MAX);
}

bool guard_lonely(const struct controller *c)
{
	const struct ctl_window *w = &c->now;
	double error = w->n > 0 && w->pps > 0 ? sqrt(w->variance / w->n) / w->pps : 1;

	return w->polls_n >= 1 && model_lonely(&c->model, c->interval_usecs, w->pps, w->polls_ps, error);
}

bool guard_more_polls(struct controller *c, const struct ctl_input *in, struct decision *ret)
{
	/* it looks below on purpose; without traffic it rests as found */
	if (c->state == CTL_LADDER || c->state == CTL_PROBE_LOW || c->idle_s >= 0)
		return false;
	if (!in->have_polls || !model_more_polls(&c->model, c->interval_usecs, in->pps, in->polls_ps)) {
		c->more_polls = 0;
		return false;
	}
	if (++c->more_polls < (in->dt_s > CTL_SPAN_S ? 2 : 3))
		return false;
	c->more_polls = 0;
	c->reverts++;
	ctl_settle(c, REASON_MORE_POLLS);
	return ctl_propose(c, c->model.limits.min_usecs, REASON_MORE_POLLS, ret);
}

void guard_sensitive(struct controller *c)
{
	double gap =
		c->now.pps > 0 ? 1e6 / c->now.pps : 0; /* us; one request at a time: without the wait it was less */

	c->sensitive_s = c->now_s;
	c->sensitive_pps = gap > 0 ? 1e6 / fmax(gap - c->now.interval_usecs, gap / 2) : 0;
}

/* A lowering is half a test for nothing: a load that speeds up with it is worth a probe at once; twice in a row, it
 * minds delay. Flapping loads show it only so. */
void guard_lowering(struct controller *c)
{
	double error, change = window_change(&c->high, &c->now, &error);

	c->sped_up = change > CTL_SPEED_UP && change > CTL_SIGMAS * error;
	c->speedups = c->sped_up ? c->speedups + 1 : 0;
	if (c->sped_up)
		c->probe_s = c->now_s;
	if (c->speedups >= 2)
		guard_sensitive(c);
	c->lowered = false;
}

/* Too few packets for the law to wait for. */
static bool quiet(const struct controller *c, double pps)
{
	return pps / 1e6 * model_best_period(&c->model, 0) < QUIET_PACKETS;
}

static bool knows_lonely(const struct controller *c)
{
	return c->now_s - c->lonely_s < CTL_BACKOFF_S;
}

/* Between loads of which one comes a packet at a time, or next to none: sure enough to act at once. */
static bool follows(const struct controller *c)
{
	bool knows_quiet = c->now_s - c->quiet_s < CTL_BACKOFF_S && c->model.limits.kind != MECH_DEFERRAL;

	return c->regime.quick >= REGIME_QUICK_MAX && (knows_lonely(c) || knows_quiet) &&
	       c->busy_usecs > c->model.limits.min_usecs;
}

void guard_note_busy(struct controller *c)
{
	double error, usecs = c->interval_usecs, change = window_change(&c->low, &c->now, &error);
	bool worse = c->state == CTL_UP && change < -CTL_MIN_EFFECT && change < -CTL_SIGMAS * error;

	if (follows(c)) /* what was known before holds until it is quiet again */
		return;
	if ((c->state != CTL_UP && c->state != CTL_HOLD) || c->settled || worse || guard_lonely(c) || c->sped_up ||
	    c->now.n < BUSY_SAMPLES || usecs <= c->model.limits.min_usecs ||
	    model_period(&c->model, usecs) > BUSY_SLACK * model_best_period(&c->model, 0) - 1e6 / fmax(c->now.pps, 1))
		return;
	c->busy_pps = c->now.pps;
	c->busy_usecs = usecs;
}

void guard_note_rare(struct controller *c, const struct ctl_input *in)
{
	if (quiet(c, in->pps) && c->regime.lasted_s > QUIET_AFTER_S)
		c->quiet_s = c->now_s;
	if (in->have_polls && (model_lonely(&c->model, c->interval_usecs, in->pps, in->polls_ps, 1) ||
			       model_more_polls(&c->model, c->interval_usecs, in->pps, in->polls_ps)))
		c->lonely_s = c->now_s; /* at the interval of the load before */
}

bool guard_follow(struct controller *c, const struct ctl_input *in, struct decision *ret)
{
	double usecs = c->busy_usecs;
	bool busy = in->pps > c->busy_pps / BUSY_BAND && in->pps < c->busy_pps * BUSY_BAND;

	if (!knows_lonely(c)) { /* whatever its rate, the averages know how packets see it */
		busy = !quiet(c, in->pps);
		usecs = model_target(&c->model, c->interval_usecs);
	}
	if (!busy) /* harmed at once */
		usecs = c->model.limits.min_usecs;
	else if (!knows_lonely(c) && c->interval_usecs > c->model.limits.min_usecs)
		usecs = c->interval_usecs;
	c->busy_again = busy ? c->busy_again + 1 : 0;
	if (!follows(c) || c->state != CTL_HOLD)
		return false;
	if (busy && (c->busy_again < BUSY_AGAIN || c->now_s - c->changed_s < FOLLOW_S))
		return false;
	if (!ctl_propose(c, usecs, REASON_FLAPPING, ret))
		return false;
	c->regime.changed_s = c->now_s; /* and so it still flaps */
	if (knows_lonely(c))
		c->lonely_s = c->sensitive_s = c->now_s;
	else
		c->quiet_s = c->now_s;
	return true;
}

/* The load changes faster than it can be measured: no tests. Where part of it minds delay, that part loses at most
 * interval * rate of its throughput (one request at a time), and counts as half of the load. */
void guard_flapping(struct controller *c, double target, struct decision *ret)
{
	const struct model *m = &c->model;
	bool sensitive = c->now_s - c->sensitive_s < CTL_BACKOFF_S;
	double harm = sensitive ? SENSITIVE_PART * c->sensitive_pps / 1e6 : 0; /* utility per us */

	if (follows(c)) { /* see guard_follow(); deferral loses some periods both ways, which is what it would gain */
		ret->reason = REASON_FLAPPING;
		return;
	}
	/* the averages reach far back, but a poll that finds nothing costs now */
	if (m->limits.kind == MECH_DEFERRAL &&
	    (sensitive || c->now.pps / 1e6 * model_period(m, target) < FLAPPING_PACKETS))
		target = model_rest(m);
	else if (sensitive)
		target = fmin(target, model_fit(m, model_best_period(m, harm) - 1 / fmax(model_lambda(m), 1e-9)));
	ret->gain = model_cost(m, c->interval_usecs) - model_cost(m, target) + harm * (c->interval_usecs - target);
	ret->reason = REASON_FLAPPING;
	if (ret->gain > 2 * MODEL_MIN_GAIN || (sensitive && c->interval_usecs > target + 1))
		ctl_propose_paid(c, target, REASON_FLAPPING, ret);
}
