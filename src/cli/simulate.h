// SPDX-License-Identifier: GPL-2.0-or-later
/* simulate: parts of `ethtune simulate`. */
#pragma once
#include <stdbool.h>

#include "cli/cmd.h"
#include "engine/simrun-rows.h"

struct simulate_options {
	const char *load, *controller; /* NULL: all */
	int profile;		       /* enum simprofile_id; -1: those of the check */
	uint32_t modes;		       /* bits of enum mode */
	uint64_t seed;
	unsigned seeds, jobs;
	double seconds, sample_s, max_latency_usecs, start_usecs;
	bool json, verbose, fixed_start;
};

struct json_object *simulate_row_json(const struct simrun_row *r);
int simulate_one(const struct cmd *c, const struct simulate_options *o); /* one run with its decisions; an exit code */
int simulate_table(const struct cmd *c, const struct simulate_options *o);
int simulate_check(const struct cmd *c, const struct simulate_options *o);
