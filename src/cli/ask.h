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
	struct policy policy; /* what was asked for; the rest is the policy that fits the interface */
	bool have_mode, have_cap, have_mechanism;
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
/* Rules of one interface: its policy with what was asked for over it. Asked for anything, the command may write where
 * the policy would not. */
void ask_rules(const struct session *s, const struct ask *a, const struct nic_info *nic, struct target_rules *ret);
