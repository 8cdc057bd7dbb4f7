// SPDX-License-Identifier: GPL-2.0-or-later
/* simrun-tape: see simrun-tape.h. Besides the steps of each run it keeps the simulator's whole state (one block of
 * memory) every few steps, to go on from. */
#include "engine/simrun-tape.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SHOT_STEPS 40UL
#define SHOTS_BYTES_MAX (160UL << 20) /* then no more are kept, and a run that parts starts further back */

struct trace { /* one run */
	double interval_usecs; /* at the start */
	unsigned frames;
	struct simrun_step *step;
	unsigned long n, size;
	void **shot; /* after step (i + 1) * SHOT_STEPS; NULL = none; owned by the tape */
	bool matches; /* the present run until now */
};

struct simrun_tape {
	struct nicsim_config cfg;
	struct sim_profile profile;
	struct simload load;
	double step_s;
	unsigned long window_steps;
	size_t size;
	void *mem, **shots;
	struct nicsim *sim;
	struct trace *trace;
	size_t n_traces, n_shots;
	size_t now; /* the trace that is followed, or written */
	bool live;
	unsigned long at; /* steps done */
	unsigned long steps, simulated;
};

struct simrun_tape *simrun_tape_new(const struct nicsim_config *cfg, double step_s, unsigned long window_steps)
{
	struct simrun_tape *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->profile = *cfg->profile;
	t->load = *cfg->load;
	t->cfg = *cfg;
	t->cfg.profile = &t->profile;
	t->cfg.load = &t->load;
	t->cfg.poll_done = NULL;
	t->step_s = step_s;
	t->window_steps = window_steps;
	t->size = nicsim_size(&t->cfg);
	t->mem = malloc(t->size);
	if (!t->mem) {
		free(t);
		return NULL;
	}
	return t;
}

void simrun_tape_free(struct simrun_tape *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_traces; i++) {
		free(t->trace[i].step);
		free(t->trace[i].shot);
	}
	for (size_t i = 0; i < t->n_shots; i++)
		free(t->shots[i]);
	free(t->shots);
	free(t->trace);
	free(t->mem);
	free(t);
}

bool simrun_tape_fits(const struct simrun_tape *t, const struct nicsim_config *cfg, double step_s,
		      unsigned long window_steps)
{
	return t->step_s == step_s && t->window_steps == window_steps && t->cfg.seed == cfg->seed &&
	       t->cfg.steal_ratio == cfg->steal_ratio && cfg->queues <= 1 && !strcmp(t->load.name, cfg->load->name) &&
	       !strcmp(t->profile.name, cfg->profile->name) && t->profile.mech == cfg->profile->mech;
}

/* Of those that have done the same until now the longest; n_traces: none. */
static size_t longest(const struct simrun_tape *t)
{
	size_t best = t->n_traces;

	for (size_t i = 0; i < t->n_traces; i++)
		if (t->trace[i].matches && (best == t->n_traces || t->trace[i].n > t->trace[best].n))
			best = i;
	return best;
}

static struct trace *add_trace(struct simrun_tape *t)
{
	struct trace *p = realloc(t->trace, (t->n_traces + 1) * sizeof(*p));

	if (!p)
		return NULL;
	t->trace = p;
	p[t->n_traces] = (struct trace){ 0 };
	return &p[t->n_traces++];
}

static int reserve(struct trace *tr, unsigned long n)
{
	unsigned long size = tr->size ? tr->size : 1024;
	struct simrun_step *step;
	void **shot;

	while (size < n)
		size *= 2;
	if (size == tr->size)
		return 0;
	step = realloc(tr->step, size * sizeof(*step));
	if (!step)
		return -ENOMEM;
	tr->step = step;
	shot = realloc(tr->shot, size / SHOT_STEPS * sizeof(*shot));
	if (!shot)
		return -ENOMEM;
	tr->shot = shot;
	for (unsigned long i = tr->size / SHOT_STEPS; i < size / SHOT_STEPS; i++)
		shot[i] = NULL;
	tr->size = size;
	return 0;
}

static void keep_shot(struct simrun_tape *t, struct trace *tr)
{
	void *copy, **p;

	if (t->at % SHOT_STEPS || (t->n_shots + 1) * t->size > SHOTS_BYTES_MAX)
		return;
	p = realloc(t->shots, (t->n_shots + 1) * sizeof(*p));
	if (!p)
		return;
	t->shots = p;
	copy = malloc(t->size);
	if (!copy)
		return;
	memcpy(copy, t->mem, t->size);
	tr->shot[t->at / SHOT_STEPS - 1] = t->shots[t->n_shots++] = copy;
}

/* One step of the simulator; what was not asked for since the last window is thrown away with it. */
static void simulate(struct simrun_tape *t, unsigned long step, struct simrun_step *ret)
{
	nicsim_run(t->sim, (double)step * t->step_s * 1e6);
	nicsim_counters(t->sim, -1, &ret->n);
	ret->phase = nicsim_phase(t->sim);
	ret->delays = (struct nicsim_delays){ 0 };
	if (step % t->window_steps == 0)
		nicsim_delays(t->sim, &ret->delays);
	t->simulated++;
}

/* To where trace tr is after t->at steps, its settings of then included. */
static void catch_up(struct simrun_tape *t, const struct trace *tr)
{
	unsigned long i = t->at ? (t->at - 1) / SHOT_STEPS : 0;
	struct simrun_step unused;

	while (i && !tr->shot[i - 1])
		i--;
	if (i)
		memcpy(t->mem, tr->shot[i - 1], t->size);
	t->cfg.interval_usecs = tr->interval_usecs;
	t->cfg.frames = tr->frames;
	t->sim = i ? t->mem : nicsim_init(t->mem, &t->cfg);
	for (i = i * SHOT_STEPS + 1; i <= t->at; i++) {
		simulate(t, i, &unused);
		nicsim_set(t->sim, -1, tr->step[i - 1].interval_usecs, tr->step[i - 1].frames);
	}
}

/* The present run parts from trace t->now: from here on it has one of its own. */
static int part(struct simrun_tape *t, double interval_usecs, unsigned frames)
{
	struct trace *tr = add_trace(t);
	const struct trace *like = &t->trace[t->now];
	int r = tr ? reserve(tr, t->at + 1) : -ENOMEM;

	if (r < 0)
		return r;
	t->now = t->n_traces - 1;
	t->live = true;
	tr->interval_usecs = t->at ? like->interval_usecs : interval_usecs;
	tr->frames = t->at ? like->frames : frames;
	tr->n = t->at;
	if (t->at) {
		memcpy(tr->step, like->step, t->at * sizeof(*tr->step));
		for (unsigned long i = 0; i < (t->at - 1) / SHOT_STEPS; i++)
			tr->shot[i] = like->shot[i];
		tr->step[t->at - 1].interval_usecs = interval_usecs;
		tr->step[t->at - 1].frames = frames;
	}
	catch_up(t, tr);
	return 0;
}

int simrun_tape_begin(struct simrun_tape *t, double interval_usecs, unsigned frames)
{
	t->at = 0;
	for (size_t i = 0; i < t->n_traces; i++)
		t->trace[i].matches =
			t->trace[i].interval_usecs == interval_usecs && t->trace[i].frames == frames;
	t->now = longest(t);
	t->live = false;
	return t->now < t->n_traces ? 0 : part(t, interval_usecs, frames);
}

int simrun_tape_advance(struct simrun_tape *t, struct simrun_step *ret)
{
	struct trace *tr = &t->trace[t->now];
	int r = 0;

	t->steps++;
	if (!t->live && tr->n > t->at) {
		*ret = tr->step[t->at++];
		return 0;
	}
	if (!t->live)
		r = part(t, t->at ? tr->step[t->at - 1].interval_usecs : tr->interval_usecs,
			 t->at ? tr->step[t->at - 1].frames : tr->frames);
	tr = &t->trace[t->now];
	if (r == 0)
		r = reserve(tr, t->at + 1);
	if (r < 0)
		return r;
	simulate(t, ++t->at, &tr->step[tr->n]);
	*ret = tr->step[tr->n++];
	return 0;
}

int simrun_tape_set(struct simrun_tape *t, double interval_usecs, unsigned frames)
{
	struct trace *tr = &t->trace[t->now];
	size_t other;

	if (t->live) {
		tr->step[t->at - 1].interval_usecs = interval_usecs;
		tr->step[t->at - 1].frames = frames;
		nicsim_set(t->sim, -1, interval_usecs, frames);
		keep_shot(t, tr);
		return 0;
	}
	for (size_t i = 0; i < t->n_traces; i++) {
		struct trace *k = &t->trace[i];

		k->matches = k->matches && k->n >= t->at && k->step[t->at - 1].interval_usecs == interval_usecs &&
			     k->step[t->at - 1].frames == frames;
	}
	other = longest(t);
	if (other == t->n_traces)
		return part(t, interval_usecs, frames);
	t->now = other;
	return 0;
}

void simrun_tape_count(const struct simrun_tape *t, unsigned long *ret_steps, unsigned long *ret_simulated)
{
	*ret_steps = t->steps;
	*ret_simulated = t->simulated;
}
