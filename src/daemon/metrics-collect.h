// SPDX-License-Identifier: GPL-2.0-or-later
/* metrics-collect: what the daemon knows, as samples. Reads the fleet and changes nothing. */
#pragma once
#include "daemon/fleet.h"
#include "daemon/metrics-text.h"
#include "daemon/metrics-totals.h"

#define METRICS_TICK_BUCKETS 10

/* What belongs to the daemon and not to one of its interfaces. */
struct metrics_self {
	double started;	      /* seconds since 1970 */
	uint64_t missed;      /* ticks */
	uint64_t tick_counts[METRICS_TICK_BUCKETS + 1];
	double tick_seconds;  /* sum */
	struct cpu_shares cpus;
};
extern const double metrics_tick_bounds[METRICS_TICK_BUCKETS];

/* A whole exposition; now: to tell sources that went away. Returns 0 or -ENOMEM; *ret is to be freed after success. */
int metrics_collect(const struct metrics_self *s, const struct fleet *f, enum metrics_format format, nsec_t now,
		    struct metrics_buf *ret);
/* Longest time that packets of one direction are held back, s; < 0: not known (a driver's adaptive moderation). */
double metrics_added_latency(const struct member *m, enum queue_dir dir);
/* A gauge for each setting, and with per-queue = yes for each setting of a queue, where they are decided so. */
void metrics_knobs(struct metrics_text *t, const struct fleet *f);
