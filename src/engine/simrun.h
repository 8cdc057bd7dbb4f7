// SPDX-License-Identifier: GPL-2.0-or-later
/* simrun: one contender on one simulated NIC under one load, and what that is worth beside the best fixed interval that
 * hindsight finds for each phase of the load (the oracle).
 * Utility per window = throughput (1 = all that was offered; for loads that wait for answers: the best of the grid)
 *   - w_cpu * CPUs of interrupt work and of waking receivers, which fall and rise together
 *   - w_lat * (p99 added delay - the grid's least) / cap - 10 * drops beyond the grid's least. */
#pragma once
#include <stddef.h>

#include "core/contender.h"
#include "engine/simrun-tape.h"

enum simrun_hide { /* inputs taken away */
		   SIMRUN_HIDE_PPS = 1 << 0,
		   SIMRUN_HIDE_POLLS = 1 << 1,
		   SIMRUN_HIDE_CPU = 1 << 2,
		   SIMRUN_HIDE_DROPS = 1 << 3,
};
struct simrun_config {
	const struct sim_profile *profile;
	const char *load, *contender; /* see simload_build(), contender_init() */
	struct policy policy;
	double seconds, sample_s, window_s; /* 0 = 60, 0.1, 1 */
	uint64_t seed;
	double noise_ratio; /* every counter of a sample is off by up to this much, evenly */
	double steal_ratio;
	double phase_max_s; /* no phase of the load is longer; 0 = as it is */
	double tick_s;	    /* CPU time is counted by sampling this often; 0 = exactly */
	double spike_at_s;  /* one sample whose rates are ten times the real ones; 0 = none */
	unsigned hide;	    /* enum simrun_hide */
	double start_usecs; /* < 0: as the driver comes up */
	unsigned start_frames;
	unsigned queues;    /* 0 = 1 */
	bool one_cpu;
	struct simrun_tape **tape; /* shared by runs that have the rest in common; NULL = none */
	/* after each sample */
	void (*observe)(void *ctx, const struct ctl_input *in, const struct contender *c, bool changed);
	void *ctx;
};

struct simrun_window { /* per second, but where the name says otherwise */
	double end_s;
	unsigned phase, changes;
	double offered[SIMLOAD_CLASSES], delivered[SIMLOAD_CLASSES], drops, bytes;
	double cpu_ratio, wakeup_ratio, host_ratio; /* interrupt work; waking the receivers; all, with their work */
	double interrupts, polls, empty_polls;
	double mean_usecs, p99_usecs, interval_usecs; /* interval: mean in force */
};

struct simrun_result {
	struct simload load;
	struct simrun_window *windows;
	size_t n;
	unsigned changes, changes_late; /* late: after the first 10 s */
	double late_s;			/* how long "late" was */
	double longest_usecs;		/* longest in force from 0.2 s on, with the floor of late timers */
	double last_change_s;
	double shortest_on_usecs; /* smallest interval but 0 that the contender set; 0 = none */
};

/* Returns 0, -ENOMEM, -EINVAL, -ENOENT (load or contender); *ret is to be freed with simrun_free(). */
int simrun(const struct simrun_config *cfg, struct simrun_result *ret);
void simrun_free(struct simrun_result *r);

/* What all fixed intervals up to max_usecs do under a load. */
struct simrun_grid {
	size_t n;
	double *interval_usecs;
	struct simrun_result *results;
	struct simload load;
	/* best over the grid, by phase */
	double delivered[SIMLOAD_PHASES_MAX][SIMLOAD_CLASSES];
	double p99_usecs[SIMLOAD_PHASES_MAX], drop_ratio[SIMLOAD_PHASES_MAX];
};

int simrun_grid(const struct sim_profile *p, const char *load, uint64_t seed, double steal_ratio, double max_usecs,
		struct simrun_grid *ret);
int simrun_grid_like(const struct simrun_config *like, double max_usecs, struct simrun_grid *ret); /* queues too */
void simrun_grid_free(struct simrun_grid *g);
double simrun_seconds(const struct sim_profile *p, const struct simload *l); /* how long a contender is watched */

double simrun_utility(const struct simrun_grid *g, const struct policy *policy, const struct simrun_window *w);
double simrun_mean_utility(const struct simrun_grid *g, const struct policy *policy, const struct simrun_result *r);
/* Mean utility of the best fixed intervals within the cap; their intervals by phase. */
double simrun_oracle(const struct simrun_grid *g, const struct policy *policy, double floor_usecs,
		     double best_usecs[SIMLOAD_PHASES_MAX]);
/* utility / oracle; below an oracle of 0.3, where even the best is poor, the difference on that scale. */
double simrun_of_oracle(double utility, double oracle);
/* Seconds until the mean over 3 windows first comes within 0.02 of what the last quarter of the run reaches. */
double simrun_converged_s(const struct simrun_grid *g, const struct policy *policy, const struct simrun_result *r);

/* Means over a run. */
struct simrun_summary {
	double utility, of_oracle, delivered_ps, bytes_ps, cpu_ratio, host_ratio, interrupts_ps, mean_usecs, p99_usecs;
	double drop_ratio, interval_usecs, converged_s, changes_per_min;
	unsigned changes;
};
void simrun_summarize(const struct simrun_grid *g, const struct policy *policy, double oracle,
		      const struct simrun_result *r, struct simrun_summary *ret);
