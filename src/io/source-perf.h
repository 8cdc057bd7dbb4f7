// SPDX-License-Identifier: GPL-2.0-or-later
/* source-perf: NAPI polls of one device (SAMPLE_POLLS), counted by perf on the tracepoint napi:napi_poll.
 *
 * The tracepoint tells devices by *name* and knows no namespaces: devices of the same name elsewhere on the machine
 * are counted too. Names must differ, or the counts are an upper bound. A renamed device needs a new perf_polls.
 * Polls of threaded NAPI and of busy polling sockets count; drivers that poll on a nameless device show none.
 *
 * Costs, measured: 0.1 us per poll of *any* device for one event with its filter, somewhat more for the three that are
 * needed, and as many descriptors per CPU; one interprocessor interrupt (18 us) per *other* CPU and read; closing the
 * last one waits 40 ms for the kernel. So the caller decides whether devices x CPUs x rate is worth it. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/knob.h"
#include "io/procfile.h"

struct perf_polls;

struct poll_counts {
	uint64_t polls, empty, full; /* empty: found nothing; full: used up their budget */
	uint64_t packets;	     /* found by them */
};

/* Counts from now. id: of napi:napi_poll, see perf-event.h. root: "/", for the list of online CPUs. Needs CAP_PERFMON
 * (CAP_SYS_ADMIN where perf_event_paranoid is above 2). err has the reason in one line: -EACCES no capability, -EPERM
 * forbidden by a system call filter, -ENOENT no such tracepoint, -ENOSYS no perf, -EMFILE too few descriptors, -EINVAL
 * a name that no filter can hold. */
int perf_polls_open(const struct procroot *root, const char *dev_name, uint64_t id, struct perf_polls **ret,
		    char err[ERR_MAX]);
struct perf_polls *perf_polls_close(struct perf_polls *p); /* returns NULL; takes NULL */

/* Since open; never shrinking. CPUs that came online are taken in here, and the counts of those that went stay in the
 * sum. packets is left 0: a counter does not add up what it counts. */
int perf_polls_read(struct perf_polls *p, struct poll_counts *ret);
