// SPDX-License-Identifier: GPL-2.0-or-later
/* suspend: has the machine slept? CLOCK_BOOTTIME goes on meanwhile and CLOCK_MONOTONIC does not. */
#pragma once
#include <stdbool.h>

#include "core/units.h"

#define SUSPEND_MIN_NS NSEC_PER_SEC /* a shorter gap is how far apart the two clocks were read */

struct suspend {
	bool seen;
	nsec_t gap; /* BOOTTIME - MONOTONIC at the last look */
};

/* Time slept since the last look, 0 when none or at the first look. Pure. */
nsec_t suspend_feed(struct suspend *s, nsec_t boottime, nsec_t monotonic);
/* The same with the clocks of this machine. */
nsec_t suspend_look(struct suspend *s);
