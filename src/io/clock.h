// SPDX-License-Identifier: GPL-2.0-or-later
/* clock: the kernel's clocks as numbers. */
#pragma once
#include <time.h>

#include "core/units.h"

static inline nsec_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (nsec_t)ts.tv_sec * NSEC_PER_SEC + (nsec_t)ts.tv_nsec;
}

/* Of CLOCK_MONOTONIC; signed, for what is left until a deadline. */
static inline int64_t clock_ms(void)
{
	return (int64_t)(clock_ns(CLOCK_MONOTONIC) / NSEC_PER_MSEC);
}
