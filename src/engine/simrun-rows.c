// SPDX-License-Identifier: GPL-2.0-or-later
/* simrun-rows: see simrun-rows.h; this file runs them. */
#include "engine/simrun-rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NOISE_RATIO 0.2
#define STEAL_RATIO 0.05
#define TICK_S 0.01
#define SPIKE_AT_S 30.05
#define VARIANT_SECONDS 40 /* and with other seeds, when the load is steady */
#define BRIEF_SECONDS 40
#define BRIEF_SECONDS_FAST 25
#define BRIEF_SKIP_S 10 /* at the start: allowed to settle, and more than it weighs in the complete form */
#define ENTRIES_MAX 16

const char *const simrun_variant_names[SIMRUN_VARIANT_COUNT] = {
#define VARIANT(id, name, what) [SIMRUN_##id] = name,
#include "engine/simrun-variants.def"
#undef VARIANT
};

struct rows {
	const struct simrun_job *job;
	const struct sim_profile *profile;
	struct simrun_grid grid;
	struct simrun_tape *tape, *stolen; /* runs with the job's seed; those with stolen time */
	simrun_emit emit;
	void *ctx;
	struct policy policy;
	double oracle, oracle_usecs[SIMLOAD_PHASES_MAX], oracle_drop_ratio, default_utility;
	double stolen_utility, stolen_drop_ratio;	     /* lost by the driver's own setting to stolen time */
	struct simrun_result by_default, fixed[ENTRIES_MAX]; /* of entries that no mode changes */
	struct simrun_result
		start[ENTRIES_MAX]; /* the entry's start, kept for ever: what a driver with that default does */
};

static const struct simrun_entry law_entry = { "law", -1, 0 }, default_entry = { "default", -1, 0 };

static bool is_law(const struct simrun_entry *e)
{
	return !strcmp(e->contender, contender_table[CONTENDER_LAW].name);
}

static bool depends_on_mode(const struct simrun_entry *e)
{
	return is_law(e) || !strcmp(e->contender, contender_table[CONTENDER_MAP].name) ||
	       !strcmp(e->contender, contender_table[CONTENDER_HILL].name);
}

static bool wanders(const struct simload *l)
{
	for (unsigned i = 0; i < l->n_sources; i++)
		if (l->source[i].sigma > 0)
			return true;
	return false;
}

static double drop_ratio(const struct simrun_result *r)
{
	double drops = 0, offered = 0;

	for (size_t i = r->n > 2; i < r->n; i++) { /* without the first: rings fill */
		drops += r->windows[i].drops;
		offered += r->windows[i].offered[0] + r->windows[i].offered[1];
	}
	return offered > 0 ? drops / offered : 0;
}

/* The most that the oracle's choices drop: by phase it is one of these runs. */
static void oracle_of_mode(struct rows *r)
{
	const struct simrun_grid *g = &r->grid;

	r->oracle = simrun_oracle(g, &r->policy, r->profile->floor_usecs, r->oracle_usecs);
	r->oracle_drop_ratio = 0;
	for (unsigned phase = 0; phase < g->load.n_phases; phase++)
		for (size_t i = 0; i < g->n; i++)
			if (g->interval_usecs[i] == r->oracle_usecs[phase] &&
			    drop_ratio(&g->results[i]) > r->oracle_drop_ratio)
				r->oracle_drop_ratio = drop_ratio(&g->results[i]);
}

static double seconds_of(const struct rows *r)
{
	double all = simrun_seconds(r->profile, &r->grid.load);
	double least = r->profile->fast ? BRIEF_SECONDS_FAST : BRIEF_SECONDS;

	if (!r->job->brief)
		return all;
	if (r->grid.load.changing) /* each phase at least once */
		least = fmax(least, simload_period_usecs(&r->grid.load) / 1e6);
	return fmin(all, least);
}

static struct simrun_config config(struct rows *r, const struct simrun_entry *e)
{
	return (struct simrun_config){
		.profile = r->profile,
		.load = r->job->load,
		.contender = e->contender,
		.policy = r->policy,
		.seconds = seconds_of(r),
		.sample_s = r->job->sample_s,
		.seed = r->job->seed,
		.tape = &r->tape,
		.start_usecs = e->start_usecs,
		.start_frames = e->start_frames,
	};
}

static void vary(struct simrun_config *cfg, enum simrun_variant variant)
{
	switch (variant) {
	case SIMRUN_NOISE: cfg->noise_ratio = NOISE_RATIO; break;
	case SIMRUN_STEAL: cfg->steal_ratio = STEAL_RATIO; break;
	case SIMRUN_SPIKE: cfg->spike_at_s = SPIKE_AT_S; break;
	case SIMRUN_TICKS: cfg->tick_s = TICK_S; break;
	case SIMRUN_NO_PPS: cfg->hide = SIMRUN_HIDE_PPS; break;
	case SIMRUN_NO_POLLS: cfg->hide = SIMRUN_HIDE_POLLS; break;
	case SIMRUN_NO_CPU: cfg->hide = SIMRUN_HIDE_CPU; break;
	case SIMRUN_NO_DROPS: cfg->hide = SIMRUN_HIDE_DROPS; break;
	case SIMRUN_CLEAN:
	case SIMRUN_SHORT:
	case SIMRUN_SEED:
	case SIMRUN_VARIANT_COUNT: break;
	}
	if (variant != SIMRUN_CLEAN && variant != SIMRUN_SEED)
		cfg->seconds = fmin(cfg->seconds, VARIANT_SECONDS);
}

static void emit_row(struct rows *r, const struct simrun_entry *e, enum simrun_variant variant, uint64_t seed,
		     const struct simrun_result *res)
{
	struct simrun_row out = {
		.profile = r->job->profile,
		.changing = r->grid.load.changing,
		.wanders = wanders(&r->grid.load),
		.is_law = is_law(e),
		.mode = r->policy.mode,
		.variant = variant,
		.seed = seed,
		.start_usecs = e->start_usecs,
		.start_frames = e->start_frames,
		.oracle = r->oracle,
		.oracle_drop_ratio = fmax(r->oracle_drop_ratio, r->stolen_drop_ratio),
		.default_of_oracle = simrun_of_oracle(r->default_utility, r->oracle),
		.n_phases = r->grid.load.n_phases,
		.cap_usecs = policy_cap_usecs(&r->policy),
		.min_on_usecs = r->profile->min_on_usecs,
	};

	memcpy(out.oracle_usecs, r->oracle_usecs, sizeof(out.oracle_usecs));
	snprintf(out.load, sizeof(out.load), "%s", r->job->load);
	snprintf(out.contender, sizeof(out.contender), "%s", e->contender);
	simrun_summarize(&r->grid, &r->policy, r->oracle, res, &out.sum);
	out.sum.utility += r->stolen_utility;
	out.sum.of_oracle = simrun_of_oracle(out.sum.utility, r->oracle);
	out.changed_late = res->changes_late;
	out.changes_allowed = (unsigned)ceil(res->late_s / 60) + (r->job->brief ? 2 : 0); /* a test and its end */
	if (out.is_law) { /* the others know no cap */
		out.longest_usecs = res->longest_usecs;
		out.shortest_on_usecs = res->shortest_on_usecs;
	}
	r->emit(r->ctx, &out);
}

static void skip_start(struct simrun_result *res)
{
	size_t n = 0;

	for (size_t i = 0; i < res->n; i++)
		if (res->windows[i].end_s > BRIEF_SKIP_S)
			res->windows[n++] = res->windows[i];
	res->n = n;
}

static int simulate(const struct rows *r, const struct simrun_config *cfg, struct simrun_result *ret)
{
	int err = simrun(cfg, ret);

	if (err == 0 && r->job->brief)
		skip_start(ret);
	return err;
}

/* Stolen time costs packets whatever the setting is: what it costs the driver's own setting is not held against the
 * law. */
static int steal_baseline(struct rows *r, const struct simrun_config *like)
{
	struct simrun_config cfg = *like;
	struct simrun_result res;
	double clean;
	int err;

	cfg.contender = default_entry.contender;
	err = simulate(r, &cfg, &res);
	if (err < 0)
		return err;
	r->stolen_utility = -simrun_mean_utility(&r->grid, &r->policy, &res);
	r->stolen_drop_ratio = drop_ratio(&res);
	simrun_free(&res);
	cfg.steal_ratio = 0;
	cfg.tape = &r->tape;
	err = simulate(r, &cfg, &res);
	if (err < 0)
		return err;
	clean = simrun_mean_utility(&r->grid, &r->policy, &res);
	r->stolen_utility += clean;
	simrun_free(&res);
	return 0;
}

static int row(struct rows *r, const struct simrun_entry *e, enum simrun_variant variant, uint64_t seed)
{
	struct simrun_config cfg = config(r, e);
	struct simrun_result res;
	int err;

	vary(&cfg, variant);
	cfg.seed = seed;
	if (seed != r->job->seed)
		cfg.tape = NULL;
	if (variant == SIMRUN_STEAL)
		cfg.tape = &r->stolen;
	if (variant == SIMRUN_SEED && !r->grid.load.changing)
		cfg.seconds = fmin(cfg.seconds, VARIANT_SECONDS);
	err = simulate(r, &cfg, &res);
	if (err < 0)
		return err;
	if (variant == SIMRUN_STEAL)
		err = steal_baseline(r, &cfg);
	if (err == 0)
		emit_row(r, e, variant, seed, &res);
	simrun_free(&res);
	r->stolen_utility = r->stolen_drop_ratio = 0;
	return err;
}

static int start_utility(struct rows *r, const struct simrun_entry *e, struct simrun_result *kept)
{
	struct simrun_config cfg = config(r, e);
	char text[40];
	int err = 0;

	snprintf(text, sizeof(text), "fixed:%g+%u", e->start_usecs, e->start_frames);
	cfg.contender = text;
	if (!kept->windows)
		err = simulate(r, &cfg, kept);
	if (err == 0)
		r->default_utility = simrun_mean_utility(&r->grid, &r->policy, kept);
	return err;
}

/* Entry i in the present mode; what no mode changes runs only once. */
static int entry_row(struct rows *r, unsigned i)
{
	const struct simrun_entry *e = &r->job->entries[i];
	struct simrun_config cfg = config(r, e);
	double by_default = r->default_utility;
	int err = 0;

	if (i >= ENTRIES_MAX)
		return -EINVAL;
	if (depends_on_mode(e)) {
		err = e->start_usecs < 0 ? 0 : start_utility(r, e, &r->start[i]);
		if (err == 0)
			err = row(r, e, SIMRUN_CLEAN, r->job->seed);
		r->default_utility = by_default;
		return err;
	}
	if (!r->fixed[i].windows)
		err = simulate(r, &cfg, &r->fixed[i]);
	if (err == 0)
		emit_row(r, e, SIMRUN_CLEAN, r->job->seed, &r->fixed[i]);
	return err;
}

static void use_mode(struct rows *r, enum mode mode)
{
	r->policy.mode = mode;
	r->default_utility = simrun_mean_utility(&r->grid, &r->policy, &r->by_default);
	oracle_of_mode(r);
}

static int rows_of_mode(struct rows *r)
{
	int err = 0;

	for (unsigned i = 0; i < r->job->n_entries && err == 0; i++)
		if (!r->job->changing_only || r->grid.load.changing || i < r->job->changing_only)
			err = entry_row(r, i);
	if (r->job->variant_modes & 1U << r->policy.mode)
		for (int v = SIMRUN_SHORT; v < SIMRUN_SEED && err == 0; v++)
			err = row(r, &law_entry, (enum simrun_variant)v, r->job->seed);
	return err;
}

static int rows_of_seeds(struct rows *r)
{
	unsigned mode = (unsigned)(r->job->first_seed / 1000) % MODE_COUNT;
	int err = 0;

	for (unsigned i = 0; i < r->job->seeds && err == 0; i++) {
		do
			mode = (mode + 1) % MODE_COUNT;
		while (!(r->job->modes & 1U << mode));
		use_mode(r, (enum mode)mode);
		err = row(r, &law_entry, SIMRUN_SEED, r->job->first_seed + i);
	}
	return err;
}

static int all_rows(struct rows *r)
{
	struct simrun_config cfg = config(r, &default_entry);
	int err = simulate(r, &cfg, &r->by_default);

	for (int m = 0; m < MODE_COUNT && err == 0; m++)
		if (r->job->modes & 1U << m) {
			use_mode(r, (enum mode)m);
			err = rows_of_mode(r);
		}
	if (err == 0 && r->job->modes)
		err = rows_of_seeds(r);
	return err;
}

int simrun_rows(const struct simrun_job *job, simrun_emit emit, void *ctx)
{
	struct rows r = { .job = job, .profile = &simprofile_table[job->profile], .emit = emit, .ctx = ctx };
	double most = 0;
	int err;

	policy_default(&r.policy);
	for (int m = 0; m < MODE_COUNT; m++)
		if (job->modes & 1U << m && mode_table[m].cap_usecs > most)
			most = mode_table[m].cap_usecs;
	err = simrun_grid(r.profile, job->load, job->seed, 0, most, &r.grid);
	if (err < 0)
		return err;
	err = all_rows(&r);
	simrun_tape_free(r.tape);
	simrun_tape_free(r.stolen);
	simrun_free(&r.by_default);
	for (unsigned i = 0; i < ENTRIES_MAX; i++)
		simrun_free(&r.fixed[i]), simrun_free(&r.start[i]);
	simrun_grid_free(&r.grid);
	return err;
}
