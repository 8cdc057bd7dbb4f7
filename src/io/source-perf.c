// SPDX-License-Identifier: GPL-2.0-or-later
/* source-perf: see source-perf.h. Per online CPU one group of two counting events on the same tracepoint, told apart by
 * their filters, so that one read gives both. */
#include "io/source-perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/sample.h"
#include "io/perf-event.h"


struct cpu_events {
	int polls_fd, empty_fd; /* leader and member of the group; -1: the CPU is not online */
	uint64_t polls, empty;	/* as last read */
};

struct perf_polls {
	uint64_t id;
	char filter_polls[64], filter_empty[80];
	uint64_t gone_polls, gone_empty; /* of CPUs that went offline */
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
		.disabled = group < 0, /* the member follows its leader */
	};

	return perf_event_cpu(&a, cpu, group, filter);
}

static void close_cpu(struct cpu_events *c)
{
	if (c->empty_fd >= 0)
		close(c->empty_fd);
	if (c->polls_fd >= 0)
		close(c->polls_fd);
	*c = (struct cpu_events){ .polls_fd = -1, .empty_fd = -1 };
}

static int open_cpu(struct perf_polls *p, unsigned cpu)
{
	struct cpu_events *c = &p->cpu[cpu];
	int err = 0;

	c->polls_fd = open_event(p->id, cpu, -1, p->filter_polls);
	if (c->polls_fd < 0) {
		err = c->polls_fd;
	} else {
		c->empty_fd = open_event(p->id, cpu, c->polls_fd, p->filter_empty);
		if (c->empty_fd < 0)
			err = c->empty_fd;
		else if (ioctl(c->polls_fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) < 0)
			err = -errno;
	}
	if (err)
		close_cpu(c);
	return err;
}

static int read_cpu(struct cpu_events *c)
{
	struct {
		uint64_t n, polls, empty;
	} v;

	if (read(c->polls_fd, &v, sizeof(v)) != (ssize_t)sizeof(v))
		return -EIO;
	c->polls = v.polls;
	c->empty = v.empty;
	return 0;
}

static void retire_cpu(struct perf_polls *p, unsigned cpu)
{
	struct cpu_events *c = &p->cpu[cpu];

	read_cpu(c); /* the last count outlives the CPU; if not, the one before does */
	p->gone_polls += c->polls;
	p->gone_empty += c->empty;
	close_cpu(c);
}

/* Events for the CPUs that are online now. Cheap when nothing changed. */
static int follow_cpus(struct perf_polls *p)
{
	int err = perf_cpus_look(&p->cpus);

	if (err <= 0)
		return err;
	for (unsigned i = 0; i < SAMPLE_CPUS_MAX; i++) {
		bool online = p->cpus.online[i];

		if (!online && p->cpu[i].polls_fd >= 0)
			retire_cpu(p, i);
		if (!online || p->cpu[i].polls_fd >= 0)
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
	int err = perf_filter_device(dev, "", p->filter_polls, sizeof(p->filter_polls));

	return err ? err : perf_filter_device(dev, " && work==0", p->filter_empty, sizeof(p->filter_empty));
}

static int explain(int rc, char err[ERR_MAX])
{
	return perf_event_explain(rc, "NAPI polls", err);
}

int perf_polls_open(const struct procroot *root, const char *dev_name, uint64_t id, struct perf_polls **ret,
		    char err[ERR_MAX])
{
	struct perf_polls *p = calloc(1, sizeof(*p));
	int rc;

	if (!p)
		return explain(-ENOMEM, err);
	p->id = id;
	for (unsigned i = 0; i < SAMPLE_CPUS_MAX; i++)
		p->cpu[i].polls_fd = p->cpu[i].empty_fd = -1;
	rc = perf_cpus_open(&p->cpus, root, err);
	if (!rc) {
		rc = make_filters(p, dev_name);
		if (!rc)
			rc = follow_cpus(p);
		if (rc)
			explain(rc, err);
	}
	if (rc) {
		perf_polls_close(p);
		return rc;
	}
	*ret = p;
	return 0;
}

void perf_polls_pause(struct perf_polls *p, bool pause)
{
	unsigned long request = pause ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE;

	for (unsigned i = 0; i < p->n_cpus; i++)
		if (p->cpu[i].polls_fd >= 0)
			ioctl(p->cpu[i].polls_fd, request, PERF_IOC_FLAG_GROUP);
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

int perf_polls_read(struct perf_polls *p, uint64_t *ret_polls, uint64_t *ret_empty)
{
	uint64_t polls, empty;
	int err = follow_cpus(p);

	if (err)
		return err;
	polls = p->gone_polls;
	empty = p->gone_empty;
	for (unsigned i = 0; i < p->n_cpus; i++) {
		struct cpu_events *c = &p->cpu[i];

		if (c->polls_fd < 0)
			continue;
		if (read_cpu(c) < 0) {
			/* The CPU was away and is back: its events are dead. Keep their last count, take new ones. */
			polls += c->polls;
			empty += c->empty;
			retire_cpu(p, i);
			p->cpus.text[0] = '\0';
			continue;
		}
		polls += c->polls;
		empty += c->empty;
	}
	*ret_polls = polls;
	*ret_empty = empty;
	return 0;
}
