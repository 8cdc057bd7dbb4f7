// SPDX-License-Identifier: GPL-2.0-or-later
/* source-cpu: what every CPU does: /proc/stat, /proc/softirqs and softnet_stat. These are the whole machine's, so one
 * source serves all NICs: a second read with the same `now` copies what the first one found. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/sample.h"
#include "io/procfile.h"
#include "io/source-softnet.h"

enum { CPU_TIME_USER, CPU_TIME_SYSTEM, CPU_TIME_IDLE, CPU_TIME_IRQ, CPU_TIME_SOFTIRQ, CPU_TIME_STEAL, CPU_TIME_COUNT };

/* A time that must not run backwards, although the kernel's does now and then (iowait, steal). */
struct cpu_time {
	uint64_t base, shown;
};

struct cpu_state {
	struct cpu_time time[CPU_TIME_COUNT];
	struct counter32 net_rx, net_tx;
};

/* Owned by the caller; about 200 kB: not for the stack. */
struct cpu_source {
	struct procfile stat, softirqs;
	struct softnet_source softnet;
	uint32_t missing;     /* sources that could not be opened */
	uint64_t ns_per_tick; /* of USER_HZ */
	nsec_t last;
	bool primed;
	uint32_t generation;			   /* changes of the set of online CPUs since open */
	uint64_t window_interrupts, window_irq_ns; /* where the search for exact IRQ time began */
	bool irqtime;
	uint32_t have, reset; /* of the reading at `last` */
	unsigned n_cpus;
	struct cpu_state state[SAMPLE_CPUS_MAX];
	struct cpu_counters cpu[SAMPLE_CPUS_MAX];
};

/* Opens what there is; a missing file only takes its bit away. -ENOENT: none is there. */
int cpu_source_open(struct cpu_source *s, const struct procroot *root);

/* Sets SAMPLE_CPU, SAMPLE_SOFTIRQ, SAMPLE_SOFTNET, SAMPLE_IRQTIME in ret->have as far as they hold (clears them
 * otherwise), fills cpu[] and n_cpus, marks ret->reset, and adds the number of CPU hotplug events since open to
 * ret->generation, which the caller has set. SAMPLE_IRQTIME: the irq column grew over the last 200 000 interrupts or
 * more; a kernel that only samples at ticks shows 0 there. */
int cpu_source_read(struct cpu_source *s, nsec_t now, struct sample *ret);
void cpu_source_close(struct cpu_source *s);
