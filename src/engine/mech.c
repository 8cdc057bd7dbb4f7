// SPDX-License-Identifier: GPL-2.0-or-later
/* mech: see mech.h. Knows which knobs make up which mechanism; the law itself knows only intervals. */
#include "engine/mech.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "engine/sum.h"

#define TIMER_MAX_USECS 10000 /* drivers refuse or wrap beyond; no sane cap is longer */

/* The knobs of one direction of the hardware mechanism. */
static const struct {
	enum knob usecs, frames, adaptive, ring;
} timer_knobs[] = {
	[QUEUE_RX] = { KNOB_RX_USECS, KNOB_RX_FRAMES, KNOB_ADAPTIVE_RX, KNOB_RX_RING },
	[QUEUE_TX] = { KNOB_TX_USECS, KNOB_TX_FRAMES, KNOB_ADAPTIVE_TX, KNOB_TX_RING },
};

static bool usable(const struct mech_context *c, enum knob k)
{
	return (c->caps->knobs.settable & KNOB_BIT(k)) && !(c->dead & KNOB_BIT(k));
}

static void narrow(struct ctl_limits *l, const struct policy *p, enum knob k, double scale)
{
	if (!(p->limited & KNOB_BIT(k)))
		return;
	if (l->min_usecs < (double)p->limit_min[k] * scale)
		l->min_usecs = (double)p->limit_min[k] * scale;
	if (l->max_usecs > (double)p->limit_max[k] * scale)
		l->max_usecs = (double)p->limit_max[k] * scale;
}

double mech_interval(const struct lane *l, const struct knob_set *s)
{
	return fmax(mechanism_interval(l->kind, l->dir, s), 0); /* what the device does not say is no wait */
}

enum knob mech_timer(const struct lane *l)
{
	return l->kind == MECH_DEFERRAL ? KNOB_GRO_FLUSH_TIMEOUT : timer_knobs[l->dir].usecs;
}

static void lane_start(struct lane *l, const struct mech_context *c, struct ctl_limits *lim)
{
	enum knob ring = timer_knobs[l->dir].ring;
	struct knob_set lower;
	struct policy left;

	l->rest = *c->rest;
	lim->kind = l->kind;
	lim->ring_entries = knob_has(c->rest, ring) ? (double)c->rest->value[ring] : 0;
	lim->link_mbps = c->nic->has_device ? c->nic->speed_mbps : 0; /* others make their speed up */
	lim->default_usecs = mech_interval(l, c->rest);
	lim->prior = c->facts->prior;
	lim->learn_costs = true;
	sum_policy_left(c->policy, l->dir == QUEUE_RX ? sum_standing_usecs(c, l->kind, &lower) : 0, &left);
	controller_init(&l->ctl, &left, lim);
}

static enum quirk_frames frames_meaning(const struct quirk_effect *q, enum queue_dir dir)
{
	return dir == QUEUE_RX ? q->rx_frames : q->tx_frames;
}

static void add_timer(struct lane *l, enum queue_dir dir, const struct mech_context *c)
{
	enum knob usecs = timer_knobs[dir].usecs, frames = timer_knobs[dir].frames;
	enum quirk_frames meaning = frames_meaning(c->quirk, dir);
	const struct knob_caps *caps = &c->caps->knobs;
	struct ctl_limits lim = {
		.min_usecs = (double)caps->min[usecs],
		.max_usecs = caps->max[usecs] < TIMER_MAX_USECS ? (double)caps->max[usecs] : TIMER_MAX_USECS,
		.step_usecs = (double)caps->step[usecs],
		.min_on_usecs = c->quirk->min_on_set & KNOB_BIT(usecs) ? (double)c->quirk->min_on[usecs] : 0,
		.has_frames = usable(c, frames) && meaning != QUIRK_FRAMES_SWITCH && meaning != QUIRK_FRAMES_POLL,
		.default_frames = knob_has(c->rest, frames) ? (double)c->rest->value[frames] : 0,
	};

	*l = (struct lane){ .dir = dir };
	l->kind = c->quirk->delay == QUIRK_DELAY_AFTER ? MECH_PACING : MECH_TIMER;
	narrow(&lim, c->policy, usecs, 1);
	lane_start(l, c, &lim);
}

static void add_deferral(struct lane *l, const struct mech_context *c)
{
	struct ctl_limits lim = {
		.max_usecs = TIMER_MAX_USECS,
		.min_on_usecs = MECH_DEFERRAL_MIN_USECS,
		.floor_usecs = c->facts->timer_floor_usecs,
	};

	*l = (struct lane){ .dir = QUEUE_RX, .kind = MECH_DEFERRAL };
	narrow(&lim, c->policy, KNOB_GRO_FLUSH_TIMEOUT, 1.0 / (double)NSEC_PER_USEC);
	lane_start(l, c, &lim);
}

void mech_lane(const struct mech_context *c, enum queue_dir dir, enum mech_kind kind, struct lane *ret)
{
	if (kind == MECH_DEFERRAL)
		add_deferral(ret, c);
	else
		add_timer(ret, dir, c);
}

void mech_lane_here(const struct mech_context *c, enum queue_dir dir, enum mech_kind kind, struct lane *ret)
{
	struct mech_context here = *c;

	here.rest = c->current;
	mech_lane(&here, dir, kind, ret);
	ret->rest = *c->rest;
	ret->ctl.model.limits.default_usecs = mech_interval(ret, c->rest);
}

/* The driver moderates by itself: said by a knob of its own, or by a magic value of the timer. A policy that pins the
 * knob has the last word. */
static bool adaptive_on(const struct mech_context *c, enum queue_dir dir)
{
	enum knob k = timer_knobs[dir].adaptive, usecs = timer_knobs[dir].usecs;
	const struct policy *p = c->policy;

	if ((p->limited & KNOB_BIT(k)) && p->limit_min[k] == p->limit_max[k] && usable(c, k))
		return p->limit_min[k];
	if (knob_has(c->rest, k) && c->rest->value[k])
		return !(c->adaptive_off && dir == QUEUE_RX);
	return knob_has(c->rest, usecs) && c->rest->value[usecs] &&
	       quirk_is_magic(c->quirk, usecs, c->rest->value[usecs]);
}

static unsigned choose_timers(const struct mech_context *c, struct lane lanes[2])
{
	unsigned n = 0;

	for (int dir = QUEUE_RX; dir <= QUEUE_TX; dir++) {
		if (!usable(c, timer_knobs[dir].usecs))
			continue;
		/* the driver's own loop is left in charge unless the policy asks for ours */
		if (adaptive_on(c, dir) && c->policy->mechanism != MECHANISM_HARDWARE)
			continue;
		add_timer(&lanes[n++], dir, c);
	}
	return n;
}

static bool may_defer(const struct mech_context *c)
{
	enum mechanism m = c->policy->mechanism;

	return (m == MECHANISM_AUTO || m == MECHANISM_SOFTWARE) && usable(c, KNOB_GRO_FLUSH_TIMEOUT) &&
	       usable(c, KNOB_NAPI_DEFER_HARD_IRQS);
}

static void why_none(const struct mech_context *c, char why[ERR_MAX])
{
	enum mechanism m = c->policy->mechanism;

	if (adaptive_on(c, QUEUE_RX) && m != MECHANISM_SOFTWARE)
		snprintf(why, ERR_MAX, "the driver's adaptive moderation is on and left in charge");
	else if (!c->nic->up)
		snprintf(why, ERR_MAX, "the interface is down");
	else if (m == MECHANISM_AUTO)
		snprintf(why, ERR_MAX, "neither its driver nor its NAPI offers a delay that can be set");
	else
		snprintf(why, ERR_MAX, "the mechanism '%s' that the policy asks for is not there", mechanism_name(m));
}

unsigned mech_choose(const struct mech_context *c, struct lane lanes[2], char why[ERR_MAX])
{
	enum mechanism m = c->policy->mechanism;
	unsigned n = 0;

	why[0] = 0;
	if (m == MECHANISM_AUTO || m == MECHANISM_HARDWARE)
		n = choose_timers(c, lanes);
	/* receive without a timer of its own, and nobody else in charge of it: deferral */
	if ((!n || lanes[0].dir != QUEUE_RX) && may_defer(c) && !(adaptive_on(c, QUEUE_RX) && m == MECHANISM_AUTO)) {
		if (n)
			lanes[n] = lanes[0];
		add_deferral(&lanes[0], c);
		n++;
	}
	if (!n)
		why_none(c, why);
	return n;
}

void mech_input(const struct lane *l, const struct rates *r, double now_s, struct ctl_input *ret)
{
	bool rx = l->dir == QUEUE_RX;
	bool irqs = (r->have & SAMPLE_IRQS) && (rx ? r->rx_interrupts_ps : r->tx_interrupts_ps) > 0;

	*ret = (struct ctl_input){
		.now_s = now_s,
		.dt_s = r->dt_s,
		.pps = rx ? r->rx_pps : r->tx_pps,
		.bytes_ps = rx ? r->rx_bytes_ps : r->tx_bytes_ps,
		.steal_ratio = r->have & SAMPLE_CPU ? r->steal_ratio : 0,
		.have_pps = r->have & SAMPLE_LINK,
		.drops_ps = r->ring_drops_ps,
		.have_drops = rx && (r->have & SAMPLE_RING_DROPS),
	};
	/* only exact IRQ time tells what packets cost; tick samples and idle time hold everybody's work */
	if ((r->have & SAMPLE_CPU) && (r->have & SAMPLE_IRQTIME)) {
		ret->cpu_ratio = r->busiest_softirq_ratio;
		ret->have_cpu = true;
	}
	/* a deferred NAPI raises no interrupts: polls are the count then, and where no interrupt can be seen */
	if (l->kind == MECH_TIMER && irqs) {
		ret->polls_ps = rx ? r->rx_interrupts_ps : r->tx_interrupts_ps;
		ret->have_polls = true;
	} else if (rx && (r->have & SAMPLE_POLLS)) {
		ret->polls_ps = r->polls_ps;
		ret->empty_polls_ps = r->empty_polls_ps;
		ret->have_polls = ret->have_empty = true;
	} else if (rx && (r->have & SAMPLE_SOFTIRQ)) {
		ret->polls_ps = r->net_rx_ps; /* everybody's: an upper bound */
		ret->have_polls = r->net_rx_ps > 0;
	}
}

/* Frames as this driver means them, values as it takes them. */
static void fit_driver(const struct lane *l, double interval_usecs, const struct quirk_effect *q, struct knob_set *s)
{
	enum knob frames = timer_knobs[l->dir].frames, usecs = timer_knobs[l->dir].usecs;
	enum quirk_frames meaning = frames_meaning(q, l->dir);

	if (knob_has(s, usecs))
		s->value[usecs] = quirk_round(q, usecs, s->value[usecs]);
	if (!knob_has(s, frames))
		return;
	switch (meaning) {
	case QUIRK_FRAMES_SWITCH: /* 1: every packet interrupts, whatever the timer says */
		s->value[frames] = interval_usecs > 0 ? 0 : 1;
		break;
	case QUIRK_FRAMES_POLL: knob_drop(s, frames); break;
	case QUIRK_FRAMES_ENABLE: /* fewer than two: no timer either */
		if (interval_usecs > 0 && s->value[frames] < 2)
			s->value[frames] = 2;
		break;
	case QUIRK_FRAMES_UNSET:
	case QUIRK_FRAMES_COUNT:
	case QUIRK_FRAMES_LAST: break;
	}
}

void mech_knobs(const struct lane *l, double interval_usecs, double frames, const struct nic_caps *caps,
		const struct quirk_effect *q, struct knob_set *ret)
{
	struct knob_set s = { 0 };

	/* at rest everything of the mechanism is as it was found, also what the interval alone does not say */
	if (interval_usecs == mech_interval(l, &l->rest)) {
		s = l->rest;
		s.have &= l->kind == MECH_DEFERRAL ?
				  knob_channel_mask(CHANNEL_NAPI) :
				  KNOB_BIT(timer_knobs[l->dir].usecs) | KNOB_BIT(timer_knobs[l->dir].frames);
	} else {
		mechanism_to_knobs(l->kind, l->dir, interval_usecs, frames, &caps->knobs, &l->rest, &s);
		if (l->kind != MECH_DEFERRAL)
			fit_driver(l, interval_usecs, q, &s);
		else if (interval_usecs <= 0)
			knob_put(&s, KNOB_GRO_FLUSH_TIMEOUT, 0); /* off, though it was found on */
	}
	*ret = s;
}
