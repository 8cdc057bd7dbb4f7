// SPDX-License-Identifier: GPL-2.0-or-later
/* tick: the loop closed over a fake NIC in simulated time: what load leads to which setting, who has the last word. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "engine/target.h"
#include "fakenic.h"

#define TICK_NS (100 * NSEC_PER_MSEC)

static struct fakenic fake;
static struct target target;
static struct report report;
static struct target_rules rules;
static const struct machine_facts facts = { .prior = { "test", 6, 1.5 } };
static unsigned changes, would_change;

static void attach(bool dry_run)
{
	char err[ERR_MAX];

	ck_assert_int_eq(target_attach(&target, &fake.base, NULL, &fake.nic, &rules, &facts, dry_run, err), 0);
	changes = would_change = 0;
}

/* Runs for some seconds at a rate. Returns what tick_run returned last. */
static int run(double pps, double seconds)
{
	int r = 0;

	fake.pps = pps;
	for (int i = 0; i < seconds * 10 && r == 0; i++) {
		fakenic_run(&fake, TICK_NS);
		r = tick_run(&target, fake.now, &report);
		changes += report.written != 0;
		would_change += report.would_write != 0;
	}
	return r;
}

static void setup(void)
{
	fakenic_init(&fake);
	policy_default(&rules.policy);
	rules.policy.mode = MODE_THROUGHPUT;
	rules.policy.max_latency_usecs = 250;
}

static uint64_t timeout_ns(void)
{
	return fake.knobs.value[KNOB_GRO_FLUSH_TIMEOUT];
}

START_TEST(defers_under_load_within_five_seconds)
{
	attach(false);
	ck_assert_int_eq(run(50000, 5), 0);
	ck_assert_int_eq(report.state, TARGET_ACTIVE);
	ck_assert_uint_ge(timeout_ns(), 50 * NSEC_PER_USEC);
	/* nothing was measured of what polls cost: said as assumed */
	ck_assert_double_eq(report.cost[QUEUE_RX].poll_usecs, 6);
	ck_assert_double_eq(report.cost[QUEUE_RX].packet_usecs, 1.5);
	ck_assert_double_eq(report.cost[QUEUE_RX].confidence, 0);
	ck_assert_uint_le(timeout_ns(), 225 * NSEC_PER_USEC); /* 0.9 of the cap */
	ck_assert_uint_gt(fake.knobs.value[KNOB_NAPI_DEFER_HARD_IRQS], 0);
	ck_assert_uint_eq(changes, 1);
}
END_TEST

START_TEST(leaves_light_load_alone)
{
	attach(false);
	run(5000, 20);
	ck_assert_uint_eq(timeout_ns(), 0);
	ck_assert_uint_eq(changes, 0);
}
END_TEST

START_TEST(one_change_per_step)
{
	attach(false);
	run(1000, 10);
	ck_assert_uint_eq(changes, 0);
	run(50000, 15);
	ck_assert_uint_eq(changes, 1);
	run(1000, 15);
	ck_assert_uint_eq(changes, 2);
	ck_assert_uint_eq(timeout_ns(), 0);
}
END_TEST

START_TEST(idle_goes_back_to_rest)
{
	attach(false);
	run(50000, 5);
	ck_assert_uint_gt(timeout_ns(), 0);
	run(0, 10);
	ck_assert_uint_eq(timeout_ns(), 0);
	ck_assert_uint_eq(fake.knobs.value[KNOB_NAPI_DEFER_HARD_IRQS], 0);
	ck_assert_uint_eq(fake.restores, 1); /* exactly as it was, not just a value for the device */
	ck_assert(!target.apply.saved);
	run(50000, 5);
	ck_assert_uint_gt(timeout_ns(), 0);
	ck_assert(target.apply.saved);
}
END_TEST

START_TEST(hardware_timers_follow_load)
{
	fakenic_hardware(&fake);
	rules.policy.mode = MODE_BALANCED;
	rules.policy.max_latency_usecs = 100;
	attach(false);
	ck_assert_uint_eq(target.n_lanes, 2);
	run(70000, 10);
	ck_assert_uint_gt(fake.knobs.value[KNOB_RX_USECS], 10);
	ck_assert_uint_le(fake.knobs.value[KNOB_RX_USECS], 90);
	run(0, 10);
	ck_assert_uint_eq(fake.knobs.value[KNOB_RX_USECS], 0);
	ck_assert_uint_eq(fake.knobs.value[KNOB_RX_FRAMES], 1);
}
END_TEST

START_TEST(operators_change_wins)
{
	struct knob_set theirs;
	char err[ERR_MAX];

	attach(false);
	run(50000, 5);
	knob_put(&fake.knobs, KNOB_GRO_FLUSH_TIMEOUT, 12345);
	run(50000, 3);
	ck_assert_int_eq(report.state, TARGET_YIELDED);
	changes = 0;
	theirs = fake.knobs;
	run(400000, 20);
	run(0, 10);
	ck_assert_uint_eq(changes, 0);
	ck_assert_int_eq(target_release(&target, err), 0);
	ck_assert_uint_eq(fake.knobs.value[KNOB_GRO_FLUSH_TIMEOUT], theirs.value[KNOB_GRO_FLUSH_TIMEOUT]);
}
END_TEST

START_TEST(down_and_up_is_written_anew)
{
	char err[ERR_MAX];

	attach(false);
	run(50000, 5);
	fake.napi_id++;
	knob_put(&fake.knobs, KNOB_GRO_FLUSH_TIMEOUT, 0);
	knob_put(&fake.knobs, KNOB_NAPI_DEFER_HARD_IRQS, 0);
	ck_assert_int_eq(target_changed(&target, &fake.nic, err), 0);
	run(50000, 5);
	ck_assert_int_eq(report.state, TARGET_ACTIVE);
	ck_assert_uint_gt(timeout_ns(), 0);
	ck_assert_int_eq(target_release(&target, err), 0);
	ck_assert_uint_eq(timeout_ns(), 0);
}
END_TEST

START_TEST(gone_is_told_once)
{
	attach(false);
	run(50000, 1);
	fake.gone = true;
	ck_assert_int_eq(run(50000, 1), -ENODEV);
	ck_assert_int_eq(report.state, TARGET_GONE);
}
END_TEST

START_TEST(errors_lead_to_quarantine_and_back)
{
	attach(false);
	fake.write_error = EIO;
	for (int i = 0; i < 2000 && target.state != TARGET_SAFE; i++)
		run(50000, 0.1);
	ck_assert_int_eq(report.state, TARGET_SAFE);
	ck_assert_ptr_nonnull(strstr(report.message, "fake refusal"));
	ck_assert_uint_le(fake.writes, 3);
	fake.write_error = 0;
	run(50000, 70);
	ck_assert_int_eq(report.state, TARGET_ACTIVE);
	ck_assert_uint_gt(timeout_ns(), 0);
}
END_TEST

START_TEST(no_rights_is_said_and_not_tried_again)
{
	attach(false);
	fake.write_error = EPERM;
	run(50000, 20);
	ck_assert_int_eq(report.state, TARGET_UNTUNABLE);
	ck_assert_uint_eq(fake.writes, 1);
}
END_TEST

START_TEST(dead_hardware_knob_falls_back_to_deferral)
{
	fakenic_hardware(&fake);
	fake.caps.napi_path = NAPI_SYSFS;
	fake.caps.knobs.settable |= knob_channel_mask(CHANNEL_NAPI);
	knob_put(&fake.knobs, KNOB_GRO_FLUSH_TIMEOUT, 0);
	knob_put(&fake.knobs, KNOB_NAPI_DEFER_HARD_IRQS, 0);
	fake.caps.knobs.max[KNOB_GRO_FLUSH_TIMEOUT] = 1000000000;
	fake.caps.knobs.max[KNOB_NAPI_DEFER_HARD_IRQS] = 100;
	attach(false);
	fake.write_error = EOPNOTSUPP;
	for (int i = 0; i < 100 && target.lanes[0].kind != MECH_DEFERRAL; i++)
		run(70000, 0.1);
	ck_assert_int_eq(target.lanes[0].kind, MECH_DEFERRAL);
	ck_assert_uint_eq(fake.writes, 1);
}
END_TEST

START_TEST(observing_never_writes)
{
	rules.policy.mode = MODE_OBSERVE;
	attach(false);
	run(50000, 10);
	ck_assert_int_eq(report.state, TARGET_OBSERVING);
	ck_assert_uint_eq(fake.writes, 0);
	rules.policy.mode = MODE_THROUGHPUT;
	attach(true);
	run(50000, 5);
	ck_assert_uint_eq(would_change, 1);
	ck_assert_uint_eq(fake.writes, 0);
}
END_TEST

START_TEST(policy_limits_hold)
{
	rules.policy.limited = KNOB_BIT(KNOB_GRO_FLUSH_TIMEOUT);
	rules.policy.limit_max[KNOB_GRO_FLUSH_TIMEOUT] = 30 * NSEC_PER_USEC;
	attach(false);
	run(50000, 10);
	ck_assert_uint_le(timeout_ns(), 30 * NSEC_PER_USEC);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("tick");
	TCase *t = tcase_create("tick");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, defers_under_load_within_five_seconds);
	tcase_add_test(t, leaves_light_load_alone);
	tcase_add_test(t, one_change_per_step);
	tcase_add_test(t, idle_goes_back_to_rest);
	tcase_add_test(t, hardware_timers_follow_load);
	tcase_add_test(t, operators_change_wins);
	tcase_add_test(t, down_and_up_is_written_anew);
	tcase_add_test(t, gone_is_told_once);
	tcase_add_test(t, errors_lead_to_quarantine_and_back);
	tcase_add_test(t, no_rights_is_said_and_not_tried_again);
	tcase_add_test(t, dead_hardware_knob_falls_back_to_deferral);
	tcase_add_test(t, observing_never_writes);
	tcase_add_test(t, policy_limits_hold);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
