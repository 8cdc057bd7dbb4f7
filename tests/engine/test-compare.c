// SPDX-License-Identifier: GPL-2.0-or-later
/* compare: the driver's adaptive moderation against ours, on a NIC whose driver holds packets a given time. */
#include "../core/suite.h"
#include "rig.h"

static struct rig rig;
static char err[ERR_MAX];

/* Adaptive found on; the driver makes `usecs` of it. The law would like about 93 us. */
static void adaptive(double usecs)
{
	rig_hardware(&rig);
	rig.rules.policy.mode = MODE_THROUGHPUT;
	rig.rules.policy.max_latency_usecs = 200;
	fakenic_knob(&rig.fake, KNOB_ADAPTIVE_RX, 1);
	rig.fake.adaptive_usecs = usecs;
}

static bool on(void)
{
	return rig_value(&rig, KNOB_ADAPTIVE_RX);
}

/* Seconds until it is switched to `state`, at most `most`. */
static double until(bool state, double pps, double most)
{
	double s = 0;

	for (; s < most && on() != state; s += 0.1)
		rig_run(&rig, pps, 0.1);
	return s;
}

START_TEST(a_driver_that_hardly_moderates_is_replaced)
{
	adaptive(1);
	rig_attach(&rig);
	ck_assert_str_eq(target_mechanism(&rig.target), "adaptive");
	ck_assert_double_lt(until(false, 100000, 60), 50);
	rig_run(&rig, 100000, 30);
	ck_assert(!on());
	ck_assert_str_eq(target_mechanism(&rig.target), "hardware");
	ck_assert(rig.target.compare.ours);
	ck_assert_uint_gt(rig_value(&rig, KNOB_RX_USECS), 30);
	ck_assert_double_gt(rig.target.compare.gain, 0.02);
	ck_assert_uint_eq(rig.yielded, 0);
	ck_assert_int_eq(target_release(&rig.target, err), 0);
	ck_assert(on());
}
END_TEST

START_TEST(a_driver_that_does_well_is_left_in_charge)
{
	unsigned writes;

	adaptive(90);
	rig_attach(&rig);
	rig_run(&rig, 100000, 300);
	ck_assert(on());
	ck_assert_uint_eq(rig.target.compare.tried, 1);
	ck_assert_uint_eq(rig.target.compare.won, 0);
	writes = rig.changes;
	ck_assert_uint_le(writes, 3);
	ck_assert_int_eq(rig.report.state, TARGET_ACTIVE);
	rig_run(&rig, 100000, 8 * 3600);
	ck_assert_uint_le(rig.target.compare.tried, 12); /* ever more seldom */
	ck_assert(on());
	ck_assert_uint_eq(rig.yielded, 0);
}
END_TEST

START_TEST(packets_lost_by_ours_end_it_at_once)
{
	double s;

	adaptive(1);
	rig.fake.collapse = 0.2;
	rig.fake.collapse_above = 10;
	rig_attach(&rig);
	ck_assert_double_lt(until(false, 100000, 60), 50);
	s = until(true, 100000, 10);
	ck_assert_double_lt(s, 3);
	rig_run(&rig, 100000, 60);
	ck_assert(on());
	ck_assert(!rig.target.compare.ours);
}
END_TEST

START_TEST(none_without_traffic_nor_when_the_policy_decides)
{
	adaptive(1);
	rig_attach(&rig);
	rig_run(&rig, 100, 600);
	ck_assert_uint_eq(rig.fake.writes, 0);
	rig.rules.policy.limited = KNOB_BIT(KNOB_ADAPTIVE_RX);
	rig.rules.policy.limit_min[KNOB_ADAPTIVE_RX] = rig.rules.policy.limit_max[KNOB_ADAPTIVE_RX] = 1;
	rig_attach(&rig);
	rig_run(&rig, 100000, 600);
	ck_assert_uint_eq(rig.fake.writes, 0);
	rig.rules.policy.limited = 0;
	rig.rules.policy.mechanism = MECHANISM_ADAPTIVE;
	rig_attach(&rig);
	rig_run(&rig, 100000, 600);
	ck_assert_uint_eq(rig.fake.writes, 0);
	rig.rules.policy.mechanism = MECHANISM_AUTO;
	rig.rules.policy.mode = MODE_OBSERVE;
	rig_attach(&rig);
	rig_run(&rig, 100000, 600);
	ck_assert_uint_eq(rig.fake.writes, 0);
}
END_TEST

START_TEST(a_driver_that_became_better_gets_it_back)
{
	adaptive(1);
	rig_attach(&rig);
	rig_run(&rig, 100000, 120);
	ck_assert(!on());
	/* from now on what we do costs packets, and what the driver does not */
	rig.fake.collapse = 0.8;
	rig.fake.collapse_above = 5;
	rig.fake.adaptive_usecs = 19;
	rig_run(&rig, 100000, 3600);
	ck_assert(on());
}
END_TEST

START_TEST(a_load_that_changes_meanwhile_says_nothing)
{
	adaptive(60);
	rig_attach(&rig);
	rig_run(&rig, 100000, 31);
	for (int i = 0; i < 20; i++)
		rig_run(&rig, 10000 + 9000 * i, 1);
	rig_run(&rig, 100000, 5);
	ck_assert_uint_eq(rig.target.compare.tried, 0);
	ck_assert(on());
}
END_TEST

START_TEST(somebody_who_switches_it_ends_it)
{
	adaptive(1);
	rig_attach(&rig);
	until(false, 100000, 60);
	rig_run(&rig, 100000, 60);
	ck_assert(!on());
	knob_put(&rig.fake.knobs, KNOB_ADAPTIVE_RX, 1);
	rig_run(&rig, 100000, 3600);
	ck_assert_uint_ne(rig.yielded & KNOB_BIT(KNOB_ADAPTIVE_RX), 0);
	ck_assert(on());
}
END_TEST

START_TEST(values_that_the_driver_moves_are_nobodys)
{
	adaptive(50);
	rig.rules.policy.mechanism = MECHANISM_ADAPTIVE;
	rig_attach(&rig);
	rig_run(&rig, 100000, 60);
	ck_assert_uint_eq(rig.yielded, 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_driver_that_hardly_moderates_is_replaced,  a_driver_that_does_well_is_left_in_charge,
		packets_lost_by_ours_end_it_at_once,	     none_without_traffic_nor_when_the_policy_decides,
		a_driver_that_became_better_gets_it_back,    a_load_that_changes_meanwhile_says_nothing,
		somebody_who_switches_it_ends_it,	     values_that_the_driver_moves_are_nobodys,
	};

	return SUITE_RUN("compare", tests);
}
