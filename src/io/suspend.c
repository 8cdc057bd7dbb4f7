// SPDX-License-Identifier: GPL-2.0-or-later
/* suspend: see suspend.h. */
#include "io/suspend.h"

#include "io/clock.h"

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

nsec_t suspend_look(struct suspend *s)
{
	nsec_t monotonic = clock_ns(CLOCK_MONOTONIC); /* first: a preemption between makes the gap larger, not less */

	return suspend_feed(s, clock_ns(CLOCK_BOOTTIME), monotonic);
}
