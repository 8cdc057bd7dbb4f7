// SPDX-License-Identifier: GPL-2.0-or-later
/* source-softnet: /proc/net/softnet_stat, one line of hexadecimal columns for each online CPU. Columns are known by
 * their count: 13 or more have the CPU's number in the 13th, with fewer the i-th line is the i-th online CPU. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/sample.h"
#include "io/procfile.h"

struct softnet_cpu {
	struct counter32 processed, dropped, time_squeeze;
};

/* Owned by the caller (about 24 kB). */
struct softnet_source {
	struct procfile file;
	nsec_t last;
	bool primed;
	struct softnet_cpu cpu[SAMPLE_CPUS_MAX];
};

int softnet_source_open(struct softnet_source *s, const struct procroot *root);
/* Fills processed, backlog_dropped, time_squeeze of cpu[]; cpu[].online (set before) tells lines apart where the number
 * is missing. Raises *n_cpus. *reset is set when a counter started anew, else left. 0 or negative errno. */
int softnet_source_read(struct softnet_source *s, nsec_t now, struct cpu_counters cpu[SAMPLE_CPUS_MAX],
			unsigned *n_cpus, bool *reset);
void softnet_source_close(struct softnet_source *s);
