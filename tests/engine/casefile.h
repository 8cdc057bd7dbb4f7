// SPDX-License-Identifier: GPL-2.0-or-later
/* casefile: a report from the field as a file: a trace or a plant, and what must come of it. tests/cases/README tells
 * the format. */
#pragma once
#include "core/policy.h"
#include "core/report.h"
#include "core/trace.h"
#include "rig.h"

#define CASE_SAMPLES_MAX 8
#define CASE_STEPS_MAX 8

struct case_step { /* of a plant */
	double seconds, pps, tx_pps;
	struct knob_set foreign; /* set by someone else before */
	bool restart;		 /* target attached anew before */
};

struct casefile {
	char file[64], title[128];
	char wrong[256]; /* why it is not judged rightly, "" = it must be */
	struct policy policy;
	struct cost_prior prior;
	/* expectations; "" or no bit: not asked */
	char class[32], also[32], decision[64], says[64], rolled_back[64], dead[64], yielded[64];
	struct knob_caps values;      /* `settable`: min..max that knobs must be within */
	int min_changes, max_changes; /* max < 0: not asked */
	/* a trace ... */
	unsigned n_samples;
	struct trace *samples; /* each with all lines before */
	/* ... or a plant ... */
	bool plant;
	struct rig rig;
	unsigned n_steps;
	struct case_step steps[CASE_STEPS_MAX];
	/* ... or another test */
	char covered[64], by[64];
};

/* Returns NULL with a line in err. Free with casefile_free(). */
struct casefile *casefile_read(const char *path, char err[ERR_MAX]);
void casefile_free(struct casefile *c);

/* The trace as a backend: each look at the counters comes `step` later, and at its end the trace begins anew with what
 * it had counted. */
struct casenic {
	struct backend base;
	const struct casefile *c;
	nsec_t step, elapsed;
	double scale; /* of all counters that are not CPU time */
	struct knob_set knobs;
};
void casenic_init(struct casenic *n, const struct casefile *c, nsec_t step);
