// SPDX-License-Identifier: GPL-2.0-or-later
/* casenic: the trace of a case as a backend: counters in between two lines are on the straight line between them. */
#include <errno.h>
#include <string.h>

#include "casefile.h"
#include "core/trace-fields.h"

static const struct casenic *self(struct backend *b)
{
	return (struct casenic *)b;
}

static nsec_t time_of(const struct casefile *c, unsigned i)
{
	return c->samples[i].sample.now - c->samples[0].sample.now;
}

/* base: what whole rounds have counted already is the difference of last and first. */
static void between(const struct trace_field *f, const void *first, const void *a, const void *b, const void *last,
		    double part, uint64_t rounds, double scale, void *ret)
{
	for (; f->key; f++) {
		uint64_t zero, from, to, end;

		memcpy(&zero, (const char *)first + f->offset, sizeof(zero));
		memcpy(&from, (const char *)a + f->offset, sizeof(from));
		memcpy(&to, (const char *)b + f->offset, sizeof(to));
		memcpy(&end, (const char *)last + f->offset, sizeof(end));
		from += rounds * (end - zero) + (uint64_t)(part * (double)(to - from));
		if (!f->time)
			from = (uint64_t)(scale * (double)from);
		memcpy((char *)ret + f->offset, &from, sizeof(from));
	}
}

/* The two lines around now. */
static unsigned position(const struct casenic *n, double *part, uint64_t *rounds)
{
	const struct casefile *c = n->c;
	nsec_t length = time_of(c, c->n_samples - 1), at = n->elapsed % length;
	unsigned i = 0;

	*rounds = n->elapsed / length;
	while (time_of(c, i + 1) <= at)
		i++;
	*part = (double)(at - time_of(c, i)) / (double)(time_of(c, i + 1) - time_of(c, i));
	return i;
}

static int case_sample(struct backend *b, const struct nic_info *nic, struct sample *ret)
{
	struct casenic *n = (struct casenic *)b;
	const struct casefile *c = n->c;
	const struct sample *first = &c->samples[0].sample, *last = &c->samples[c->n_samples - 1].sample;
	const struct sample *from, *to;
	uint64_t rounds;
	double part;
	unsigned i;

	(void)nic;
	n->elapsed += n->step;
	i = position(n, &part, &rounds);
	from = &c->samples[i].sample;
	to = &c->samples[i + 1].sample;
	*ret = *to;
	ret->now = n->elapsed + 1;
	ret->generation += (uint32_t)(rounds * last->generation);
	between(trace_device_fields, first, from, to, last, part, rounds, n->scale, ret);
	for (unsigned q = 0; q < to->n_queues; q++)
		between(trace_queue_fields, &first->queue[q], &from->queue[q], &to->queue[q], &last->queue[q], part,
			rounds, n->scale, &ret->queue[q]);
	for (unsigned cpu = 0; cpu < to->n_cpus; cpu++)
		between(trace_cpu_fields, &first->cpu[cpu], &from->cpu[cpu], &to->cpu[cpu], &last->cpu[cpu], part,
			rounds, n->scale, &ret->cpu[cpu]);
	return 0;
}

static int case_evidence(struct backend *b, const struct nic_info *nic, struct evidence *ret)
{
	const struct casenic *n = self(b);
	const struct evidence *first = &n->c->samples[0].evidence;
	nsec_t length = time_of(n->c, n->c->n_samples - 1);

	(void)nic;
	*ret = n->c->samples[n->c->n_samples - 1].evidence;
	for (int i = 0; i < EVIDENCE_COUNT; i++)
		if (evidence_table[i].kind == EVIDENCE_RATE)
			ret->value[i] =
				(ret->value[i] - evidence_or(first, i, 0)) * (double)n->elapsed / (double)length;
	return 0;
}

static int case_caps(struct backend *b, const struct nic_info *nic, struct nic_caps *ret)
{
	(void)nic;
	*ret = self(b)->c->samples[0].caps;
	return 0;
}

static int case_read(struct backend *b, const struct nic_info *nic, struct knob_set *ret)
{
	(void)nic;
	*ret = self(b)->knobs;
	return 0;
}

/* As many lines as the trace says, from 40 on. */
static int case_map(struct backend *b, const struct nic_info *nic, struct nic_map *ret)
{
	const struct casefile *c = self(b)->c;

	(void)nic;
	memset(ret, 0, sizeof(*ret));
	ret->n_irqs = (unsigned)evidence_or(&c->samples[c->n_samples - 1].evidence, EVIDENCE_IRQ_LINES, 0);
	for (unsigned i = 0; i < ret->n_irqs; i++)
		ret->irqs[i] = (struct nic_irq){ .irq = 40 + i, .queue = (int)i, .rx = 1 };
	return 0;
}

static nsec_t case_now(struct backend *b)
{
	return self(b)->elapsed + 1;
}

static const struct backend_ops ops = {
	.name = "case",
	.now = case_now,
	.caps = case_caps,
	.map = case_map,
	.sample = case_sample,
	.read = case_read,
	.evidence = case_evidence,
};

void casenic_init(struct casenic *n, const struct casefile *c, nsec_t step)
{
	*n = (struct casenic){ .base = { &ops }, .c = c, .step = step, .scale = 1, .knobs = c->samples[0].current };
}
