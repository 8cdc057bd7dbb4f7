// SPDX-License-Identifier: GPL-2.0-or-later
/* perf-trace-cpu: what one CPU did in one burst, out of its records in order of time. No system calls. */
#pragma once
#include <linux/perf_event.h>

#include "core/sample.h"
#include "io/perf-event.h"

#define TRACE_POLLS_MAX 8192 /* of one burst and CPU; what is beyond is not timed */

struct timed_poll {
	float packets, ns;
};

struct trace_ids {
	uint64_t id[TRACEPOINT_COUNT];
	const char *dev_name;
	double record_ns; /* what a record takes */
};

struct trace_cpu {
	const struct trace_ids *ids;
	/* while records are taken */
	uint64_t first, last;	/* times of the burst; last moves back to where records were lost */
	uint64_t begin, mark;	/* of the softirq, of its last record; 0: in none */
	unsigned inside;	/* records in it */
	bool ours, lost;	/* the poll before was one of our device; records were lost: the rest is void */
	uint64_t irq_begin;
	unsigned n_polls;
	unsigned n_twice;
	float twice_ns[256]; /* distance of two records of one event, since open */
	struct timed_poll poll[TRACE_POLLS_MAX];
	/* sums of all bursts */
	uint64_t traced_ns, work_ns, irqs, irq_ns;
};

void trace_cpu_begin(struct trace_cpu *c, uint64_t now);
void trace_cpu_record(const struct perf_event_header *h, void *trace_cpu); /* PERF_SAMPLE_TIME | PERF_SAMPLE_RAW */
/* Adds what was seen to the sums. Polls that took many times the usual are left out: the CPU was elsewhere. */
void trace_cpu_end(struct trace_cpu *c, uint64_t now, struct poll_sums *sums);
