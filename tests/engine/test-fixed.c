// SPDX-License-Identifier: GPL-2.0-or-later
/* fixed: pins and limits hold without traffic and without a lane; the driver's adaptive moderation is switched on where
 * the policy says so, and its usecs are never written then. */
#include "../core/suite.h"
#include "rig.h"

static struct rig rig;

static void pin(enum knob k, uint64_t v)
{
	rig.rules.policy.limited |= KNOB_BIT(k);
	rig.rules.policy.limit_min[k] = rig.rules.policy.limit_max[k] = v;
}

START_TEST(pinned_knobs_are_written_once_without_traffic)
{
	char err[ERR_MAX];

	rig_hardware(&rig);
	fakenic_knob(&rig.fake, KNOB_ADAPTIVE_RX, 1);
	pin(KNOB_RX_USECS, 33);
	pin(KNOB_RX_FRAMES, 8);
	pin(KNOB_ADAPTIVE_RX, 0);
	rig_attach(&rig);
	rig_run(&rig, 0, 5);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_USECS), 33);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_FRAMES), 8);
	ck_assert_uint_eq(rig_value(&rig, KNOB_ADAPTIVE_RX), 0);
	ck_assert_uint_eq(rig.changes, 1);
	rig_run(&rig, 200000, 20);
	rig_run(&rig, 0, 20);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_USECS), 33);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_FRAMES), 8);
	ck_assert_uint_eq(rig.changes, 1);
	ck_assert_int_eq(target_release(&rig.target, err), 0);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_USECS), 0);
	ck_assert_uint_eq(rig_value(&rig, KNOB_ADAPTIVE_RX), 1);
}
END_TEST

START_TEST(pin_of_a_knob_that_no_lane_drives)
{
	rig_init(&rig);
	rig.fake.caps.knobs.settable = 0; /* no mechanism at all */
	fakenic_knob(&rig.fake, KNOB_RX_FRAMES, 1);
	pin(KNOB_RX_FRAMES, 4);
	rig_attach(&rig);
	ck_assert_uint_eq(rig.target.n_lanes, 0);
	rig_run(&rig, 0, 2);
	ck_assert_int_eq(rig.report.state, TARGET_ACTIVE);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_FRAMES), 4);
	ck_assert_int_eq(rig.report.why[KNOB_RX_FRAMES], REASON_PINNED);
	knob_put(&rig.fake.knobs, KNOB_RX_FRAMES, 9); /* a pin can be overridden as anything else */
	rig_run(&rig, 0, 3);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_FRAMES), 9);
}
END_TEST

START_TEST(present_values_are_moved_into_their_limits)
{
	rig_hardware(&rig);
	knob_put(&rig.fake.knobs, KNOB_RX_FRAMES, 200);
	knob_put(&rig.fake.knobs, KNOB_RX_USECS, 20);
	rig.rules.policy.limited = KNOB_BIT(KNOB_RX_FRAMES);
	rig.rules.policy.limit_min[KNOB_RX_FRAMES] = 16;
	rig.rules.policy.limit_max[KNOB_RX_FRAMES] = 64;
	rig_attach(&rig);
	rig_run(&rig, 1, 2);
	ck_assert_uint_le(rig_value(&rig, KNOB_RX_FRAMES), 64);
	ck_assert_uint_ge(rig_value(&rig, KNOB_RX_FRAMES), 16);
	rig_run(&rig, 100000, 20);
	ck_assert_uint_le(rig_value(&rig, KNOB_RX_FRAMES), 64);
	ck_assert_uint_ge(rig_value(&rig, KNOB_RX_FRAMES), 16);
}
END_TEST

START_TEST(frames_never_wait_without_a_timer)
{
	rig_hardware(&rig);
	pin(KNOB_RX_FRAMES, 16);
	rig_attach(&rig);
	for (int i = 0; i < 20; i++) {
		rig_run(&rig, i & 1 ? 100000 : 3000, 5);
		ck_assert(rig_value(&rig, KNOB_RX_USECS) > 0 || rig_value(&rig, KNOB_RX_FRAMES) <= 1);
	}
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_FRAMES), 16);
}
END_TEST

START_TEST(mechanism_adaptive_switches_it_on_and_leaves_usecs)
{
	char err[ERR_MAX];

	rig_hardware(&rig);
	fakenic_knob(&rig.fake, KNOB_ADAPTIVE_RX, 0);
	fakenic_knob(&rig.fake, KNOB_ADAPTIVE_TX, 0);
	rig.rules.policy.mechanism = MECHANISM_ADAPTIVE;
	pin(KNOB_RX_USECS, 50); /* not while it is on */
	rig_attach(&rig);
	for (int i = 0; i < 20; i++) {
		rig_run(&rig, i & 1 ? 100000 : 0, 5);
		ck_assert_uint_eq(rig_value(&rig, KNOB_RX_USECS), 0);
		ck_assert_uint_eq(rig_value(&rig, KNOB_TX_USECS), 0);
	}
	ck_assert_uint_eq(rig_value(&rig, KNOB_ADAPTIVE_RX), 1);
	ck_assert_uint_eq(rig_value(&rig, KNOB_ADAPTIVE_TX), 1);
	ck_assert_uint_eq(rig.changes, 1);
	ck_assert_int_eq(rig.report.state, TARGET_ACTIVE);
	ck_assert_int_eq(target_release(&rig.target, err), 0);
	ck_assert_uint_eq(rig_value(&rig, KNOB_ADAPTIVE_RX), 0);
}
END_TEST

START_TEST(adaptive_that_is_on_is_left_on)
{
	rig_hardware(&rig);
	fakenic_knob(&rig.fake, KNOB_ADAPTIVE_RX, 1);
	fakenic_knob(&rig.fake, KNOB_ADAPTIVE_TX, 1);
	rig_attach(&rig); /* mechanism auto */
	rig_run(&rig, 100000, 30);
	ck_assert_uint_eq(rig.fake.writes, 0);
	rig.rules.policy.mechanism = MECHANISM_ADAPTIVE;
	rig_attach(&rig);
	rig_run(&rig, 100000, 30);
	ck_assert_uint_eq(rig.fake.writes, 0);
	rig.rules.policy.mechanism = MECHANISM_HARDWARE;
	rig_attach(&rig);
	rig_run(&rig, 100000, 30);
	ck_assert_uint_eq(rig_value(&rig, KNOB_ADAPTIVE_RX), 0);
	ck_assert_uint_gt(rig_value(&rig, KNOB_RX_USECS), 0);
}
END_TEST

START_TEST(mechanism_adaptive_without_such_a_driver)
{
	rig_hardware(&rig);
	rig.rules.policy.mechanism = MECHANISM_ADAPTIVE;
	rig_attach(&rig);
	rig_run(&rig, 100000, 10);
	ck_assert_int_eq(rig.report.state, TARGET_UNTUNABLE);
	ck_assert_uint_eq(rig.fake.writes, 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		pinned_knobs_are_written_once_without_traffic,
		pin_of_a_knob_that_no_lane_drives,
		present_values_are_moved_into_their_limits,
		frames_never_wait_without_a_timer,
		mechanism_adaptive_switches_it_on_and_leaves_usecs,
		adaptive_that_is_on_is_left_on,
		mechanism_adaptive_without_such_a_driver,
	};

	return SUITE_RUN("fixed", tests);
}
