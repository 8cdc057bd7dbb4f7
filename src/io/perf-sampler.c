// SPDX-License-Identifier: GPL-2.0-or-later
/* perf-sampler: see perf-sampler.h. */
#include "io/perf-sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "io/clock.h"
#include "io/perf-event.h"

/* A prime, so that no pattern of a few polls is met at the same place again and again. */
#define PERIOD 61
/* At low rates 61 polls are a long time, and more records cost little: 0.04 % of a CPU at 5000 polls/s. */
#define PERIOD_FINE 7
#define FINE_BELOW_PS 5000
#define COARSE_ABOVE_PS 10000
#define SLEPT_NS (500 * NSEC_PER_MSEC) /* two readings of clocks are less apart */
#define LOOK_NS (200 * NSEC_PER_MSEC)
#define RING_PAGES 8 /* 32 KiB are 400 records; those that find no room only blur who polled */
#define NAMES_MAX 64

struct named_counts {
	char name[NIC_NAME_MAX];
	struct poll_counts counts;
};

struct sampler_cpu {
	int fd; /* -1: the CPU is not online */
	struct perf_ring ring;
	uint64_t seen; /* its polls that were given to a device */
	bool fine;
	uint64_t looked_ns, looked_seen; /* when its rate was looked at, and `seen` then */
};

struct perf_sampler {
	uint64_t id;
	bool paused, strange; /* strange: a record of a layout that we do not know */
	uint64_t slept_ns; /* how long the machine slept since its start, when the events were opened */
	struct perf_cpus cpus;
	unsigned n_cpus, n_names;
	struct named_counts names[NAMES_MAX];
	struct sampler_cpu cpu[SAMPLE_CPUS_MAX];
};

/* A record of ours: PERF_SAMPLE_READ, PERF_SAMPLE_RAW. */
struct poll_record {
	struct perf_event_header head;
	uint64_t count;
	uint32_t size;
	unsigned char raw[];
};

struct drain {
	struct perf_sampler *sampler;
	struct sampler_cpu *cpu;
};

static struct poll_counts *counts_of(struct perf_sampler *s, const char *name)
{
	for (unsigned i = 0; i < s->n_names; i++)
		if (!strncmp(s->names[i].name, name, NIC_NAME_MAX))
			return &s->names[i].counts;
	if (s->n_names == NAMES_MAX)
		return NULL;
	s->names[s->n_names] = (struct named_counts){ 0 };
	strncpy(s->names[s->n_names].name, name, NIC_NAME_MAX - 1);
	return &s->names[s->n_names++].counts;
}

/* One poll stands for all since the one recorded before. */
static void take(const struct perf_event_header *h, void *arg)
{
	const struct drain *d = arg;
	const struct poll_record *r = (const void *)h;
	struct perf_napi_poll poll;
	struct poll_counts *c;
	uint64_t n;

	if (h->type != PERF_RECORD_SAMPLE || h->size < offsetof(struct poll_record, raw) ||
	    r->size > h->size - offsetof(struct poll_record, raw))
		return;
	if (!perf_parse_napi_poll(r->raw, r->size, &poll)) {
		d->sampler->strange = true;
		return;
	}
	n = r->count > d->cpu->seen ? r->count - d->cpu->seen : 0;
	c = counts_of(d->sampler, poll.dev_name);
	d->cpu->seen = r->count;
	if (!c)
		return;
	c->polls += n;
	c->packets += n * (uint64_t)(poll.work > 0 ? poll.work : 0);
	c->empty += poll.work <= 0 ? n : 0;
	c->full += poll.work >= poll.budget ? n : 0;
}

static void drain(struct perf_sampler *s, struct sampler_cpu *c)
{
	struct drain d = { s, c };

	if (c->ring.page)
		perf_ring_drain(&c->ring, take, &d);
}

/* The period follows the rate, seldom: to change it interrupts the CPU. The kernel ends the running one first. */
static void follow_rate(struct sampler_cpu *c, uint64_t now)
{
	double dt_s = (double)(now - c->looked_ns) / NSEC_PER_SEC, rate;
	uint64_t period;
	bool fine;

	if (c->fd < 0 || now - c->looked_ns < LOOK_NS)
		return;
	rate = (double)(c->seen - c->looked_seen) / dt_s;
	fine = c->fine ? rate < COARSE_ABOVE_PS : rate < FINE_BELOW_PS;
	period = fine ? PERIOD_FINE : PERIOD;
	if (c->looked_ns && fine != c->fine && ioctl(c->fd, PERF_EVENT_IOC_PERIOD, &period) == 0)
		c->fine = fine;
	c->looked_ns = now;
	c->looked_seen = c->seen;
}

static void close_cpu(struct sampler_cpu *c)
{
	perf_ring_close(&c->ring);
	if (c->fd >= 0)
		close(c->fd);
	*c = (struct sampler_cpu){ .fd = -1 };
}

static int open_cpu(struct perf_sampler *s, unsigned cpu)
{
	const struct perf_event_attr a = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(a),
		.config = s->id,
		.sample_period = PERIOD,
		.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_RAW,
		.disabled = s->paused,
	};
	struct sampler_cpu *c = &s->cpu[cpu];
	int rc;

	c->fd = perf_event_cpu(&a, cpu, -1, NULL);
	rc = c->fd < 0 ? c->fd : perf_ring_open(&c->ring, c->fd, RING_PAGES);
	if (rc < 0)
		close_cpu(c);
	return rc;
}

static int follow_cpus(struct perf_sampler *s)
{
	int rc = perf_cpus_look(&s->cpus);

	if (rc <= 0)
		return rc;
	for (unsigned i = 0; i < SAMPLE_CPUS_MAX; i++) {
		if (!s->cpus.online[i]) {
			drain(s, &s->cpu[i]); /* the last records outlive the CPU */
			close_cpu(&s->cpu[i]);
			continue;
		}
		rc = s->cpu[i].fd < 0 ? open_cpu(s, i) : 0;
		if (rc < 0 && rc != -ENODEV) { /* that one is offline again already: the next look sees it */
			s->cpus.text[0] = '\0';
			return rc;
		}
		s->n_cpus = s->n_cpus > i ? s->n_cpus : i + 1;
	}
	return 0;
}

static uint64_t slept_since_boot(void)
{
	uint64_t awake = clock_ns(CLOCK_MONOTONIC);

	return clock_ns(CLOCK_BOOTTIME) - awake;
}

int perf_sampler_open(const struct procroot *root, uint64_t id, struct perf_sampler **ret, char err[ERR_MAX])
{
	struct perf_sampler *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return perf_event_explain(-ENOMEM, "NAPI polls", err);
	s->id = id;
	s->slept_ns = slept_since_boot();
	for (unsigned i = 0; i < SAMPLE_CPUS_MAX; i++)
		s->cpu[i].fd = -1;
	rc = perf_cpus_open(&s->cpus, root, err);
	if (!rc) {
		rc = follow_cpus(s);
		if (rc < 0)
			perf_event_explain(rc, "NAPI polls", err);
	}
	if (rc < 0) {
		perf_sampler_close(s);
		return rc;
	}
	*ret = s;
	return 0;
}

struct perf_sampler *perf_sampler_close(struct perf_sampler *s)
{
	if (s) {
		for (unsigned i = 0; i < SAMPLE_CPUS_MAX; i++)
			close_cpu(&s->cpu[i]);
		perf_cpus_close(&s->cpus);
		free(s);
	}
	return NULL;
}

void perf_sampler_pause(struct perf_sampler *s, bool pause)
{
	if (s->paused == pause)
		return;
	s->paused = pause;
	for (unsigned i = 0; i < s->n_cpus; i++)
		if (s->cpu[i].fd >= 0)
			ioctl(s->cpu[i].fd, pause ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE, 0);
}

unsigned perf_sampler_period(const struct perf_sampler *s, unsigned cpu)
{
	return cpu < SAMPLE_CPUS_MAX && s->cpu[cpu].fine ? PERIOD_FINE : PERIOD;
}

/* On its way to sleep the machine takes all CPUs but one offline, which ends their events; awake it has the same CPUs
 * online as before. */
static void renew_after_sleep(struct perf_sampler *s)
{
	uint64_t slept_ns = slept_since_boot();

	if (slept_ns <= s->slept_ns + SLEPT_NS)
		return;
	for (unsigned i = 0; i < s->n_cpus; i++) {
		drain(s, &s->cpu[i]);
		close_cpu(&s->cpu[i]);
	}
	s->cpus.text[0] = '\0';
	s->slept_ns = slept_ns;
}

int perf_sampler_read(struct perf_sampler *s)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	int rc;

	renew_after_sleep(s);
	rc = follow_cpus(s);
	for (unsigned i = 0; i < s->n_cpus; i++) {
		drain(s, &s->cpu[i]);
		follow_rate(&s->cpu[i], now);
	}
	return s->strange ? -EPROTO : rc;
}

bool perf_sampler_counts(const struct perf_sampler *s, const char *dev_name, struct poll_counts *ret)
{
	for (unsigned i = 0; i < s->n_names; i++)
		if (!strncmp(s->names[i].name, dev_name, NIC_NAME_MAX)) {
			*ret = s->names[i].counts;
			return true;
		}
	if (s->n_names == NAMES_MAX)
		return false;
	*ret = (struct poll_counts){ 0 };
	return true;
}
