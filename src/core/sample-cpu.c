// SPDX-License-Identifier: GPL-2.0-or-later
/* sample-cpu: CPU time of interrupts and packets, from the best source there is: see cputimes.def. NAPI threads run as
 * processes in all of them, so theirs comes on top. */
#include <math.h>

#include "core/sample.h"

/* Processes may take this part of what is not idle for idle time to stand for packets. */
#define IDLE_PROCESS_RATIO 0.1
#define USER_TICK_NS 1e7 /* of USER_HZ: as fine as /proc/stat is; the kernel's own tick may be finer */

const struct cpu_time_desc cpu_time_table[CPU_TIME_SOURCE_COUNT] = {
#define CPU_TIME_SOURCE(id, slug, accuracy, what) [CPU_TIME_BY_##id] = { slug, accuracy, what },
#include "core/cputimes.def"
#undef CPU_TIME_SOURCE
};

const struct polls_desc polls_table[POLLS_SOURCE_COUNT] = {
#define POLLS_SOURCE(id, slug, what) [POLLS_##id] = { slug, what },
#include "core/pollsources.def"
#undef POLLS_SOURCE
};

static double grown(uint64_t a, uint64_t b)
{
	return b > a ? (double)(b - a) : 0;
}

struct times {
	double process, interrupts, steal, all; /* ns */
};

static struct times times_between(const struct cpu_counters *a, const struct cpu_counters *b)
{
	struct times t = {
		.process = grown(a->user_ns, b->user_ns) + grown(a->system_ns, b->system_ns),
		.interrupts = grown(a->irq_ns, b->irq_ns) + grown(a->softirq_ns, b->softirq_ns),
		.steal = grown(a->steal_ns, b->steal_ns),
	};

	t.all = t.process + t.interrupts + t.steal + grown(a->idle_ns, b->idle_ns);
	return t;
}

static double tick_error(double ratio, double all_ns)
{
	double ticks = fmax(all_ns / USER_TICK_NS, 1);

	return sqrt(fmax(ratio * (1 - ratio), 1 / ticks) / ticks);
}

static bool traced(const struct cpu_counters *a, const struct cpu_counters *b, struct packet_cpu *p)
{
	double ns = grown(a->traced_ns, b->traced_ns);

	if (ns <= 0)
		return false;
	p->by = CPU_TIME_BY_TRACED;
	p->ratio = fmin(grown(a->traced_work_ns, b->traced_work_ns) / ns, 1);
	/* bursts of 10 ms differ from each other about as ticks do */
	p->error = tick_error(p->ratio, ns);
	return true;
}

static void of_cpu(const struct cpu_counters *a, const struct cpu_counters *b, uint32_t have, struct packet_cpu *p)
{
	struct times t = times_between(a, b);
	double busy = t.process + t.interrupts;

	if (have & SAMPLE_CPU && have & SAMPLE_IRQTIME && t.all > 0) {
		p->by = CPU_TIME_BY_IRQTIME;
		p->ratio = t.interrupts / t.all;
		p->error = USER_TICK_NS / t.all;
	} else if (have & SAMPLE_TRACED && traced(a, b, p)) {
		return;
	} else if (have & SAMPLE_CPU && t.all > 0) {
		p->by = busy > 0 && t.process <= IDLE_PROCESS_RATIO * busy ? CPU_TIME_BY_IDLE : CPU_TIME_BY_TICKS;
		p->ratio = (p->by == CPU_TIME_BY_IDLE ? busy : t.interrupts) / t.all;
		p->error = tick_error(p->ratio, t.all);
	}
}

void packet_cpu_between(const struct sample *a, const struct sample *b, uint32_t have, struct packet_cpu *ret)
{
	struct packet_cpu best = { .by = CPU_TIME_BY_NONE };

	for (unsigned i = 0; i < SAMPLE_CPUS_MAX && i < b->n_cpus && i < a->n_cpus; i++) {
		const struct cpu_counters *x = &a->cpu[i], *y = &b->cpu[i];
		struct packet_cpu p = { .by = CPU_TIME_BY_NONE, .cpu = i };

		if (!x->online || !y->online)
			continue;
		of_cpu(x, y, have, &p);
		if (have & SAMPLE_NAPI_THREADS && b->now > a->now) {
			p.threads_ratio = grown(x->napi_thread_ns, y->napi_thread_ns) / (double)(b->now - a->now);
			p.ratio = fmin(p.ratio + p.threads_ratio, 1);
		}
		if (p.by != CPU_TIME_BY_NONE && (best.by == CPU_TIME_BY_NONE || p.ratio > best.ratio))
			best = p;
	}
	*ret = best;
}
