// SPDX-License-Identifier: GPL-2.0-or-later
/* ask: what `recommend` and `apply` can be asked for, from their common options. */
#pragma once
#include "cli/format.h"
#include "cli/session.h"
#include "core/policy.h"
#include "engine/advise.h"

enum {
	OPT_DURATION = CMD_OPTION,
	OPT_MODE,
	OPT_MAX_LATENCY,
	OPT_MECHANISM,
	OPT_FORMAT,
	OPT_JSON,
	OPT_PROBE,
	OPT_DRY_RUN,
	OPT_SET,
};

struct ask {
	struct policy policy;
	double duration_s;
	const struct format *format;
	bool probe, dry_run, have_set;
	struct knob_set set;
};

#define ASK_OPTIONS                                                                                                    \
	{ "duration", OPT_DURATION, "TIME", "how long to measure (default 5s)" },                                      \
		{ "mode", OPT_MODE, "MODE", "latency, balanced (default), throughput or powersave" },                  \
		{ "max-latency", OPT_MAX_LATENCY, "TIME", "the longest delay that coalescing may add (100us)" },       \
	{                                                                                                              \
		"mechanism", OPT_MECHANISM, "WORD", "auto (default), hardware, software or adaptive"                   \
	}

void ask_init(struct ask *a);
/* One option; returns EXIT_DONE, or the exit code after one line on stderr. */
int ask_option(const struct cmd *c, int id, const char *arg, struct ask *a);
