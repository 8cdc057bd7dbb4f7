// SPDX-License-Identifier: GPL-2.0-or-later
/* perf-trace-cpu: see perf-trace-cpu.h. */
#include "io/perf-trace-cpu.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { VEC_NET_TX = 2, VEC_NET_RX = 3 }; /* include/linux/interrupt.h */

/* A poll that takes this many times what is usual for its size was held up: a hypervisor took the CPU away, or another
 * interrupt came. Sizes are powers of two, so that within one the time differs by a factor of two at most. */
#define HELD_UP 3
#define CLASSES 9
#define SAMPLES_MAX 512 /* of a class, for its median */

struct trace_record {
	struct perf_event_header head;
	uint64_t time;
	uint32_t size;
	unsigned char raw[];
};

void trace_cpu_begin(struct trace_cpu *c, uint64_t now)
{
	c->first = now;
	c->last = c->begin = c->mark = c->irq_begin = 0;
	c->inside = c->n_polls = 0;
	c->ours = c->lost = false;
}

static void softirq_entry(struct trace_cpu *c, uint64_t now)
{
	if (c->begin && c->begin == c->mark) { /* the same event, counted a second time */
		if (c->n_twice < sizeof(c->twice_ns) / sizeof(c->twice_ns[0]))
			c->twice_ns[c->n_twice++] = (float)(now - c->begin);
	}
	c->begin = c->mark = now;
	c->inside = 0;
	c->ours = false;
}

static void napi_poll(struct trace_cpu *c, uint64_t now, const struct trace_record *r)
{
	struct perf_napi_poll poll;
	double ns;

	c->inside++;
	if (!c->begin || !perf_parse_napi_poll(r->raw, r->size, &poll))
		return; /* a thread's poll, or a socket's: when it began is not known */
	ns = (double)(now - c->mark) - c->ids->record_ns;
	c->mark = now;
	c->ours = !strcmp(poll.dev_name, c->ids->dev_name) && c->n_polls < TRACE_POLLS_MAX;
	if (c->ours)
		c->poll[c->n_polls++] = (struct timed_poll){ (float)(poll.work > 0 ? poll.work : 0),
							     (float)(ns > 0 ? ns : 0) };
}

static void softirq_exit(struct trace_cpu *c, uint64_t now)
{
	double rest, all, records = c->ids->record_ns;

	if (!c->begin)
		return; /* began before the burst */
	rest = (double)(now - c->mark) - records;
	all = (double)(now - c->begin) - records * (c->inside + 1);
	if (c->ours && rest > 0)
		c->poll[c->n_polls - 1].ns += (float)rest;
	c->work_ns += all > 0 ? (uint64_t)all : 0;
	c->begin = c->mark = 0;
	c->ours = false;
}

static void irq_exit(struct trace_cpu *c, uint64_t now)
{
	double ns = (double)(now - c->irq_begin) - c->ids->record_ns;

	if (!c->irq_begin)
		return;
	c->irqs++;
	c->irq_ns += ns > 0 ? (uint64_t)ns : 0;
	if (!c->begin) /* else it is in the softirq's time already */
		c->work_ns += ns > 0 ? (uint64_t)ns : 0;
	c->irq_begin = 0;
}

void trace_cpu_record(const struct perf_event_header *h, void *arg)
{
	const struct trace_record *r = (const void *)h;
	struct trace_cpu *c = arg;
	uint16_t id;

	if (h->type == PERF_RECORD_LOST || h->type == PERF_RECORD_THROTTLE)
		c->lost = true;
	if (c->lost || h->type != PERF_RECORD_SAMPLE || h->size < offsetof(struct trace_record, raw) + 12)
		return;
	memcpy(&id, r->raw, sizeof(id)); /* every tracepoint's data begins with its number */
	c->last = r->time;
	if (id == c->ids->id[TRACEPOINT_NAPI_POLL])
		napi_poll(c, r->time, r);
	else if (id == c->ids->id[TRACEPOINT_SOFTIRQ_ENTRY])
		softirq_entry(c, r->time);
	else if (id == c->ids->id[TRACEPOINT_SOFTIRQ_EXIT])
		softirq_exit(c, r->time);
	else if (id == c->ids->id[TRACEPOINT_IRQ_ENTRY])
		c->irq_begin = r->time;
	else if (id == c->ids->id[TRACEPOINT_IRQ_EXIT])
		irq_exit(c, r->time);
}

static int by_value(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static unsigned class_of(float packets)
{
	unsigned class = 0;

	for (unsigned n = (unsigned)packets; n && class < CLASSES - 1; n >>= 1)
		class++;
	return class;
}

/* Median time of the polls of a class; 0: there is none. */
static float usual(const struct trace_cpu *c, unsigned class)
{
	float v[SAMPLES_MAX];
	unsigned n = 0;

	for (unsigned i = 0; i < c->n_polls && n < SAMPLES_MAX; i++)
		if (class_of(c->poll[i].packets) == class)
			v[n++] = c->poll[i].ns;
	qsort(v, n, sizeof(v[0]), by_value);
	return n ? v[n / 2] : 0;
}

void trace_cpu_end(struct trace_cpu *c, uint64_t now, struct poll_sums *sums)
{
	float limit[CLASSES];

	for (unsigned i = 0; i < CLASSES; i++)
		limit[i] = HELD_UP * usual(c, i);
	if (!c->lost)
		c->last = now;
	if (c->last > c->first)
		c->traced_ns += c->last - c->first;
	if (c->ours) { /* its end was not seen */
		c->n_polls--;
		c->ours = false;
	}
	for (unsigned i = 0; i < c->n_polls; i++)
		if (c->poll[i].ns <= limit[class_of(c->poll[i].packets)])
			poll_sums_add(sums, (double)c->poll[i].packets, (double)c->poll[i].ns);
	sums->irqs += (double)c->irqs;
	sums->irq_ns += (double)c->irq_ns;
	c->irqs = c->irq_ns = 0;
}
