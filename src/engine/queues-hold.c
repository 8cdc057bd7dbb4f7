// SPDX-License-Identifier: GPL-2.0-or-later
/* queues-hold: whose the settings of single queues are. Nobody tells when one of them is changed: by comparison. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/queues-int.h"

/* What somebody else set for a queue is what is put back at the end: a write for the device may go over it before. */
static void make_original(struct nic_settings *o, unsigned queue, const struct queue *q, uint32_t bits)
{
	for (unsigned i = 0; i < o->n_queue; i++)
		if (o->queue[i].queue == queue)
			for (int k = 0; k < KNOB_COUNT; k++)
				if ((bits & KNOB_BIT(k)) && knob_has(&o->queue[i].knobs, k))
					knob_put(&o->queue[i].knobs, k, q->now.value[k]);
	for (unsigned i = 0; i < o->n_napi; i++) {
		if (!q->napi_id || o->napi[i].id != q->napi_id)
			continue;
		if (bits & KNOB_BIT(KNOB_GRO_FLUSH_TIMEOUT))
			o->napi[i].gro_flush_timeout_ns = q->now.value[KNOB_GRO_FLUSH_TIMEOUT];
		if (bits & KNOB_BIT(KNOB_NAPI_DEFER_HARD_IRQS))
			o->napi[i].defer_hard_irqs = (uint32_t)q->now.value[KNOB_NAPI_DEFER_HARD_IRQS];
	}
}

static void save_originals(struct target *t)
{
	if (t->apply.saved && t->apply.state)
		state_save(t->apply.state, &t->nic, &t->apply.original);
}

/* Half of a pair is no setting: deferral is given up as one. */
static uint32_t with_pair(uint32_t bits)
{
	uint32_t napi = knob_channel_mask(CHANNEL_NAPI);

	return bits & napi ? bits | napi : bits;
}

static void yield(struct target *t, unsigned i, uint32_t bits)
{
	struct queues *s = &t->queues;
	struct queue *q = &s->q[i];
	char values[96];
	struct knob_set theirs = q->now;

	theirs.have &= bits;
	knob_set_format(&theirs, values, sizeof(values));
	q->yielded |= with_pair(bits) & s->may;
	s->held_since = 0;
	make_original(&t->apply.original, i, q, q->yielded);
	snprintf(s->told, ERR_MAX, "queue %u: changed by someone else to %s: theirs from now on", i, values);
}

/* As in hold.c: told by nobody, and every queue is as it was found. Such values stand as before until a second look. */
static uint32_t forgotten(struct target *t, bool told, const struct knob_set *before, uint32_t bits)
{
	struct queues *s = &t->queues;
	uint32_t lost = !told && t->facts.ethtool_tells && t->apply.saved ? bits : 0;
	struct knob_set rest, d;

	lost &= knob_channel_mask(CHANNEL_COALESCE);
	for (unsigned i = 0; i < s->n && lost; i++) {
		queues_rest(t, i, &rest);
		rest.have &= s->q[i].now.have;
		lost &= ~knob_set_diff(&rest, &s->q[i].now, &d);
	}
	if (lost && lost == s->suspected) {
		t->fell_back |= lost;
		s->suspected = 0;
		return lost;
	}
	for (unsigned i = 0; i < s->n; i++)
		for (int k = 0; k < KNOB_COUNT; k++)
			if (lost & KNOB_BIT(k))
				s->q[i].now.value[k] = before[i].value[k];
	s->suspected = lost;
	return lost;
}

void queues_refresh(struct target *t, bool told, bool reshaped, uint32_t *foreign)
{
	struct queues *s = &t->queues;
	uint32_t napi = knob_channel_mask(CHANNEL_NAPI), everywhere = ~0U, somewhere = 0;
	uint32_t changed[NIC_QUEUES_MAX] = { 0 };
	struct knob_set before[NIC_QUEUES_MAX], d;
	unsigned n = s->n;

	if (!s->knobs)
		return;
	for (unsigned i = 0; i < n; i++)
		before[i] = s->q[i].now;
	if (queues_read(t) < 0 || s->n != n)
		return; /* told as a change of the device */
	for (unsigned i = 0; i < n; i++) {
		changed[i] = knob_set_diff(&s->q[i].now, &before[i], &d) & s->knobs;
		everywhere &= changed[i] | s->q[i].yielded;
		somewhere |= changed[i] & ~s->q[i].yielded;
	}
	if (reshaped) /* new instances have values that nobody set */
		somewhere &= ~napi;
	everywhere &= somewhere;
	somewhere &= ~everywhere;
	everywhere &= ~forgotten(t, told, before, everywhere);
	*foreign = (*foreign & ~s->knobs) | everywhere;
	if (rings_settling(&t->rings) || t->upset || !somewhere)
		return;
	for (unsigned i = 0; i < n; i++)
		if (changed[i] & somewhere)
			yield(t, i, changed[i] & somewhere);
	save_originals(t);
}

uint32_t queues_yielded(const struct target *t)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < t->queues.n && t->queues.knobs; i++)
		bits |= t->queues.q[i].yielded;
	return bits;
}

void queues_reclaim(struct target *t)
{
	struct queues *s = &t->queues;
	bool any = false;

	for (unsigned i = 0; i < s->n; i++) {
		if (!s->q[i].yielded)
			continue;
		make_original(&t->apply.original, i, &s->q[i], s->q[i].yielded);
		s->q[i].asked.have &= ~s->q[i].yielded;
		s->q[i].yielded = 0;
		queues_lead(t, i);
		any = true;
	}
	if (any) /* one file for all of them */
		save_originals(t);
	s->held_since = 0;
}

double queues_interval(const struct target *t, const struct lane *l)
{
	const struct queues *s = &t->queues;
	enum knob k = mech_timer(l);
	double most = -1, limited = -1;

	if (!(s->knobs & KNOB_BIT(k)))
		return mech_interval(l, &t->apply.current);
	for (unsigned i = 0; i < s->n; i++) {
		const struct queue *q = &s->q[i];

		if (!q->tunes || (q->yielded & KNOB_BIT(k)) || !knob_has(&q->now, k))
			continue;
		if (q->section < 0)
			most = fmax(most, mech_interval(l, &q->now));
		else
			limited = fmax(limited, mech_interval(l, &q->now));
	}
	if (most < 0)
		most = limited;
	return most < 0 ? mech_interval(l, &t->apply.current) : most;
}
