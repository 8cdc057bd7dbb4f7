// SPDX-License-Identifier: GPL-2.0-or-later
/* simrun-judge: the acceptance numbers. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/simrun-rows.h"

#define BELOW_DEFAULT 0.01   /* never further below the driver's own setting */
#define VARIANT_LOSS 0.02    /* noise, steal: against the clean run */
#define LOST_INPUT_LOSS 0.01 /* an input missing: against the driver's own setting */
#define CHANGING_LEAST 0.95
#define CHANGES_PER_MIN 1.0
#define DROPS_MORE 1e-3
#define MEAN_LEAST 0.985
#define CAP_SLACK_USECS 0.5

static double steady_least(enum mode m)
{
	return m == MODE_POWERSAVE ? 0.94 : 0.97;
}

static double flapping_least(enum mode m)
{
	return m == MODE_POWERSAVE ? 0.80 : m == MODE_THROUGHPUT ? 0.90 : 0.95;
}

static double least(const struct simrun_row *r)
{
	if (!r->changing)
		return steady_least(r->mode);
	return !strcmp(r->load, simload_table[SIMLOAD_flap].name) ? flapping_least(r->mode) : CHANGING_LEAST;
}

__attribute__((format(printf, 2, 3))) static bool fail(char why[SIMRUN_WHY_MAX], const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, SIMRUN_WHY_MAX, format, ap);
	va_end(ap);
	return false;
}

static bool limits_kept(const struct simrun_row *r, char why[SIMRUN_WHY_MAX])
{
	if (r->longest_usecs > r->cap_usecs + CAP_SLACK_USECS)
		return fail(why, "%.0f us in force, the cap is %.0f", r->longest_usecs, r->cap_usecs);
	if (r->shortest_on_usecs > 0 && r->shortest_on_usecs < r->min_on_usecs)
		return fail(why, "set to %.0f us, the least that the device has is %.0f", r->shortest_on_usecs,
			    r->min_on_usecs);
	if (r->sum.drop_ratio > r->oracle_drop_ratio + DROPS_MORE)
		return fail(why, "dropped %.4f of the packets, the oracle %.4f", r->sum.drop_ratio,
			    r->oracle_drop_ratio);
	return true;
}

static bool variant_passes(const struct simrun_row *r, const struct simrun_row *clean, char why[SIMRUN_WHY_MAX])
{
	switch (r->variant) {
	case SIMRUN_NOISE:
	case SIMRUN_STEAL:
	case SIMRUN_TICKS:
		if (clean && r->sum.utility < clean->sum.utility - VARIANT_LOSS)
			return fail(why, "utility %.3f, clean %.3f", r->sum.utility, clean->sum.utility);
		return true;
	case SIMRUN_SPIKE:
		if (clean && !r->wanders && r->sum.changes > clean->sum.changes)
			return fail(why, "%u changes, without the spike %u", r->sum.changes, clean->sum.changes);
		return true;
	case SIMRUN_NO_PPS:
	case SIMRUN_NO_POLLS:
	case SIMRUN_NO_CPU:
	case SIMRUN_NO_DROPS:
		if (r->sum.of_oracle < r->default_of_oracle - LOST_INPUT_LOSS)
			return fail(why, "%.3f of the oracle, the driver's own setting %.3f", r->sum.of_oracle,
				    r->default_of_oracle);
		return true;
	case SIMRUN_SEED:
	case SIMRUN_SHORT:
	case SIMRUN_CLEAN:
	case SIMRUN_VARIANT_COUNT: break;
	}
	return true;
}

bool simrun_row_passes(const struct simrun_row *r, const struct simrun_row *clean, char why[SIMRUN_WHY_MAX])
{
	if (!limits_kept(r, why))
		return false;
	if (r->variant == SIMRUN_SEED && r->wanders)
		return true; /* other rates than the oracle's */
	if (r->variant != SIMRUN_CLEAN && r->variant != SIMRUN_SEED)
		return variant_passes(r, clean, why);
	if (r->sum.of_oracle < least(r))
		return fail(why, "%.3f of the oracle, wanted %.2f", r->sum.of_oracle, least(r));
	if (r->sum.of_oracle < r->default_of_oracle - BELOW_DEFAULT)
		return fail(why, "%.3f of the oracle, the driver's own setting %.3f", r->sum.of_oracle,
			    r->default_of_oracle);
	if (r->variant == SIMRUN_CLEAN && !r->changing && !r->wanders && r->changed_late_per_min > CHANGES_PER_MIN)
		return fail(why, "%.1f changes a minute after 10 s", r->changed_late_per_min);
	return true;
}

struct means {
	char contender[40];
	double sum, n;
};

#define MEANS_MAX 32

static struct means *means_of(struct means *all, size_t *n, const struct simrun_row *r)
{
	char text[40];

	snprintf(text, sizeof(text), r->start_usecs < 0 ? "%s" : "%s from %.0f us", r->contender, r->start_usecs);
	for (size_t i = 0; i < *n; i++)
		if (!strcmp(all[i].contender, text))
			return &all[i];
	if (*n == MEANS_MAX)
		return &all[0];
	all[*n] = (struct means){ 0 };
	snprintf(all[*n].contender, sizeof(all[*n].contender), "%s", text);
	return &all[(*n)++];
}

static size_t means(const struct simrun_row *rows, size_t n, enum simprofile_id profile, enum mode mode, bool changing,
		    struct means all[MEANS_MAX])
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		const struct simrun_row *r = &rows[i];
		struct means *m;

		if (r->profile != profile || r->mode != mode || r->changing != changing || r->variant != SIMRUN_CLEAN)
			continue;
		m = means_of(all, &count, r);
		m->sum += r->sum.of_oracle;
		m->n++;
	}
	return count;
}

bool simrun_means_pass(const struct simrun_row *rows, size_t n, enum simprofile_id profile, enum mode mode,
		       char why[SIMRUN_WHY_MAX])
{
	struct means all[MEANS_MAX];
	size_t count = means(rows, n, profile, mode, false, all);
	double worst = 9;

	for (size_t i = 0; i < count; i++)
		if (!strncmp(all[i].contender, "law", 3) && all[i].sum / all[i].n < MEAN_LEAST)
			return fail(why, "steady loads: %s has a mean of %.4f of the oracle, wanted %.3f",
				    all[i].contender, all[i].sum / all[i].n, MEAN_LEAST);
	count = means(rows, n, profile, mode, true, all);
	for (size_t i = 0; i < count; i++)
		if (!strncmp(all[i].contender, "law", 3))
			worst = fmin(worst, all[i].sum / all[i].n);
	for (size_t i = 0; i < count; i++)
		if ((!strncmp(all[i].contender, "fixed", 5) || !strcmp(all[i].contender, "dim") ||
		     !strcmp(all[i].contender, "default")) &&
		    worst < all[i].sum / all[i].n - 0.0005 && worst < 0.9985)
			return fail(why, "changing loads: the law's mean is %.4f of the oracle, that of %s %.4f", worst,
				    all[i].contender, all[i].sum / all[i].n);
	return true;
}
