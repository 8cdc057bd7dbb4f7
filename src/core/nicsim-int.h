// SPDX-License-Identifier: GPL-2.0-or-later
/* nicsim-int: what the parts of the simulator share. */
#pragma once
#include <math.h>
#include <string.h>

#include "core/nicsim.h"

#define SIM_NEVER 1e300
#define NAPI_BUDGET 64	     /* packets of one poll */
#define SOFTIRQ_BUDGET 300   /* net.core.netdev_budget */
#define SOFTIRQ_USECS 2000   /* net.core.netdev_budget_usecs */
#define GRO_SEGMENTS_MAX 44  /* 64 KiB of 1 500 bytes */
#define GRO_FLOWS 4096
#define DELAY_BINS_OCTAVE 128
#define DELAY_BINS (24 * DELAY_BINS_OCTAVE) /* 1/8 us .. 2 s */
#define SIM_FLOWS_MAX 64     /* TCP flows of a load, all phases together */

struct sim_rng {
	uint64_t state;
};

static inline uint64_t sim_random(struct sim_rng *r)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15); /* Weyl sequence, mixed as in splitmix64 */

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}
static inline double sim_uniform(struct sim_rng *r) /* [0, 1) */
{
	return (double)(sim_random(r) >> 11) * 0x1p-53;
}
static inline double sim_exponential(struct sim_rng *r, double mean)
{
	return -mean * log(1 - sim_uniform(r));
}

struct sim_packet {
	double arrival; /* end of its last bit on the wire */
	uint32_t flow;
	uint16_t source, queue;
};

struct sim_flow { /* TCP */
	double window, loss_at;
	int in_flight;
};

enum feedback_kind { FEEDBACK_SEND, FEEDBACK_START, FEEDBACK_LOSS, FEEDBACK_ACK, FEEDBACK_BURST };

struct sim_feedback { /* something comes back to a sender */
	double at;
	uint32_t flow;
	uint16_t source, kind;
};

struct sim_source {
	struct simload_source is;
	uint32_t flow0;
	unsigned first_flow; /* TCP: in nicsim.flows */
	double next, rate_now, rate_until, wire_usecs;
	double mean_gap; /* of a rate that does not move, else 0 */
	unsigned outstanding;
	struct sim_rng rng, jitter;
};

enum cpu_state { CPU_IDLE, CPU_ENTRY, CPU_PACKET, CPU_UNMASK, CPU_APP };

struct sim_cpu {
	enum cpu_state state;
	double end;
	struct sim_queue *serves;
	uint32_t pending;      /* queues scheduled but not yet polled */
	unsigned softirq_packets, next_queue;
	double softirq_start;
	double app_left;       /* interrupted receiver: what is left of its work on one packet */
	struct sim_queue *app_of;
};

struct sim_queue {
	unsigned index;
	struct sim_cpu *cpu;
	bool masked;
	double interval, hw_deadline, sw_deadline, last_interrupt, entry_usecs;
	unsigned frames, since_interrupt, defer_left;
	unsigned polled, cycle_packets;
	double cycle_bytes;
	struct sim_packet *ring;
	unsigned head, fill, size;
	struct sim_packet held[NAPI_BUDGET]; /* in GRO until the poll ends */
	unsigned n_held;
	uint32_t gro_epoch;
	double app_free; /* receiver busy until */
	struct sim_packet *socket; /* app_on_cpu: packets that wait for the receiver */
	unsigned socket_head, socket_fill, socket_size;
	struct nicsim_counters n;
};

struct nicsim {
	struct sim_profile p;
	struct nicsim_config cfg;
	struct simload load;
	double now;
	/* sources */
	struct sim_source source[SIMLOAD_SOURCES_MAX];
	struct sim_flow flows[SIM_FLOWS_MAX];
	unsigned phase, first_source, n_sources; /* those of the phase */
	struct sim_source *lone; /* all the traffic there is: one source of single packets, whatever becomes of them */
	double phase_start, phase_end, link_free;
	struct sim_packet *wire;
	unsigned wire_head, wire_tail, wire_mask;
	struct sim_feedback *heap;
	unsigned heap_fill, heap_size;
	double next_input; /* none before; 0 = look */
	/* the host */
	unsigned n_queues, n_cpus;
	struct sim_queue queue[NICSIM_QUEUES_MAX];
	struct sim_cpu cpu[NICSIM_QUEUES_MAX];
	uint32_t gro_epoch, gro_seen[GRO_FLOWS];
	uint8_t gro_count[GRO_FLOWS];
	/* steal */
	struct sim_rng steal_rng;
	double steal_at, stolen_until, steal_usecs;
	/* delays */
	double base_usecs, delay_sum, delay_count;
	uint32_t delay_bins[DELAY_BINS];
};

/* nicsim-source.c */
void sim_sources_init(struct nicsim *s);
void sim_phase_start(struct nicsim *s, unsigned phase, double t);
bool sim_inputs(struct nicsim *s, double bound); /* inputs before bound; true when one of them moved a CPU or timer */
void sim_feedback(struct nicsim *s, const struct sim_packet *p, bool lost, double t);
/* nicsim-napi.c */
bool sim_arrive(struct nicsim *s, const struct sim_packet *p); /* true: see sim_inputs */
void sim_interrupt(struct nicsim *s, struct sim_queue *q, double t);
void sim_timer(struct nicsim *s, struct sim_queue *q, double t);
void sim_cpu_done(struct nicsim *s, struct sim_cpu *c, double bound); /* at c->end; may go on until bound */
void sim_rearm(struct nicsim *s, struct sim_queue *q, double t);
/* nicsim-host.c */
void sim_deliver(struct nicsim *s, struct sim_queue *q, const struct sim_packet *p, double t);
void sim_app_run(struct nicsim *s, struct sim_cpu *c, double t);
void sim_app_done(struct nicsim *s, struct sim_cpu *c, double t);
void sim_app_preempt(struct sim_cpu *c, double t);
