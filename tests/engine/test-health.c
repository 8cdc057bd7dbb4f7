// SPDX-License-Identifier: GPL-2.0-or-later
/* health: devices in trouble get their originals back and are left alone for a while; intervals that mean nothing are
 * skipped and counted. */
#include "../core/suite.h"
#include "rig.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct rig rig;

static void active_rig(void)
{
	rig_hardware(&rig);
	rig.fake.has_carrier = rig.fake.has_tx_timeouts = true;
	rig_attach(&rig);
	rig_run(&rig, 70000, 5);
	ck_assert_int_eq(rig.report.state, TARGET_ACTIVE);
	ck_assert_uint_gt(rig_value(&rig, KNOB_RX_USECS), 10);
}

/* Seconds until it leaves the quarantine. */
static int seconds_safe(void)
{
	int s = 0;

	while (rig.target.state == TARGET_SAFE && s < 100000) {
		rig_run(&rig, 70000, 1);
		s++;
	}
	return s;
}

START_TEST(tx_timeout_leads_to_safe_and_back)
{
	active_rig();
	rig.fake.tx_timeouts++;
	rig_run(&rig, 70000, 0.1);
	ck_assert_int_eq(rig.report.state, TARGET_SAFE);
	ck_assert_ptr_nonnull(strstr(rig.report.message, "timed out"));
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_USECS), 0);
	ck_assert_int_le(abs(seconds_safe() - 60), 1);
	rig_run(&rig, 70000, 10);
	ck_assert_int_eq(rig.report.state, TARGET_ACTIVE);
	ck_assert_uint_gt(rig_value(&rig, KNOB_RX_USECS), 10);
}
END_TEST

START_TEST(the_stay_doubles)
{
	int before = 30;

	active_rig();
	for (int i = 0; i < 9; i++) {
		int s;

		rig.fake.tx_timeouts++;
		rig_run(&rig, 70000, 0.1);
		s = seconds_safe();
		ck_assert_int_le(abs(s - (before < 3840 ? 2 * before : before)), 2);
		before = before < 3840 ? 2 * before : before;
		rig_run(&rig, 70000, 10);
		ck_assert_int_eq(rig.report.state, TARGET_ACTIVE);
	}
}
END_TEST

START_TEST(carrier_flaps_lead_to_safe)
{
	active_rig();
	rig.fake.carrier_changes += 2; /* a cable that was moved */
	rig_run(&rig, 70000, 70);
	ck_assert_int_eq(rig.report.state, TARGET_ACTIVE);
	for (int i = 0; i < 3; i++) {
		rig.fake.carrier_changes += 2;
		rig_run(&rig, 70000, 5);
	}
	ck_assert_int_eq(rig.report.state, TARGET_SAFE);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_USECS), 0);
}
END_TEST

/* Without the counter the notifications must do; an administrator's down and up is no flap. */
START_TEST(carrier_losses_are_counted_from_notifications)
{
	struct nic_info down, lost;
	char err[ERR_MAX];

	active_rig();
	rig.fake.has_carrier = false;
	down = lost = rig.fake.nic;
	down.up = down.carrier = lost.carrier = false;
	for (int i = 0; i < 5; i++) {
		target_changed(&rig.target, &down, err);
		rig_run(&rig, 0, 1);
		target_changed(&rig.target, &rig.fake.nic, err);
		rig_run(&rig, 70000, 1);
	}
	ck_assert_int_ne(rig.report.state, TARGET_SAFE);
	rig_run(&rig, 70000, 12);
	for (int i = 0; i < 3; i++) {
		target_changed(&rig.target, &lost, err);
		rig_run(&rig, 70000, 1);
		target_changed(&rig.target, &rig.fake.nic, err);
		rig_run(&rig, 70000, 2);
	}
	ck_assert_int_eq(rig.report.state, TARGET_SAFE);
}
END_TEST

/* The counter grows by an administrator's down and up too. */
START_TEST(down_and_up_on_purpose_is_no_flap)
{
	char err[ERR_MAX];

	active_rig();
	for (int i = 0; i < 6; i++) {
		rig.fake.nic.up = rig.fake.nic.carrier = !rig.fake.nic.up;
		rig.fake.carrier_changes += rig.fake.nic.up ? 0 : 1;
		target_changed(&rig.target, &rig.fake.nic, err);
		rig_run(&rig, 0, 2);
		rig.fake.carrier_changes += rig.fake.nic.up ? 1 : 0; /* the link was found later */
		rig_run(&rig, 0, 3);
	}
	rig_run(&rig, 70000, 10);
	ck_assert_int_eq(rig.report.state, TARGET_ACTIVE);
	ck_assert_uint_eq(rig.target.quarantines, 0);
}
END_TEST

START_TEST(resets_of_the_driver_lead_to_safe)
{
	active_rig();
	rig.target.facts.ethtool_tells = true;
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(rig.report.state, TARGET_ACTIVE);
		rig.fake.knobs.value[KNOB_RX_USECS] = rig.fake.knobs.value[KNOB_TX_USECS] = 0;
		rig.fake.knobs.value[KNOB_RX_FRAMES] = rig.fake.knobs.value[KNOB_TX_FRAMES] = 1;
		rig_run(&rig, 70000, 5);
	}
	ck_assert_int_eq(rig.report.state, TARGET_SAFE);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_USECS), 0);
	ck_assert_int_le(abs(seconds_safe() - 60), 6);
}
END_TEST

START_TEST(a_device_without_a_link_is_not_woken)
{
	char err[ERR_MAX];
	unsigned reads;

	active_rig();
	rig.target.facts.ethtool_tells = true;
	rig.fake.nic.carrier = false;
	target_changed(&rig.target, &rig.fake.nic, err);
	rig_run(&rig, 0, 30); /* back to rest */
	reads = rig.fake.reads;
	rig_run(&rig, 0, 60);
	ck_assert_uint_eq(rig.fake.reads, reads);
	rig.fake.nic.carrier = true;
	target_changed(&rig.target, &rig.fake.nic, err);
	rig_run(&rig, 70000, 10);
	ck_assert_uint_gt(rig.fake.reads, reads + 8);
	ck_assert_uint_gt(rig_value(&rig, KNOB_RX_USECS), 10);
}
END_TEST

START_TEST(repeated_errors_lead_to_safe)
{
	rig_hardware(&rig);
	rig_attach(&rig);
	rig.fake.write_error = EIO;
	for (int i = 0; i < 300 && rig.target.state != TARGET_SAFE; i++)
		rig_run(&rig, 70000, 1);
	ck_assert_int_eq(rig.report.state, TARGET_SAFE);
	ck_assert_ptr_nonnull(strstr(rig.report.message, "fake refusal"));
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_USECS), 0);
}
END_TEST

START_TEST(observing_has_nothing_to_put_back)
{
	rig_hardware(&rig);
	rig.fake.has_tx_timeouts = true;
	rig.rules.policy.mode = MODE_OBSERVE;
	rig_attach(&rig);
	rig_run(&rig, 70000, 2);
	rig.fake.tx_timeouts++;
	rig_run(&rig, 70000, 2);
	ck_assert_int_eq(rig.report.state, TARGET_OBSERVING);
	ck_assert_uint_eq(rig.fake.restores, 0);
}
END_TEST

/* One interval with something wrong: skipped, counted, and the setting stands. */
static void skips_once(enum skip_reason why)
{
	uint64_t before = rig.target.skipped[why], usecs = rig_value(&rig, KNOB_RX_USECS);

	rig_run(&rig, 70000, 0.1);
	ck_assert_int_eq(rig.report.skipped, why);
	ck_assert(!rig.report.rates_valid);
	ck_assert_uint_eq(rig.target.skipped[why], before + 1);
	rig.fake.reset = false;
	rig.fake.missing = 0;
	rig_run(&rig, 70000, 5);
	ck_assert(rig.report.rates_valid);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_USECS), usecs);
	ck_assert_int_eq(rig.report.state, TARGET_ACTIVE);
}

START_TEST(nonsense_is_skipped_and_counted)
{
	active_rig();
	rig_run(&rig, 70000, 20);
	rig.fake.now += 60 * NSEC_PER_SEC; /* stopped, or the clock jumped */
	skips_once(SKIP_CLOCK);
	rig.fake.now -= RIG_TICK_NS; /* time stands still */
	skips_once(SKIP_CLOCK);
	rig.fake.generation++; /* a CPU came or went */
	skips_once(SKIP_CHANGED);
	rig.fake.reset = true;
	skips_once(SKIP_RESET);
	rig.fake.packets = 0; /* a reset that nobody said */
	skips_once(SKIP_RESET);
	rig.fake.missing = SAMPLE_LINK;
	rig_run(&rig, 70000, 0.1);
	ck_assert_int_eq(rig.report.skipped, SKIP_MISSING);
	skips_once(SKIP_MISSING); /* the first one after has no difference either */
	rig.fake.packets += 1ULL << 40;
	skips_once(SKIP_NONSENSE);
}
END_TEST

/* What the law found out holds on: the setting is there again with the first interval, not when it is found anew. */
START_TEST(down_and_up_writes_anew_at_once)
{
	uint64_t ns;
	char err[ERR_MAX];
	unsigned writes;

	rig_init(&rig);
	rig_attach(&rig);
	rig_run(&rig, 50000, 10);
	ns = rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT);
	ck_assert_uint_gt(ns, 10000);
	rig.fake.nic.up = rig.fake.nic.carrier = false;
	rig.fake.caps.napi_path = NAPI_SYSFS; /* no instances while down */
	knob_put(&rig.fake.knobs, KNOB_GRO_FLUSH_TIMEOUT, 0);
	knob_put(&rig.fake.knobs, KNOB_NAPI_DEFER_HARD_IRQS, 0);
	writes = rig.fake.writes;
	ck_assert_int_eq(target_changed(&rig.target, &rig.fake.nic, err), 0);
	rig_run(&rig, 0, 0.5);
	ck_assert_uint_eq(rig.fake.writes, writes);
	rig.fake.nic.up = rig.fake.nic.carrier = true;
	rig.fake.caps.napi_path = NAPI_GENL;
	rig.fake.napi_id++;
	ck_assert_int_eq(target_changed(&rig.target, &rig.fake.nic, err), 0);
	rig_run(&rig, 50000, 0.3);
	ck_assert_uint_eq(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), ns);
	ck_assert_uint_gt(rig_value(&rig, KNOB_NAPI_DEFER_HARD_IRQS), 0);
	ck_assert_uint_eq(rig.yielded, 0);
	ck_assert_int_eq(target_release(&rig.target, err), 0);
	ck_assert_uint_eq(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), 0);
}
END_TEST

/* Its instances are gone before the notification is read: no failure of anybody, and no lesson for the law. */
START_TEST(down_before_it_is_told)
{
	uint64_t ns;
	char err[ERR_MAX];

	rig_init(&rig);
	rig_attach(&rig);
	rig_run(&rig, 50000, 10);
	ns = rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT);
	ck_assert_uint_gt(ns, 10000);
	rig.fake.write_error = ENETDOWN;
	rig.fake.napi_id++;
	knob_put(&rig.fake.knobs, KNOB_GRO_FLUSH_TIMEOUT, 0);
	knob_put(&rig.fake.knobs, KNOB_NAPI_DEFER_HARD_IRQS, 0);
	rig.target.last_refresh = 0;
	rig_run(&rig, 0, 0.3);
	ck_assert_int_eq(rig.report.state, TARGET_ACTIVE);
	rig.fake.knobs.have = 0; /* nor can it be read */
	rig.target.last_refresh = 0;
	rig_run(&rig, 0, 0.2);
	rig.fake.knobs.have = rig.fake.caps.knobs.readable;
	rig.fake.write_error = 0;
	rig.fake.napi_id++;
	ck_assert_int_eq(target_changed(&rig.target, &rig.fake.nic, err), 0);
	rig_run(&rig, 50000, 0.3);
	ck_assert_uint_eq(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), ns);
	ck_assert_uint_eq(rig.target.health.count[TROUBLE_WRITES], 0);
}
END_TEST

START_TEST(resume_from_suspend_writes_anew)
{
	uint64_t usecs;
	char err[ERR_MAX];

	active_rig();
	usecs = rig_value(&rig, KNOB_RX_USECS);
	knob_put(&rig.fake.knobs, KNOB_RX_USECS, 0); /* the driver forgot */
	ck_assert_int_eq(target_woken(&rig.target, err), 0);
	rig_run(&rig, 70000, 1);
	ck_assert_uint_eq(rig.target.skipped[SKIP_SUSPEND], 1);
	ck_assert_uint_eq(rig.yielded, 0);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_USECS), usecs);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		tx_timeout_leads_to_safe_and_back,
		the_stay_doubles,
		carrier_flaps_lead_to_safe,
		carrier_losses_are_counted_from_notifications,
		down_and_up_on_purpose_is_no_flap,
		resets_of_the_driver_lead_to_safe,
		a_device_without_a_link_is_not_woken,
		repeated_errors_lead_to_safe,
		observing_has_nothing_to_put_back,
		nonsense_is_skipped_and_counted,
		down_and_up_writes_anew_at_once,
		down_before_it_is_told,
		resume_from_suspend_writes_anew,
	};

	return SUITE_RUN("health", tests);
}
