// SPDX-License-Identifier: GPL-2.0-or-later
/* nicsim-int: what the parts of the simulator share. */
#pragma once
#include "core/nicsim-parts.h"

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
	struct sim_later later;
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
/* nicsim-later.c; size: a power of 2 from 64 on, of what can be under way */
size_t sim_later_size(unsigned size);
void sim_later_init(struct sim_later *l, void *mem, unsigned size);
void sim_later_clear(struct sim_later *l, double turn_usecs); /* few items may be further ahead than that */
void sim_later_push(struct sim_later *l, double at, uint32_t flow, enum feedback_kind kind, unsigned source);
struct sim_feedback sim_later_pop(struct sim_later *l); /* there must be one */
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
void sim_app_preempt(struct nicsim *s, struct sim_cpu *c, double t);
