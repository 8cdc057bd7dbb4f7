// SPDX-License-Identifier: GPL-2.0-or-later
/* nicsim-napi: interrupt moderation, NAPI polls, softirq budgets. A CPU serves one queue at a time; queues that are
 * scheduled meanwhile wait for its poll to end, as on the kernel's poll list. */
#include "core/nicsim-int.h"

#define UNMASK_SHARE 0.7 /* of a software timer's cost, when it only enables the interrupt */

static bool software(const struct nicsim *s)
{
	return s->p.mech == SIM_DEFERRAL || s->p.mech == SIM_PACING;
}

static void cpu_begin(struct sim_cpu *c, struct sim_queue *q, enum cpu_state state, double t, double cost_usecs,
		      double stolen_until)
{
	c->end = (t < stolen_until ? stolen_until : t) + cost_usecs;
	c->state = state;
	c->serves = q;
	q->n.busy_usecs += cost_usecs;
}

/* A NAPI cycle of q starts, or waits for its CPU. */
static void poll_start(struct nicsim *s, struct sim_queue *q, double t, double entry_usecs)
{
	struct sim_cpu *c = q->cpu;

	q->masked = true;
	q->entry_usecs = entry_usecs;
	if (c->state == CPU_APP)
		sim_app_preempt(s, c, t);
	if (c->state != CPU_IDLE) {
		c->pending |= 1U << q->index;
		return;
	}
	c->softirq_packets = 0;
	c->softirq_start = t;
	q->polled = q->cycle_packets = 0;
	q->cycle_bytes = 0;
	q->n.polls++;
	cpu_begin(c, q, CPU_ENTRY, t, entry_usecs + s->p.poll_usecs, s->stolen_until);
}

void sim_interrupt(struct nicsim *s, struct sim_queue *q, double t)
{
	q->hw_deadline = SIM_NEVER;
	q->last_interrupt = t;
	q->since_interrupt = 0;
	q->n.interrupts++;
	poll_start(s, q, t, s->p.irq_usecs);
}

void sim_timer(struct nicsim *s, struct sim_queue *q, double t)
{
	q->sw_deadline = SIM_NEVER;
	q->n.timers++;
	if (s->p.mech == SIM_PACING) {
		if (q->cpu->state == CPU_APP)
			sim_app_preempt(s, q->cpu, t);
		if (q->cpu->state == CPU_IDLE) {
			cpu_begin(q->cpu, q, CPU_UNMASK, t, UNMASK_SHARE * s->p.timer_usecs, s->stolen_until);
			return;
		}
		q->n.busy_usecs += UNMASK_SHARE * s->p.timer_usecs;
		q->masked = false;
		sim_rearm(s, q, t);
		return;
	}
	poll_start(s, q, t, s->p.timer_usecs);
}

/* The interrupt is enabled and its CPU has time: what is in the ring starts the timer, or interrupts at once. */
void sim_rearm(struct nicsim *s, struct sim_queue *q, double t)
{
	double wait = software(s) ? 0 : q->interval, due = t;
	unsigned last = q->head + q->fill - 1;

	if (!q->fill) {
		q->hw_deadline = SIM_NEVER;
		return;
	}
	if (last >= q->size)
		last -= q->size;
	switch (s->p.mech) {
	case SIM_GAP: due = q->last_interrupt + wait; break;
	case SIM_RESTART:
	case SIM_TX: due = q->ring[last].arrival + wait; break;
	case SIM_TIMER:
	case SIM_DEFERRAL:
	case SIM_PACING: due = q->ring[q->head].arrival + wait; break;
	}
	if (!software(s) && q->frames && q->since_interrupt >= q->frames)
		due = t;
	if (due <= t)
		sim_interrupt(s, q, t);
	else
		q->hw_deadline = due;
}

bool sim_arrive(struct nicsim *s, const struct sim_packet *p)
{
	struct sim_queue *q = &s->queue[p->queue];
	double t = p->arrival, due = q->hw_deadline;
	unsigned tail = q->head + q->fill;

	q->n.offered[s->source[p->source].is.load_class]++;
	if (q->fill >= q->size) {
		q->n.drops++;
		sim_feedback(s, p, true, t);
		return false;
	}
	q->ring[tail >= q->size ? tail - q->size : tail] = *p;
	if (++q->fill > q->n.fullest)
		q->n.fullest = q->fill;
	q->since_interrupt++;
	if (s->p.mech == SIM_TX && q->interval < 4000) /* nearer than the tick: the clock's hardware is set each time */
		q->n.busy_usecs += s->p.rearm_usecs;
	if (q->masked)
		return false;
	if (software(s) || (q->frames && q->since_interrupt >= q->frames)) {
		sim_interrupt(s, q, t);
		return true;
	}
	switch (s->p.mech) {
	case SIM_GAP:
		if (due >= SIM_NEVER)
			due = q->last_interrupt + q->interval;
		break;
	case SIM_RESTART:
	case SIM_TX: due = t + q->interval; break;
	case SIM_TIMER:
	case SIM_DEFERRAL:
	case SIM_PACING:
		if (due >= SIM_NEVER)
			due = t + q->interval;
		break;
	}
	if (due <= t) {
		sim_interrupt(s, q, t);
		return true;
	}
	if (due == q->hw_deadline)
		return false;
	q->hw_deadline = due;
	return true;
}

static inline double packet_usecs(struct nicsim *s, struct sim_queue *q, const struct sim_packet *p)
{
	double cost = s->p.packet_usecs;
	unsigned f = p->flow % GRO_FLOWS;

	if (!s->source[p->source].is.gro)
		return cost + s->p.segment_usecs;
	if (s->gro_seen[f] == q->gro_epoch && s->gro_count[f] < GRO_SEGMENTS_MAX) {
		s->gro_count[f]++;
		return cost; /* merges into one that is there already */
	}
	s->gro_seen[f] = q->gro_epoch;
	s->gro_count[f] = 1;
	return cost + s->p.segment_usecs;
}

static void gro_flush(struct nicsim *s, struct sim_queue *q, double t)
{
	for (unsigned i = 0; i < q->n_held; i++)
		sim_deliver(s, q, &q->held[i], t);
	q->n_held = 0;
	q->gro_epoch = ++s->gro_epoch;
}

/* After napi_complete_done(): true when the interrupt stays masked and a timer goes on. */
static bool stays_masked(struct nicsim *s, struct sim_queue *q, double t)
{
	if (!software(s) || q->interval <= 0)
		return false;
	if (s->p.mech == SIM_DEFERRAL) {
		if (q->cycle_packets)
			q->defer_left = s->cfg.defer_polls;
		if (!q->defer_left)
			return false;
		q->defer_left--;
	}
	q->sw_deadline = t + q->interval + s->p.floor_usecs;
	return true;
}

/* The CPU has nothing to do for its present queue any more: the next one that waits, or rest. */
static void cpu_next(struct nicsim *s, struct sim_cpu *c, double t)
{
	c->state = CPU_IDLE;
	c->end = SIM_NEVER;
	while (c->pending && c->state == CPU_IDLE) {
		unsigned i = c->next_queue;

		c->next_queue = (i + 1) % s->n_queues;
		if (c->pending & (1U << i)) {
			c->pending &= ~(1U << i);
			poll_start(s, &s->queue[i], t, s->queue[i].entry_usecs);
		}
	}
}

static void complete(struct nicsim *s, struct sim_cpu *c, double t)
{
	struct sim_queue *q = c->serves;

	gro_flush(s, q, t);
	if (!q->cycle_packets)
		q->n.empty_polls++;
	if (s->cfg.poll_done) {
		struct nicsim_poll done = { t, q->index, q->cycle_packets, q->cycle_bytes };

		s->cfg.poll_done(s->cfg.ctx, s, &done);
	}
	cpu_next(s, c, t);
	if (!stays_masked(s, q, t)) {
		q->masked = false;
		sim_rearm(s, q, t);
	}
	if (s->cfg.app_on_cpu && c->state == CPU_IDLE)
		sim_app_run(s, c, t);
}

/* 64 packets taken and more there: the softirq goes round, or gives up the CPU for a moment. */
static void poll_again(struct nicsim *s, struct sim_cpu *c, double t)
{
	struct sim_queue *q = c->serves;
	double cost = s->p.poll_usecs;

	gro_flush(s, q, t);
	q->n.polls++;
	q->polled = 0;
	if (c->softirq_packets >= SOFTIRQ_BUDGET || t - c->softirq_start > SOFTIRQ_USECS) {
		q->n.squeezes++;
		c->softirq_packets = 0;
		c->softirq_start = t;
		cost += s->p.poll_usecs;
	}
	if (c->pending) { /* to the end of the list */
		q->entry_usecs = cost - s->p.poll_usecs;
		c->pending |= 1U << q->index;
		q->n.polls--;
		cpu_next(s, c, t);
		return;
	}
	cpu_begin(c, q, CPU_ENTRY, t, cost, s->stolen_until);
}

static void packets(struct nicsim *s, struct sim_cpu *c, double bound)
{
	struct sim_queue *q = c->serves;

	do {
		struct sim_packet *p = &q->ring[q->head];
		double t = c->end;

		if (++q->head == q->size)
			q->head = 0;
		q->fill--;
		q->polled++;
		q->cycle_packets++;
		c->softirq_packets++;
		q->cycle_bytes += s->source[p->source].is.bytes;
		if (s->source[p->source].is.gro)
			q->held[q->n_held++] = *p;
		else
			sim_deliver(s, q, p, t);
		if (q->polled >= NAPI_BUDGET) {
			poll_again(s, c, t);
			return;
		}
		if (!q->fill) {
			complete(s, c, t);
			return;
		}
		cpu_begin(c, q, CPU_PACKET, t, packet_usecs(s, q, &q->ring[q->head]), s->stolen_until);
	} while (c->end < bound && s->later.first_at > c->end);
}

void sim_cpu_done(struct nicsim *s, struct sim_cpu *c, double bound)
{
	struct sim_queue *q = c->serves;
	double t = c->end;

	switch (c->state) {
	case CPU_ENTRY:
		if (q->fill)
			cpu_begin(c, q, CPU_PACKET, t, packet_usecs(s, q, &q->ring[q->head]), s->stolen_until);
		else
			complete(s, c, t);
		return;
	case CPU_PACKET: packets(s, c, bound); return;
	case CPU_UNMASK:
		cpu_next(s, c, t);
		q->masked = false;
		sim_rearm(s, q, t);
		if (s->cfg.app_on_cpu && c->state == CPU_IDLE)
			sim_app_run(s, c, t);
		return;
	case CPU_APP: sim_app_done(s, c, t); return;
	case CPU_IDLE: return;
	}
}
