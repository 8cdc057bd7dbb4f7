// SPDX-License-Identifier: GPL-2.0-or-later
/* measure: watches one NIC for a while at its present setting: rates for people, models for the law. Writes nothing. */
#pragma once
#include "core/model.h"
#include "engine/advise.h"
#include "engine/mech.h"

/* Seconds that a counter was seen, and its integral over them. */
struct lane_sums {
	double pps_s, pps, pps2, polls_s, polls, cpu_s, cpu;
	unsigned n; /* samples with pps */
};

struct measure {
	struct backend *backend;
	const struct nic_info *nic;
	struct lane lanes[2];
	unsigned n_lanes;
	double interval[2];    /* of each lane, in force meanwhile */
	struct model model[2]; /* of each lane */
	struct lane_sums sums[2];
	struct rates rates; /* means over the whole time; valid after measure_run() */
	bool have_cost;
	struct cost_estimate cost; /* of polls that were timed one by one */
	/* private */
	struct sample samples[2], mark, begin;
	struct queue_counters queues[2][NIC_QUEUES_MAX]; /* when they were counted first and last ... */
	unsigned n_queues;				 /* ... 0: not yet ... */
	uint32_t queues_generation;			 /* ... since the device changed */
	double seconds[32]; /* that each source was seen, by bit */
};

/* a: capabilities and present values; its message says why there is no lane. Returns NULL without memory; free(). */
struct measure *measure_new(struct backend *b, struct advice *a, const struct policy *p);
/* Returns 0 or negative errno: -EINTR stopped by progress, or what the backend says. */
int measure_run(struct measure *m, double duration_s, advise_progress progress, void *userdata);

/* Polls per second, < 0 unknown: of one lane; and of the device, from the counter that fits its mechanism best. */
double measure_lane_polls(const struct measure *m, unsigned lane);
double measure_polls(const struct measure *m);
/* CPU spent on packets, of one CPU: measured where the kernel accounts it exactly, else by the model; < 0 unknown. */
double measure_cpu(const struct measure *m);
/* Relative standard error of the packet rate of the lane. */
double measure_pps_error(const struct measure *m, unsigned lane);
