// SPDX-License-Identifier: GPL-2.0-or-later
/* source-perf: see source-perf.h. Per online CPU one group of counting events on the same tracepoint, told apart by
 * their filters, so that one read gives all. */
#include "io/source-perf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "io/perf-event.h"

/* The events of a group and what their filters ask besides the name; the first leads it. 64 is the budget of nearly
 * all NAPI instances (NAPI_POLL_WEIGHT), and a filter cannot compare two fields. */
enum { POLLS, EMPTY, FULL, KINDS };
static const char *const conditions[KINDS] = { [POLLS] = "", [EMPTY] = " && work==0", [FULL] = " && work==64" };

struct cpu_events {
	int fd[KINDS]; /* -1: the CPU is not online */
	uint64_t count[KINDS]; /* as last read */
};

struct perf_polls {
	uint64_t id;
	char filter[KINDS][80];
	uint64_t gone[KINDS]; /* of CPUs that went offline */
	struct perf_cpus cpus;
	unsigned n_cpus;
	struct cpu_events cpu[SAMPLE_CPUS_MAX];
};

static int open_event(uint64_t id, unsigned cpu, int group, const char *filter)
{
	const struct perf_event_attr a = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(a),
		.config = id,
		.read_format = PERF_FORMAT_GROUP,
		.disabled = group < 0, /* the members follow their leader */
	};

	return perf_event_cpu(&a, cpu, group, filter);
}

static void close_cpu(struct cpu_events *c)
{
	for (unsigned i = KINDS; i-- > 0;) /* the leader last */
		if (c->fd[i] >= 0)
			close(c->fd[i]);
	*c = (struct cpu_events){ .fd = { -1, -1, -1 } };
}

static int open_cpu(struct perf_polls *p, unsigned cpu)
{
	struct cpu_events *c = &p->cpu[cpu];
	int err = 0;

	for (unsigned i = 0; i < KINDS && !err; i++) {
		c->fd[i] = open_event(p->id, cpu, i ? c->fd[0] : -1, p->filter[i]);
		err = c->fd[i] < 0 ? c->fd[i] : 0;
	}
	if (!err && ioctl(c->fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) < 0)
		err = -errno;
	if (err)
		close_cpu(c);
	return err;
}

static int read_cpu(struct cpu_events *c)
{
	struct {
		uint64_t n, count[KINDS];
	} v;

	if (read(c->fd[0], &v, sizeof(v)) != (ssize_t)sizeof(v))
		return -EIO;
	memcpy(c->count, v.count, sizeof(c->count));
	return 0;
}

static void retire_cpu(struct perf_polls *p, unsigned cpu)
{
	struct cpu_events *c = &p->cpu[cpu];

	read_cpu(c); /* the last count outlives the CPU; if not, the one before does */
	for (unsigned i = 0; i < KINDS; i++)
		p->gone[i] += c->count[i];
	close_cpu(c);
}

/* Events for the CPUs that are online now. Cheap when nothing changed. */
static int follow_cpus(struct perf_polls *p)
{
	int err = perf_cpus_look(&p->cpus);

	if (err <= 0)
		return err;
	for (unsigned i = 0; i < SAMPLE_CPUS_MAX; i++) {
		bool online = p->cpus.online[i], open = p->cpu[i].fd[0] >= 0;

		if (!online && open)
			retire_cpu(p, i);
		if (!online || open)
			continue;
		err = open_cpu(p, i);
		if (err && err != -ENODEV) { /* that one is offline again already: the next look sees it */
			p->cpus.text[0] = '\0';
			return err;
		}
		p->n_cpus = p->n_cpus > i ? p->n_cpus : i + 1;
	}
	return 0;
}

static int make_filters(struct perf_polls *p, const char *dev)
{
	int err = 0;

	for (unsigned i = 0; i < KINDS && !err; i++)
		err = perf_filter_device(dev, conditions[i], p->filter[i], sizeof(p->filter[i]));
	return err;
}

int perf_polls_open(const struct procroot *root, const char *dev_name, uint64_t id, struct perf_polls **ret,
		    char err[ERR_MAX])
{
	struct perf_polls *p = calloc(1, sizeof(*p));
	int rc;

	if (!p)
		return perf_event_explain(-ENOMEM, "NAPI polls", err);
	p->id = id;
	for (unsigned i = 0; i < SAMPLE_CPUS_MAX; i++)
		p->cpu[i] = (struct cpu_events){ .fd = { -1, -1, -1 } };
	rc = perf_cpus_open(&p->cpus, root, err);
	if (!rc) {
		rc = make_filters(p, dev_name);
		if (!rc)
			rc = follow_cpus(p);
		if (rc)
			perf_event_explain(rc, "NAPI polls", err);
	}
	if (rc) {
		perf_polls_close(p);
		return rc;
	}
	*ret = p;
	return 0;
}

struct perf_polls *perf_polls_close(struct perf_polls *p)
{
	if (p) {
		for (unsigned i = 0; i < SAMPLE_CPUS_MAX; i++)
			close_cpu(&p->cpu[i]);
		perf_cpus_close(&p->cpus);
		free(p);
	}
	return NULL;
}

int perf_polls_read(struct perf_polls *p, struct poll_counts *ret)
{
	uint64_t sum[KINDS];
	int err = follow_cpus(p);

	if (err)
		return err;
	memcpy(sum, p->gone, sizeof(sum));
	for (unsigned i = 0; i < p->n_cpus; i++) {
		struct cpu_events *c = &p->cpu[i];
		uint64_t before[KINDS];

		if (c->fd[0] < 0)
			continue;
		memcpy(before, c->count, sizeof(before));
		if (read_cpu(c) < 0) {
			/* The CPU was away and is back: its events are dead. Keep their last count, take new ones. */
			retire_cpu(p, i);
			p->cpus.text[0] = '\0';
			for (unsigned k = 0; k < KINDS; k++)
				sum[k] += before[k];
			continue;
		}
		for (unsigned k = 0; k < KINDS; k++)
			sum[k] += c->count[k];
	}
	*ret = (struct poll_counts){ .polls = sum[POLLS], .empty = sum[EMPTY], .full = sum[FULL] };
	return 0;
}
