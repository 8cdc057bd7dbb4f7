// SPDX-License-Identifier: GPL-2.0-or-later
/* source-pmu: see source-pmu.h. */
#include "io/source-pmu.h"

#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/perf-event.h"

/* The events and where their counts go. ":k": only what runs in the kernel. */
static const struct {
	const char *name;
	size_t offset;
} events[] = {
	{ "perf::cycles:k", offsetof(struct cpu_counters, cycles) },
	{ "perf::instructions:k", offsetof(struct cpu_counters, instructions) },
	{ "perf::cache-misses:k", offsetof(struct cpu_counters, cache_misses) },
};
enum { EVENTS = sizeof(events) / sizeof(events[0]) };

struct pmu_source {
	struct perf_event_attr attr[EVENTS];
	struct perf_cpus cpus;
	int fd[SAMPLE_CPUS_MAX][EVENTS]; /* -1: none */
};

int pmu_encode(const char *event, struct perf_event_attr *ret, char err[ERR_MAX])
{
	struct perf_event_attr a = { .size = sizeof(a) };
	pfm_perf_encode_arg_t arg = { .attr = &a, .size = sizeof(arg) };
	int rc = pfm_initialize();

	if (rc == PFM_SUCCESS)
		rc = pfm_get_os_event_encoding(event, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
	if (rc != PFM_SUCCESS) {
		snprintf(err, ERR_MAX, "%s: %s", event, pfm_strerror(rc));
		return rc == PFM_ERR_NOMEM ? -ENOMEM : -ENOENT;
	}
	free(arg.fstr);
	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	*ret = a;
	return 0;
}

/* Returns how many events of the CPU could be opened, or the first error when none. */
static int open_cpu(struct pmu_source *p, unsigned cpu)
{
	int n = 0, first = 0;

	for (unsigned i = 0; i < EVENTS; i++) {
		int fd = perf_event_cpu(&p->attr[i], cpu, -1, NULL);

		p->fd[cpu][i] = fd < 0 ? -1 : fd;
		n += fd >= 0;
		if (fd < 0 && !first)
			first = fd;
	}
	return n ? n : first;
}

static int open_cpus(struct pmu_source *p, char err[ERR_MAX])
{
	int rc = perf_cpus_look(&p->cpus);

	for (unsigned i = 0; i < SAMPLE_CPUS_MAX && rc >= 0; i++) {
		if (!p->cpus.online[i])
			continue;
		rc = open_cpu(p, i);
		if (rc == -ENODEV) /* went offline meanwhile */
			rc = 0;
	}
	if (rc == -ENOENT || rc == -EOPNOTSUPP)
		snprintf(err, ERR_MAX, "this processor, or the hypervisor that shows it, has no hardware counters");
	else if (rc < 0)
		perf_event_explain(rc, "hardware counters", err);
	return rc < 0 ? rc : 0;
}

int pmu_source_open(const struct procroot *root, struct pmu_source **ret, char err[ERR_MAX])
{
	struct pmu_source *p = calloc(1, sizeof(*p));
	int rc = 0;

	if (!p)
		return perf_event_explain(-ENOMEM, "hardware counters", err);
	memset(p->fd, -1, sizeof(p->fd));
	rc = perf_cpus_open(&p->cpus, root, err);
	for (unsigned i = 0; i < EVENTS && rc >= 0; i++)
		rc = pmu_encode(events[i].name, &p->attr[i], err);
	if (rc >= 0)
		rc = open_cpus(p, err);
	if (rc < 0) {
		pmu_source_close(p);
		return rc;
	}
	*ret = p;
	return 0;
}

struct pmu_source *pmu_source_close(struct pmu_source *p)
{
	if (p) {
		for (unsigned i = 0; i < SAMPLE_CPUS_MAX; i++)
			for (unsigned e = 0; e < EVENTS; e++)
				if (p->fd[i][e] >= 0)
					close(p->fd[i][e]);
		perf_cpus_close(&p->cpus);
		free(p);
	}
	return NULL;
}

static uint64_t read_scaled(int fd)
{
	struct {
		uint64_t value, enabled, running;
	} v;

	if (fd < 0 || read(fd, &v, sizeof(v)) != (ssize_t)sizeof(v) || !v.running)
		return 0;
	return v.running < v.enabled ? (uint64_t)((double)v.value * (double)v.enabled / (double)v.running) : v.value;
}

void pmu_source_read(struct pmu_source *p, struct sample *ret)
{
	for (unsigned i = 0; i < SAMPLE_CPUS_MAX && i < ret->n_cpus; i++)
		for (unsigned e = 0; e < EVENTS; e++)
			*(uint64_t *)((char *)&ret->cpu[i] + events[e].offset) = read_scaled(p->fd[i][e]);
	ret->have |= SAMPLE_PMU;
}
