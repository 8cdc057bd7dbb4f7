// SPDX-License-Identifier: GPL-2.0-or-later
/* queues-write: from decisions to the knobs of every queue, and what came of it. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/line.h"
#include "engine/fixed.h"
#include "engine/guard.h"
#include "engine/queues-int.h"

static bool touched(const struct queue *q, const struct knob_set *s)
{
	return q->asked.have & s->have;
}

/* Its leader's lane, at rest as it was found itself. */
static void knobs_of(const struct target *t, const struct lane *l, unsigned queue, double usecs, double frames,
		     struct knob_set *ret)
{
	struct lane own = { .dir = l->dir, .kind = l->kind };

	queues_rest(t, queue, &own.rest);
	if (usecs == mech_interval(l, &l->rest))
		usecs = mech_interval(&own, &own.rest);
	mech_knobs(&own, usecs, frames, &t->caps, &t->quirk, ret);
}

static double avoid(const struct queues *s, const struct queue *leader, double usecs, nsec_t now)
{
	double good = leader->good_usecs, bad = leader->bad_usecs, half = (good + bad) / 2;

	if (good == bad || now >= s->watch.avoid[KNOB_RX_USECS].until)
		return usecs;
	return (bad > good ? usecs > half : usecs < half) ? good : usecs;
}

static void want_rx(struct target *t, struct report *r, unsigned i, nsec_t now, struct knob_set *want)
{
	struct queues *s = &t->queues;
	const struct queue *leader = &s->q[s->q[i].leader];
	const struct lane *rx = queues_rx_lane(t);
	const struct decision *d = &leader->decision;
	struct decision own = r->decision[QUEUE_RX];
	double usecs;

	if (!rx || !(s->knobs & KNOB_BIT(mech_timer(rx))) || i >= t->nic.rx_queues)
		return;
	if (queues_counted(t, now)) {
		usecs = d->change ? d->interval_usecs : controller_interval(&leader->lane.ctl);
		usecs = avoid(s, leader, usecs, now);
	} else { /* the device's decision, within what holds for this queue */
		usecs = own.change ? own.interval_usecs : controller_interval(&rx->ctl);
		if (usecs != mech_interval(rx, &rx->rest))
			usecs = model_fit(&leader->lane.ctl.model, usecs);
		else if (model_over_cap(&leader->lane.ctl.model, usecs)) /* rests where this queue may not */
			usecs = model_limit(&leader->lane.ctl.model);
		d = &own;
	}
	knobs_of(t, &leader->lane, i, usecs, d->frames, want);
	if (!d->change && !touched(&s->q[i], want) && !model_over_cap(&leader->lane.ctl.model, usecs))
		want->have = 0;
	for (int k = 0; k < KNOB_COUNT; k++)
		if (knob_has(want, k) && d->change)
			r->why[k] = d->reason;
}

/* As the device's, below the queue's cap. */
static void want_tx(struct target *t, struct report *r, unsigned i, const struct policy *p, struct knob_set *want)
{
	const struct decision *d = &r->decision[QUEUE_TX];
	struct knob_set tx;

	for (unsigned n = 0; n < t->n_lanes; n++) {
		const struct lane *l = &t->lanes[n];
		double usecs = d->change ? d->interval_usecs : controller_interval(&l->ctl), own;

		if (l->dir != QUEUE_TX || !(t->queues.knobs & KNOB_BIT(mech_timer(l))))
			continue;
		own = fmin(usecs, floor(MODEL_CAP_PART * policy_cap_usecs(p)));
		knobs_of(t, l, i, usecs == mech_interval(l, &l->rest) ? usecs : own, d->frames, &tx);
		if (!d->change && !touched(&t->queues.q[i], &tx))
			continue;
		for (int k = 0; k < KNOB_COUNT; k++)
			if (knob_has(&tx, k) && d->change)
				r->why[k] = d->reason;
		knob_set_overlay(want, &tx);
	}
}

static bool answered(const struct queue *q, enum knob k, uint64_t v)
{
	return knob_has(&q->asked, k) && q->asked.value[k] == v && knob_has(&q->got, k) && knob_has(&q->now, k) &&
	       q->got.value[k] == q->now.value[k];
}

static uint32_t want_one(struct target *t, struct report *r, unsigned i, nsec_t now, const struct policy *p)
{
	struct queue *q = &t->queues.q[i];
	struct knob_set want = { 0 }, fixed = { 0 }, current;
	uint32_t off = t->apply.dead | t->yielded | q->yielded;

	q->todo.have = 0;
	if (!q->tunes)
		return 0;
	queues_current(t, i, &current);
	fixed_knobs(p, &t->caps, off, &current, &fixed);
	want_rx(t, r, i, now, &want);
	want_tx(t, r, i, p, &want);
	fixed.have &= i < t->nic.rx_queues ? KNOB_ALL : KNOB_BIT(KNOB_TX_USECS) | KNOB_BIT(KNOB_TX_FRAMES);
	knob_set_overlay(&want, &fixed);
	fixed_limit(p, &t->quirk, &t->caps, &current, &want);
	guard_bound_tx(t, r, p, &want);
	want.have &= t->queues.knobs & q->now.have & ~off;
	knob_set_clamp(&want, &t->caps.knobs);
	knob_set_diff(&want, &q->now, &q->todo);
	for (int k = 0; k < KNOB_COUNT; k++)
		if (knob_has(&q->todo, k) && answered(q, k, q->todo.value[k]))
			knob_drop(&q->todo, k);
	return q->todo.have;
}

uint32_t queues_want(struct target *t, struct report *r, nsec_t now, struct knob_set *want)
{
	int section = -2;
	struct policy p;
	uint32_t bits = 0;

	want->have &= ~t->queues.knobs;
	for (unsigned i = 0; i < t->queues.n && t->queues.knobs; i++) {
		if (t->queues.q[i].section != section)
			section = queues_policy(t, i, &p);
		bits |= want_one(t, r, i, now, &p);
	}
	return bits;
}

/* "queues 0-3: rx-usecs 24": what they have now, or would. */
static void say(const struct queues *s, bool wrote, char text[ERR_MAX])
{
	struct line l = { text, ERR_MAX, 0 };

	for (unsigned i = 0, end; i < s->n && l.n < ERR_MAX; i = end) {
		const struct knob_set *todo = &s->q[i].todo;
		struct knob_set d, now = wrote ? s->q[i].now : *todo;
		char values[96];

		end = i + 1;
		if (!todo->have)
			continue;
		now.have &= todo->have;
		while (end < s->n && s->q[end].todo.have == todo->have && !knob_set_diff(&s->q[end].todo, todo, &d))
			end++;
		knob_set_format(&now, values, sizeof(values));
		line_add(&l, "%squeue%s %u", l.n ? "; " : "", end > i + 1 ? "s" : "", i);
		if (end > i + 1)
			line_add(&l, "-%u", end - 1);
		line_add(&l, ": %s", values);
	}
}

static void note_answers(struct queues *s, int error)
{
	for (unsigned i = 0; i < s->n; i++) {
		struct queue *q = &s->q[i];

		for (int k = 0; k < KNOB_COUNT; k++) {
			if (!knob_has(&q->todo, k) || (error && error != -EINVAL && error != -ERANGE))
				continue;
			knob_put(&q->asked, k, q->todo.value[k]);
			if (knob_has(&q->now, k))
				knob_put(&q->got, k, q->now.value[k]);
		}
	}
}

static void tell_lanes(struct target *t, bool wrote)
{
	bool tested = false;

	for (unsigned i = 0; i < t->queues.n; i++) {
		struct queue *q = &t->queues.q[i];
		double from = q->decision.from_usecs, to = mech_interval(&q->lane, &q->now);

		if (!queues_leads(t, i))
			continue;
		q->lane.waiting.change = false;
		tested |= controller_state(&q->lane.ctl) != CTL_HOLD;
		if (wrote && q->decision.change && from != to) {
			effect_changed(&q->lane.effect, from, to);
			q->from_usecs = q->from_usecs < 0 ? from : q->from_usecs;
		}
		controller_took(&q->lane.ctl, to);
	}
	watch_testing(&t->queues.watch, tested);
	if (wrote)
		queues_watched(t);
}

static int write_all(struct target *t, const struct queue_setting *want, unsigned n, struct report *r)
{
	struct backend *b = t->apply.backend;
	char err[ERR_MAX] = "";
	int e = apply_save(&t->apply, &t->nic, err);

	if (e == 0) {
		e = b->ops->write_queues(b, &t->nic, want, n, err);
		queues_read(t);
		apply_read(&t->apply, &t->nic);
		say(&t->queues, true, r->queues);
		note_answers(&t->queues, e);
	}
	if (e == -EOPNOTSUPP) { /* then all of them together, by the next tick */
		t->queues.useless = true;
		t->queues.knobs = 0;
	}
	if (e < 0)
		snprintf(r->message, ERR_MAX, "%s", err[0] ? err : strerror(-e));
	return e;
}

int queues_write(struct target *t, struct report *r)
{
	struct queue_setting want[NIC_QUEUES_MAX];
	struct queues *s = &t->queues;
	uint32_t bits = 0;
	unsigned n = 0;
	int e = 0;

	for (unsigned i = 0; i < s->n && s->knobs; i++)
		if (s->q[i].todo.have) {
			want[n++] = (struct queue_setting){ i, s->q[i].todo };
			bits |= s->q[i].todo.have;
		}
	if (n && t->state == TARGET_ACTIVE && !t->apply.dry_run)
		e = write_all(t, want, n, r);
	else if (n && t->state == TARGET_OBSERVING)
		say(s, false, r->queues);
	r->queue_written = e < 0 || t->state != TARGET_ACTIVE ? 0 : bits;
	if (s->knobs)
		tell_lanes(t, n && e == 0 && t->state == TARGET_ACTIVE);
	return e;
}
