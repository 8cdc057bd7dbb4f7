// SPDX-License-Identifier: GPL-2.0-or-later
/* simrun-score: the grid of fixed intervals, the oracle, utilities. Phases of one load are judged by the same seconds
 * of all runs; the first window of a phase belongs to the one before. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/simrun.h"

#define DROP_WEIGHT 10.0
#define CONVERGED 0.02
#define ORACLE_LEAST 0.3
#define GRID_PHASE_S 10.0 /* what a fixed setting does in a phase shows sooner than what a controller does */

/* clang-format off */
static const double grid_usecs[] = {
	0, 2, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32, 40, 48,
	56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 450, 500,
};
/* clang-format on */

static bool wanders(const struct simload *l)
{
	for (unsigned i = 0; i < l->n_sources; i++)
		if (l->source[i].sigma > 0)
			return true;
	return false;
}

static bool overloads(const struct simload *l)
{
	for (unsigned i = 0; i < l->n_sources; i++)
		if (l->source[i].of_capacity > 0)
			return true;
	return false;
}

double simrun_seconds(const struct sim_profile *p, const struct simload *l)
{
	double period_s = simload_period_usecs(l) / 1e6;

	if (l->changing)
		return p->fast ? fmax(40, period_s) : fmax(120, 2 * period_s);
	if (overloads(l)) /* many packets, nothing to find out */
		return p->fast ? 8 : 15;
	return p->fast ? 40 : 120;
}

static double grid_seconds(const struct sim_profile *p, const struct simload *l)
{
	double sum_s = 0;

	if (l->changing) {
		for (unsigned i = 0; i < l->n_phases; i++)
			sum_s += fmin(GRID_PHASE_S, l->phase_usecs[i] / 1e6);
		return sum_s;
	}
	if (wanders(l) || overloads(l)) /* its rate is not the same at all times: compare like with like */
		return simrun_seconds(p, l);
	return p->fast ? 3 : 6;
}

static double total(const double per_class[SIMLOAD_CLASSES])
{
	double sum = 0;

	for (int i = 0; i < SIMLOAD_CLASSES; i++)
		sum += per_class[i];
	return sum;
}

/* Windows of one phase, without the first one that has it when there are more than two. */
static size_t phase_windows(const struct simrun_result *r, unsigned phase, size_t *ret_skip)
{
	size_t n = 0, first = 0;

	for (size_t i = r->n; i-- > 0;)
		if (r->windows[i].phase == phase) {
			n++;
			first = i;
		}
	*ret_skip = n > 2 ? first : r->n;
	return n > 2 ? n - 1 : n;
}

static void take_best(struct simrun_grid *g, const struct simrun_result *r, unsigned phase)
{
	size_t skip, n = phase_windows(r, phase, &skip);
	double delivered[SIMLOAD_CLASSES] = { 0 }, p99 = 0, drops = 0, offered = 0;

	if (!n)
		return;
	for (size_t i = 0; i < r->n; i++) {
		const struct simrun_window *w = &r->windows[i];

		if (w->phase != phase)
			continue;
		if (i == skip)
			continue;
		drops += w->drops;
		offered += total(w->offered);
		p99 += w->p99_usecs / (double)n;
		for (int c = 0; c < SIMLOAD_CLASSES; c++)
			delivered[c] += w->delivered[c] / (double)n;
	}
	for (int c = 0; c < SIMLOAD_CLASSES; c++)
		g->delivered[phase][c] = fmax(g->delivered[phase][c], delivered[c]);
	g->p99_usecs[phase] = fmin(g->p99_usecs[phase], p99);
	g->drop_ratio[phase] = fmin(g->drop_ratio[phase], drops / fmax(1, offered));
}

static int grid_run(const struct simrun_config *like, double seconds, struct simrun_grid *g)
{
	struct simrun_config cfg = { .profile = like->profile,
				     .load = like->load,
				     .seed = like->seed,
				     .seconds = seconds,
				     .phase_max_s = g->load.changing ? GRID_PHASE_S : 0,
				     .steal_ratio = like->steal_ratio,
				     .queues = like->queues,
				     .one_cpu = like->one_cpu,
				     .sample_s = 1,
				     .window_s = 1 };
	int r;

	policy_default(&cfg.policy);
	for (size_t i = 0; i < g->n; i++) {
		char text[32];

		snprintf(text, sizeof(text), "fixed:%g", g->interval_usecs[i]);
		cfg.contender = text;
		r = simrun(&cfg, &g->results[i]);
		if (r < 0)
			return r;
		for (unsigned phase = 0; phase < g->load.n_phases; phase++)
			take_best(g, &g->results[i], phase);
	}
	return 0;
}

int simrun_grid(const struct sim_profile *p, const char *load, uint64_t seed, double steal_ratio, double max_usecs,
		struct simrun_grid *ret)
{
	struct simrun_config like = { .profile = p, .load = load, .seed = seed, .steal_ratio = steal_ratio };

	return simrun_grid_like(&like, max_usecs, ret);
}

int simrun_grid_like(const struct simrun_config *like, double max_usecs, struct simrun_grid *ret)
{
	const struct sim_profile *p = like->profile;
	struct simrun_grid g = { 0 };
	size_t n = sizeof(grid_usecs) / sizeof(*grid_usecs);
	int r = simload_build(like->load, p, &g.load);

	if (r < 0)
		return r;
	g.interval_usecs = calloc(n + 1, sizeof(*g.interval_usecs));
	g.results = calloc(n + 1, sizeof(*g.results));
	for (unsigned i = 0; i < SIMLOAD_PHASES_MAX; i++)
		g.p99_usecs[i] = g.drop_ratio[i] = 1e9;
	if (!g.interval_usecs || !g.results) {
		r = -ENOMEM;
	} else {
		for (size_t i = 0; i < n; i++) {
			double usecs = grid_usecs[i];

			if (p->min_on_usecs > 0 && g.n && !(g.interval_usecs[g.n - 1] > 0))
				usecs = fmax(usecs, p->min_on_usecs); /* its shortest is one of them */
			if (p->step_usecs > 1) /* what the device would make of it */
				usecs = floor(usecs / p->step_usecs + 0.5) * p->step_usecs;
			if (usecs > 0 &&
			    (usecs < p->min_on_usecs || usecs + p->floor_usecs > max_usecs || usecs > p->max_usecs))
				continue;
			if (g.n == 0 || usecs > g.interval_usecs[g.n - 1])
				g.interval_usecs[g.n++] = usecs;
		}
		r = grid_run(like, grid_seconds(p, &g.load), &g);
	}
	if (r < 0)
		simrun_grid_free(&g);
	else
		*ret = g;
	return r;
}

void simrun_grid_free(struct simrun_grid *g)
{
	if (g->results)
		for (size_t i = 0; i < g->n; i++)
			simrun_free(&g->results[i]);
	free(g->results);
	free(g->interval_usecs);
	*g = (struct simrun_grid){ 0 };
}

/* 1 = all; the mean over the classes that the phase has. */
static double throughput(const struct simrun_grid *g, const struct simrun_window *w)
{
	double sum[SIMLOAD_CLASSES];
	bool have[SIMLOAD_CLASSES] = { false };
	double all = 0;
	int n = 0;

	for (unsigned i = 0; i < g->load.n_sources; i++) {
		const struct simload_source *s = &g->load.source[i];
		unsigned c = s->load_class;
		double best = simload_is_open(s) ? fmax(1, w->offered[c]) : g->delivered[w->phase][c];

		if (s->phase != w->phase || have[c])
			continue;
		have[c] = true;
		sum[c] = best > 0 ? w->delivered[c] / best : 1;
		if (simload_is_open(s))
			sum[c] = fmin(sum[c], 1.02); /* what was left over from the window before */
	}
	for (int c = 0; c < SIMLOAD_CLASSES; c++)
		if (have[c]) {
			all += sum[c];
			n++;
		}
	return n ? all / n : 1;
}

double simrun_utility(const struct simrun_grid *g, const struct policy *policy, const struct simrun_window *w)
{
	const struct mode_desc *mode = &mode_table[policy->mode];
	double drops = w->drops / fmax(1, total(w->offered)) - g->drop_ratio[w->phase];
	double delay = w->p99_usecs - g->p99_usecs[w->phase];

	return throughput(g, w) - mode->w_cpu * (w->cpu_ratio + w->wakeup_ratio) -
	       mode->w_lat * fmax(0, delay) / policy_cap_usecs(policy) - DROP_WEIGHT * fmax(0, drops);
}

double simrun_mean_utility(const struct simrun_grid *g, const struct policy *policy, const struct simrun_result *r)
{
	double sum = 0;

	for (size_t i = 0; i < r->n; i++)
		sum += simrun_utility(g, policy, &r->windows[i]);
	return r->n ? sum / (double)r->n : 0;
}

double simrun_oracle(const struct simrun_grid *g, const struct policy *policy, double floor_usecs,
		     double best_usecs[SIMLOAD_PHASES_MAX])
{
	double sum = 0, all = 0, cap = policy_cap_usecs(policy);

	for (unsigned phase = 0; phase < g->load.n_phases; phase++) {
		double best = -1e9;
		size_t skip, n = phase_windows(&g->results[0], phase, &skip), windows = n + (skip < g->results[0].n);

		for (size_t i = 0; i < g->n; i++) {
			double u = 0;

			if (g->interval_usecs[i] > 0 && g->interval_usecs[i] + floor_usecs > cap)
				break;
			for (size_t k = 0; k < g->results[i].n; k++)
				if (k != skip && g->results[i].windows[k].phase == phase)
					u += simrun_utility(g, policy, &g->results[i].windows[k]) / (double)n;
			if (n && u > best) {
				best = u;
				best_usecs[phase] = g->interval_usecs[i];
			}
		}
		if (n) {
			sum += best * (double)windows;
			all += (double)windows;
		}
	}
	return all > 0 ? sum / all : 0;
}

double simrun_converged_s(const struct simrun_grid *g, const struct policy *policy, const struct simrun_result *r)
{
	double final = 0;
	size_t tail = r->n / 4 > 3 ? r->n / 4 : 3;

	if (r->n < 2 * tail)
		return 0;
	for (size_t i = r->n - tail; i < r->n; i++)
		final += simrun_utility(g, policy, &r->windows[i]) / (double)tail;
	for (size_t i = 0; i + 3 <= r->n; i++) {
		double u = 0;

		for (size_t k = i; k < i + 3; k++)
			u += simrun_utility(g, policy, &r->windows[k]) / 3;
		if (fabs(u - final) < CONVERGED || u > final)
			return r->windows[i].end_s;
	}
	return r->windows[r->n - 1].end_s;
}

double simrun_of_oracle(double utility, double oracle)
{
	return 1 + (utility - oracle) / fmax(oracle, ORACLE_LEAST);
}

void simrun_summarize(const struct simrun_grid *g, const struct policy *policy, double oracle,
		      const struct simrun_result *r, struct simrun_summary *ret)
{
	struct simrun_summary s = { .utility = simrun_mean_utility(g, policy, r), .changes = r->changes };
	double drops = 0, offered = 0, n = r->n ? (double)r->n : 1;

	s.of_oracle = simrun_of_oracle(s.utility, oracle);
	for (size_t i = 0; i < r->n; i++) {
		const struct simrun_window *w = &r->windows[i];

		s.delivered_ps += total(w->delivered) / n;
		s.bytes_ps += w->bytes / n;
		s.cpu_ratio += w->cpu_ratio / n;
		s.host_ratio += w->host_ratio / n;
		s.interrupts_ps += w->interrupts / n;
		s.mean_usecs += w->mean_usecs / n;
		s.p99_usecs += w->p99_usecs / n;
		s.interval_usecs += w->interval_usecs / n;
		drops += w->drops;
		offered += total(w->offered);
	}
	s.drop_ratio = drops / fmax(1, offered);
	s.changes_per_min = r->late_s > 0 ? r->changes_late / r->late_s * 60 : 0;
	s.converged_s = simrun_converged_s(g, policy, r);
	*ret = s;
}
