// SPDX-License-Identifier: GPL-2.0-or-later
/* rings: the rule for sizes, and the guard that grows a ring only when it was measured to overflow. */
#include "../core/suite.h"
#include "core/ring.h"
#include "rig.h"

#include <math.h>
#include <string.h>

static struct rig rig;

/* A device with a ring of 256 that overflows below 512, in a policy that lets it grow. */
static void overflowing(enum rings_policy policy)
{
	rig_hardware(&rig);
	rig.rules.policy.rings = policy;
	rig.fake.has_drops = true;
	rig.fake.drops_below_ring = 512;
	rig.fake.drops_ps = 100;
	fakenic_knob(&rig.fake, KNOB_RX_RING, 256);
	rig.fake.caps.knobs.max[KNOB_RX_RING] = 4096;
	rig_attach(&rig);
}

START_TEST(sizes)
{
	ck_assert_uint_eq(ring_wanted(1e6, 100, 412), 1024); /* 512 packets, twice over */
	ck_assert_uint_eq(ring_wanted(1e6, 100, 413), 2048);
	ck_assert_uint_eq(ring_wanted(0, 100, 1000), 1);
	ck_assert_double_eq_tol(ring_gap_usecs(512, 1e6, 100), 412, 1e-9);
	ck_assert_double_eq(ring_gap_usecs(512, 1e6, 1000), 0);
	/* half of a ring of 256 at 85k packets/s, and at 2.5 times the speed */
	ck_assert_double_eq_tol(ring_tx_cap_usecs(256, 85000), 1506, 1);
	ck_assert_double_eq_tol(ring_tx_cap_usecs(256, 2.5 * 85000), 602, 1);
	ck_assert(isinf(ring_tx_cap_usecs(256, 0)));
	ck_assert_double_eq_tol(ring_line_pps(1000, 1514 - 4), 81486, 1);
}
END_TEST

START_TEST(kept_by_default)
{
	overflowing(RINGS_KEEP);
	rig_run(&rig, 100000, 60);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_RING), 256);
}
END_TEST

START_TEST(grows_live_for_measured_drops)
{
	char err[ERR_MAX];
	bool said = false;

	overflowing(RINGS_LIVE);
	for (int i = 0; i < 100; i++) {
		rig_run(&rig, 100000, 0.1);
		if (rig.report.written & KNOB_BIT(KNOB_RX_RING)) {
			ck_assert_ptr_nonnull(strstr(rig.report.message, "MB more memory"));
			ck_assert_int_eq(rig.report.why[KNOB_RX_RING], REASON_RING_SIZE);
			said = true;
		}
	}
	ck_assert(said);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_RING), 512);
	rig_run(&rig, 100000, 60);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_RING), 512); /* it is enough */
	ck_assert_uint_eq(rig.yielded, 0);
	ck_assert_int_eq(target_release(&rig.target, err), 0);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_RING), 256);
}
END_TEST

START_TEST(not_for_one_spike_nor_for_a_busy_cpu)
{
	overflowing(RINGS_LIVE);
	rig.fake.drops_ps = 0;
	for (int i = 0; i < 5; i++) {
		rig_run(&rig, 100000, 70);
		rig.fake.drops += 500;
	}
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_RING), 256);
	rig.fake.drops_ps = 100;
	rig.fake.has_cpu = true;
	rig.fake.poll_cost_usecs = 1000; /* all of it */
	rig_run(&rig, 100000, 60);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_RING), 256);
}
END_TEST

START_TEST(idle_waits_for_quiet)
{
	overflowing(RINGS_IDLE);
	rig_run(&rig, 100000, 60);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_RING), 256);
	rig.fake.drops_ps = 0;
	rig_run(&rig, 10, 4);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_RING), 256);
	rig_run(&rig, 10, 3);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_RING), 512);
}
END_TEST

START_TEST(within_the_devices_limit)
{
	overflowing(RINGS_LIVE);
	rig.fake.drops_below_ring = 0; /* nothing helps */
	rig.fake.caps.knobs.max[KNOB_RX_RING] = 1000;
	rig_attach(&rig);
	rig_run(&rig, 100000, 300);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_RING), 1000);
	ck_assert_int_eq(rig.report.state, TARGET_ACTIVE);
}
END_TEST

START_TEST(link_that_stays_away_brings_the_old_size_back)
{
	unsigned writes;
	char err[ERR_MAX];

	overflowing(RINGS_LIVE);
	rig.fake.ring_drops_link = rig.fake.has_carrier = true;
	for (int i = 0; i < 100 && rig_value(&rig, KNOB_RX_RING) == 256; i++)
		rig_run(&rig, 100000, 0.1);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_RING), 512);
	rig.fake.carrier_changes += 6; /* no flap: we did it */
	target_changed(&rig.target, &rig.fake.nic, err); /* no carrier */
	rig_run(&rig, 0, 9);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_RING), 512);
	rig_run(&rig, 0, 2);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_RING), 256);
	rig.fake.ring_drops_link = false;
	rig.fake.nic.carrier = true;
	target_changed(&rig.target, &rig.fake.nic, err);
	writes = rig.fake.writes;
	rig_run(&rig, 100000, 200);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_RING), 256); /* not tried again */
	ck_assert_uint_le(rig.fake.writes - writes, 3);
	ck_assert_int_eq(rig.report.state, TARGET_ACTIVE);
	ck_assert_uint_eq(rig.target.quarantines, 0);
}
END_TEST

START_TEST(link_that_comes_back_keeps_the_new_size)
{
	char err[ERR_MAX];

	overflowing(RINGS_LIVE);
	rig.fake.ring_drops_link = rig.fake.ring_resets = true;
	for (int i = 0; i < 100 && rig_value(&rig, KNOB_RX_RING) == 256; i++)
		rig_run(&rig, 100000, 0.1);
	target_changed(&rig.target, &rig.fake.nic, err);
	rig_run(&rig, 0, 3);
	rig.fake.nic.carrier = true;
	target_changed(&rig.target, &rig.fake.nic, err);
	rig_run(&rig, 100000, 30);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_RING), 512);
	ck_assert_uint_gt(rig_value(&rig, KNOB_RX_USECS), 10); /* and what the write reset is in force again */
	ck_assert_uint_eq(rig.yielded, 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		sizes,
		kept_by_default,
		grows_live_for_measured_drops,
		not_for_one_spike_nor_for_a_busy_cpu,
		idle_waits_for_quiet,
		within_the_devices_limit,
		link_that_stays_away_brings_the_old_size_back,
		link_that_comes_back_keeps_the_new_size,
	};

	return SUITE_RUN("rings", tests);
}
