// SPDX-License-Identifier: GPL-2.0-or-later
/* controller-ladder: a load that minds delay. Steps down while that helps, then last looks; the best is kept. */
#include <math.h>

#include "core/controller-internal.h"

#define RECOVERY 0.3 /* part of the lost throughput that the first step down must bring back */
#define MINDING 0.5
#define MINDING_MAX 2.0
#define DILUTED 0.1 /* loss; it may as well be all of a slow load, so weigh it less: */
#define DILUTED_MINDING 1.3
#define SCATTER 0.25   /* of the variance of packets that come independently */
#define NEIGHBOUR 0.6  /* furthest look between two rungs, part of their distance */
#define WIDE 0.7       /* log of a distance that may hide a peak ... */
#define FLAT 0.03      /* ... when the utility at its far end is hardly less */
#define RUNG_MAX_S 2.0 /* of measuring on one rung while noise hides the gain */
#define BUNCHES 2.0    /* margin of what polls show of them */
#define CPU_FREE 0.7   /* the minimum must leave CPU time to be tried */

/* The next rung down: not to what cannot be told from the minimum. */
static double next_rung(const struct controller *c, double from_usecs)
{
	double usecs = from_usecs / CTL_RUNG, least = c->model.limits.min_usecs;

	return usecs < least + CTL_NEAR_MIN_USECS ? least : usecs;
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

/* Packets that wait are a part of all packets, which dilutes their loss. A part of requests that take r without the
 * wait loses T / (r + T) of its rate: the bend between two intervals and a third, shorter one tells r and the part.
 * Those who wait count as half. While that is not known, a small loss is taken for a diluted one; for a much diluted
 * one where no shorter interval is to be had and packets come independently. */
static void learn_minding(struct controller *c, double dt_s)
{
	double least = c->low.interval_usecs, high = c->high.interval_usecs - least, now = c->interval_usecs - least;
	double error, high_loss = 1 - exp(window_change(&c->low, &c->high, &error)), part, bend, r;
	double now_loss = 1 - exp(window_change(&c->low, &c->now, &error));
	bool scatters = c->high.variance * dt_s > SCATTER * c->high.pps; /* not all of it waits, then */
	bool third = high / CTL_RUNG >= c->model.limits.min_on_usecs;

	if (c->low.n >= 1 && high > 0 && high_loss < DILUTED)
		c->model.minding = third || !scatters ? DILUTED_MINDING : MINDING_MAX;
	if (c->low.n < 1 || now < CTL_NEAR_MIN_USECS || now >= high || now_loss < CTL_SIGMAS * error ||
	    high_loss <= now_loss)
		return;
	bend = now_loss / high_loss * high - now;
	r = now * high * (1 - now_loss / high_loss) / bend; /* with `least` */
	if (bend <= 0 || r <= least)
		return;
	part = high_loss * (r + high) / high;
	part = part * r / (r - least + part * least); /* at `least`; without any wait */
	c->model.minding = fmin(fmax(MINDING / part, 1), MINDING_MAX);
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
		if (!shorter)
			c->below = *best;
		else if (c->low.interval_usecs < w->interval_usecs)
			c->below = c->low; /* from before the ladder */
		else
			c->below.n = 0;
		*best = *w;
	} else if (!shorter) {
		c->above = *w;
	} else if (c->below.n < 1 || w->interval_usecs > c->below.interval_usecs) {
		c->below = *w;
	}
}

/* The top of a parabola through the best rung and its neighbours, over log T; 0 when it is not worth a look. */
static double between_rungs(const struct controller *c)
{
	const struct model *m = &c->model;
	double x0 = log(c->best.interval_usecs + CTL_NEAR_MIN_USECS), p, q, top;
	double xa = log(c->above.interval_usecs + CTL_NEAR_MIN_USECS) - x0, ua = window_gain(m, &c->best, &c->above);
	double xb = log(c->below.interval_usecs + CTL_NEAR_MIN_USECS) - x0, ub = window_gain(m, &c->best, &c->below);

	if (c->above.n < 1 || c->below.n < 1 || xa <= 0 || xb >= 0)
		return 0;
	q = (ua / xa - ub / xb) / (xa - xb);
	p = ua / xa - q * xa;
	if (q >= 0 || p * p / (-4 * q) < MODEL_MIN_GAIN) {
		if (xa < WIDE || ua < -FLAT)
			return 0;
		return model_fit(m, exp(x0 + xa / 2) - CTL_NEAR_MIN_USECS); /* a peak may be sharper than that */
	}
	top = fmin(fmax(-p / (2 * q), NEIGHBOUR * xb), NEIGHBOUR * xa);
	return model_fit(m, exp(x0 + top) - CTL_NEAR_MIN_USECS);
}

/* The minimum must leave the CPU time to be tried. Packets that come in bunches need few interrupts there, too. */
bool ladder_can_try_min(const struct controller *c)
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

	if (c->stage == LADDER_RUNGS && !c->saw_min && ladder_can_try_min(c)) {
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

void ladder_step(struct controller *c, const struct ctl_input *in, struct decision *ret)
{
	struct ctl_window rung = c->now;
	bool checked = c->first_drop < 0 && c->interval_usecs <= c->base_usecs;
	double error, gain, usecs = -1;

	window_change(&c->prev, &rung, &error);
	gain = window_gain(&c->model, &c->prev, &rung);
	if (!test_enough(c, in, window_clear(gain, error) ? 1 : 2))
		return;
	if (fabs(gain) < error && rung.n * in->dt_s < RUNG_MAX_S)
		return;
	ret->gain = gain;
	if (check_drop(c, ret)) {
		c->prev = rung;
		return;
	}
	learn_minding(c, in->dt_s);
	keep_best(c);
	if (checked && c->prev.interval_usecs < c->high.interval_usecs)
		usecs = next_rung(c, c->prev.interval_usecs); /* the best may lie between */
	c->prev = rung;
	if (c->interval_usecs <= c->model.limits.min_usecs)
		c->saw_min = true;
	else if (c->stage == LADDER_RUNGS && gain > 0)
		usecs = next_rung(c, c->interval_usecs);
	if (usecs < 0 || !ctl_propose(c, usecs, REASON_LADDER, ret))
		end_ladder(c, ret);
}

void ladder_start(struct controller *c, const struct ctl_window *best, const struct ctl_window *from,
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
