// SPDX-License-Identifier: GPL-2.0-or-later
/* measure: see measure.h. Two clocks run side by side: every 100 ms for the model, which wants to see bursts, and
 * blocks of some seconds for what is reported, because CPU time is counted in ticks that 100 ms hold too few of. */
#include "engine/measure.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/facts.h"

#define SAMPLE_NS (100 * NSEC_PER_MSEC)
#define BLOCK_NS (5 * NSEC_PER_SEC) /* rates_between() refuses jumps of more than 10 s */
#define COST_CONFIDENCE 0.5
#define DURATION_MIN_S 0.35	    /* three samples at least */

/* Which source each rate comes from: a rate is averaged over the time that its source was there. */
static const struct {
	size_t offset;
	enum sample_source source;
} rate_fields[] = {
#define FIELD(name, source)                                                                                            \
	{                                                                                                              \
		offsetof(struct rates, name), SAMPLE_##source                                                          \
	}
	FIELD(rx_pps, LINK),
	FIELD(tx_pps, LINK),
	FIELD(rx_bytes_ps, LINK),
	FIELD(tx_bytes_ps, LINK),
	FIELD(rx_dropped_ps, LINK),
	FIELD(tx_dropped_ps, LINK),
	FIELD(interrupts_ps, IRQS),
	FIELD(rx_interrupts_ps, IRQS),
	FIELD(tx_interrupts_ps, IRQS),
	FIELD(polls_ps, POLLS),
	FIELD(empty_polls_ps, POLLS),
	FIELD(full_polls_ps, POLLS),
	FIELD(net_rx_ps, SOFTIRQ),
	FIELD(time_squeeze_ps, SOFTNET),
	FIELD(processed_ps, SOFTNET),
	FIELD(ring_drops_ps, RING_DROPS),
	FIELD(busiest_softirq_ratio, CPU),
	FIELD(busy_cpus, CPU),
	FIELD(busiest_ratio, CPU),
	FIELD(steal_ratio, CPU),
#undef FIELD
};
#define N_RATE_FIELDS (sizeof(rate_fields) / sizeof(rate_fields[0]))

static double *rate_at(struct rates *r, size_t i)
{
	return (double *)((char *)r + rate_fields[i].offset);
}

static int source_bit(uint32_t source)
{
	int bit = 0;

	while (!(source & (1U << bit)))
		bit++;
	return bit;
}

static void total_add(struct measure *m, struct rates *r)
{
	for (size_t i = 0; i < N_RATE_FIELDS; i++)
		if (r->have & rate_fields[i].source)
			*rate_at(&m->rates, i) += *rate_at(r, i) * r->dt_s;
	for (int bit = 0; bit < 32; bit++)
		if (r->have & (1U << bit))
			m->seconds[bit] += r->dt_s;
	m->rates.have |= r->have & ~(uint32_t)SAMPLE_QUEUES;
	m->rates.dt_s += r->dt_s;
	if (r->have & SAMPLE_CPU) {
		m->rates.busiest_cpu = r->busiest_cpu;
		m->rates.cpus = r->cpus;
		m->rates.idle_cpus = r->idle_cpus;
	}
	if (r->have & SAMPLE_POLLS)
		m->rates.polls_by = r->polls_by;
}

/* Not by blocks: a driver's own statistics are read once a second, hardly ever when a block ends. */
static void queues_add(struct measure *m, const struct sample *s)
{
	bool first = !m->n_queues || s->generation != m->queues_generation || s->reset & SAMPLE_QUEUES;

	if (!(s->have & SAMPLE_QUEUES))
		return;
	if (first)
		memcpy(m->queues[0], s->queue, sizeof(s->queue));
	memcpy(m->queues[1], s->queue, sizeof(s->queue));
	m->n_queues = s->n_queues;
	m->queues_generation = s->generation;
	if (first)
		return;
	m->rates.busy_queues = queues_busy(m->queues[0], m->queues[1], m->n_queues);
	m->rates.have |= SAMPLE_QUEUES;
}

static void total_end(struct measure *m)
{
	for (size_t i = 0; i < N_RATE_FIELDS; i++) {
		double s = m->seconds[source_bit(rate_fields[i].source)];

		if (s > 0)
			*rate_at(&m->rates, i) /= s;
	}
}

/* Time constant that makes a moving average the plain mean of all so far: weight dt/elapsed for the newest. */
static double plain_mean_tau(double dt_s, double elapsed_s)
{
	return elapsed_s > dt_s * 1.001 ? -dt_s / log(1 - dt_s / elapsed_s) : dt_s;
}

static void lane_add(struct measure *m, unsigned i, const struct rates *r, double now_s)
{
	struct lane_sums *s = &m->sums[i];
	struct ctl_input in;

	mech_input(&m->lanes[i], r, now_s, &in);
	if (in.skip || !in.have_pps)
		return;
	s->n++;
	s->pps_s += in.dt_s;
	s->pps += in.pps * in.dt_s;
	s->pps2 += in.pps * in.pps * in.dt_s;
	if (in.have_polls) {
		s->polls_s += in.dt_s;
		s->polls += in.polls_ps * in.dt_s;
	}
	if (in.have_cpu) {
		s->cpu_s += in.dt_s;
		s->cpu += in.cpu_ratio * in.dt_s;
	}
	model_average(&m->model[i], &in, plain_mean_tau(in.dt_s, s->pps_s));
	model_learn(&m->model[i], &in, m->interval[i]);
}

/* One more sample. `last`: the running block ends here whatever its length. */
static int measure_step(struct measure *m, unsigned *flip, bool last)
{
	const struct sample *before = &m->samples[*flip];
	struct sample *now = &m->samples[!*flip];
	struct rates r;
	int e = m->backend->ops->sample(m->backend, m->nic, now);

	if (e < 0)
		return e;
	queues_add(m, now);
	if (rates_between(before, now, &r) == RATES_OK)
		for (unsigned i = 0; i < m->n_lanes; i++)
			lane_add(m, i, &r, (double)now->now / NSEC_PER_SEC);
	*flip = !*flip;
	if (!last && now->generation == m->mark.generation && now->now - m->mark.now < BLOCK_NS)
		return 0;
	e = rates_between(&m->mark, now, &r);
	if (e == RATES_OK || e == RATES_CHANGED)
		total_add(m, &r);
	m->mark = *now;
	return 0;
}

/* Timed polls know better than an assumption. Not with deferral, which moves work out of softirqs: fewer wake-ups of
 * receivers are most of what it saves, and no softirq shows them. */
static void use_cost(struct measure *m, unsigned lane)
{
	struct model *model = &m->model[lane];

	if (!m->have_cost || !m->cost.split || m->cost.confidence < COST_CONFIDENCE || model->confidence > 0 ||
	    m->lanes[lane].kind == MECH_DEFERRAL || m->lanes[lane].dir != QUEUE_RX)
		return;
	model->a_usecs = m->cost.a_usecs;
	model->b_usecs = m->cost.b_usecs;
	model->confidence = m->cost.confidence;
}

/* What the whole time tells at once. CPUs or queues that changed meanwhile leave only what the last block knows. */
static void conclude(struct measure *m)
{
	uint32_t have = m->begin.have & m->mark.have;

	if (m->begin.generation != m->mark.generation)
		return;
	packet_cpu_between(&m->begin, &m->mark, have, &m->rates.packet_cpu);
	if (have & SAMPLE_TRACED) {
		m->rates.traced = poll_sums_since(&m->begin.traced, &m->mark.traced);
		m->have_cost = cost_estimate(&m->rates.traced, &m->cost);
	}
	for (unsigned i = 0; i < m->n_lanes; i++)
		use_cost(m, i);
}

static int run(struct measure *m, double duration_s, advise_progress progress, void *userdata)
{
	const struct timespec pause = { .tv_nsec = SAMPLE_NS };
	unsigned flip = 0;
	nsec_t start, length;
	int r;

	length = (nsec_t)((duration_s > DURATION_MIN_S ? duration_s : DURATION_MIN_S) * NSEC_PER_SEC);
	r = m->backend->ops->sample(m->backend, m->nic, &m->samples[0]);
	if (r < 0)
		return r;
	m->begin = m->mark = m->samples[0];
	queues_add(m, &m->begin);
	start = m->mark.now;
	for (;;) {
		nsec_t done = m->samples[flip].now - start;

		if (done >= length)
			break;
		if (progress && !progress(userdata, (double)done / (double)length))
			return -EINTR;
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		r = measure_step(m, &flip, done + SAMPLE_NS + SAMPLE_NS / 2 >= length);
		if (r < 0)
			return r;
	}
	total_end(m);
	conclude(m);
	return 0;
}

int measure_run(struct measure *m, double duration_s, advise_progress progress, void *userdata)
{
	const struct backend_ops *ops = m->backend->ops;
	int r;

	m->rates.packet_cpu.by = CPU_TIME_BY_NONE;
	if (ops->details)
		ops->details(m->backend, m->nic, true);
	r = run(m, duration_s, progress, userdata);
	if (ops->details)
		ops->details(m->backend, m->nic, false);
	return r;
}

struct measure *measure_new(struct backend *b, struct advice *a, const struct policy *p)
{
	struct measure *m = calloc(1, sizeof(*m));
	struct machine_facts facts;
	struct mech_context c = { .nic = &a->nic,
				  .caps = &a->caps,
				  .rest = &a->current,
				  .policy = p,
				  .quirk = &a->quirk,
				  .facts = &facts };

	if (!m)
		return NULL;
	m->backend = b;
	m->nic = &a->nic;
	machine_facts_read(&facts);
	m->n_lanes = mech_choose(&c, m->lanes, a->message);
	for (unsigned i = 0; i < m->n_lanes; i++) {
		m->model[i] = m->lanes[i].ctl.model;
		m->interval[i] = mech_interval(&m->lanes[i], &a->current);
	}
	return m;
}

double measure_lane_polls(const struct measure *m, unsigned lane)
{
	const struct lane_sums *s = &m->sums[lane];

	return s->polls_s > 0 ? s->polls / s->polls_s : -1;
}

double measure_polls(const struct measure *m)
{
	for (unsigned i = 0; i < m->n_lanes; i++)
		if (m->lanes[i].dir == QUEUE_RX && m->sums[i].polls_s > 0)
			return measure_lane_polls(m, i);
	if (m->rates.have & SAMPLE_POLLS)
		return m->rates.polls_ps;
	if (m->rates.have & SAMPLE_IRQS && m->rates.interrupts_ps > 0)
		return m->rates.interrupts_ps;
	/* everybody's: an upper bound; threaded NAPI is not in it */
	return m->rates.have & SAMPLE_SOFTIRQ && !(m->rates.have & SAMPLE_NAPI_THREADS) ? m->rates.net_rx_ps : -1;
}

double measure_cpu(const struct measure *m)
{
	double measured = -1, by_model = -1;

	for (unsigned i = 0; i < m->n_lanes; i++) {
		const struct lane_sums *s = &m->sums[i];
		const struct model *model = &m->model[i];
		double polls = measure_lane_polls(m, i);

		if (s->cpu_s > 0)
			measured = fmax(measured, s->cpu / s->cpu_s);
		if (s->pps_s > 0 && polls >= 0)
			by_model = fmax(by_model, 0) + 1e-6 * (polls * model_poll_cost(model, m->interval[i]) +
							       s->pps / s->pps_s * model->b_usecs);
	}
	return measured >= 0 ? measured : by_model;
}

double measure_pps_error(const struct measure *m, unsigned lane)
{
	const struct lane_sums *s = &m->sums[lane];
	double mean, variance;

	if (s->n < 2 || s->pps <= 0)
		return 1;
	mean = s->pps / s->pps_s;
	variance = fmax(s->pps2 / s->pps_s - mean * mean, 0);
	return sqrt(variance / s->n) / mean;
}
