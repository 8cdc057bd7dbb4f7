// SPDX-License-Identifier: GPL-2.0-or-later
/* nicsim-parts: packets, senders, CPUs and queues of the simulator. */
#pragma once
#include <math.h>
#include <string.h>

#include "core/nicsim-random.h"
#include "core/nicsim.h"

#define SIM_NEVER 1e300
#define NAPI_BUDGET 64	    /* packets of one poll */
#define SOFTIRQ_BUDGET 300  /* net.core.netdev_budget */
#define SOFTIRQ_USECS 2000  /* net.core.netdev_budget_usecs */
#define GRO_SEGMENTS_MAX 44 /* 64 KiB of 1 500 bytes */
#define GRO_FLOWS 4096
#define DELAY_BINS_OCTAVE 128
#define DELAY_BINS (24 * DELAY_BINS_OCTAVE) /* 1/8 us .. 2 s */
#define GAPS_DRAWN 32
#define SIM_FLOWS_MAX 64		    /* TCP flows of a load, all phases together */

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
	uint32_t next;
};

struct sim_later { /* all of them: see nicsim-later.c */
	struct sim_feedback *item;
	uint32_t *bucket; /* first item */
	uint64_t *used;	  /* a bit a bucket */
	unsigned n_items, n_buckets, fill;
	uint32_t free, fresh; /* items given back; from this one on never taken */
	double per_usec;      /* buckets */
	double first_at;      /* SIM_NEVER: nothing */
	unsigned first_bucket;
};

struct sim_source {
	struct simload_source is;
	uint32_t flow0;
	unsigned first_flow; /* TCP: in nicsim.flows */
	double next, rate_now, rate_until, wire_usecs;
	double mean_gap; /* of a rate that does not move, else 0 */
	double drawn[GAPS_DRAWN]; /* exponential, mean 1; from n_drawn on yet to be used */
	unsigned n_drawn;
	bool draws_ahead; /* its random numbers serve nothing else */
	unsigned outstanding;
	struct sim_rng rng, jitter;
};

enum cpu_state { CPU_IDLE, CPU_ENTRY, CPU_PACKET, CPU_UNMASK, CPU_APP };

struct sim_cpu {
	enum cpu_state state;
	double end;
	struct sim_queue *serves;
	uint32_t pending; /* queues scheduled but not yet polled */
	unsigned softirq_packets, next_queue;
	double softirq_start;
	double app_left; /* interrupted receiver: what is left of its work on one packet */
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
	double app_free;	   /* receiver busy until */
	struct sim_packet *socket; /* app_on_cpu: packets that wait for the receiver */
	unsigned socket_head, socket_fill, socket_size;
	struct nicsim_counters n;
};
