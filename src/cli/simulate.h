// SPDX-License-Identifier: GPL-2.0-or-later
/* simulate: parts of `ethtune simulate`. */
#pragma once
#include <stdbool.h>

#include "cli/cmd.h"
#include "cli/print.h"
#include "engine/simrun-pool.h"
#include "engine/simrun-published.h"

struct simulate_options {
	const char *load, *controller; /* NULL: all */
	int profile;		       /* enum simprofile_id; -1: those of the check */
	uint32_t modes;		       /* bits of enum mode */
	uint64_t seed;
	unsigned seeds, jobs, queues;
	double seconds, sample_s, max_latency_usecs, start_usecs;
	bool json, verbose, brief, one_cpu;
};

json_object *simulate_row_json(const struct simrun_row *r);
int simulate_one(const struct cmd *c, const struct simulate_options *o); /* one run with its decisions; an exit code */
int simulate_table(const struct cmd *c, const struct simulate_options *o);
/* Whether a table or check runs a profile (enum simprofile_id) with a load (enum simload_id; -1: one that is written
 * out). */
bool simulate_check_has(const struct simulate_options *o, int profile, int load);
int simulate_collect(const struct cmd *c, const struct simulate_options *o, struct simrun_job *like,
		     struct simrun_rows *ret); /* an exit code; free(ret->rows) in any case */
void simulate_head(struct table *t);
void simulate_line(struct table *t, const struct simrun_row *r);
void simulate_print_json(const struct simrun_rows *rows, json_object *failures); /* NULL = none asked for */
void simulate_published_head(struct table *t);
void simulate_published_line(struct table *t, const struct simrun_published *p, const struct simrun_published_row *r);
int simulate_check(const struct cmd *c, const struct simulate_options *o);
