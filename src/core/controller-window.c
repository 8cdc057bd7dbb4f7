// SPDX-License-Identifier: GPL-2.0-or-later
/* controller-window: running means at one setting and what two of them say about each other. */
#include <math.h>

#include "core/controller-internal.h"

#define ERROR_FLOOR 0.003 /* relative: no measurement here is better than this */
#define RECENT 3.0
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

double window_saving(const struct model *m, const struct ctl_window *a, const struct ctl_window *b)
{
	double polls_a = model_poll_cost(m, a->interval_usecs) * a->polls_ps, rate = a->pps / fmax(b->pps, 1);
	double polls_b = model_poll_cost(m, b->interval_usecs) * b->polls_ps * rate;

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
