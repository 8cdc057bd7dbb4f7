// SPDX-License-Identifier: GPL-2.0-or-later
/* nicsim: a simulated NIC: wire, rings, interrupt moderation, NAPI, the CPUs that serve it and the receivers behind.
 * Discrete event, deterministic by seed, no clock, no memory of its own. Times in microseconds from the start.
 *
 * Each source of traffic, the network's jitter and steal time draw from streams of their own, so that the offered load
 * is the same whatever the settings are. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/simload.h"
#include "core/simprofile.h"

#define NICSIM_QUEUES_MAX 8

struct nicsim;

/* The end of one NAPI cycle, as a driver sees it. */
struct nicsim_poll {
	double now_usecs;
	unsigned queue, packets;
	double bytes;
};

struct nicsim_config {
	const struct sim_profile *profile; /* kept by reference */
	const struct simload *load;	   /* copied */
	uint64_t seed;
	unsigned queues;       /* 0 = 1; flows are spread over them */
	bool one_cpu;	       /* all queues on one CPU; else one each */
	bool app_on_cpu;       /* the receiver runs on the CPU that takes the interrupts, when those leave it time */
	double steal_ratio;    /* of time, in pieces of 2 to 30 ms */
	unsigned defer_polls;  /* napi_defer_hard_irqs; 0 = 2 */
	double interval_usecs; /* at the start */
	unsigned frames;
	/* What moderation inside the driver hooks into; may call nicsim_set(). NULL = none. */
	void (*poll_done)(void *ctx, struct nicsim *sim, const struct nicsim_poll *poll);
	void *ctx;
};

/* Totals since the start. */
struct nicsim_counters {
	double offered[SIMLOAD_CLASSES], delivered[SIMLOAD_CLASSES];
	double bytes, drops;
	double interrupts, timers; /* hardware; software timers */
	double polls, empty_polls, squeezes;
	double busy_usecs;  /* interrupts, polls and packets: what shows as softirq time */
	double other_usecs; /* receivers: wake-ups and their work */
	double steal_usecs;
	unsigned fullest; /* ring entries in use, at most */
};

/* Delay that waiting and queueing add over an empty machine, of the packets since the last nicsim_delays(). */
struct nicsim_delays {
	double packets, mean_usecs, p50_usecs, p99_usecs;
};

size_t nicsim_size(const struct nicsim_config *cfg);
/* `mem`: nicsim_size() bytes, aligned for any type; stays the caller's. */
struct nicsim *nicsim_init(void *mem, const struct nicsim_config *cfg);
void nicsim_run(struct nicsim *s, double until_usecs);
void nicsim_set(struct nicsim *s, int queue, double interval_usecs, unsigned frames); /* queue -1: all */
void nicsim_counters(const struct nicsim *s, int queue, struct nicsim_counters *ret); /* queue -1: sum */
void nicsim_delays(struct nicsim *s, struct nicsim_delays *ret);
unsigned nicsim_phase(const struct nicsim *s); /* of the load, at the end of the last run */
unsigned nicsim_queues(const struct nicsim *s);
