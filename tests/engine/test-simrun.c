// SPDX-License-Identifier: GPL-2.0-or-later
/* Judging the law: utilities and the oracle where they are known by hand, each acceptance number on a row that meets it
 * and one that does not, and that the tape changes nothing. */
#include <check.h>
#include <string.h>

#include "../core/suite.h"
#include "engine/simrun-rows.h"

static struct simrun_row good(void)
{
	struct simrun_row r = { .profile = SIMPROFILE_A53,
				.load = "poisson_hi",
				.contender = "law",
				.is_law = true,
				.mode = MODE_BALANCED,
				.start_usecs = -1,
				.default_of_oracle = 0.9,
				.cap_usecs = 100,
				.longest_usecs = 90,
				.changed_late = 1,
				.changes_allowed = 2 };

	r.sum.of_oracle = 0.99;
	return r;
}

static bool passes(const struct simrun_row *r)
{
	char why[SIMRUN_WHY_MAX] = "";
	bool ok = simrun_row_passes(r, NULL, 0, why);

	ck_assert_msg(ok || why[0], "no reason");
	return ok;
}

#define REFUSED(change)                                                                                                \
	do {                                                                                                           \
		struct simrun_row r = good();                                                                          \
		ck_assert(passes(&r));                                                                                 \
		change;                                                                                                \
		ck_assert_msg(!passes(&r), "%s passed", #change);                                                      \
	} while (0)

START_TEST(each_number_is_judged)
{
	REFUSED(r.sum.of_oracle = 0.969);
	REFUSED((r.mode = MODE_POWERSAVE, r.sum.of_oracle = 0.939));
	REFUSED((r.default_of_oracle = 1.0, r.sum.of_oracle = 0.985));
	REFUSED(r.longest_usecs = 101);
	REFUSED((r.min_on_usecs = 20, r.shortest_on_usecs = 19));
	REFUSED((r.sum.drop_ratio = 0.01, r.oracle_drop_ratio = 0.001));
	REFUSED(r.changed_late = 3);
	REFUSED((r.changing = true, r.sum.of_oracle = 0.949));
	REFUSED((r.variant = SIMRUN_NO_POLLS, r.sum.of_oracle = 0.88));
	REFUSED((r.variant = SIMRUN_SEED, r.sum.of_oracle = 0.96));
}
END_TEST

START_TEST(flapping_has_its_own)
{
	struct simrun_row r = good();

	r.changing = true;
	strcpy(r.load, "flap");
	r.default_of_oracle = 0.5;
	r.mode = MODE_THROUGHPUT;
	r.sum.of_oracle = 0.901;
	ck_assert(passes(&r));
	r.sum.of_oracle = 0.899;
	ck_assert(!passes(&r));
	r.mode = MODE_POWERSAVE;
	r.sum.of_oracle = 0.801;
	ck_assert(passes(&r));
}
END_TEST

START_TEST(noise_is_judged_by_the_row)
{
	struct simrun_row rows[3] = { good(), good(), good() }, *noise = &rows[1];
	char why[SIMRUN_WHY_MAX];

	rows[0].variant = SIMRUN_SHORT;
	rows[2].variant = SIMRUN_SEED;
	noise->variant = SIMRUN_NOISE;
	noise->sum.of_oracle = 0.975;
	ck_assert(simrun_row_passes(noise, &rows[0], simrun_spread(rows, 3, noise), why));
	noise->sum.of_oracle = 0.965;
	ck_assert(!simrun_row_passes(noise, &rows[0], simrun_spread(rows, 3, noise), why));
	rows[2].sum.of_oracle = 0.98; /* another seed does as much by itself */
	ck_assert_double_eq_tol(simrun_spread(rows, 3, noise), 0.01, 1e-9);
	ck_assert(simrun_row_passes(noise, &rows[0], simrun_spread(rows, 3, noise), why));
	rows[2].mode = MODE_LATENCY;
	ck_assert_double_eq(simrun_spread(rows, 3, noise), 0);
}
END_TEST

START_TEST(means_are_judged)
{
	struct simrun_row rows[2] = { good(), good() };
	char why[SIMRUN_WHY_MAX];

	ck_assert(simrun_means_pass(rows, 2, SIMPROFILE_A53, MODE_BALANCED, why));
	rows[1].sum.of_oracle = 0.97;
	ck_assert(!simrun_means_pass(rows, 2, SIMPROFILE_A53, MODE_BALANCED, why)); /* below 0.985 */
	rows[0].changing = rows[1].changing = true;
	ck_assert(simrun_means_pass(rows, 2, SIMPROFILE_A53, MODE_BALANCED, why));
	strcpy(rows[1].contender, "dim");
	rows[1].is_law = false;
	rows[1].sum.of_oracle = 0.995;
	ck_assert(!simrun_means_pass(rows, 2, SIMPROFILE_A53, MODE_BALANCED, why)); /* another is better */
	ck_assert_ptr_nonnull(strstr(why, "dim"));
}
END_TEST

START_TEST(oracle_is_the_best_of_the_grid)
{
	double best[SIMLOAD_PHASES_MAX], u, oracle;
	struct policy policy;
	struct simrun_grid g;

	policy_default(&policy);
	policy.mode = MODE_BALANCED;
	ck_assert_int_eq(simrun_grid(&simprofile_table[SIMPROFILE_STMMAC_GMAC5], "udp:75", 1, 0, 500, &g), 0);
	oracle = simrun_oracle(&g, &policy, 0, best);
	ck_assert_double_eq(g.interval_usecs[0], 0);
	ck_assert_double_eq(g.interval_usecs[1], 33); /* the shortest that it has */
	for (size_t i = 0; i < g.n; i++) {
		u = 0;
		for (size_t k = 1; k < g.results[i].n; k++) /* the first window is of the start */
			u += simrun_utility(&g, &policy, &g.results[i].windows[k]) / (double)(g.results[i].n - 1);
		if (g.interval_usecs[i] <= 100)
			ck_assert_double_le(u, oracle + 1e-9);
		if (g.interval_usecs[i] == best[0])
			ck_assert_double_eq_tol(u, oracle, 1e-9);
	}
	ck_assert_double_ge(best[0], 33); /* sqrt(0.5 * 8 us * 100 us / 0.15) - 13 us = 38 us */
	ck_assert_double_le(best[0], 64);
	simrun_grid_free(&g);
	ck_assert_double_eq(simrun_of_oracle(0.8, 0.8), 1);
	ck_assert_double_eq_tol(simrun_of_oracle(0.1, 0.2), 1 - 0.1 / 0.3, 1e-9); /* even the best is poor */
}
END_TEST

static void same(const struct simrun_result *a, const struct simrun_result *b)
{
	ck_assert_uint_eq(a->n, b->n);
	ck_assert_uint_eq(a->changes, b->changes);
	for (size_t i = 0; i < a->n; i++)
		ck_assert_mem_eq(&a->windows[i], &b->windows[i], sizeof(a->windows[i]));
}

START_TEST(tape_changes_nothing)
{
	static const struct {
		const char *contender;
		enum mode mode;
		double start_usecs, noise, seconds;
	} runs[] = {
		{ "default", MODE_BALANCED, -1, 0, 10 }, { "law", MODE_BALANCED, -1, 0, 20 },
		{ "law", MODE_BALANCED, -1, 0, 12 },	 { "law", MODE_THROUGHPUT, 30, 0, 20 },
		{ "law", MODE_BALANCED, -1, 0.2, 20 },	 { "fixed:30", MODE_BALANCED, -1, 0, 20 },
		{ "dim", MODE_BALANCED, -1, 0, 10 },	 { "law", MODE_BALANCED, -1, 0, 30 },
		{ "law", MODE_LATENCY, -1, 0, 20 },	 { "map", MODE_BALANCED, -1, 0.2, 20 },
	};
	static const char *const loads[] = { "mixed", "flap", "poisson_mid" };
	unsigned long steps, simulated;

	for (size_t l = 0; l < 3; l++) {
		struct simrun_tape *tape = NULL;

		for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
			struct simrun_config cfg = { .profile = &simprofile_table[SIMPROFILE_A53],
						     .load = loads[l],
						     .contender = runs[i].contender,
						     .start_usecs = runs[i].start_usecs,
						     .noise_ratio = runs[i].noise,
						     .seconds = runs[i].seconds,
						     .seed = 3 };
			struct simrun_result plain, taped;

			policy_default(&cfg.policy);
			cfg.policy.mode = runs[i].mode;
			ck_assert_int_eq(simrun(&cfg, &plain), 0);
			cfg.tape = &tape;
			ck_assert_int_eq(simrun(&cfg, &taped), 0);
			same(&plain, &taped);
			simrun_free(&plain);
			simrun_free(&taped);
		}
		simrun_tape_count(tape, &steps, &simulated);
		ck_assert_uint_lt(simulated, steps * 9 / 10);
		simrun_tape_free(tape);
	}
}
END_TEST

START_TEST(tape_is_for_one_situation)
{
	struct simrun_tape *tape = NULL;
	struct simrun_config cfg = { .profile = &simprofile_table[SIMPROFILE_A53],
				     .load = "poisson_mid",
				     .contender = "default",
				     .start_usecs = -1,
				     .seconds = 3,
				     .seed = 3,
				     .tape = &tape };
	struct simrun_result a, b;

	policy_default(&cfg.policy);
	ck_assert_int_eq(simrun(&cfg, &a), 0);
	cfg.seed = 4;
	ck_assert_int_eq(simrun(&cfg, &b), 0);
	ck_assert_mem_ne(&a.windows[0], &b.windows[0], sizeof(a.windows[0]));
	simrun_free(&a);
	simrun_free(&b);
	simrun_tape_free(tape);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		each_number_is_judged,	       flapping_has_its_own, noise_is_judged_by_the_row, means_are_judged,
		oracle_is_the_best_of_the_grid, tape_changes_nothing, tape_is_for_one_situation,
	};

	return SUITE_RUN("simrun", tests);
}
