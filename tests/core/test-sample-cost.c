// SPDX-License-Identifier: GPL-2.0-or-later
/* a and b out of timed polls, their errors, and when they cannot be told apart. */
#include "core/sample-cost.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "suite.h"

static unsigned seed;

static double noise(double ns)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += rand_r(&seed) / (double)RAND_MAX;
	return ns * (sum - 6);
}

static struct poll_sums polls(unsigned n, unsigned most, double a_ns, double b_ns, double noise_ns)
{
	struct poll_sums s = { 0 };

	for (unsigned i = 0; i < n; i++) {
		double packets = most > 1 ? (double)(rand_r(&seed) % (most + 1)) : most;

		poll_sums_add(&s, packets, a_ns + b_ns * packets + noise(noise_ns));
	}
	return s;
}

START_TEST(known_costs_come_out)
{
	struct poll_sums s = polls(2000, 40, 2000, 300, 500);
	struct cost_estimate e;

	ck_assert(cost_estimate(&s, &e));
	ck_assert(e.split);
	ck_assert_double_lt(e.a_error_usecs, 0.03);
	ck_assert_double_lt(e.b_error_usecs, 0.002);
	ck_assert_double_eq_tol(e.a_usecs, 2, 4 * e.a_error_usecs);
	ck_assert_double_eq_tol(e.b_usecs, 0.3, 4 * e.b_error_usecs);
	ck_assert_double_gt(e.confidence, 0.9);
	ck_assert_double_eq_tol(e.poll_usecs, 8, 0.5);
	/* the handlers are a share of every poll, and no matter of packets */
	s.irqs = 1000;
	s.irq_ns = 2000 * 700;
	ck_assert(cost_estimate(&s, &e));
	ck_assert_double_eq_tol(e.a_usecs, 2.7, 4 * e.a_error_usecs);
	ck_assert_double_eq_tol(e.b_usecs, 0.3, 4 * e.b_error_usecs);
}
END_TEST

/* 95 in 100 within two errors: 200 runs of which at most 25 are outside (expected: 9). */
START_TEST(errors_are_honest)
{
	unsigned outside = 0;

	for (int i = 0; i < 200; i++) {
		struct poll_sums s = polls(100, 8, 1500, 400, 900);
		struct cost_estimate e;

		ck_assert(cost_estimate(&s, &e));
		outside += e.a_usecs < 1.5 - 2 * e.a_error_usecs || e.a_usecs > 1.5 + 2 * e.a_error_usecs;
	}
	ck_assert_uint_le(outside, 25);
	ck_assert_uint_ge(outside, 1);
}
END_TEST

START_TEST(equal_polls_are_not_split)
{
	struct poll_sums s = polls(1000, 1, 2000, 300, 100);
	struct cost_estimate e;

	ck_assert(cost_estimate(&s, &e));
	ck_assert(!e.split);
	ck_assert_double_eq_tol(e.poll_usecs, 2.3, 0.05);
	ck_assert_double_eq(e.confidence, 0);
	s = polls(1000, 10, 2000, -100, 100); /* the larger the faster: no cost */
	ck_assert(cost_estimate(&s, &e));
	ck_assert(!e.split);
}
END_TEST

START_TEST(few_polls_say_nothing)
{
	struct poll_sums s = polls(49, 10, 2000, 300, 100), none = { 0 }, more;
	struct cost_estimate e;

	ck_assert(!cost_estimate(&s, &e));
	ck_assert_double_eq(e.poll_usecs, 0);
	more = s;
	poll_sums_add(&more, 3, 1000);
	s = poll_sums_since(&s, &more);
	ck_assert_double_eq(s.polls, 1);
	ck_assert_double_eq(s.packets_ns, 3000);
	ck_assert(!cost_estimate(&none, &e));
}
END_TEST

int main(void)
{
	const TTest *const all[] = {
		known_costs_come_out,
		errors_are_honest,
		equal_polls_are_not_split,
		few_polls_say_nothing,
	};

	seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);
	printf("SEED=%u\n", seed);
	return SUITE_RUN("sample-cost", all);
}
