// SPDX-License-Identifier: GPL-2.0-or-later
/* source-softnet: packets, backlog drops and exhausted budgets of every CPU. The kernel adds columns from time to time
 * and never names them. */
#include "io/source-softnet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* More than any CPU can take from the network; a larger step is a counter that started anew. */
#define PACKETS_PER_SECOND_MAX UINT64_C(200000000)

enum { COL_PROCESSED, COL_DROPPED, COL_TIME_SQUEEZE, COL_CPU = 12, COL_COUNT };

int softnet_source_open(struct softnet_source *s, const struct procroot *root)
{
	memset(s, 0, sizeof(*s));
	s->file = PROCFILE_CLOSED;
	return procfile_open(&s->file, root, "proc/net/softnet_stat");
}

void softnet_source_close(struct softnet_source *s)
{
	procfile_close(&s->file);
}

/* Returns the number of columns; the first COL_COUNT are stored. *p ends at the newline or the text's end. */
static unsigned parse_line(const char **p, uint32_t col[COL_COUNT])
{
	unsigned n = 0;

	for (;;) {
		unsigned long long v;
		char *end;

		while (**p == ' ' || **p == '\t')
			++*p;
		if (**p == '\0' || **p == '\n')
			return n;
		v = strtoull(*p, &end, 16);
		if (end == *p)
			return 0;
		if (n < COL_COUNT)
			col[n] = (uint32_t)v;
		n++;
		*p = end;
	}
}

/* The i-th online CPU; i itself when it is not known which are online. */
static unsigned nth_online(const struct cpu_counters *cpu, unsigned n_cpus, unsigned i)
{
	unsigned online = 0;

	for (unsigned c = 0; c < n_cpus; c++)
		if (cpu[c].online && online++ == i)
			return c;
	return online == 0 ? i : SAMPLE_CPUS_MAX;
}

int softnet_source_read(struct softnet_source *s, nsec_t now, struct cpu_counters cpu[SAMPLE_CPUS_MAX],
			unsigned *n_cpus, bool *reset)
{
	uint64_t max_step = counter32_max_step(s->primed && now > s->last ? now - s->last : 0, PACKETS_PER_SECOND_MAX);
	unsigned known = *n_cpus, line = 0;
	int r = procfile_read(&s->file);

	if (r < 0)
		return r;
	for (const char *p = s->file.text; *p; line++) {
		uint32_t col[COL_COUNT] = { 0 };
		unsigned n = parse_line(&p, col);
		unsigned id = n > COL_CPU ? col[COL_CPU] : nth_online(cpu, known, line);
		struct softnet_cpu *c;

		if (n <= COL_TIME_SQUEEZE)
			return -EINVAL;
		p += *p == '\n';
		if (id >= SAMPLE_CPUS_MAX)
			continue;
		c = &s->cpu[id];
		counter32_feed(&c->processed, col[COL_PROCESSED], false, max_step, reset);
		counter32_feed(&c->dropped, col[COL_DROPPED], false, max_step, reset);
		counter32_feed(&c->time_squeeze, col[COL_TIME_SQUEEZE], false, max_step, reset);
		cpu[id].processed = c->processed.total;
		cpu[id].backlog_dropped = c->dropped.total;
		cpu[id].time_squeeze = c->time_squeeze.total;
		if (*n_cpus <= id)
			*n_cpus = id + 1;
	}
	s->primed = true;
	s->last = now;
	return line > 0 ? 0 : -EINVAL;
}
