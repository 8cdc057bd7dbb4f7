// SPDX-License-Identifier: GPL-2.0-or-later
/* nicsim-host: receivers. They run on other CPUs, or (app_on_cpu) on the one that takes the interrupts, when it has
 * time. */
#include "core/nicsim-int.h"

#define STEAL_SHADOW_USECS 20000 /* delays this soon after stolen time are the hypervisor's doing */
#define BIN_EXPONENT 1020	 /* biased exponent of 1/8 us */

/* Bins are linear within an octave: the top bits of the floating-point number itself. */
static inline unsigned delay_bin(double usecs)
{
	uint64_t bits;
	unsigned bin;

	if (!(usecs >= 0.125))
		return 0;
	memcpy(&bits, &usecs, sizeof(bits));
	bin = (unsigned)(bits >> (52 - 7)) - BIN_EXPONENT * DELAY_BINS_OCTAVE + 1;
	return bin < DELAY_BINS ? bin : DELAY_BINS - 1;
}

static double bin_usecs(unsigned bin)
{
	unsigned octave = (bin - 1) / DELAY_BINS_OCTAVE, part = (bin - 1) % DELAY_BINS_OCTAVE;

	return bin ? 0.125 * (double)(1U << octave) * (1 + (part + 0.5) / DELAY_BINS_OCTAVE) : 0;
}

static void account_delay(struct nicsim *s, const struct sim_packet *p, double t)
{
	double delay = t - p->arrival - s->base_usecs;

	if (s->stolen_until > 0 && p->arrival <= s->stolen_until + STEAL_SHADOW_USECS)
		return;
	if (delay < 0)
		delay = 0;
	s->delay_bins[delay_bin(delay)]++;
	s->delay_sum += delay;
	s->delay_count++;
}

void sim_deliver(struct nicsim *s, struct sim_queue *q, const struct sim_packet *p, double t)
{
	const struct simload_source *is = &s->source[p->source].is;

	q->n.delivered[is->load_class]++;
	q->n.bytes += is->bytes;
	if (s->cfg.app_on_cpu) {
		unsigned tail = q->socket_head + q->socket_fill;

		if (q->socket_fill >= q->socket_size) { /* socket buffer full: lost, though not by the ring */
			q->n.delivered[is->load_class]--;
			sim_feedback(s, p, true, t);
			return;
		}
		q->socket[tail >= q->socket_size ? tail - q->socket_size : tail] = *p;
		q->socket_fill++;
		return;
	}
	account_delay(s, p, t);
	if (q->app_free <= t) {
		q->n.other_usecs += s->p.wakeup_usecs;
		q->app_free = t + s->p.wakeup_usecs;
	}
	q->app_free += s->p.app_usecs;
	q->n.other_usecs += s->p.app_usecs;
	sim_feedback(s, p, false, t);
}

/* The receiver's turn: goes on where it was interrupted, or takes the next packet of any queue of this CPU. */
void sim_app_run(struct nicsim *s, struct sim_cpu *c, double t)
{
	struct sim_queue *q = c->app_of;
	double cost = c->app_left;

	if (!q) {
		for (unsigned i = 0; i < s->n_queues && !q; i++)
			if (s->queue[i].cpu == c && s->queue[i].socket_fill)
				q = &s->queue[i];
		if (!q)
			return;
		cost = s->p.app_usecs + (t >= q->app_free ? s->p.wakeup_usecs : 0);
		q->n.other_usecs += cost;
		c->app_of = q;
	}
	c->state = CPU_APP;
	c->serves = q;
	c->end = (t < s->stolen_until ? s->stolen_until : t) + cost;
}

void sim_app_done(struct nicsim *s, struct sim_cpu *c, double t)
{
	struct sim_queue *q = c->app_of;
	struct sim_packet p = q->socket[q->socket_head];

	q->socket_head = (q->socket_head + 1) % q->socket_size;
	q->socket_fill--;
	q->app_free = t + 1; /* no wake-up when the next one is there already */
	c->state = CPU_IDLE;
	c->end = SIM_NEVER;
	c->app_of = NULL;
	account_delay(s, &p, t);
	sim_feedback(s, &p, false, t);
	sim_app_run(s, c, t);
}

void sim_app_preempt(struct nicsim *s, struct sim_cpu *c, double t)
{
	c->app_left = c->end - t + s->p.preempt_usecs;
	c->app_of->n.other_usecs += s->p.preempt_usecs;
	c->state = CPU_IDLE;
	c->end = SIM_NEVER;
}

void nicsim_delays(struct nicsim *s, struct nicsim_delays *ret)
{
	struct nicsim_delays d = { .packets = s->delay_count };
	double seen = 0;

	if (s->delay_count > 0)
		d.mean_usecs = s->delay_sum / s->delay_count;
	for (unsigned i = 0; i < DELAY_BINS && seen < 0.99 * s->delay_count; i++) {
		bool below = seen < 0.5 * s->delay_count;

		if (!s->delay_bins[i])
			continue;
		seen += s->delay_bins[i];
		d.p99_usecs = bin_usecs(i);
		if (below && seen >= 0.5 * s->delay_count)
			d.p50_usecs = d.p99_usecs;
	}
	memset(s->delay_bins, 0, sizeof(s->delay_bins));
	s->delay_sum = s->delay_count = 0;
	*ret = d;
}
