// SPDX-License-Identifier: GPL-2.0-or-later
/* perf-trace: see perf-trace.h. Per online CPU a few events that write into one ring. */
#include "io/perf-trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "io/clock.h"
#include "io/perf-event.h"
#include "io/perf-trace-cpu.h"

#define RING_PAGES 64 /* 256 KiB of the 512 that one user may have locked per CPU */
#define CPUS_MAX 64   /* 20 MB of rings and polls; a device's interrupts rarely go to more */

enum { EVENTS_MAX = TRACEPOINT_COUNT + 1 }; /* and the one that is counted twice */

struct traced_cpu {
	unsigned cpu;
	int fd[EVENTS_MAX]; /* -1: none; the first has the ring */
	struct perf_ring ring;
	struct trace_cpu seen;
};

struct perf_trace {
	struct trace_ids ids;
	char dev_name[NIC_NAME_MAX], irq_filter[256];
	bool measured; /* ids.record_ns is known */
	struct poll_sums sums;
	unsigned n_cpus;
	struct traced_cpu *cpu[CPUS_MAX];
};

/* The events: which tracepoint, which filter. The last row is there to be recorded twice. */
static const char *const softirq_filter = "vec==2 || vec==3";
static const struct {
	enum perf_tracepoint tracepoint;
	bool softirq, irq;
} events[EVENTS_MAX] = {
	{ TRACEPOINT_SOFTIRQ_ENTRY, true, false }, { TRACEPOINT_NAPI_POLL, false, false },
	{ TRACEPOINT_SOFTIRQ_EXIT, true, false },  { TRACEPOINT_IRQ_ENTRY, false, true },
	{ TRACEPOINT_IRQ_EXIT, false, true },	   { TRACEPOINT_SOFTIRQ_ENTRY, true, false },
};

static int open_events(const struct perf_trace *t, struct traced_cpu *c)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(a),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.disabled = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	int rc;

	for (unsigned i = 0; i < EVENTS_MAX; i++) {
		const char *filter = events[i].irq ? t->irq_filter : events[i].softirq ? softirq_filter : NULL;

		if (events[i].irq && !t->irq_filter[0])
			continue;
		a.config = t->ids.id[events[i].tracepoint];
		c->fd[i] = perf_event_cpu(&a, c->cpu, -1, filter);
		if (c->fd[i] < 0)
			return c->fd[i];
		if (!i)
			rc = perf_ring_open(&c->ring, c->fd[0], RING_PAGES);
		else
			rc = ioctl(c->fd[i], PERF_EVENT_IOC_SET_OUTPUT, c->fd[0]) < 0 ? -errno : 0;
		if (rc < 0)
			return rc;
	}
	return 0;
}

static void close_cpu(struct traced_cpu *c)
{
	perf_ring_close(&c->ring);
	for (unsigned i = EVENTS_MAX; i-- > 0;)
		if (c->fd[i] >= 0)
			close(c->fd[i]);
	free(c);
}

static int open_cpus(struct perf_trace *t, const struct perf_cpus *cpus)
{
	int rc = 0;

	for (unsigned i = 0; i < SAMPLE_CPUS_MAX && t->n_cpus < CPUS_MAX && rc >= 0; i++) {
		struct traced_cpu *c = cpus->online[i] ? calloc(1, sizeof(*c)) : NULL;

		if (!cpus->online[i])
			continue;
		if (!c)
			return -ENOMEM;
		c->cpu = i;
		c->seen.ids = &t->ids;
		memset(c->fd, -1, sizeof(c->fd));
		t->cpu[t->n_cpus++] = c;
		rc = open_events(t, c);
	}
	return rc;
}

static int find_ids(struct perf_trace *t, char err[ERR_MAX])
{
	int rc = 0;

	for (int i = 0; i < TRACEPOINT_COUNT && rc >= 0; i++)
		rc = perf_tracepoint_id(i, &t->ids.id[i], err);
	return rc;
}

int perf_trace_open(const struct procroot *root, const char *dev_name, const unsigned *irqs, unsigned n_irqs,
		    struct perf_trace **ret, char err[ERR_MAX])
{
	struct perf_trace *t;
	struct perf_cpus cpus;
	uint64_t realtime = 0;
	int rc;

	if (procroot_u64(root, "sys/kernel/realtime", &realtime) == 0 && realtime) {
		snprintf(err, ERR_MAX, "on PREEMPT_RT softirqs are interrupted by other work");
		return -EOPNOTSUPP;
	}
	t = calloc(1, sizeof(*t));
	if (!t)
		return perf_event_explain(-ENOMEM, "tracing", err);
	snprintf(t->dev_name, sizeof(t->dev_name), "%s", dev_name);
	t->ids.dev_name = t->dev_name;
	if (perf_filter_irqs(irqs, n_irqs, t->irq_filter, sizeof(t->irq_filter)) < 0)
		t->irq_filter[0] = '\0';
	rc = find_ids(t, err);
	if (rc >= 0) {
		rc = perf_cpus_open(&cpus, root, err);
		if (rc >= 0 && (rc = perf_cpus_look(&cpus)) >= 0)
			rc = open_cpus(t, &cpus);
		if (rc < 0)
			perf_event_explain(rc, "tracing", err);
		perf_cpus_close(&cpus);
	}
	if (rc < 0) {
		perf_trace_close(t);
		return rc;
	}
	*ret = t;
	return 0;
}

struct perf_trace *perf_trace_close(struct perf_trace *t)
{
	if (t) {
		for (unsigned i = 0; i < t->n_cpus; i++)
			close_cpu(t->cpu[i]);
		free(t);
	}
	return NULL;
}

static void enable(const struct perf_trace *t, bool on)
{
	unsigned n = on && t->measured ? EVENTS_MAX - 1 : EVENTS_MAX;

	for (unsigned i = 0; i < t->n_cpus; i++)
		for (unsigned e = 0; e < n; e++)
			if (t->cpu[i]->fd[e] >= 0)
				ioctl(t->cpu[i]->fd[e], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

static int by_value(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

/* Median distance of two records of the same event, over the CPU that had most of them. */
static void measure_overhead(struct perf_trace *t)
{
	struct trace_cpu *best = &t->cpu[0]->seen;

	for (unsigned i = 1; i < t->n_cpus; i++)
		if (t->cpu[i]->seen.n_twice > best->n_twice)
			best = &t->cpu[i]->seen;
	if (best->n_twice < 16)
		return; /* hardly any traffic: next time */
	qsort(best->twice_ns, best->n_twice, sizeof(best->twice_ns[0]), by_value);
	t->ids.record_ns = (double)best->twice_ns[best->n_twice / 2];
	t->measured = true;
}

int perf_trace_burst(struct perf_trace *t, nsec_t length)
{
	const struct timespec pause = { (time_t)(length / NSEC_PER_SEC), (long)(length % NSEC_PER_SEC) };
	bool measuring = !t->measured;
	struct poll_sums unused = { 0 };
	uint64_t begin, end;

	if (!t->n_cpus)
		return -ENODEV;
	enable(t, true);
	begin = clock_ns(CLOCK_MONOTONIC);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	end = clock_ns(CLOCK_MONOTONIC);
	enable(t, false);
	for (unsigned i = 0; i < t->n_cpus; i++) {
		struct trace_cpu *c = &t->cpu[i]->seen;
		uint64_t traced_ns = c->traced_ns, work_ns = c->work_ns;

		trace_cpu_begin(c, begin);
		perf_ring_drain(&t->cpu[i]->ring, trace_cpu_record, c);
		trace_cpu_end(c, end, measuring ? &unused : &t->sums);
		if (measuring) { /* only to learn what records take */
			c->traced_ns = traced_ns;
			c->work_ns = work_ns;
		}
	}
	if (measuring)
		measure_overhead(t);
	return 0;
}

void perf_trace_read(const struct perf_trace *t, struct sample *ret)
{
	for (unsigned i = 0; i < t->n_cpus; i++) {
		ret->cpu[t->cpu[i]->cpu].traced_ns = t->cpu[i]->seen.traced_ns;
		ret->cpu[t->cpu[i]->cpu].traced_work_ns = t->cpu[i]->seen.work_ns;
	}
	ret->traced = t->sums;
	ret->have |= SAMPLE_TRACED;
}

double perf_trace_overhead(const struct perf_trace *t)
{
	return t->ids.record_ns;
}
