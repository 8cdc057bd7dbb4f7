// SPDX-License-Identifier: GPL-2.0-or-later
/* queues: see queues.h. This file: whether, which knobs, and who leads. */
#include "engine/queues.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "engine/queues-int.h"

#define RX_KNOBS (KNOB_BIT(KNOB_RX_USECS) | KNOB_BIT(KNOB_RX_FRAMES))
#define TX_KNOBS (KNOB_BIT(KNOB_TX_USECS) | KNOB_BIT(KNOB_TX_FRAMES))
#define TIMERS (KNOB_BIT(KNOB_RX_USECS) | KNOB_BIT(KNOB_TX_USECS) | KNOB_BIT(KNOB_GRO_FLUSH_TIMEOUT))
#define FEW_PPS 200.0	  /* less traffic minds no setting */
#define ALIKE 1.5	  /* loads this near join ... */
#define UNLIKE 3.0	  /* ... and part when further apart than this */
#define DIFFER 4.0	  /* so far apart, the device's decision does not fit all */
#define DIFFER_SPANS 10.0 /* of the mean's time constant in a row */
#define MEAN_S 3.0

const struct lane *queues_rx_lane(const struct target *t)
{
	return t->n_lanes && t->lanes[0].dir == QUEUE_RX ? &t->lanes[0] : NULL;
}

int queues_policy(const struct target *t, unsigned queue, struct policy *ret)
{
	const struct policy *p = &t->rules.policy;

	policy_for_queue(p, queue, ret);
	for (unsigned i = 0; i < p->n_queues; i++)
		if (queue >= p->queues[i].first && queue <= p->queues[i].last)
			return (int)i;
	return -1;
}

void queues_rest(const struct target *t, unsigned queue, struct knob_set *ret)
{
	const struct nic_settings *o = &t->apply.original;
	struct knob_set own = t->queues.q[queue].now;

	apply_rest(&t->apply, ret);
	own.have &= t->apply.saved ? 0 : t->queues.may;
	for (unsigned i = 0; i < o->n_queue && t->apply.saved; i++)
		if (o->queue[i].queue == queue)
			own = o->queue[i].knobs;
	for (unsigned i = 0; i < o->n_napi && t->apply.saved; i++)
		if (o->napi[i].id == t->queues.q[queue].napi_id) {
			knob_put(&own, KNOB_GRO_FLUSH_TIMEOUT, o->napi[i].gro_flush_timeout_ns);
			knob_put(&own, KNOB_NAPI_DEFER_HARD_IRQS, o->napi[i].defer_hard_irqs);
		}
	own.have &= t->queues.may;
	knob_set_overlay(ret, &own);
}

void queues_current(const struct target *t, unsigned queue, struct knob_set *ret)
{
	*ret = t->apply.current;
	knob_set_overlay(ret, &t->queues.q[queue].now);
}

int queues_read(struct target *t)
{
	struct backend *b = t->apply.backend;
	struct queue_setting now[NIC_QUEUES_MAX];
	int n = b->ops->read_queues ? b->ops->read_queues(b, &t->nic, now, NIC_QUEUES_MAX) : -EOPNOTSUPP;

	for (int i = 0; i < n; i++) {
		if (i >= (int)t->queues.n)
			t->queues.q[i] = (struct queue){ .from_usecs = -1 };
		t->queues.q[i].now = now[i].knobs;
	}
	if (n >= 0)
		t->queues.n = (unsigned)n;
	return n;
}

/* What quirks and the policy leave of it. */
static uint32_t allowed(const struct target *t)
{
	enum quirk_dirs dirs = t->quirk.per_queue;
	const struct lane *rx = queues_rx_lane(t);
	uint32_t bits = TX_KNOBS;

	if (rx)
		bits |= rx->kind == MECH_DEFERRAL ? knob_channel_mask(CHANNEL_NAPI) : RX_KNOBS;
	if (!t->caps.per_queue)
		bits &= knob_channel_mask(CHANNEL_NAPI);
	if (dirs == QUIRK_DIRS_TX)
		bits &= ~RX_KNOBS;
	if (dirs == QUIRK_DIRS_RX)
		bits &= ~TX_KNOBS;
	return bits & t->caps.knobs.settable & ~(t->apply.dead | t->yielded);
}

/* Knobs that every queue that could use them shows. */
static uint32_t can(const struct target *t)
{
	uint32_t bits = allowed(t);

	for (unsigned q = 0; q < t->queues.n; q++)
		bits &= t->queues.q[q].now.have | (q >= t->nic.rx_queues ? ~TX_KNOBS : 0);
	return bits & TIMERS ? bits : 0;
}

static bool wanted(const struct target *t)
{
	return t->rules.policy.n_queues || t->queues.differ || t->quirk.global_set == QUIRK_SET_QUEUE_0;
}

static void read_map(struct target *t)
{
	struct backend *b = t->apply.backend;
	struct nic_map map;

	if (b->ops->map(b, &t->nic, &map) < 0)
		memset(&map, 0, sizeof(map));
	for (unsigned q = 0; q < t->queues.n; q++) {
		t->queues.q[q].has_irq = false;
		t->queues.q[q].napi_id = map.rx_napi[q];
	}
	for (unsigned i = 0; i < map.n_irqs; i++)
		if (map.irqs[i].rx && map.irqs[i].queue >= 0 && map.irqs[i].queue < (int)t->queues.n)
			t->queues.q[map.irqs[i].queue].has_irq = true;
}

void queues_lead(struct target *t, unsigned queue)
{
	struct queue *q = &t->queues.q[queue];
	const struct lane *rx = queues_rx_lane(t);
	struct knob_set rest, current;
	struct mech_context c;
	struct policy p;

	q->leader = queue;
	q->from_usecs = -1;
	q->decision = (struct decision){ 0 };
	if (!rx)
		return;
	queues_policy(t, queue, &p);
	queues_rest(t, queue, &rest);
	queues_current(t, queue, &current);
	target_context(t, &c, &rest);
	c.policy = &p;
	c.current = &current;
	mech_lane_here(&c, rx->dir, rx->kind, &q->lane);
}

static unsigned first_of(const struct queues *s, unsigned queue)
{
	unsigned i = 0;

	while (i < queue && s->q[i].section != s->q[queue].section)
		i++;
	return i;
}

static void start(struct target *t)
{
	struct queues *s = &t->queues;
	struct policy p;

	for (unsigned i = 0; i < s->n; i++) {
		s->q[i].section = queues_policy(t, i, &p);
		s->q[i].tunes = mode_table[p.mode].tunes;
		s->q[i].leader = first_of(s, i);
	}
	for (unsigned i = 0; i < s->n; i++)
		if (s->q[i].leader == i)
			queues_lead(t, i);
	watch_skip(&s->watch);
	s->knobs = s->may;
}

void queues_choose(struct target *t)
{
	struct queues *s = &t->queues;
	unsigned n = t->nic.rx_queues > t->nic.tx_queues ? t->nic.rx_queues : t->nic.tx_queues;

	s->may = s->knobs = 0;
	if (n < 2 || s->useless || t->rules.policy.mode == MODE_OFF || !allowed(t) || queues_read(t) < 2 ||
	    s->n < t->nic.rx_queues)
		return;
	s->may = can(t);
	if (!s->may)
		return;
	read_map(t);
	if (wanted(t))
		start(t);
}

void queues_changed(struct target *t)
{
	struct queues *s = &t->queues;
	unsigned n = s->n;

	if (!s->knobs || queues_read(t) < 0 || s->n != n || (s->knobs & ~can(t)))
		queues_choose(t);
	else
		read_map(t);
}

void queues_overwritten(struct target *t)
{
	if (t->queues.knobs)
		queues_read(t);
}

/* Idle ones are like all others that are nearly idle. */
static bool alike(const struct queue *a, const struct queue *b, double factor)
{
	double x = fmax(a->pps, FEW_PPS), y = fmax(b->pps, FEW_PPS);

	return a->section == b->section && x <= factor * y && y <= factor * x;
}

bool queues_leads(const struct target *t, unsigned queue)
{
	const struct queue *q = &t->queues.q[queue];
	const struct lane *rx = queues_rx_lane(t);

	return rx && q->leader == queue && q->tunes && queue < t->nic.rx_queues &&
	       !(q->yielded & KNOB_BIT(mech_timer(rx)));
}

/* The first that leads and is like it; itself when there is none. */
static unsigned find_leader(const struct target *t, unsigned queue)
{
	for (unsigned i = 0; i < t->queues.n; i++)
		if (i != queue && queues_leads(t, i) && alike(&t->queues.q[i], &t->queues.q[queue], ALIKE))
			return i;
	return queue;
}

void queues_group(struct target *t)
{
	struct queues *s = &t->queues;

	for (unsigned i = 0; i < s->n; i++) {
		struct queue *q = &s->q[i];
		unsigned to;

		if (q->leader == i) {
			to = find_leader(t, i);
			q->leader = to < i ? to : i; /* the lower number leads */
		} else if (!queues_leads(t, q->leader) || !alike(&s->q[q->leader], q, UNLIKE)) {
			to = find_leader(t, i);
			if (to == i)
				queues_lead(t, i);
			q->leader = to;
		}
	}
}

/* Loads so far apart, for long, that one decision cannot fit both. */
static void look_whether_they_differ(struct target *t)
{
	struct queues *s = &t->queues;
	double least = INFINITY, most = 0;

	for (unsigned i = 0; i < s->n && i < t->nic.rx_queues; i++) {
		double pps = s->q[i].pps;

		if (pps < FEW_PPS)
			continue;
		least = fmin(least, pps);
		most = fmax(most, pps);
	}
	s->differ_s = most >= DIFFER * least ? s->differ_s + s->dt_s : 0;
	if (s->differ_s < DIFFER_SPANS * MEAN_S)
		return;
	s->differ = true;
	queues_choose(t); /* reads them again, too */
}

bool queues_counted(const struct target *t, nsec_t now)
{
	return t->queues.at && now - t->queues.at < QUEUES_COUNTED_NS;
}

static double grown(uint64_t before, uint64_t now, double dt_s)
{
	return now > before ? (double)(now - before) / dt_s : 0;
}

void queues_measure(struct target *t, nsec_t now)
{
	struct queues *s = &t->queues;
	const struct sample *fresh = &t->samples[t->flip];
	double w;

	s->fresh = false;
	if (!s->may || !(fresh->have & SAMPLE_QUEUES) || fresh->n_queues < t->nic.rx_queues)
		return;
	s->dt_s = (double)(now - s->at) / NSEC_PER_SEC;
	s->fresh = s->at && now > s->at && s->generation == fresh->generation && !(fresh->reset & SAMPLE_QUEUES) &&
		   queues_counted(t, now);
	w = 1 - exp(-s->dt_s / MEAN_S);
	for (unsigned i = 0; i < s->n; i++) {
		struct queue *q = &s->q[i];

		if (s->fresh) {
			q->new_pps = grown(q->packets, fresh->queue[i].rx_packets, s->dt_s);
			q->new_irqs = grown(q->irqs, fresh->queue[i].interrupts, s->dt_s);
			q->pps += w * (q->new_pps - q->pps);
		}
		q->packets = fresh->queue[i].rx_packets;
		q->irqs = fresh->queue[i].interrupts;
	}
	s->at = now;
	s->generation = fresh->generation;
	if (s->fresh && !s->knobs)
		look_whether_they_differ(t);
}
