// SPDX-License-Identifier: GPL-2.0-or-later
/* simrun-pool: many jobs of simrun-rows in child processes, as many as there are CPUs. */
#pragma once
#include "engine/simrun-rows.h"

struct simrun_rows {
	struct simrun_row *rows;
	size_t n;
};

/* Runs all jobs; rows come in the order of the jobs. progress (may be NULL) is told after each finished row. Returns 0,
 * or the negative errno of the first that failed; *ret is to be freed with free(ret->rows), and is set in both cases.
 */
int simrun_pool(const struct simrun_job *jobs, size_t n_jobs, unsigned processes,
		void (*progress)(void *ctx, size_t rows), void *ctx, struct simrun_rows *ret);
