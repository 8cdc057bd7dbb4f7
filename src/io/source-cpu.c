// SPDX-License-Identifier: GPL-2.0-or-later
/* source-cpu: /proc/stat in ticks of USER_HZ and /proc/softirqs. The former lists online CPUs only, the latter every
 * possible one. */
#include "io/source-cpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/irqtable.h"

/* Softirqs are raised at most as often as interrupts and timers come. */
#define SOFTIRQS_PER_SECOND_MAX UINT64_C(50000000)
/* A time that steps back by less is the kernel's rounding, by more is a CPU that started anew. */
#define STEP_BACK_MAX NSEC_PER_SEC
/* Interrupts take 100 ns and more each, so this many show in the irq column (20 ms) where it is exact at all. */
#define IRQTIME_WINDOW UINT64_C(200000)

int cpu_source_open(struct cpu_source *s, const struct procroot *root)
{
	long hz = sysconf(_SC_CLK_TCK);

	memset(s, 0, sizeof(*s));
	s->stat = s->softirqs = PROCFILE_CLOSED;
	s->ns_per_tick = NSEC_PER_SEC / (uint64_t)(hz > 0 ? hz : 100);
	if (procfile_open(&s->stat, root, "proc/stat") < 0)
		s->missing |= SAMPLE_CPU;
	if (procfile_open(&s->softirqs, root, "proc/softirqs") < 0)
		s->missing |= SAMPLE_SOFTIRQ;
	if (softnet_source_open(&s->softnet, root) < 0)
		s->missing |= SAMPLE_SOFTNET;
	return s->missing == (SAMPLE_CPU | SAMPLE_SOFTIRQ | SAMPLE_SOFTNET) ? -ENOENT : 0;
}

void cpu_source_close(struct cpu_source *s)
{
	procfile_close(&s->stat);
	procfile_close(&s->softirqs);
	softnet_source_close(&s->softnet);
}

static uint64_t follow(struct cpu_time *t, uint64_t raw, bool *reset)
{
	uint64_t next = t->base + raw;

	if (next < t->shown && t->shown - next > STEP_BACK_MAX) {
		t->base += t->shown - next;
		*reset = true;
	} else if (next > t->shown) {
		t->shown = next;
	}
	return t->shown;
}

/* What follows "cpuN": user nice system idle iowait irq softirq steal [guest guest_nice]; guests are in user and nice
 * already. Old kernels end earlier. */
static void take_times(struct cpu_source *s, unsigned id, const char *p)
{
	enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, FIELDS };
	struct cpu_time *t = s->state[id].time;
	struct cpu_counters *c = &s->cpu[id];
	uint64_t v[FIELDS] = { 0 };
	bool reset = false;

	for (unsigned i = 0; i < FIELDS; i++) {
		char *end;

		v[i] = strtoull(p, &end, 10) * s->ns_per_tick;
		if (end == p || *end == '\n' || *end == '\0')
			break;
		p = end;
	}
	c->user_ns = follow(&t[CPU_TIME_USER], v[USER] + v[NICE], &reset);
	c->system_ns = follow(&t[CPU_TIME_SYSTEM], v[SYSTEM], &reset);
	c->idle_ns = follow(&t[CPU_TIME_IDLE], v[IDLE] + v[IOWAIT], &reset);
	c->irq_ns = follow(&t[CPU_TIME_IRQ], v[IRQ], &reset);
	c->softirq_ns = follow(&t[CPU_TIME_SOFTIRQ], v[SOFTIRQ], &reset);
	c->steal_ns = follow(&t[CPU_TIME_STEAL], v[STEAL], &reset);
	if (reset)
		s->reset |= SAMPLE_CPU;
}

static void watch_irqtime(struct cpu_source *s, uint64_t interrupts)
{
	uint64_t irq_ns = 0;

	for (unsigned i = 0; i < s->n_cpus; i++)
		irq_ns += s->cpu[i].irq_ns;
	if (interrupts < s->window_interrupts) {
		s->window_interrupts = interrupts;
		s->window_irq_ns = irq_ns;
	} else if (interrupts - s->window_interrupts >= IRQTIME_WINDOW) {
		s->irqtime = irq_ns > s->window_irq_ns;
		s->window_interrupts = interrupts;
		s->window_irq_ns = irq_ns;
	}
}

static const char *next_line(const char *p)
{
	p = strchr(p, '\n');
	return p ? p + 1 : NULL;
}

static int read_stat(struct cpu_source *s)
{
	bool was_online[SAMPLE_CPUS_MAX], changed = false;
	int r = procfile_read(&s->stat);

	if (r < 0)
		return r;
	for (unsigned i = 0; i < SAMPLE_CPUS_MAX; i++) {
		was_online[i] = s->cpu[i].online;
		s->cpu[i].online = false;
	}
	for (const char *p = s->stat.text; p; p = next_line(p)) {
		unsigned long id;
		char *end;

		if (strncmp(p, "intr ", 5) == 0)
			watch_irqtime(s, strtoull(p + 5, NULL, 10));
		if (strncmp(p, "cpu", 3) != 0 || p[3] < '0' || p[3] > '9')
			continue;
		id = strtoul(p + 3, &end, 10);
		if (id >= SAMPLE_CPUS_MAX)
			continue;
		if (s->n_cpus <= id)
			s->n_cpus = (unsigned)id + 1;
		s->cpu[id].online = true;
		take_times(s, (unsigned)id, end);
	}
	for (unsigned i = 0; i < SAMPLE_CPUS_MAX; i++)
		changed |= was_online[i] != s->cpu[i].online;
	s->generation += s->primed && changed;
	return s->n_cpus > 0 ? 0 : -EINVAL;
}

/* The numbers of one row, in the order of the head. */
static int take_row(struct cpu_source *s, const char *label, const uint16_t *ids, unsigned n_ids, uint64_t max_step)
{
	const char *p = strstr(s->softirqs.text, label);
	bool tx = strcmp(label, "NET_TX:") == 0, reset = false;

	if (!p)
		return -EINVAL;
	p += strlen(label);
	for (unsigned i = 0; i < n_ids; i++) {
		struct cpu_state *st;
		char *end;
		uint32_t v = (uint32_t)strtoull(p, &end, 10);

		if (end == p)
			return -EINVAL;
		p = end;
		if (ids[i] >= SAMPLE_CPUS_MAX)
			continue;
		st = &s->state[ids[i]];
		counter32_feed(tx ? &st->net_tx : &st->net_rx, v, false, max_step, &reset);
		if (tx)
			s->cpu[ids[i]].net_tx = st->net_tx.total;
		else
			s->cpu[ids[i]].net_rx = st->net_rx.total;
	}
	if (reset)
		s->reset |= SAMPLE_SOFTIRQ;
	return 0;
}

static int read_softirqs(struct cpu_source *s, nsec_t now)
{
	uint64_t max_step = counter32_max_step(s->primed && now > s->last ? now - s->last : 0, SOFTIRQS_PER_SECOND_MAX);
	uint16_t ids[IRQTABLE_CPUS_MAX];
	int r = procfile_read(&s->softirqs);
	unsigned n;

	if (r < 0)
		return r;
	n = irqtable_parse_head(s->softirqs.text, ids, IRQTABLE_CPUS_MAX);
	if (n == 0)
		return -EINVAL;
	r = take_row(s, "NET_TX:", ids, n, max_step);
	if (r == 0)
		r = take_row(s, "NET_RX:", ids, n, max_step);
	/* without /proc/stat nobody says which of the possible CPUs are there */
	for (unsigned i = 0; i < n && r == 0 && (s->missing & SAMPLE_CPU); i++) {
		if (ids[i] >= SAMPLE_CPUS_MAX)
			continue;
		s->cpu[ids[i]].online = true;
		if (ids[i] >= s->n_cpus)
			s->n_cpus = ids[i] + 1U;
	}
	return r;
}

static void refresh(struct cpu_source *s, nsec_t now)
{
	bool reset = false;

	s->have = s->reset = 0;
	if (!(s->missing & SAMPLE_CPU) && read_stat(s) == 0)
		s->have |= SAMPLE_CPU | (s->irqtime ? SAMPLE_IRQTIME : 0);
	if (!(s->missing & SAMPLE_SOFTIRQ) && read_softirqs(s, now) == 0)
		s->have |= SAMPLE_SOFTIRQ;
	if (!(s->missing & SAMPLE_SOFTNET) && softnet_source_read(&s->softnet, now, s->cpu, &s->n_cpus, &reset) == 0)
		s->have |= SAMPLE_SOFTNET;
	if (reset)
		s->reset |= SAMPLE_SOFTNET;
	s->primed = true;
	s->last = now;
}

int cpu_source_read(struct cpu_source *s, nsec_t now, struct sample *ret)
{
	const uint32_t ours = SAMPLE_CPU | SAMPLE_SOFTIRQ | SAMPLE_SOFTNET | SAMPLE_IRQTIME;

	if (!s->primed || now != s->last)
		refresh(s, now);
	ret->have = (ret->have & ~ours) | s->have;
	ret->reset |= s->reset;
	ret->generation += s->generation;
	ret->n_cpus = s->n_cpus;
	memcpy(ret->cpu, s->cpu, s->n_cpus * sizeof(s->cpu[0]));
	return s->have ? 0 : -EIO;
}
