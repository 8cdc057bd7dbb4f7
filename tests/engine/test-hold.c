// SPDX-License-Identifier: GPL-2.0-or-later
/* hold: a knob that someone else changed is theirs until override-hold ends or resume is said; what they set is then
 * what is put back at the end. */
#include "../core/suite.h"
#include "rig.h"

#include <string.h>

static struct rig rig;

static void override(uint64_t ns)
{
	knob_put(&rig.fake.knobs, KNOB_GRO_FLUSH_TIMEOUT, ns);
	knob_put(&rig.fake.knobs, KNOB_NAPI_DEFER_HARD_IRQS, ns ? 3 : 0);
}

START_TEST(override_hold_ends)
{
	char err[ERR_MAX];

	rig_init(&rig);
	rig.rules.policy.override_hold_ns = 30 * NSEC_PER_SEC;
	rig_attach(&rig);
	rig_run(&rig, 50000, 5);
	override(40000);
	rig_run(&rig, 50000, 29);
	ck_assert_int_eq(rig.report.state, TARGET_YIELDED);
	ck_assert_uint_eq(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), 40000);
	ck_assert_ptr_nonnull(strstr(rig.target.why, "found by reading back"));
	rig_run(&rig, 50000, 15);
	ck_assert_uint_ne(rig.resumed & KNOB_BIT(KNOB_GRO_FLUSH_TIMEOUT), 0);
	ck_assert_int_eq(rig.report.state, TARGET_ACTIVE);
	ck_assert_uint_gt(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), 50 * NSEC_PER_USEC);
	ck_assert_int_eq(target_release(&rig.target, err), 0);
	ck_assert_uint_eq(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), 40000);
	ck_assert_uint_eq(rig_value(&rig, KNOB_NAPI_DEFER_HARD_IRQS), 3);
}
END_TEST

START_TEST(a_further_override_starts_the_hold_over)
{
	rig_init(&rig);
	rig.rules.policy.override_hold_ns = 30 * NSEC_PER_SEC;
	rig_attach(&rig);
	rig_run(&rig, 50000, 5);
	override(40000);
	rig_run(&rig, 50000, 20);
	override(45000);
	rig_run(&rig, 50000, 20);
	ck_assert_int_eq(rig.report.state, TARGET_YIELDED);
	ck_assert_uint_eq(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), 45000);
	rig_run(&rig, 50000, 25);
	ck_assert_int_eq(rig.report.state, TARGET_ACTIVE);
}
END_TEST

START_TEST(without_hold_it_takes_a_resume)
{
	rig_init(&rig);
	rig_attach(&rig);
	rig_run(&rig, 50000, 5);
	override(40000);
	rig_run(&rig, 50000, 4000);
	ck_assert_int_eq(rig.report.state, TARGET_YIELDED);
	ck_assert_int_eq(target_resume(&rig.target), 0);
	rig_run(&rig, 50000, 10);
	ck_assert_int_eq(rig.report.state, TARGET_ACTIVE);
	ck_assert_uint_gt(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), 50 * NSEC_PER_USEC);
	override(0);
	rig_run(&rig, 50000, 3);
	ck_assert_int_eq(rig.report.state, TARGET_YIELDED); /* it can be taken again */
}
END_TEST

/* Only one knob of the pair is theirs: the other one goes back to what it was. */
START_TEST(half_of_a_deferral)
{
	char err[ERR_MAX];

	rig_init(&rig);
	rig_attach(&rig);
	rig_run(&rig, 50000, 5);
	knob_put(&rig.fake.knobs, KNOB_GRO_FLUSH_TIMEOUT, 40000);
	rig_run(&rig, 50000, 3);
	ck_assert_uint_eq(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), 40000);
	ck_assert_uint_eq(rig_value(&rig, KNOB_NAPI_DEFER_HARD_IRQS), 0);
	knob_put(&rig.fake.knobs, KNOB_GRO_FLUSH_TIMEOUT, 45000);
	ck_assert_int_eq(target_release(&rig.target, err), 0);
	ck_assert_uint_eq(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), 45000);
}
END_TEST

/* One of two lanes goes on while the other is someone else's, and both originals are right at the end. */
START_TEST(half_a_device)
{
	char err[ERR_MAX];

	rig_hardware(&rig);
	rig.rules.policy.override_hold_ns = 10 * NSEC_PER_SEC;
	rig_attach(&rig);
	rig_run(&rig, 70000, 5);
	ck_assert_uint_gt(rig_value(&rig, KNOB_RX_USECS), 10);
	knob_put(&rig.fake.knobs, KNOB_TX_USECS, 77);
	rig_run(&rig, 70000, 5);
	ck_assert_uint_eq(rig.yielded, KNOB_BIT(KNOB_TX_USECS));
	ck_assert_int_eq(rig.report.state, TARGET_ACTIVE);
	ck_assert_uint_eq(rig.target.n_lanes, 1);
	rig_run(&rig, 70000, 10);
	ck_assert_uint_eq(rig.target.n_lanes, 2);
	ck_assert_int_eq(target_release(&rig.target, err), 0);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_USECS), 0);
	ck_assert_uint_eq(rig_value(&rig, KNOB_TX_USECS), 77);
}
END_TEST

/* A NIC with timers that were set, on a kernel that tells of every change by ethtool. */
static void tuned(void)
{
	rig_hardware(&rig);
	rig_attach(&rig);
	rig.target.facts.ethtool_tells = true;
	rig_run(&rig, 70000, 5);
	ck_assert_uint_gt(rig_value(&rig, KNOB_RX_USECS), 10);
}

static void back_to_power_on(void)
{
	knob_put(&rig.fake.knobs, KNOB_RX_USECS, 0);
	knob_put(&rig.fake.knobs, KNOB_TX_USECS, 0);
	rig.fake.knobs.value[KNOB_RX_FRAMES] = rig.fake.knobs.value[KNOB_TX_FRAMES] = 1;
}

START_TEST(a_reset_of_the_driver_is_nobodys)
{
	uint64_t usecs;

	tuned();
	usecs = rig_value(&rig, KNOB_RX_USECS);
	back_to_power_on();
	rig_run(&rig, 70000, 2);
	ck_assert_uint_eq(rig.yielded, 0);
	ck_assert_uint_ne(rig.fell_back & KNOB_BIT(KNOB_RX_USECS), 0);
	ck_assert_int_eq(rig.report.state, TARGET_ACTIVE);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_USECS), usecs);
}
END_TEST

/* The notification may be read after the change was seen. */
START_TEST(the_same_told_by_ethtool_is_somebodys)
{
	uint32_t yielded = 0;
	char err[ERR_MAX];

	tuned();
	back_to_power_on();
	rig.target.last_refresh = 0;
	rig_run(&rig, 70000, 0.1);
	ck_assert_uint_ne(rig.target.suspected, 0);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_USECS), 0);
	ck_assert_int_eq(target_notified(&rig.target, HAND_ETHTOOL, &yielded), 0);
	ck_assert_uint_ne(yielded & KNOB_BIT(KNOB_RX_USECS), 0);
	ck_assert_int_eq(rig.target.hand, HAND_ETHTOOL);
	rig_run(&rig, 70000, 5);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_USECS), 0);
	ck_assert_int_eq(target_release(&rig.target, err), 0);
}
END_TEST

/* Any other value was set by somebody, told or not; without notifications so was this one. */
START_TEST(other_values_are_somebodys)
{
	tuned();
	back_to_power_on();
	knob_put(&rig.fake.knobs, KNOB_RX_USECS, 7);
	rig_run(&rig, 70000, 2);
	ck_assert_uint_ne(rig.yielded & KNOB_BIT(KNOB_RX_USECS), 0);
	ck_assert_uint_eq(rig.fell_back, 0);
	tuned();
	rig.target.facts.ethtool_tells = false;
	back_to_power_on();
	rig_run(&rig, 70000, 2);
	ck_assert_uint_ne(rig.yielded & KNOB_BIT(KNOB_RX_USECS), 0);
	ck_assert_int_eq(rig.target.hand, HAND_UNSEEN);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		override_hold_ends,
		a_further_override_starts_the_hold_over,
		without_hold_it_takes_a_resume,
		half_of_a_deferral,
		half_a_device,
		a_reset_of_the_driver_is_nobodys,
		the_same_told_by_ethtool_is_somebodys,
		other_values_are_somebodys,
	};

	return SUITE_RUN("hold", tests);
}
