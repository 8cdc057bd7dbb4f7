// SPDX-License-Identifier: GPL-2.0-or-later
/* queues-decide: the lanes of queues, from rates to decisions. */
#include <math.h>

#include "engine/queues-int.h"

#define ALMOST_ALL 0.9 /* of the device's packets: then the device's polls are theirs */

struct group { /* a leader with those that follow it, the mean of them */
	double pps, irqs;
	unsigned n;
	bool has_irqs;
};

static struct group sum_up(const struct target *t, unsigned leader)
{
	struct group g = { .has_irqs = true };

	for (unsigned i = 0; i < t->queues.n && i < t->nic.rx_queues; i++) {
		const struct queue *q = &t->queues.q[i];

		if (q->leader != leader)
			continue;
		g.n++;
		g.pps += q->new_pps;
		g.irqs += q->new_irqs;
		g.has_irqs &= q->has_irq;
	}
	return g;
}

/* One queue's input, out of the device's: its packets and interrupts. Who drops, and what single queues cost, is not
 * known: drops go to the busiest. */
static void input(const struct target *t, const struct lane *l, const struct rates *r, const struct group *g,
		  bool busiest, double now_s, struct ctl_input *in)
{
	double n = fmax(g->n, 1), all = r->rx_pps;

	mech_input(l, r, now_s, in);
	in->bytes_ps = all > 0 ? in->bytes_ps * (g->pps / n) / all : 0;
	in->dt_s = t->queues.dt_s;
	in->pps = g->pps / n;
	in->have_pps = true;
	in->have_drops &= busiest;
	if (l->kind == MECH_TIMER && g->has_irqs && (r->have & SAMPLE_IRQS)) {
		in->polls_ps = g->irqs / n;
		in->have_polls = in->polls_ps > 0;
		in->have_empty = false;
	} else if (in->have_polls && g->pps >= ALMOST_ALL * all) {
		in->polls_ps /= n;
		in->empty_polls_ps /= n;
	} else {
		in->have_polls = in->have_empty = false;
	}
	/* the CPU target counts the busiest CPU; what a packet costs cannot be learnt from it */
	in->have_cpu = t->cpu_ratio >= 0;
	in->cpu_ratio = in->have_cpu ? t->cpu_ratio : 0;
}

static void test_effect(struct queue *q, const struct ctl_input *in, struct report *r)
{
	uint64_t n = knob_has(&q->now, KNOB_RX_FRAMES) ? q->now.value[KNOB_RX_FRAMES] : 0;

	if (q->lane.kind != MECH_TIMER || (n > 1 && in->pps / 1e6 * controller_interval(&q->lane.ctl) > (double)n / 2))
		return;
	if (effect_step(&q->lane.effect, in, 1))
		r->dead |= KNOB_BIT(mech_timer(&q->lane));
}

static unsigned busiest(const struct queues *s)
{
	unsigned b = 0;

	for (unsigned i = 1; i < s->n; i++)
		if (s->q[i].pps > s->q[b].pps)
			b = i;
	return s->q[b].leader;
}

static void decide_one(struct target *t, struct report *r, unsigned i, bool skip, bool is_busiest)
{
	struct queue *q = &t->queues.q[i];
	struct group g = sum_up(t, i);
	struct ctl_input in;

	input(t, &q->lane, &r->rates, &g, is_busiest, (double)r->now / NSEC_PER_SEC, &in);
	in.skip |= skip || q->lane.waiting.change;
	q->lane.ctl.model.limits.learn_costs = false;
	controller_step(&q->lane.ctl, &in, &q->decision);
	if (!q->decision.change && q->lane.waiting.change)
		q->decision = q->lane.waiting;
	test_effect(q, &in, r);
}

bool queues_decide(struct target *t, struct report *r, bool skip)
{
	struct queues *s = &t->queues;
	const struct lane *rx = queues_rx_lane(t);
	const struct model *m;
	unsigned most, shown;

	if (!rx || !(s->knobs & KNOB_BIT(mech_timer(rx))) || !queues_counted(t, r->now))
		return false;
	if (s->fresh)
		queues_group(t);
	for (unsigned i = 0; i < s->n; i++)
		s->q[i].decision.change = false;
	most = shown = busiest(s);
	for (unsigned i = 0; i < s->n; i++) {
		struct queue *q = &s->q[i];

		if (!queues_leads(t, i))
			continue;
		if (s->fresh)
			decide_one(t, r, i, skip, i == most);
		else if (q->lane.waiting.change)
			q->decision = q->lane.waiting;
		if (q->decision.change && !s->q[shown].decision.change)
			shown = i;
	}
	r->decision[QUEUE_RX] = s->q[shown].decision;
	r->decided[QUEUE_RX] = queues_leads(t, shown);
	m = &s->q[shown].lane.ctl.model;
	if (r->decided[QUEUE_RX])
		r->cost[QUEUE_RX] = (struct report_cost){ m->a_usecs, m->b_usecs, m->confidence };
	return true;
}

void queues_postpone(struct target *t)
{
	for (unsigned i = 0; i < t->queues.n; i++)
		if (queues_leads(t, i) && t->queues.q[i].decision.change)
			t->queues.q[i].lane.waiting = t->queues.q[i].decision;
}

/* A change of queues as the watch sees it: one value that moved. */
static struct knob_set moved(uint64_t to)
{
	struct knob_set s = { 0 };

	knob_put(&s, KNOB_RX_USECS, to);
	return s;
}

void queues_watched(struct target *t)
{
	struct knob_set before = moved(0);

	watch_change(&t->queues.watch, &before, before.have);
}

bool queues_watch(struct target *t, struct report *r, nsec_t now)
{
	struct queues *s = &t->queues;
	struct knob_set undo, current = moved(1);
	bool back;

	if (!s->knobs)
		return false;
	back = watch_step(&s->watch, &r->rates, &current, now, &undo, r->message);
	for (unsigned i = 0; i < s->n; i++) {
		struct queue *q = &s->q[i];

		if (q->from_usecs < 0 || !queues_leads(t, i))
			continue;
		if (back) {
			q->good_usecs = q->from_usecs;
			q->bad_usecs = controller_interval(&q->lane.ctl);
			r->rolled_back |= KNOB_BIT(mech_timer(&q->lane));
		}
		if (back || (s->watch.state == WATCH_REST && !s->watch.testing))
			q->from_usecs = -1;
	}
	return back && r->rolled_back;
}
