// SPDX-License-Identifier: GPL-2.0-or-later
/* sample: the counters of one instant for one NIC, and the rates between two of them.
 * A source that is missing clears its bit in `have`; its fields then mean nothing. Counters are widened to 64 bits by
 * whoever reads them (u32 wraps are undone there per CPU and interrupt); they only grow, or the source is `reset`. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/nic.h"
#include "core/sample-cost.h"
#include "core/sample-counters.h"
#include "core/sample-cpu.h"
#include "core/units.h"

struct sample {
	nsec_t now;
	uint32_t have;	/* enum sample_source */
	uint32_t reset; /* sources whose counters started anew since the sample before: no rate this time */
	uint32_t generation; /* changes when queues, interrupts or CPUs of the device changed */
	uint64_t rx_packets, rx_bytes, tx_packets, tx_bytes;
	uint64_t rx_dropped, rx_missed, rx_fifo, rx_over, tx_dropped; /* rtnl_link_stats64 */
	uint64_t ring_drops;					      /* sum of what SAMPLE_RING_DROPS means */
	uint64_t interrupts, rx_interrupts, tx_interrupts;	      /* shared lines count fully */
	uint64_t polls, empty_polls, full_polls; /* full: used up their budget and go on at once */
	enum polls_source polls_by; /* with SAMPLE_POLLS: counted or sampled */
	struct poll_sums traced; /* polls of this device */
	uint64_t carrier_changes; /* ups and downs */
	uint64_t tx_timeouts;	  /* sum over the queues */
	unsigned n_queues;
	struct queue_counters queue[NIC_QUEUES_MAX];
	unsigned n_cpus; /* highest CPU number seen + 1 */
	struct cpu_counters cpu[SAMPLE_CPUS_MAX];
};

/* Per second; ratios 0..1. A rate whose source is not in `have` is 0 and must not be read. */
struct rates {
	double dt_s;
	uint32_t have;
	double rx_pps, tx_pps, rx_bytes_ps, tx_bytes_ps;
	double interrupts_ps, rx_interrupts_ps, tx_interrupts_ps, polls_ps, empty_polls_ps, full_polls_ps,
		net_rx_ps;
	double ring_drops_ps, rx_dropped_ps, tx_dropped_ps, time_squeeze_ps;
	double processed_ps;	      /* packets that the stack took from all devices (softnet) */
	double busiest_softirq_ratio; /* of one CPU; tick-sampled unless SAMPLE_IRQTIME */
	double busy_cpus;	      /* CPUs' worth of time not idle, all of them together */
	double busiest_ratio;	      /* not idle, of the busiest CPU */
	double steal_ratio;	      /* of the busiest victim */
	unsigned busiest_cpu;
	enum polls_source polls_by;
	struct poll_sums traced;      /* sums of this interval, no rate */
	struct packet_cpu packet_cpu; /* of the CPU that spends most on interrupts and packets */
	double cycles_ps, instructions_ps, cache_misses_ps; /* of that CPU, in the kernel */
	unsigned cpus, idle_cpus; /* online; of these less than half busy */
	unsigned busy_queues;	  /* that got 5 % of the packets or more */
};

enum { RATES_OK, RATES_FIRST, RATES_CLOCK, RATES_CHANGED };

/* Rates between `a` (earlier) and `b`. Returns RATES_OK; RATES_FIRST when `a` is no sample yet (now 0); RATES_CLOCK
 * when time stood still, ran backwards or jumped more than 10 s; RATES_CHANGED when the generation differs: then only
 * sources that are not per queue, per interrupt or per CPU have their bit. *ret is always set. */
int rates_between(const struct sample *a, const struct sample *b, struct rates *ret);

/* How many of n queues got 5 % of their packets or more in between. */
unsigned queues_busy(const struct queue_counters *before, const struct queue_counters *after, unsigned n);

/* What really was one step of a u32 counter: delta modulo 2^32, or 0 with *reset set when it cannot be a wrap
 * (the step would exceed max_step). */
uint64_t counter_step_u32(uint32_t before, uint32_t after, uint64_t max_step, bool *reset);
