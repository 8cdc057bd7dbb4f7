// SPDX-License-Identifier: GPL-2.0-or-later
/* simrun-rows: contenders x modes on one profile and load, one row each; the acceptance numbers over such rows. A row
 * is plain data of fixed size, so that it can go through a pipe. */
#pragma once
#include "engine/simrun.h"

enum simrun_variant { /* what is different from the clean run */
#define VARIANT(id, name, what) SIMRUN_##id,
#include "engine/simrun-variants.def"
#undef VARIANT
		      SIMRUN_VARIANT_COUNT
};
extern const char *const simrun_variant_names[SIMRUN_VARIANT_COUNT];

struct simrun_row {
	enum simprofile_id profile;
	char load[32], contender[24];
	bool changing, wanders, is_law; /* wanders: the rate is not the same at all times */
	enum mode mode;
	enum simrun_variant variant;
	uint64_t seed;
	double start_usecs; /* < 0: the driver's default */
	unsigned start_frames;
	double oracle, oracle_usecs[SIMLOAD_PHASES_MAX], oracle_drop_ratio, default_of_oracle;
	unsigned n_phases;
	struct simrun_summary sum;
	double cap_usecs, longest_usecs, shortest_on_usecs, min_on_usecs;
	unsigned changed_late, changes_allowed; /* after 10 s: one a minute, begun ones counted */
};

struct simrun_entry {
	const char *contender;
	double start_usecs; /* < 0: default */
	unsigned start_frames;
};

struct simrun_job {
	enum simprofile_id profile;
	const char *load;
	uint32_t modes; /* bits of enum mode */
	const struct simrun_entry *entries;
	unsigned n_entries;
	unsigned changing_only; /* entries from this one on run under changing loads only; 0 = none */
	uint32_t variant_modes; /* in these also the law under noise, steal, a spike, and with inputs missing */
	unsigned seeds;		/* the law with that many other seeds, modes in turn */
	bool brief;		/* as short as shows what the law does */
	double sample_s;
	uint64_t seed, first_seed; /* first_seed: of the seeds */
};

typedef void (*simrun_emit)(void *ctx, const struct simrun_row *row);
int simrun_rows(const struct simrun_job *job, simrun_emit emit, void *ctx); /* 0, -ENOMEM, -EINVAL, -ENOENT */

#define SIMRUN_WHY_MAX 160
/* Whether one row meets its acceptance numbers; *clean: the SHORT run of the same, or NULL; spread: what
 * the seed alone does. False with the reason. */
bool simrun_row_passes(const struct simrun_row *row, const struct simrun_row *clean, double spread,
		       char why[SIMRUN_WHY_MAX]);
/* Between the clean runs of the same load and mode with other seeds, highest minus lowest; 0 when there are none. */
double simrun_spread(const struct simrun_row *rows, size_t n, const struct simrun_row *of);
/* What holds over all rows of one profile and mode: means. False with the reason. */
bool simrun_means_pass(const struct simrun_row *rows, size_t n, enum simprofile_id profile, enum mode mode,
		       char why[SIMRUN_WHY_MAX]);
double simrun_variant_mean(const struct simrun_row *rows, size_t n, enum simprofile_id profile, enum mode mode,
			   enum simrun_variant variant); /* of the law; -1: no such rows */
