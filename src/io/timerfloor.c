// SPDX-License-Identifier: GPL-2.0-or-later
/* timerfloor: see timerfloor.h. A sleeping thread is woken by the same kind of timer that ends a NAPI deferral; what
 * follows the interrupt (a softirq there, a wake-up here) costs about the same on a machine with an idle CPU. */
#include "io/timerfloor.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "core/units.h"
#include "io/clock.h"

#define SLEEP_NS (50 * NSEC_PER_USEC)
#define RUNS 15
#define RUNS_MIN 5
#define TOTAL_NS (4 * NSEC_PER_MSEC)

static int compare(const void *a, const void *b)
{
	const nsec_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int measure(nsec_t late[RUNS])
{
	nsec_t start = clock_ns(CLOCK_MONOTONIC);
	int n = 0;

	while (n < RUNS) {
		nsec_t expiry = clock_ns(CLOCK_MONOTONIC) + SLEEP_NS;
		struct timespec t = {
			.tv_sec = (time_t)(expiry / NSEC_PER_SEC),
			.tv_nsec = (long)(expiry % NSEC_PER_SEC),
		};

		if (expiry - start > TOTAL_NS)
			break;
		if (!clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL))
			late[n++] = clock_ns(CLOCK_MONOTONIC) - expiry;
	}
	return n;
}

int timerfloor_measure(double *ret_usecs)
{
	int slack = prctl(PR_GET_TIMERSLACK), n;
	nsec_t late[RUNS];

	if (slack < 0)
		return -errno;
	if (prctl(PR_SET_TIMERSLACK, 1) < 0)
		return -errno;
	n = measure(late);
	prctl(PR_SET_TIMERSLACK, (unsigned long)slack);
	if (n < RUNS_MIN)
		return -ETIMEDOUT;
	qsort(late, (size_t)n, sizeof(late[0]), compare);
	/* The lower quartile: disturbances only add, and the scheduler disturbs threads more than softirqs. */
	*ret_usecs = (double)late[n / 4] / (double)NSEC_PER_USEC;
	return 0;
}
