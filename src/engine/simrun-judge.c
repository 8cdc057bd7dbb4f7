// SPDX-License-Identifier: GPL-2.0-or-later
/* simrun-judge: the acceptance numbers. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/simrun-rows.h"

#define BELOW_DEFAULT 0.01   /* never further below the driver's own setting */
#define VARIANT_LOSS 0.02    /* noise, steal: against the clean run, beyond what another seed alone does */
#define LOST_INPUT_LOSS 0.01 /* an input missing: against the driver's own setting */
#define CHANGING_LEAST 0.95
#define DROPS_MORE 2e-3
#define MEAN_LEAST 0.985
#define MEANS_EQUAL 0.002 /* where the best is a fixed setting, nothing can be above it */
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

double simrun_spread(const struct simrun_row *rows, size_t n, const struct simrun_row *of)
{
	double least = 9, most = -9;

	for (size_t i = 0; i < n; i++) {
		const struct simrun_row *k = &rows[i];

		if (!k->is_law || k->profile != of->profile || k->mode != of->mode || strcmp(k->load, of->load) ||
		    (k->variant != SIMRUN_SHORT && k->variant != SIMRUN_SEED))
			continue;
		least = fmin(least, k->sum.of_oracle);
		most = fmax(most, k->sum.of_oracle);
	}
	return fmax(0, most - least);
}

static bool variant_passes(const struct simrun_row *r, const struct simrun_row *clean, double spread,
			   char why[SIMRUN_WHY_MAX])
{
	switch (r->variant) {
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
	case SIMRUN_NOISE:
	case SIMRUN_STEAL:
	case SIMRUN_TICKS:
		if (clean && r->sum.of_oracle < clean->sum.of_oracle - VARIANT_LOSS - spread)
			return fail(why, "%.3f of the oracle, clean %.3f, %.3f between seeds", r->sum.of_oracle,
				    clean->sum.of_oracle, spread);
		return true;
	case SIMRUN_SEED:
	case SIMRUN_SHORT:
	case SIMRUN_CLEAN:
	case SIMRUN_VARIANT_COUNT: break;
	}
	return true;
}

bool simrun_row_passes(const struct simrun_row *r, const struct simrun_row *clean, double spread,
		       char why[SIMRUN_WHY_MAX])
{
	if (!limits_kept(r, why))
		return false;
	if (r->variant == SIMRUN_SEED && r->wanders)
		return true; /* other rates than the oracle's */
	if (r->variant != SIMRUN_CLEAN && r->variant != SIMRUN_SEED)
		return variant_passes(r, clean, spread, why);
	if (r->sum.of_oracle < least(r))
		return fail(why, "%.3f of the oracle, wanted %.2f", r->sum.of_oracle, least(r));
	if (r->sum.of_oracle < r->default_of_oracle - BELOW_DEFAULT)
		return fail(why, "%.3f of the oracle, the driver's own setting %.3f", r->sum.of_oracle,
			    r->default_of_oracle);
	if (r->variant == SIMRUN_CLEAN && !r->changing && !r->wanders && r->changed_late > r->changes_allowed)
		return fail(why, "%u changes after 10 s, %u allowed", r->changed_late, r->changes_allowed);
	return true;
}

struct means {
	char contender[40];
	double sum, n;
};

#define MEANS_MAX 32

/* Mean of the rows of one kind, by contender and start. */
static size_t means(const struct simrun_row *rows, size_t n, enum simprofile_id profile, enum mode mode, bool changing,
		    struct means all[MEANS_MAX])
{
	size_t count = 0, k;

	for (size_t i = 0; i < n; i++) {
		const struct simrun_row *r = &rows[i];
		char text[40];

		if (r->profile != profile || r->mode != mode || r->changing != changing || r->variant != SIMRUN_CLEAN)
			continue;
		snprintf(text, sizeof(text), r->start_usecs < 0 ? "%s" : "%s from %.0f us", r->contender,
			 r->start_usecs);
		for (k = 0; k < count && strcmp(all[k].contender, text); k++)
			;
		if (k == MEANS_MAX)
			continue;
		if (k == count) {
			all[count] = (struct means){ 0 };
			snprintf(all[count++].contender, sizeof(all[k].contender), "%s", text);
		}
		all[k].sum += r->sum.of_oracle;
		all[k].n++;
	}
	return count;
}

double simrun_variant_mean(const struct simrun_row *rows, size_t n, enum simprofile_id profile, enum mode mode,
			   enum simrun_variant variant)
{
	double sum = 0, count = 0;

	for (size_t i = 0; i < n; i++)
		if (rows[i].profile == profile && rows[i].mode == mode && rows[i].variant == variant &&
		    rows[i].is_law) {
			sum += rows[i].sum.of_oracle;
			count++;
		}
	return count > 0 ? sum / count : -1;
}

static bool variants_pass(const struct simrun_row *rows, size_t n, enum simprofile_id profile, enum mode mode,
			  char why[SIMRUN_WHY_MAX])
{
	static const enum simrun_variant judged[] = { SIMRUN_NOISE, SIMRUN_STEAL, SIMRUN_TICKS };
	double clean = simrun_variant_mean(rows, n, profile, mode, SIMRUN_SHORT);

	for (size_t i = 0; i < sizeof(judged) / sizeof(*judged); i++) {
		double mean = simrun_variant_mean(rows, n, profile, mode, judged[i]);

		if (mean >= 0 && mean < clean - VARIANT_LOSS)
			return fail(why, "with %s the mean is %.4f of the oracle, without %.4f",
				    simrun_variant_names[judged[i]], mean, clean);
	}
	return true;
}

static bool is_law(const struct means *m)
{
	return !strncmp(m->contender, "law", 3);
}

bool simrun_means_pass(const struct simrun_row *rows, size_t n, enum simprofile_id profile, enum mode mode,
		       char why[SIMRUN_WHY_MAX])
{
	struct means all[MEANS_MAX];
	size_t count = means(rows, n, profile, mode, false, all);
	double worst = 9;

	for (size_t i = 0; i < count; i++)
		if (is_law(&all[i]) && all[i].sum / all[i].n < MEAN_LEAST)
			return fail(why, "steady loads: %s has a mean of %.4f of the oracle, wanted %.3f",
				    all[i].contender, all[i].sum / all[i].n, MEAN_LEAST);
	count = means(rows, n, profile, mode, true, all);
	for (size_t i = 0; i < count; i++)
		if (is_law(&all[i]))
			worst = fmin(worst, all[i].sum / all[i].n);
	for (size_t i = 0; i < count; i++)
		if (!is_law(&all[i]) && worst < all[i].sum / all[i].n - MEANS_EQUAL)
			return fail(why, "changing loads: the law's mean is %.4f of the oracle, that of %s %.4f", worst,
				    all[i].contender, all[i].sum / all[i].n);
	return variants_pass(rows, n, profile, mode, why);
}
