// SPDX-License-Identifier: GPL-2.0-or-later
/* controller-window: running means at one setting and what two of them say about each other. */
#include <math.h>

#include "core/controller-internal.h"

#define ERROR_FLOOR 0.003 /* relative: no measurement here is better than this */
#define RECENT 3.0
#define CPU_SAMPLES 5   /* CPU time comes in ticks: so many samples of it ... */
#define CPU_SHOWS 0.04  /* ... and so large a difference say something */
#define WAKEUP_SURE 0.6 /* part of what waking is thought to cost */
#define FEW_SAMPLES 3.0 /* a variance from few samples is itself uncertain: Student's t, roughly */

void window_reset(struct ctl_window *w, double interval_usecs)
{
	*w = (struct ctl_window){ .interval_usecs = interval_usecs };
}

void window_add(struct ctl_window *w, const struct ctl_input *in, double n_max)
{
	double d = in->pps - w->pps;

	if (w->n < n_max)
		w->n++;
	w->pps += d / w->n;
	w->recent_pps += (in->pps - w->recent_pps) / fmin(w->n, RECENT);
	w->variance += ((in->pps - w->pps) * d - w->variance) / w->n;
	if (in->have_polls) {
		if (w->polls_n < n_max)
			w->polls_n++;
		w->polls_ps += (in->polls_ps - w->polls_ps) / w->polls_n;
	}
	if (in->have_cpu) {
		if (w->cpu_n < n_max)
			w->cpu_n++;
		w->cpu_ratio += (in->cpu_ratio - w->cpu_ratio) / w->cpu_n;
	}
}

struct ctl_window window_pool(const struct ctl_window *a, const struct ctl_window *b)
{
	struct ctl_window w = *b;

	w.n = 2 * fmin(a->n, b->n);
	w.pps = (a->pps + b->pps) / 2;
	w.variance = (a->variance + b->variance) / 2;
	return w;
}

double window_polls_ps(const struct model *m, const struct ctl_window *w)
{
	return w->polls_n > 0 ? w->polls_ps : model_polls_ps(m, w->interval_usecs);
}

static double relative_variance(const struct ctl_window *w, double mean)
{
	double few = 1 + FEW_SAMPLES / w->n;

	return fmax(w->variance * few * few, w->noise_pps * w->noise_pps) / w->n / (mean * mean);
}

double window_change(const struct ctl_window *a, const struct ctl_window *b, double *ret_error)
{
	double ma = fmax(a->pps, 1), mb = fmax(b->pps, 1);

	*ret_error = sqrt(relative_variance(a, ma) + relative_variance(b, mb)) + ERROR_FLOOR;
	return log(mb / ma);
}

double window_error(const struct ctl_window *w)
{
	double error;

	window_change(w, w, &error);
	return error;
}

double window_trend(const struct ctl_window *w)
{
	return log(fmax(w->recent_pps, 1) / fmax(w->pps, 1));
}

bool window_clear(double change, double error)
{
	return fabs(change) > CTL_SPEED_UP && fabs(change) > 2 * CTL_SIGMAS * error;
}

/* CPU of b over a. Polls count exactly and show nothing but this target; CPU time comes in ticks and may hold other
 * work. */
static double more_cpu(const struct model *m, const struct ctl_window *a, const struct ctl_window *b)
{
	double polls_a = model_poll_cost(m, a->interval_usecs) * window_polls_ps(m, a);
	double polls_b = model_poll_cost(m, b->interval_usecs) * window_polls_ps(m, b);

	if (!(a->polls_n > 0 && b->polls_n > 0) && a->cpu_n > 0 && b->cpu_n > 0)
		return b->cpu_ratio - a->cpu_ratio;
	return (polls_b - polls_a + m->b_usecs * (b->pps - a->pps)) / 1e6;
}

/* What a poll costs at most, by the CPU time of two settings at the rate of a. No counter shows what waking costs, but
 * where polls are cheaper than expected, the CPU is faster. With a pause or deferral polls do not cost the same at both
 * settings. */
static double poll_cost_most(const struct model *m, const struct ctl_window *a, const struct ctl_window *b, double rate)
{
	const struct cost_prior *prior = &m->limits.prior;
	double cpu = a->cpu_ratio - b->cpu_ratio * rate, polls = (a->polls_ps - b->polls_ps * rate) / 1e6;

	if (m->limits.kind != MECH_TIMER || a->cpu_n < CPU_SAMPLES || b->cpu_n < CPU_SAMPLES || cpu < CPU_SHOWS ||
	    polls <= 0 || !m->limits.learn_costs)
		return INFINITY;
	return cpu / polls + WAKEUP_SURE * prior->wakeup_usecs * fmin(cpu / polls / prior->a_usecs, 1);
}

double window_saving(const struct model *m, const struct ctl_window *a, const struct ctl_window *b)
{
	double rate = a->pps / fmax(b->pps, 1), most = poll_cost_most(m, a, b, rate);
	double polls_a = fmin(model_poll_cost(m, a->interval_usecs), most) * a->polls_ps;
	double polls_b = fmin(model_poll_cost(m, b->interval_usecs), most) * b->polls_ps * rate;

	return m->cpu_price * m->w_cpu * (polls_a - polls_b) / 1e6 -
	       model_price(m) * (b->interval_usecs - a->interval_usecs);
}

double window_gain(const struct model *m, const struct ctl_window *a, const struct ctl_window *b)
{
	double change = b->pps - a->pps, top = fmax(a->pps, b->pps);

	if (top < 1)
		return 0;
	/* a CPU target raises the price of CPU; here delay gets cheaper instead, so that throughput keeps its worth */
	return m->minding * change / top - m->w_cpu * more_cpu(m, a, b) -
	       model_price(m) / m->cpu_price * (b->interval_usecs - a->interval_usecs);
}
