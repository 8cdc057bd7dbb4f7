// SPDX-License-Identifier: GPL-2.0-or-later
/* nicsim: set-up and the event loop. Every event is at the end of a CPU's work, of a timer, or an input
 * (nicsim-source). */
#include "core/nicsim-int.h"

#define ALIGNMENT 64
#define STEAL_EVERY_USECS 1e6
#define SOCKET_PACKETS 4096

static unsigned queues_of(const struct nicsim_config *cfg)
{
	return cfg->queues < 1 ? 1 : cfg->queues > NICSIM_QUEUES_MAX ? NICSIM_QUEUES_MAX : cfg->queues;
}

/* How much can be on the wire or on its way back at once; a power of two. */
static size_t in_flight_max(const struct simload *l)
{
	size_t sum = 1024, size = 1;

	for (unsigned i = 0; i < l->n_sources; i++) {
		const struct simload_source *s = &l->source[i];

		sum += (size_t)s->flows * (s->window + 2) + 4 * s->burst;
	}
	while (size < sum)
		size *= 2;
	return size;
}

static size_t padded(size_t n)
{
	return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t socket_size(const struct nicsim_config *cfg)
{
	return cfg->app_on_cpu ? SOCKET_PACKETS : 0;
}

size_t nicsim_size(const struct nicsim_config *cfg)
{
	size_t under_way = in_flight_max(cfg->load), ring = cfg->profile->ring;

	return padded(sizeof(struct nicsim)) + padded(under_way * sizeof(struct sim_packet)) +
	       padded(sim_later_size((unsigned)under_way)) +
	       queues_of(cfg) * padded((ring + socket_size(cfg)) * sizeof(struct sim_packet));
}

static void host_init(struct nicsim *s, char *mem)
{
	for (unsigned i = 0; i < s->n_queues; i++) {
		struct sim_queue *q = &s->queue[i];

		q->index = i;
		q->cpu = &s->cpu[s->cfg.one_cpu ? 0 : i];
		q->interval = s->cfg.interval_usecs;
		q->frames = s->cfg.frames;
		q->hw_deadline = q->sw_deadline = SIM_NEVER;
		q->last_interrupt = -1e9;
		q->size = s->p.ring;
		q->ring = (struct sim_packet *)mem;
		q->socket = q->ring + q->size;
		q->socket_size = (unsigned)socket_size(&s->cfg);
		q->gro_epoch = ++s->gro_epoch;
		mem += padded((q->size + q->socket_size) * sizeof(struct sim_packet));
	}
	s->n_cpus = s->cfg.one_cpu ? 1 : s->n_queues;
	for (unsigned i = 0; i < s->n_cpus; i++)
		s->cpu[i].end = SIM_NEVER;
	s->base_usecs = s->p.irq_usecs + s->p.poll_usecs + s->p.packet_usecs + s->p.segment_usecs;
	if (s->cfg.app_on_cpu)
		s->base_usecs = 0; /* there the whole stay is of interest */
}

struct nicsim *nicsim_init(void *mem, const struct nicsim_config *cfg)
{
	struct nicsim *s = mem;
	size_t under_way = in_flight_max(cfg->load);
	char *at = (char *)mem + padded(sizeof(*s));

	memset(s, 0, sizeof(*s));
	s->cfg = *cfg;
	s->p = *cfg->profile;
	s->load = *cfg->load;
	if (!s->cfg.defer_polls)
		s->cfg.defer_polls = 2;
	s->n_queues = queues_of(cfg);
	s->wire = (struct sim_packet *)at;
	s->wire_mask = (unsigned)under_way - 1;
	at += padded(under_way * sizeof(struct sim_packet));
	sim_later_init(&s->later, at, (unsigned)under_way);
	at += padded(sim_later_size((unsigned)under_way));
	host_init(s, at);
	s->steal_rng.state = (cfg->seed + 7) * UINT64_C(0xbf58476d1ce4e5b9);
	s->steal_at = cfg->steal_ratio > 0 ? sim_exponential(&s->steal_rng, STEAL_EVERY_USECS) : SIM_NEVER;
	sim_sources_init(s);
	sim_phase_start(s, 0, 0);
	return s;
}

static void steal(struct nicsim *s, double t)
{
	double length = 2000 + sim_exponential(&s->steal_rng, 8000);

	s->stolen_until = t + length;
	s->steal_usecs += length;
	for (unsigned i = 0; i < s->n_cpus; i++)
		if (s->cpu[i].end < SIM_NEVER)
			s->cpu[i].end = (s->cpu[i].end > t ? s->cpu[i].end : t) + length;
	s->steal_at = t + length + sim_exponential(&s->steal_rng, length / s->cfg.steal_ratio);
}

enum event { EVENT_END, EVENT_CPU, EVENT_HARDWARE, EVENT_SOFTWARE, EVENT_PHASE, EVENT_STEAL };

/* The next thing that is not an input; *second: when the one after it may come. */
static double next_event(const struct nicsim *s, double until, enum event *kind, unsigned *index, double *second)
{
	double t = until, after = until;

#define CONSIDER(when, event, i)                                                                                       \
	do {                                                                                                           \
		double when_ = (when);                                                                                 \
		if (when_ < t) {                                                                                       \
			after = t;                                                                                     \
			t = when_;                                                                                     \
			*kind = (event);                                                                               \
			*index = (i);                                                                                  \
		} else if (when_ < after) {                                                                            \
			after = when_;                                                                                 \
		}                                                                                                      \
	} while (0)
	*kind = EVENT_END;
	*index = 0;
	for (unsigned i = 0; i < s->n_cpus; i++)
		CONSIDER(s->cpu[i].end, EVENT_CPU, i);
	for (unsigned i = 0; i < s->n_queues; i++) {
		if (!s->queue[i].masked)
			CONSIDER(s->queue[i].hw_deadline, EVENT_HARDWARE, i);
		CONSIDER(s->queue[i].sw_deadline, EVENT_SOFTWARE, i);
	}
	CONSIDER(s->phase_end, EVENT_PHASE, 0);
	CONSIDER(s->steal_at, EVENT_STEAL, 0);
#undef CONSIDER
	*second = after;
	return t;
}

void nicsim_run(struct nicsim *s, double until_usecs)
{
	for (;;) {
		enum event kind;
		unsigned i;
		double second, t = next_event(s, until_usecs, &kind, &i, &second);

		if (sim_inputs(s, t))
			continue; /* CPUs or timers moved: look again */
		s->now = t;
		switch (kind) {
		case EVENT_END: return;
		case EVENT_CPU: sim_cpu_done(s, &s->cpu[i], second < s->next_input ? second : s->next_input); break;
		case EVENT_HARDWARE: sim_interrupt(s, &s->queue[i], t); break;
		case EVENT_SOFTWARE: sim_timer(s, &s->queue[i], t); break;
		case EVENT_PHASE: sim_phase_start(s, (s->phase + 1) % s->load.n_phases, t); break;
		case EVENT_STEAL: steal(s, t); break;
		}
	}
}

void nicsim_set(struct nicsim *s, int queue, double interval_usecs, unsigned frames)
{
	for (unsigned i = 0; i < s->n_queues; i++) {
		struct sim_queue *q = &s->queue[i];

		if (queue >= 0 && (unsigned)queue != i)
			continue;
		if (q->interval == interval_usecs && q->frames == frames)
			continue;
		q->interval = interval_usecs;
		q->frames = frames;
		if (!q->masked)
			sim_rearm(s, q, s->now);
	}
}

void nicsim_counters(const struct nicsim *s, int queue, struct nicsim_counters *ret)
{
	struct nicsim_counters sum = { .steal_usecs = s->steal_usecs };

	for (unsigned i = 0; i < s->n_queues; i++) {
		const struct nicsim_counters *n = &s->queue[i].n;

		if (queue >= 0 && (unsigned)queue != i)
			continue;
		for (unsigned c = 0; c < SIMLOAD_CLASSES; c++) {
			sum.offered[c] += n->offered[c];
			sum.delivered[c] += n->delivered[c];
		}
		sum.bytes += n->bytes;
		sum.drops += n->drops;
		sum.interrupts += n->interrupts;
		sum.timers += n->timers;
		sum.polls += n->polls;
		sum.empty_polls += n->empty_polls;
		sum.squeezes += n->squeezes;
		sum.busy_usecs += n->busy_usecs;
		sum.other_usecs += n->other_usecs;
		if (n->fullest > sum.fullest)
			sum.fullest = n->fullest;
	}
	*ret = sum;
}

unsigned nicsim_phase(const struct nicsim *s)
{
	return s->phase;
}

unsigned nicsim_queues(const struct nicsim *s)
{
	return s->n_queues;
}
