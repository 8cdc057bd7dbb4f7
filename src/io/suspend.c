// SPDX-License-Identifier: GPL-2.0-or-later
/* suspend: see suspend.h. */
#include "io/suspend.h"

#include <time.h>

nsec_t suspend_feed(struct suspend *s, nsec_t boottime, nsec_t monotonic)
{
	nsec_t gap = boottime - monotonic, slept = 0;

	if (s->seen && gap > s->gap && gap - s->gap >= SUSPEND_MIN_NS)
		slept = gap - s->gap;
	else if (s->seen)
		return 0; /* the gap stays, so that many small steps add up */
	s->seen = true;
	s->gap = gap;
	return slept;
}

static nsec_t read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (nsec_t)ts.tv_sec * NSEC_PER_SEC + (nsec_t)ts.tv_nsec;
}

nsec_t suspend_look(struct suspend *s)
{
	nsec_t monotonic = read_clock(CLOCK_MONOTONIC); /* first: a preemption between makes the gap larger, not less */

	return suspend_feed(s, read_clock(CLOCK_BOOTTIME), monotonic);
}
