// SPDX-License-Identifier: GPL-2.0-or-later
/* metrics-totals: see metrics-totals.h. */
#include "daemon/metrics-totals.h"

#include <math.h>
#include <stddef.h>

#define FRESH_NS (10 * NSEC_PER_SEC) /* longer than the rarest source takes */
#define SHARE_AVERAGE_S 2.0
#define PER_PART (SAMPLE_QUEUES | SAMPLE_IRQS) /* other counters with another generation */

static const struct {
	enum sample_source source;
	size_t offset;
} counters[TOTAL_COUNT] = {
#define TOTAL(id, source, field) [TOTAL_##id] = { SAMPLE_##source, offsetof(struct sample, field) },
#include "daemon/metrics-totals.def"
#undef TOTAL
};

enum sample_source totals_source(enum total which)
{
	return counters[which].source;
}

/* A step back that nobody announced is a new start too. */
static void grow(struct growing *g, uint64_t raw, bool based)
{
	if (based && raw > g->raw)
		g->sum += raw - g->raw;
	g->raw = raw;
}

static void count_queues(struct totals *t, const struct sample *s)
{
	if (!(s->have & PER_PART))
		return;
	for (unsigned q = 0; q < s->n_queues && q < NIC_QUEUES_MAX; q++) {
		const struct queue_counters *c = &s->queue[q];
		struct growing *g = t->queue[q];

		if (s->have & SAMPLE_QUEUES) {
			grow(&g[QUEUE_PACKETS], c->rx_packets, t->based & SAMPLE_QUEUES);
			grow(&g[QUEUE_BYTES], c->rx_bytes, t->based & SAMPLE_QUEUES);
		}
		if (s->have & SAMPLE_IRQS)
			grow(&g[QUEUE_INTERRUPTS], c->interrupts, t->based & SAMPLE_IRQS);
	}
	t->n_queues = s->n_queues < NIC_QUEUES_MAX ? s->n_queues : NIC_QUEUES_MAX;
}

static void count_sample(struct totals *t, const struct sample *s)
{
	t->based &= ~s->reset;
	if (t->generation != s->generation)
		t->based &= ~(uint32_t)PER_PART;
	t->generation = s->generation;
	count_queues(t, s);
	for (int i = 0; i < TOTAL_COUNT; i++)
		if (s->have & counters[i].source)
			grow(&t->device[i], *(const uint64_t *)((const char *)s + counters[i].offset),
			     t->based & counters[i].source);
	for (unsigned bit = 0; bit < 32; bit++)
		if (s->have >> bit & 1)
			t->seen[bit] = s->now;
	t->based |= s->have;
}

static void count_error(struct totals *t, int number)
{
	unsigned i = 0;

	while (i < TOTALS_ERRNOS - 1 && t->errors[i].n && t->errors[i].number != number)
		i++;
	if (i == TOTALS_ERRNOS - 1)
		number = 0;
	t->errors[i].number = number;
	t->errors[i].n++;
}

void totals_count(struct totals *t, const struct sample *s, const struct report *r)
{
	if (s)
		count_sample(t, s);
	for (int k = 0; k < KNOB_COUNT; k++)
		t->changes[k][r->why[k]] += ((r->written | r->queue_written) & KNOB_BIT(k)) != 0;
	t->rollbacks += r->rolled_back != 0;
	t->skipped[r->skipped] += r->skipped != SKIP_NONE;
	if (r->error)
		count_error(t, -r->error);
	if (r->rates_valid && (r->decided[QUEUE_RX] || r->decided[QUEUE_TX])) {
		t->bottleneck = r->diagnosis.class;
		t->judged = true;
	}
}

bool totals_fresh(const struct totals *t, enum sample_source source, nsec_t now)
{
	nsec_t seen = t->seen[__builtin_ctz(source)];

	return seen && now - seen < FRESH_NS;
}

/* Time in softirqs out of all that was accounted; < 0: nothing was. */
static double share(const struct cpu_counters *a, const struct cpu_counters *b)
{
	uint64_t before = a->user_ns + a->system_ns + a->idle_ns + a->irq_ns + a->softirq_ns + a->steal_ns;
	uint64_t after = b->user_ns + b->system_ns + b->idle_ns + b->irq_ns + b->softirq_ns + b->steal_ns;

	if (!a->online || !b->online || after <= before || b->softirq_ns < a->softirq_ns)
		return -1;
	return (double)(b->softirq_ns - a->softirq_ns) / (double)(after - before);
}

bool cpu_shares_fresh(const struct cpu_shares *c, nsec_t now)
{
	return c->counted && now - c->counted < FRESH_NS;
}

void cpu_shares_count(struct cpu_shares *c, const struct sample *a, const struct sample *b)
{
	double weight;

	if (!(a->have & b->have & SAMPLE_CPU) || !a->now || b->now <= a->now || b->now <= c->counted)
		return;
	weight = 1 - exp(-(double)(b->now - a->now) / NSEC_PER_SEC / SHARE_AVERAGE_S);
	for (unsigned i = 0; i < b->n_cpus && i < SAMPLE_CPUS_MAX; i++) {
		double now = i < a->n_cpus ? share(&a->cpu[i], &b->cpu[i]) : -1;
		bool known = c->counted && i < c->n && c->ratio[i] >= 0;

		if (!b->cpu[i].online)
			c->ratio[i] = -1;
		else if (now < 0)
			c->ratio[i] = known ? c->ratio[i] : -1;
		else
			c->ratio[i] = known ? c->ratio[i] + weight * (now - c->ratio[i]) : now;
	}
	c->n = b->n_cpus < SAMPLE_CPUS_MAX ? b->n_cpus : SAMPLE_CPUS_MAX;
	c->counted = b->now;
}
