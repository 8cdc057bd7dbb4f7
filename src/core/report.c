// SPDX-License-Identifier: GPL-2.0-or-later
/* report: see report.h. */
#include "core/report.h"

const char *const target_state_names[TARGET_STATE_COUNT] = {
	[TARGET_NEW] = "new",
	[TARGET_ACTIVE] = "active",
	[TARGET_OBSERVING] = "observing",
	[TARGET_UNTUNABLE] = "untunable",
	[TARGET_YIELDED] = "yielded",
	[TARGET_SAFE] = "safe",
	[TARGET_GONE] = "gone",
};

const char *const skip_names[SKIP_COUNT] = {
	[SKIP_NONE] = "none",
	[SKIP_MISSING] = "missing",
	[SKIP_CLOCK] = "clock",
	[SKIP_SUSPEND] = "suspend",
	[SKIP_CHANGED] = "changed",
	[SKIP_RESET] = "reset",
	[SKIP_NONSENSE] = "nonsense",
};
