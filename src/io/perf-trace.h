// SPDX-License-Identifier: GPL-2.0-or-later
/* perf-trace: times the softirqs, NAPI polls and interrupt handlers of one device one by one, for some milliseconds
 * at a time. The dearest source there is (about 0.4 us for each of some 3 records a poll): for as long as someone waits
 * for the answer, never in the steady state.
 *
 * A poll lasts from the start of its softirq, or the poll before it, to its record; the end of the softirq belongs to
 * its last poll. What writing the records takes is measured with the first bursts (one event twice) and taken off.
 * Polls of threaded NAPI have no softirq around them and are not timed; PREEMPT_RT interrupts softirqs for other work:
 * refused there. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/sample.h"
#include "io/procfile.h"

struct perf_trace;

/* irqs: of the device, may be none. -EOPNOTSUPP: PREEMPT_RT; otherwise errors of perf-event.h. */
int perf_trace_open(const struct procroot *root, const char *dev_name, const unsigned *irqs, unsigned n_irqs,
		    struct perf_trace **ret, char err[ERR_MAX]);
struct perf_trace *perf_trace_close(struct perf_trace *t); /* returns NULL; takes NULL; waits some 40 ms */
/* One burst: sleeps for that long, or is shorter where the records fill their memory. */
int perf_trace_burst(struct perf_trace *t, nsec_t length);
/* Sums of all bursts: sets SAMPLE_TRACED, traced, and the traced_ns and traced_work_ns of every CPU. */
void perf_trace_read(const struct perf_trace *t, struct sample *ret);
/* What a record takes, as it was measured; ns. */
double perf_trace_overhead(const struct perf_trace *t);
