// SPDX-License-Identifier: GPL-2.0-or-later
/* sum: the cap holds for the device's timer and the kernel's deferral together, whichever of them is driven. */
#include "../core/suite.h"
#include "rig.h"

static struct rig rig;

/* Timers and deferral on one NIC, mode throughput: the law would like 120 us of either. */
static void both(uint64_t usecs, uint64_t timeout_ns)
{
	rig_hardware(&rig);
	rig.fake.caps.napi_path = NAPI_GENL;
	rig.fake.napi_id = 33;
	fakenic_knob(&rig.fake, KNOB_RX_USECS, usecs);
	fakenic_knob(&rig.fake, KNOB_RX_FRAMES, 0);
	fakenic_knob(&rig.fake, KNOB_GRO_FLUSH_TIMEOUT, timeout_ns);
	fakenic_knob(&rig.fake, KNOB_NAPI_DEFER_HARD_IRQS, timeout_ns ? 2 : 0);
	rig.rules.policy.mode = MODE_THROUGHPUT;
	rig.rules.policy.max_latency_usecs = 200;
	rig.fake.missing = SAMPLE_POLLS; /* else the law sees how little one saves beside the other */
}

static double sum(void)
{
	bool deferred = rig_value(&rig, KNOB_NAPI_DEFER_HARD_IRQS) && rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT);

	return (double)rig_value(&rig, KNOB_RX_USECS) +
	       (deferred ? (double)rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT) / 1e3 + rig.floor_usecs : 0);
}

/* Never above the cap after the first second. */
static void run(double seconds)
{
	rig_run(&rig, 200000, 1.5);
	for (int i = 0; i < seconds * 10; i++) {
		rig_run(&rig, i / 200 & 1 ? 100000 : 200000, 0.1);
		ck_assert_double_le(sum(), 200);
	}
}

START_TEST(deferral_found_on_leaves_the_timer_the_rest)
{
	both(0, 120000);
	rig_attach(&rig);
	run(60);
	ck_assert_uint_gt(rig_value(&rig, KNOB_RX_USECS), 20);
	ck_assert_uint_eq(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), 120000);
}
END_TEST

START_TEST(late_timers_count_too)
{
	both(0, 100000);
	rig.floor_usecs = 60;
	rig_attach(&rig);
	run(60);
	ck_assert_uint_gt(rig_value(&rig, KNOB_RX_USECS), 10);
}
END_TEST

START_TEST(timer_found_on_leaves_the_deferral_the_rest)
{
	both(130, 0);
	rig.rules.policy.mechanism = MECHANISM_SOFTWARE;
	rig_attach(&rig);
	run(60);
	ck_assert_uint_gt(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), 20000);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_USECS), 130);
}
END_TEST

START_TEST(what_alone_breaks_the_cap_is_lowered)
{
	char err[ERR_MAX];

	both(300, 0);
	rig.rules.policy.mechanism = MECHANISM_SOFTWARE;
	rig_attach(&rig);
	rig_run(&rig, 200000, 0.5);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_USECS), 100);
	ck_assert_int_eq(rig.report.why[KNOB_RX_USECS], 0);
	run(60);
	ck_assert_uint_gt(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), 20000);
	ck_assert_int_eq(target_release(&rig.target, err), 0);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_USECS), 300);
	ck_assert_uint_eq(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), 0);

	both(0, 400000); /* the other way round */
	rig_attach(&rig);
	run(30);
	ck_assert_uint_eq(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), 100000);
	ck_assert_int_eq(target_release(&rig.target, err), 0);
	ck_assert_uint_eq(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), 400000);
}
END_TEST

START_TEST(pinned_one_stays_and_leaves_the_rest)
{
	both(0, 0);
	rig.rules.policy.mechanism = MECHANISM_SOFTWARE;
	rig.rules.policy.limited = KNOB_BIT(KNOB_RX_USECS);
	rig.rules.policy.limit_min[KNOB_RX_USECS] = rig.rules.policy.limit_max[KNOB_RX_USECS] = 150;
	rig_attach(&rig);
	run(60);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_USECS), 150);
	ck_assert_uint_gt(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), 10000);
}
END_TEST

START_TEST(what_someone_else_sets_counts)
{
	both(0, 0);
	rig_attach(&rig);
	rig_run(&rig, 200000, 20);
	ck_assert_uint_gt(rig_value(&rig, KNOB_RX_USECS), 50);
	knob_put(&rig.fake.knobs, KNOB_RX_USECS, 140);
	run(60);
	ck_assert_uint_ne(rig.yielded & KNOB_BIT(KNOB_RX_USECS), 0);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_USECS), 140);
	ck_assert_uint_gt(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		deferral_found_on_leaves_the_timer_the_rest, late_timers_count_too,
		timer_found_on_leaves_the_deferral_the_rest, what_alone_breaks_the_cap_is_lowered,
		pinned_one_stays_and_leaves_the_rest,	     what_someone_else_sets_counts,
	};

	return SUITE_RUN("sum", tests);
}
