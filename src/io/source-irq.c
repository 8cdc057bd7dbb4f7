// SPDX-License-Identifier: GPL-2.0-or-later
/* source-irq: per_cpu_count costs 0.4 us a read, /proc/interrupts 24 us and more with every possible interrupt of the
 * machine; hence files of single interrupts, kept open. Unlike the table they keep the counts of offline CPUs. */
#include "io/source-irq.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/irqtable.h"

/* No CPU takes more interrupts of one line; a larger step is a counter that started anew. */
#define IRQS_PER_SECOND_MAX UINT64_C(20000000)

static int read_possible(struct irq_source *s, const struct procroot *root)
{
	char text[1024];
	int n;

	s->possible = calloc(IRQTABLE_CPUS_MAX, sizeof(*s->possible));
	if (!s->possible)
		return -ENOMEM;
	n = procroot_string(root, "sys/devices/system/cpu/possible", text, sizeof(text));
	if (n >= 0)
		n = cpulist_parse(text, s->possible, IRQTABLE_CPUS_MAX);
	s->n_possible = n > 0 && n <= IRQTABLE_CPUS_MAX ? (unsigned)n : 0;
	/* the table has numbers of its own, so they get room without knowing how many there can be */
	s->n_cpus = s->n_possible ? s->possible[s->n_possible - 1] + 1U : IRQTABLE_CPUS_MAX;
	return 0;
}

/* Opens per_cpu_count of one interrupt and makes sure that it shows every CPU. */
static int open_counter(const struct irq_source *s, struct irq_counter *c, const struct procroot *root)
{
	char path[64];
	int r;

	snprintf(path, sizeof(path), "sys/kernel/irq/%u/per_cpu_count", c->what.irq);
	r = procfile_open(&c->file, root, path);
	if (r == 0)
		r = procfile_read(&c->file);
	if (r == 0 && irqtable_parse_counts(c->file.text, NULL, 0) != (int)s->n_possible)
		r = -ENOENT;
	if (r < 0)
		procfile_close(&c->file);
	return r;
}

static int open_table(struct irq_source *s, const struct procroot *root)
{
	int r = procfile_open(&s->table, root, "proc/interrupts");

	for (unsigned i = 0; i < s->n_irqs; i++)
		procfile_close(&s->irqs[i].file);
	s->use_table = true;
	return r;
}

int irq_source_open(struct irq_source *s, const struct procroot *root, const struct nic_map *map)
{
	int r;

	*s = (struct irq_source){ .table = PROCFILE_CLOSED };
	if (map->n_irqs == 0)
		return 0;
	r = read_possible(s, root);
	if (r < 0)
		goto fail;
	s->irqs = calloc(map->n_irqs, sizeof(*s->irqs));
	s->cells = calloc((size_t)map->n_irqs * s->n_cpus, sizeof(*s->cells));
	r = s->irqs && s->cells ? 0 : -ENOMEM;
	if (r < 0)
		goto fail;
	s->n_irqs = map->n_irqs;
	for (unsigned i = 0; i < map->n_irqs; i++)
		s->irqs[i] = (struct irq_counter){ .what = map->irqs[i],
						   .file = PROCFILE_CLOSED,
						   .cpu = s->cells + (size_t)i * s->n_cpus };
	for (unsigned i = 0; i < s->n_irqs && r == 0; i++)
		r = open_counter(s, &s->irqs[i], root);
	if (r < 0)
		r = open_table(s, root);
	if (r == 0)
		return 0;
fail:
	irq_source_close(s);
	return r;
}

void irq_source_close(struct irq_source *s)
{
	for (unsigned i = 0; i < s->n_irqs; i++)
		procfile_close(&s->irqs[i].file);
	if (s->n_irqs > 0)
		procfile_close(&s->table);
	free(s->irqs);
	free(s->cells);
	free(s->possible);
	*s = (struct irq_source){ .table = PROCFILE_CLOSED };
}

/* One reading, of one interrupt or of the table. */
struct reading {
	struct irq_source *s;
	uint64_t max_step;
	bool reset;
};

static void feed(struct reading *rd, struct irq_counter *c, unsigned n, const uint16_t *cpu, const uint32_t *count)
{
	for (unsigned i = 0; i < n; i++) {
		struct counter32 *cell;
		uint64_t before;

		if (cpu[i] >= rd->s->n_cpus)
			continue;
		cell = &c->cpu[cpu[i]];
		before = cell->total;
		counter32_feed(cell, count[i], rd->s->primed, rd->max_step, &rd->reset);
		c->total += cell->total - before;
	}
	c->seen = true;
}

static int feed_row(const struct irqtable_row *row, void *arg)
{
	struct reading *rd = arg;

	for (unsigned i = 0; i < rd->s->n_irqs; i++)
		if (rd->s->irqs[i].what.irq == row->irq)
			feed(rd, &rd->s->irqs[i], row->n_cpus, row->cpu, row->count);
	return 0;
}

static int read_table(struct reading *rd)
{
	int r = procfile_read(&rd->s->table);

	if (r == 0)
		r = irqtable_parse(rd->s->table.text, feed_row, rd);
	for (unsigned i = 0; i < rd->s->n_irqs && r == 0; i++)
		if (!rd->s->irqs[i].seen)
			r = -ESTALE;
	return r;
}

static int read_files(struct reading *rd)
{
	uint32_t count[IRQTABLE_CPUS_MAX];

	for (unsigned i = 0; i < rd->s->n_irqs; i++) {
		struct irq_counter *c = &rd->s->irqs[i];
		int n, r = procfile_read(&c->file);

		if (r < 0)
			return r == -ENODEV || r == -ENOENT ? -ESTALE : r;
		n = irqtable_parse_counts(c->file.text, count, IRQTABLE_CPUS_MAX);
		if (n != (int)rd->s->n_possible)
			return -ESTALE; /* cut short: counts have grown longer than a page */
		feed(rd, c, rd->s->n_possible, rd->s->possible, count);
	}
	return 0;
}

static void sum_up(const struct irq_source *s, struct sample *ret)
{
	unsigned n_queues = 0;

	ret->interrupts = ret->rx_interrupts = ret->tx_interrupts = 0;
	for (unsigned i = 0; i < s->n_irqs; i++) {
		const struct nic_irq *what = &s->irqs[i].what;

		if (what->rx && what->queue >= (int)n_queues && what->queue < NIC_QUEUES_MAX)
			n_queues = (unsigned)what->queue + 1;
	}
	for (unsigned q = 0; q < n_queues || q < ret->n_queues; q++)
		ret->queue[q].interrupts = 0;
	for (unsigned i = 0; i < s->n_irqs; i++) {
		const struct irq_counter *c = &s->irqs[i];

		if (c->what.control)
			continue;
		ret->interrupts += c->total;
		ret->rx_interrupts += c->what.rx ? c->total : 0;
		ret->tx_interrupts += c->what.tx ? c->total : 0;
		if (c->what.rx && c->what.queue >= 0 && c->what.queue < NIC_QUEUES_MAX)
			ret->queue[c->what.queue].interrupts += c->total;
	}
	if (ret->n_queues < n_queues)
		ret->n_queues = n_queues;
}

int irq_source_read(struct irq_source *s, nsec_t now, struct sample *ret)
{
	struct reading rd = { .s = s };
	int r;

	ret->have &= ~(uint32_t)SAMPLE_IRQS;
	if (s->n_irqs == 0)
		return 0;
	rd.max_step = counter32_max_step(s->primed && now > s->last ? now - s->last : 0, IRQS_PER_SECOND_MAX);
	for (unsigned i = 0; i < s->n_irqs; i++)
		s->irqs[i].seen = false;
	r = s->use_table ? read_table(&rd) : read_files(&rd);
	if (r < 0)
		return r;
	s->primed = true;
	s->last = now;
	sum_up(s, ret);
	ret->have |= SAMPLE_IRQS;
	if (rd.reset)
		ret->reset |= SAMPLE_IRQS;
	return 0;
}
