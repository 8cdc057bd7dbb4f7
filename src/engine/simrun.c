// SPDX-License-Identifier: GPL-2.0-or-later
/* simrun: the run itself: simulated time, samples as the daemon would take them, windows of results. */
#include "engine/simrun.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SETTLED_S 10.0 /* changes after this are "late" */
#define SPIKE 10.0

struct run {
	const struct simrun_config *cfg;
	struct sim_profile profile;
	struct nicsim *sim;	  /* NULL: it is on tape, */
	struct simrun_tape *tape; /* at this step */
	struct simrun_step step;
	struct contender contender[NICSIM_QUEUES_MAX];
	unsigned queues;
	struct nicsim_counters sampled[NICSIM_QUEUES_MAX], windowed;
	double sampled_s, windowed_s, interval_sum, interval_since_s;
	unsigned changes;
	uint64_t noise;
	struct simrun_result *result;
};

static double noisy(struct run *r)
{
	uint64_t z = r->noise += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return 1 + r->cfg->noise_ratio * (2 * (double)(z >> 11) * 0x1p-53 - 1);
}

/* The interval that was in force until now, for the mean of the window. */
static void interval_account(struct run *r, double now_s)
{
	r->interval_sum += r->contender[0].interval_usecs * (now_s - r->interval_since_s);
	r->interval_since_s = now_s;
}

static void note_change(struct run *r, unsigned queue, double now_s)
{
	struct simrun_result *res = r->result;
	double usecs = r->contender[queue].interval_usecs;

	if (r->sim)
		nicsim_set(r->sim, (int)queue, usecs, r->contender[queue].frames);
	r->changes++;
	res->changes++;
	res->last_change_s = now_s;
	if (now_s > SETTLED_S)
		res->changes_late++;
	if (usecs > 0 && (res->shortest_on_usecs <= 0 || usecs < res->shortest_on_usecs))
		res->shortest_on_usecs = usecs;
}

static void on_poll(void *ctx, struct nicsim *sim, const struct nicsim_poll *poll)
{
	struct run *r = ctx;
	double before = r->contender[poll->queue].interval_usecs;

	(void)sim;
	if (!contender_poll(&r->contender[poll->queue], poll))
		return;
	if (poll->queue == 0)
		r->interval_sum += before * (poll->now_usecs / 1e6 - r->interval_since_s);
	if (poll->queue == 0)
		r->interval_since_s = poll->now_usecs / 1e6;
	note_change(r, poll->queue, poll->now_usecs / 1e6);
}

static void counters(const struct run *r, int queue, struct nicsim_counters *ret)
{
	if (r->sim)
		nicsim_counters(r->sim, queue, ret);
	else
		*ret = r->step.n;
}

static double total(const double per_class[SIMLOAD_CLASSES])
{
	double sum = 0;

	for (int i = 0; i < SIMLOAD_CLASSES; i++)
		sum += per_class[i];
	return sum;
}

static double cpu_ratio(const struct run *r, const struct nicsim_counters *a, const struct nicsim_counters *b,
			double dt_s)
{
	double tick = r->cfg->tick_s * 1e6;

	if (tick > 0)
		return (floor(b->busy_usecs / tick) - floor(a->busy_usecs / tick)) * tick / 1e6 / dt_s;
	return (b->busy_usecs - a->busy_usecs) / 1e6 / dt_s;
}

/* What the daemon would have measured of one queue since its last sample. */
static struct ctl_input input_of(struct run *r, unsigned queue, double now_s, bool spike)
{
	struct nicsim_counters n, *old = &r->sampled[queue];
	double dt = now_s - r->sampled_s, load = noisy(r) * (spike ? SPIKE : 1), work = noisy(r) * (spike ? SPIKE : 1),
	       cpu = noisy(r);
	bool deferral = r->profile.mech == SIM_DEFERRAL;
	struct ctl_input in = { .now_s = now_s, .dt_s = dt };

	counters(r, (int)queue, &n);
	in.pps = (total(n.delivered) - total(old->delivered)) / dt * load;
	in.bytes_ps = (n.bytes - old->bytes) / dt * load;
	in.polls_ps = (deferral ? n.polls - old->polls : n.interrupts - old->interrupts) / dt * work;
	in.empty_polls_ps = (n.empty_polls - old->empty_polls) / dt * work;
	in.cpu_ratio = cpu_ratio(r, old, &n, dt) * cpu;
	in.drops_ps = (n.drops - old->drops) / dt;
	in.steal_ratio = (n.steal_usecs - old->steal_usecs) / 1e6 / dt;
	in.have_pps = !(r->cfg->hide & SIMRUN_HIDE_PPS);
	in.have_polls = !(r->cfg->hide & SIMRUN_HIDE_POLLS);
	in.have_empty = in.have_polls && deferral;
	in.have_cpu = !(r->cfg->hide & SIMRUN_HIDE_CPU);
	in.have_drops = !(r->cfg->hide & SIMRUN_HIDE_DROPS);
	*old = n;
	return in;
}

static void sample(struct run *r, double now_s)
{
	bool spike = r->cfg->spike_at_s > 0 && r->sampled_s < r->cfg->spike_at_s && now_s >= r->cfg->spike_at_s;

	interval_account(r, now_s);
	for (unsigned q = 0; q < r->queues; q++) {
		struct ctl_input in = input_of(r, q, now_s, spike);
		bool changed = contender_step(&r->contender[q], &in);

		if (changed)
			note_change(r, q, now_s);
		if (r->cfg->observe)
			r->cfg->observe(r->cfg->ctx, &in, &r->contender[q], changed);
		if (now_s > 0.2)
			r->result->longest_usecs =
				fmax(r->result->longest_usecs,
				     r->contender[q].interval_usecs > 0
					     ? r->contender[q].interval_usecs + r->profile.floor_usecs
					     : 0);
	}
	r->sampled_s = now_s;
}

static void window(struct run *r, double now_s)
{
	struct simrun_window *w = &r->result->windows[r->result->n++];
	struct nicsim_counters n, *old = &r->windowed;
	double dt = now_s - r->windowed_s;

	interval_account(r, now_s);
	counters(r, -1, &n);
	if (r->sim) {
		nicsim_delays(r->sim, &r->step.delays);
		r->step.phase = nicsim_phase(r->sim);
	}
	*w = (struct simrun_window){ .end_s = now_s, .phase = r->step.phase, .changes = r->changes };
	for (int i = 0; i < SIMLOAD_CLASSES; i++) {
		w->offered[i] = (n.offered[i] - old->offered[i]) / dt;
		w->delivered[i] = (n.delivered[i] - old->delivered[i]) / dt;
	}
	w->drops = (n.drops - old->drops) / dt;
	w->bytes = (n.bytes - old->bytes) / dt;
	w->cpu_ratio = (n.busy_usecs - old->busy_usecs) / dt / 1e6;
	w->host_ratio = w->cpu_ratio + (n.other_usecs - old->other_usecs) / dt / 1e6;
	/* whatever else the receivers did was work on packets */
	w->wakeup_ratio = fmax(0, w->host_ratio - w->cpu_ratio -
					  r->profile.app_usecs * total(w->delivered) / 1e6);
	w->interrupts = (n.interrupts - old->interrupts) / dt;
	w->polls = (n.polls - old->polls) / dt;
	w->empty_polls = (n.empty_polls - old->empty_polls) / dt;
	w->mean_usecs = r->step.delays.mean_usecs;
	w->p99_usecs = r->step.delays.p99_usecs;
	w->interval_usecs = r->interval_sum / dt;
	*old = n;
	r->interval_sum = 0;
	r->windowed_s = now_s;
	r->changes = 0;
}

static int contenders(struct run *r)
{
	const struct simrun_config *cfg = r->cfg;
	int res = 0;

	for (unsigned q = 0; q < r->queues && res == 0; q++)
		res = contender_init(&r->contender[q], cfg->contender, &r->profile, &cfg->policy, cfg->start_usecs,
				     cfg->start_frames);
	if (res == 0)
		r->profile.mech = contender_mech(r->contender[0].kind, r->profile.mech);
	return res;
}

/* The default may be above the cap: that is put right before the first sample. */
static void first_step(struct run *r)
{
	for (unsigned q = 0; q < r->queues; q++) {
		struct ctl_input none = { .skip = true };

		if (contender_step(&r->contender[q], &none) && r->sim)
			nicsim_set(r->sim, (int)q, r->contender[q].interval_usecs, r->contender[q].frames);
	}
}

/* Samples of a run, and how many make a window. */
static void steps_of(const struct simrun_config *cfg, double *ret_step_s, unsigned long *ret_n,
		     unsigned long *ret_every)
{
	double step = cfg->sample_s > 0 ? cfg->sample_s : 0.1, seconds = cfg->seconds > 0 ? cfg->seconds : 60;

	*ret_step_s = step;
	*ret_n = (unsigned long)(seconds / step + 0.5);
	*ret_every = (unsigned long)((cfg->window_s > 0 ? cfg->window_s : 1) / step + 0.5);
	if (*ret_every < 1)
		*ret_every = 1;
}

static int drive(struct run *r)
{
	unsigned long n, every;
	double step;
	int res = 0;

	steps_of(r->cfg, &step, &n, &every);
	for (unsigned long i = 1; i <= n && res == 0; i++) {
		if (r->sim)
			nicsim_run(r->sim, (double)i * step * 1e6);
		else
			res = simrun_tape_advance(r->tape, &r->step);
		if (res < 0)
			break;
		if (i % every == 0)
			window(r, (double)i * step);
		sample(r, (double)i * step);
		if (!r->sim)
			res = simrun_tape_set(r->tape, r->contender[0].interval_usecs, r->contender[0].frames);
	}
	r->result->late_s = fmax(0, (double)n * step - SETTLED_S);
	return res;
}

/* On the tape of cfg, if one is wanted and can be had. */
static int begin_tape(struct run *r, const struct nicsim_config *sim)
{
	struct simrun_tape **tape = r->cfg->tape;
	unsigned long n, every;
	double step;

	if (!tape || r->queues > 1 || contender_is_inside(r->contender[0].kind))
		return 0;
	steps_of(r->cfg, &step, &n, &every);
	if (!*tape)
		*tape = simrun_tape_new(sim, step, every);
	if (!*tape)
		return -ENOMEM;
	if (!simrun_tape_fits(*tape, sim, step, every))
		return 0;
	r->tape = *tape;
	first_step(r);
	return simrun_tape_begin(r->tape, r->contender[0].interval_usecs, r->contender[0].frames);
}

static int run(struct run *r)
{
	const struct simrun_config *cfg = r->cfg;
	struct nicsim_config sim = { .profile = &r->profile,
				     .load = &r->result->load,
				     .seed = cfg->seed,
				     .queues = r->queues,
				     .one_cpu = cfg->one_cpu,
				     .steal_ratio = cfg->steal_ratio,
				     .interval_usecs = r->contender[0].interval_usecs,
				     .frames = r->contender[0].frames,
				     .poll_done = on_poll,
				     .ctx = r };
	void *mem = NULL;
	int res = begin_tape(r, &sim);

	if (res == 0 && !r->tape) {
		mem = malloc(nicsim_size(&sim));
		if (!mem)
			return -ENOMEM;
		r->sim = nicsim_init(mem, &sim);
		first_step(r);
	}
	if (res == 0)
		res = drive(r);
	free(mem);
	return res;
}

int simrun(const struct simrun_config *cfg, struct simrun_result *ret)
{
	struct simrun_result result = { 0 };
	struct run *r = calloc(1, sizeof(*r));
	unsigned long n, every;
	double step;
	int res;

	if (!r)
		return -ENOMEM;
	*r = (struct run){ .cfg = cfg, .profile = *cfg->profile, .result = &result, .noise = cfg->seed + 99 };
	r->queues = cfg->queues < 1 ? 1 : cfg->queues > NICSIM_QUEUES_MAX ? NICSIM_QUEUES_MAX : cfg->queues;
	steps_of(cfg, &step, &n, &every);
	res = simload_build(cfg->load, &r->profile, &result.load);
	for (unsigned i = 0; i < result.load.n_phases && cfg->phase_max_s > 0; i++)
		result.load.phase_usecs[i] = fmin(result.load.phase_usecs[i], cfg->phase_max_s * 1e6);
	if (res == 0)
		res = contenders(r);
	if (res == 0) {
		result.windows = calloc(n / every + 1, sizeof(*result.windows));
		res = result.windows ? run(r) : -ENOMEM;
	}
	free(r);
	if (res < 0)
		simrun_free(&result);
	else
		*ret = result;
	return res;
}

void simrun_free(struct simrun_result *r)
{
	free(r->windows);
	r->windows = NULL;
	r->n = 0;
}
