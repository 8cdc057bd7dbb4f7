// SPDX-License-Identifier: GPL-2.0-or-later
/* The contenders as such: what their names mean, and that each does what it is known for. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/contender.h"
#include "suite.h"

static struct policy balanced(void)
{
	struct policy p;

	policy_default(&p);
	return p;
}

static struct contender make(const char *text)
{
	struct policy p = balanced();
	struct contender c;

	ck_assert_int_eq(contender_init(&c, text, &simprofile_table[SIMPROFILE_A53], &p, -1, 0), 0);
	return c;
}

/* `n` interrupts `usecs` apart with `packets` of `bytes` each; changes are counted. */
static unsigned polls(struct contender *c, double *now, unsigned n, double usecs, unsigned packets, double bytes)
{
	unsigned changed = 0;

	for (unsigned i = 0; i < n; i++) {
		struct nicsim_poll poll = { *now += usecs, 0, packets, packets * bytes };

		changed += contender_poll(c, &poll);
	}
	return changed;
}

START_TEST(names)
{
	static const char *const bad[] = { "",	      "laws", "fixed", "fixed:", "fixed:-1",
					   "fixed:x", "30us", "30+",   "30+5x",	 "1e9" };
	struct policy p = balanced();
	struct contender c = make("fixed:200+25");

	ck_assert_double_eq(c.interval_usecs, 200);
	ck_assert_uint_eq(c.frames, 25);
	ck_assert_double_eq(make("30").interval_usecs, 30);
	for (int i = 0; i < CONTENDER_COUNT; i++)
		if (i != CONTENDER_FIXED)
			ck_assert_int_eq((int)make(contender_table[i].name).kind, i);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ck_assert_msg(contender_init(&c, bad[i], &simprofile_table[SIMPROFILE_A53], &p, -1, 0) < 0,
			      "'%s' was taken", bad[i]);
	ck_assert_double_eq(c.interval_usecs, 200); /* untouched by what failed */
}
END_TEST

START_TEST(dim_decides_once_in_64_interrupts)
{
	struct contender c = make("dim");
	double now = 0, before = c.interval_usecs;

	ck_assert_double_eq(before, 8);
	polls(&c, &now, 64, 20, 1, 1500);
	ck_assert_double_eq(c.interval_usecs, before);
	polls(&c, &now, 1, 20, 1, 1500); /* the first of all starts the count */
	ck_assert_double_ne(c.interval_usecs, before);
}
END_TEST

/* Interrupts follow the setting, as they do on hardware: fewer of them are better, so it climbs. */
START_TEST(dim_climbs_under_steady_load)
{
	struct contender c = make("dim");
	double now = 0, longest = 0;

	for (int i = 0; i < 64 * 40; i++) {
		double usecs = c.interval_usecs + 13;
		unsigned packets = (unsigned)((now + usecs) / 13) - (unsigned)(now / 13);

		polls(&c, &now, 1, usecs, packets, 1500);
		longest = fmax(longest, c.interval_usecs);
	}
	ck_assert_double_eq(longest, 256);
	ck_assert_double_ge(c.interval_usecs, 128);
}
END_TEST

START_TEST(buckets_move_between_classes)
{
	struct contender c = make("buckets");
	double now = 0;

	ck_assert_double_eq(c.interval_usecs, 50);
	polls(&c, &now, 20, 50, 1, 100); /* single small packets */
	ck_assert_double_eq_tol(c.interval_usecs, 1e6 / 70000, 0.1);
	polls(&c, &now, 20, 50, 4, 1500);
	ck_assert_double_eq_tol(c.interval_usecs, 50, 0.1);
	polls(&c, &now, 20, 250, 20, 1500); /* bulk */
	ck_assert_double_eq_tol(c.interval_usecs, 250, 0.1);
}
END_TEST

START_TEST(map_follows_the_last_sample)
{
	struct contender c = make("map");
	struct ctl_input in = { .now_s = 1, .dt_s = 0.1, .pps = 82020, .have_pps = true };

	ck_assert(contender_step(&c, &in));
	ck_assert_double_eq_tol(c.interval_usecs, 90, 1);
	in.pps = 41000;
	ck_assert(contender_step(&c, &in));
	ck_assert_double_eq_tol(c.interval_usecs, 45, 1);
	ck_assert(!contender_step(&c, &in));
}
END_TEST

START_TEST(hill_stays_below_the_cap)
{
	struct contender c = make("hill");

	for (int i = 1; i < 2000; i++) {
		struct ctl_input in = { .now_s = i * 0.1, .dt_s = 0.1, .pps = 50000, .have_pps = true };

		in.cpu_ratio = 0.5 / (1 + c.interval_usecs / 10);
		contender_step(&c, &in);
		ck_assert_double_le(c.interval_usecs, 100);
	}
	ck_assert_double_gt(c.interval_usecs, 5);
}
END_TEST

START_TEST(law_puts_a_default_above_the_cap_right_at_once)
{
	struct policy p = balanced();
	struct ctl_input none = { .skip = true };
	struct contender c;

	ck_assert_int_eq(contender_init(&c, "law", &simprofile_table[SIMPROFILE_A53], &p, 200, 25), 0);
	ck_assert(contender_step(&c, &none));
	ck_assert_double_le(c.interval_usecs, 90);
	ck_assert_uint_eq(c.changes, 1);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		names,
		dim_decides_once_in_64_interrupts,
		dim_climbs_under_steady_load,
		buckets_move_between_classes,
		map_follows_the_last_sample,
		hill_stays_below_the_cap,
		law_puts_a_default_above_the_cap_right_at_once,
	};

	return SUITE_RUN("contender", tests);
}
