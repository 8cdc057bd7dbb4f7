// SPDX-License-Identifier: GPL-2.0-or-later
/* sample: see sample.h. A difference is only taken where both samples have the source and it did not start anew. */
#include "core/sample.h"

#define JUMP_MAX_S 10.0
#define IDLE_RATIO 0.5	  /* a CPU below has room for as much again */
#define BUSY_QUEUE_PART 0.05 /* less is stray packets */
/* Sources that are counted per queue, interrupt or CPU: gone when those changed. */
#define PER_PART                                                                                                       \
	(SAMPLE_QUEUES | SAMPLE_IRQS | SAMPLE_CPU | SAMPLE_SOFTIRQ | SAMPLE_SOFTNET | SAMPLE_TRACED |                  \
	 SAMPLE_NAPI_THREADS | SAMPLE_PMU)

uint64_t counter_step_u32(uint32_t before, uint32_t after, uint64_t max_step, bool *reset)
{
	uint32_t step = after - before;

	*reset = step > max_step;
	return *reset ? 0 : step;
}

/* A counter that went back although its source said nothing counts as not grown. */
static double grown(uint64_t a, uint64_t b)
{
	return b > a ? (double)(b - a) : 0;
}

static void link_rates(const struct sample *a, const struct sample *b, struct rates *r)
{
	r->rx_pps = grown(a->rx_packets, b->rx_packets) / r->dt_s;
	r->tx_pps = grown(a->tx_packets, b->tx_packets) / r->dt_s;
	r->rx_bytes_ps = grown(a->rx_bytes, b->rx_bytes) / r->dt_s;
	r->tx_bytes_ps = grown(a->tx_bytes, b->tx_bytes) / r->dt_s;
	r->rx_dropped_ps = grown(a->rx_dropped, b->rx_dropped) / r->dt_s;
	r->tx_dropped_ps = grown(a->tx_dropped, b->tx_dropped) / r->dt_s;
}

static void interrupt_rates(const struct sample *a, const struct sample *b, struct rates *r)
{
	r->interrupts_ps = grown(a->interrupts, b->interrupts) / r->dt_s;
	r->rx_interrupts_ps = grown(a->rx_interrupts, b->rx_interrupts) / r->dt_s;
	r->tx_interrupts_ps = grown(a->tx_interrupts, b->tx_interrupts) / r->dt_s;
}

unsigned queues_busy(const struct queue_counters *a, const struct queue_counters *b, unsigned n)
{
	unsigned busy = 0;
	double all = 0;

	for (unsigned q = 0; q < n; q++)
		all += grown(a[q].rx_packets, b[q].rx_packets);
	for (unsigned q = 0; q < n && all > 0; q++)
		busy += grown(a[q].rx_packets, b[q].rx_packets) >= BUSY_QUEUE_PART * all;
	return busy;
}

/* A CPU that came or went since has no difference. */
static bool both_online(const struct sample *a, const struct sample *b, unsigned cpu)
{
	return cpu < a->n_cpus && cpu < b->n_cpus && a->cpu[cpu].online && b->cpu[cpu].online;
}

static void cpu_time(const struct cpu_counters *a, const struct cpu_counters *b, unsigned cpu, struct rates *r)
{
	double softirq = grown(a->softirq_ns, b->softirq_ns), steal = grown(a->steal_ns, b->steal_ns);
	double process = grown(a->user_ns, b->user_ns) + grown(a->system_ns, b->system_ns);
	double busy = process + grown(a->irq_ns, b->irq_ns) + softirq;
	double all = busy + steal + grown(a->idle_ns, b->idle_ns);

	if (all <= 0)
		return;
	/* ratios of what was accounted, not of dt: ticks make the sum differ from the clock */
	r->busy_cpus += busy / all;
	r->cpus++;
	r->idle_cpus += busy / all < IDLE_RATIO;
	if (busy / all > r->busiest_ratio || (busy / all == r->busiest_ratio && cpu < r->busiest_cpu)) {
		r->busiest_ratio = busy / all;
		r->busiest_cpu = cpu;
	}
	if (softirq / all > r->busiest_softirq_ratio)
		r->busiest_softirq_ratio = softirq / all;
	if (steal / all > r->steal_ratio)
		r->steal_ratio = steal / all;
}

static void cpu_rates(const struct sample *a, const struct sample *b, struct rates *r)
{
	for (unsigned i = 0; i < SAMPLE_CPUS_MAX && i < b->n_cpus; i++) {
		const struct cpu_counters *x = &a->cpu[i], *y = &b->cpu[i];

		if (!both_online(a, b, i))
			continue;
		if (r->have & SAMPLE_CPU)
			cpu_time(x, y, i, r);
		if (r->have & SAMPLE_SOFTIRQ)
			r->net_rx_ps += grown(x->net_rx, y->net_rx) / r->dt_s;
		if (!(r->have & SAMPLE_SOFTNET))
			continue;
		r->time_squeeze_ps += grown(x->time_squeeze, y->time_squeeze) / r->dt_s;
		r->processed_ps += grown(x->processed, y->processed) / r->dt_s;
	}
}

static void pmu_rates(const struct cpu_counters *a, const struct cpu_counters *b, struct rates *r)
{
	r->cycles_ps = grown(a->cycles, b->cycles) / r->dt_s;
	r->instructions_ps = grown(a->instructions, b->instructions) / r->dt_s;
	r->cache_misses_ps = grown(a->cache_misses, b->cache_misses) / r->dt_s;
}

int rates_between(const struct sample *a, const struct sample *b, struct rates *ret)
{
	struct rates r = { .packet_cpu.by = CPU_TIME_BY_NONE };
	bool changed = a->generation != b->generation;

	*ret = r;
	if (!a->now)
		return RATES_FIRST;
	r.dt_s = b->now > a->now ? (double)(b->now - a->now) / NSEC_PER_SEC : 0;
	if (r.dt_s <= 0 || r.dt_s > JUMP_MAX_S) {
		ret->dt_s = r.dt_s;
		return RATES_CLOCK;
	}
	r.have = a->have & b->have & ~b->reset;
	if (changed)
		r.have &= ~(uint32_t)PER_PART;
	if (r.have & SAMPLE_LINK)
		link_rates(a, b, &r);
	if (r.have & SAMPLE_IRQS)
		interrupt_rates(a, b, &r);
	if (r.have & SAMPLE_QUEUES)
		r.busy_queues =
			queues_busy(a->queue, b->queue, a->n_queues < b->n_queues ? a->n_queues : b->n_queues);
	if (r.have & SAMPLE_POLLS) {
		r.polls_ps = grown(a->polls, b->polls) / r.dt_s;
		r.empty_polls_ps = grown(a->empty_polls, b->empty_polls) / r.dt_s;
		r.full_polls_ps = grown(a->full_polls, b->full_polls) / r.dt_s;
	}
	if (r.have & SAMPLE_POLLS)
		r.polls_by = b->polls_by;
	if (r.have & SAMPLE_TRACED)
		r.traced = poll_sums_since(&a->traced, &b->traced);
	if (r.have & SAMPLE_RING_DROPS)
		r.ring_drops_ps = grown(a->ring_drops, b->ring_drops) / r.dt_s;
	cpu_rates(a, b, &r);
	packet_cpu_between(a, b, r.have, &r.packet_cpu);
	if (r.have & SAMPLE_PMU)
		pmu_rates(&a->cpu[r.packet_cpu.cpu], &b->cpu[r.packet_cpu.cpu], &r);
	*ret = r;
	return changed ? RATES_CHANGED : RATES_OK;
}
