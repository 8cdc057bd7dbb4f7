// SPDX-License-Identifier: GPL-2.0-or-later
/* guard: what keeps a decision from doing harm: rollback, the pace of changes, the test whether a knob has an effect,
 * the transmit ring, and the CPU target. */
#include "../core/suite.h"
#include "rig.h"

#include <string.h>

static struct rig rig;

START_TEST(fall_of_packets_is_rolled_back)
{
	unsigned ticks = 0;

	rig_init(&rig);
	rig.fake.collapse = 0.1; /* packets that arrive once anything is deferred */
	rig.fake.collapse_above = 1;
	rig_attach(&rig);
	for (int i = 0; i < 100 && !rig.changes; i++)
		rig_run(&rig, 50000, 0.1);
	ck_assert_uint_gt(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), 0);
	while (ticks < 10 && !rig.rolled_back) {
		rig_run(&rig, 50000, 0.1);
		ticks++;
	}
	ck_assert_uint_le(ticks, 3);
	ck_assert_uint_eq(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), 0);
	ck_assert_int_eq(rig.report.decision[QUEUE_RX].reason, REASON_ROLLBACK);
	ck_assert_int_eq(rig.report.why[KNOB_GRO_FLUSH_TIMEOUT], REASON_ROLLBACK);
	ck_assert_ptr_nonnull(strstr(rig.message, "5000 packets/s (50000 before)"));
}
END_TEST

START_TEST(what_was_rolled_back_is_avoided_ever_longer)
{
	unsigned first, later;

	rig_init(&rig);
	rig.fake.collapse = 0.1;
	rig.fake.collapse_above = 1;
	rig_attach(&rig);
	rig_run(&rig, 50000, 600);
	first = rig.target.watch.rollbacks;
	ck_assert_uint_ge(first, 1);
	rig_run(&rig, 50000, 6 * 3600);
	later = rig.target.watch.rollbacks - first;
	ck_assert_uint_le(later, 12);
	ck_assert_uint_eq(rig.target.watch.voids, 0);
}
END_TEST

START_TEST(ring_drops_after_a_change_are_rolled_back)
{
	rig_hardware(&rig);
	rig.fake.has_drops = true;
	rig_attach(&rig);
	for (int i = 0; i < 100 && !rig.changes; i++)
		rig_run(&rig, 70000, 0.1);
	ck_assert_uint_gt(rig_value(&rig, KNOB_RX_USECS), 10);
	rig.fake.drops_ps = 2000;
	rig_run(&rig, 70000, 0.3);
	ck_assert_uint_ne(rig.rolled_back & KNOB_BIT(KNOB_RX_USECS), 0);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_USECS), 0);
	ck_assert_ptr_nonnull(strstr(rig.message, "2000 ring drops/s (0 before)"));
}
END_TEST

START_TEST(one_interval_spikes_move_nothing)
{
	uint64_t usecs;

	rig_hardware(&rig);
	rig_attach(&rig);
	for (int i = 0; i < 100 && !rig.changes; i++)
		rig_run(&rig, 70000, 0.1);
	usecs = rig_value(&rig, KNOB_RX_USECS);
	rig_run(&rig, 1000, 0.1); /* right after the change */
	rig_run(&rig, 70000, 20);
	for (int i = 0; i < 10; i++) {
		rig_run(&rig, i & 1 ? 300000 : 1000, 0.1);
		rig_run(&rig, 70000, 5);
	}
	ck_assert_uint_eq(rig.rolled_back, 0);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_USECS), usecs);
}
END_TEST

/* The load went away by itself just after the change: putting back brings nothing, and nothing is held against it. */
START_TEST(a_load_that_left_is_no_fault_of_the_setting)
{
	rig_hardware(&rig);
	rig_attach(&rig);
	for (int i = 0; i < 100 && !rig.changes; i++)
		rig_run(&rig, 70000, 0.1);
	rig_run(&rig, 3000, 2);
	ck_assert_uint_eq(rig.target.watch.rollbacks, 1);
	ck_assert_uint_eq(rig.target.watch.voids, 1);
	rig_run(&rig, 3000, 5);
	rig_run(&rig, 70000, 10);
	ck_assert_uint_gt(rig_value(&rig, KNOB_RX_USECS), 10);
}
END_TEST

START_TEST(at_most_one_change_a_second)
{
	rig_hardware(&rig);
	fakenic_knob(&rig.fake, KNOB_TX_RING, 512);
	rig_attach(&rig);
	for (int i = 0; i < 300; i++) {
		rig.fake.tx_pps = i % 14 < 7 ? 90000 : 0;
		rig_run(&rig, i % 10 < 5 ? 70000 : 200, 1.3);
	}
	ck_assert_uint_gt(rig.changes, 3);
	ck_assert_uint_ge(rig.least_gap, NSEC_PER_SEC);
	ck_assert_uint_le(rig.report.changes_per_minute, 16); /* one a phase in each direction */
}
END_TEST

/* Two lanes that decide a little apart: the second one waits for its turn and is then written. */
START_TEST(the_second_lane_waits_for_its_turn)
{
	unsigned per_minute = 0;

	rig_hardware(&rig);
	rig_attach(&rig);
	rig_run(&rig, 0, 3);
	rig.fake.tx_pps = 90000;
	rig_run(&rig, 0, 0.3);
	for (int i = 0; i < 100; i++) {
		rig_run(&rig, 90000, 0.1);
		if (rig.report.changes_per_minute > per_minute)
			per_minute = rig.report.changes_per_minute;
	}
	ck_assert_uint_gt(rig_value(&rig, KNOB_RX_USECS), 10);
	ck_assert_uint_gt(rig_value(&rig, KNOB_TX_USECS), 10);
	ck_assert_uint_ge(per_minute, 2);
	ck_assert_uint_ge(rig.least_gap, NSEC_PER_SEC);
}
END_TEST

START_TEST(steady_load_less_than_one_change_a_minute)
{
	rig_init(&rig);
	rig_attach(&rig);
	rig_run(&rig, 50000, 120);
	rig.changes = 0;
	rig_run(&rig, 50000, 1800);
	ck_assert_uint_le(rig.changes, 30);
	ck_assert_uint_le(rig.report.changes_per_minute, 2);
}
END_TEST

static void with_deferral(void)
{
	rig_hardware(&rig);
	rig.fake.caps.napi_path = NAPI_SYSFS;
	fakenic_knob(&rig.fake, KNOB_GRO_FLUSH_TIMEOUT, 0);
	fakenic_knob(&rig.fake, KNOB_NAPI_DEFER_HARD_IRQS, 0);
}

START_TEST(timer_without_effect_is_dead_and_deferral_takes_over)
{
	with_deferral();
	rig.fake.dead_timer = true;
	rig_attach(&rig);
	for (int i = 0; i < 30 && !rig.dead; i++) {
		rig_run(&rig, 70000, 20);
		rig_run(&rig, 0, 10); /* and so to a second raise */
	}
	ck_assert_uint_eq(rig.dead, KNOB_BIT(KNOB_RX_USECS));
	ck_assert_int_eq(rig.target.effect[KNOB_RX_USECS], EFFECT_DEAD);
	ck_assert_int_eq(rig.target.lanes[0].kind, MECH_DEFERRAL);
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_USECS), 0); /* back as it was found */
	rig.dead = 0;
	rig_run(&rig, 70000, 20);
	ck_assert_uint_eq(rig.dead, 0); /* said once */
	ck_assert_uint_eq(rig_value(&rig, KNOB_RX_USECS), 0);
	ck_assert_uint_gt(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), 0);
}
END_TEST

START_TEST(working_timer_is_not_called_dead)
{
	with_deferral();
	rig_attach(&rig);
	for (int i = 0; i < 30; i++) {
		rig_run(&rig, 70000, 20);
		rig_run(&rig, 0, 10);
		rig_run(&rig, 3000, 20);
	}
	ck_assert_uint_eq(rig.dead, 0);
	ck_assert_int_eq(rig.target.effect[KNOB_RX_USECS], EFFECT_EQUAL);
}
END_TEST

START_TEST(ignored_write_is_dead)
{
	with_deferral();
	rig.fake.ignore = KNOB_BIT(KNOB_RX_USECS);
	rig_attach(&rig);
	rig_run(&rig, 70000, 150);
	ck_assert_uint_ne(rig.dead & KNOB_BIT(KNOB_RX_USECS), 0);
	ck_assert_int_eq(rig.target.lanes[0].kind, MECH_DEFERRAL);
	ck_assert_uint_gt(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), 0);
}
END_TEST

/* Each of the two signs alone may be the load's doing. */
START_TEST(dead_needs_both_signs)
{
	static const struct {
		double before, after; /* polls per packet at 50k packets/s, to 100 us: 10k interrupts/s may pass */
		bool dead;
	} rows[] = { { 1, 1, true }, { 1, 0.9, false }, { 0.2, 0.2, false }, { 0.5, 0.51, true }, { 0.5, 0.2, false } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ctl_input in = { .pps = 50000, .have_pps = true, .have_polls = true };
		struct effect_test e = { 0 };
		bool dead = false;

		for (int raise = 0; raise < 2; raise++) {
			in.polls_ps = rows[i].before * in.pps;
			effect_step(&e, &in, 1);
			effect_changed(&e, 10, 100);
			in.polls_ps = rows[i].after * in.pps;
			for (int s = 0; s < 3; s++) {
				ck_assert(!dead);
				dead = effect_step(&e, &in, 1);
			}
			ck_assert_msg(raise || !dead, "row %zu: one raise is not enough", i);
		}
		ck_assert_msg(dead == rows[i].dead, "row %zu", i);
	}
}
END_TEST

START_TEST(answers)
{
	static const struct {
		uint64_t before, asked, got;
		enum effect_kind kind;
	} rows[] = {
		{ 0, 50, 50, EFFECT_EQUAL },   { 0, 50, 48, EFFECT_ROUNDED }, { 0, 50, 64, EFFECT_CLAMPED },
		{ 0, 500, 100, EFFECT_CLAMPED }, { 0, 50, 0, EFFECT_DEAD },	{ 48, 50, 48, EFFECT_ROUNDED },
		{ 0, 2, 3, EFFECT_MAGIC },     { 50, 0, 50, EFFECT_CLAMPED },
	};
	struct quirk_effect q = { 0 };

	q.magic[KNOB_RX_USECS] = 1 << 3;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_msg(effect_of_readback(&q, KNOB_RX_USECS, rows[i].before, rows[i].asked, rows[i].got) ==
				      rows[i].kind,
			      "row %zu", i);
}
END_TEST

/* A write of one half puts the other half back to the driver's default. */
START_TEST(what_a_write_resets_is_written_anew)
{
	static const struct quirk quirk = { .effect.resets = KNOB_BIT(KNOB_TX_USECS) };
	uint64_t usecs;

	rig_hardware(&rig);
	rig.rules.quirks = &quirk;
	rig.rules.n_quirks = 1;
	rig.fake.resets = KNOB_BIT(KNOB_TX_USECS);
	rig_attach(&rig);
	rig_run(&rig, 70000, 20);
	usecs = rig_value(&rig, KNOB_RX_USECS);
	ck_assert_uint_gt(usecs, 10);
	rig.fake.tx_pps = 80000;
	rig_run(&rig, 70000, 10);
	ck_assert_uint_gt(rig_value(&rig, KNOB_TX_USECS), 0);
	ck_assert_uint_eq(rig.yielded, 0);
	ck_assert_uint_ge(rig_value(&rig, KNOB_RX_USECS), usecs / 2);
}
END_TEST

START_TEST(tx_interval_stays_below_half_the_ring)
{
	rig_hardware(&rig);
	rig.rules.policy.mode = MODE_POWERSAVE;
	rig.rules.policy.max_latency_usecs = 5000;
	rig.rules.policy.limited = KNOB_BIT(KNOB_TX_USECS); /* the law alone stays lower */
	rig.rules.policy.limit_min[KNOB_TX_USECS] = 1000;
	rig.rules.policy.limit_max[KNOB_TX_USECS] = 4000;
	fakenic_knob(&rig.fake, KNOB_TX_RING, 64);
	rig.fake.tx_pps = 85000;
	rig_attach(&rig);
	rig_run(&rig, 85000, 20);
	ck_assert_uint_gt(rig_value(&rig, KNOB_TX_USECS), 100);
	ck_assert_uint_le(rig_value(&rig, KNOB_TX_USECS), 376); /* 32 / 85 kHz */
}
END_TEST

START_TEST(deferral_of_completions_stays_below_half_the_ring)
{
	static struct quirk quirk;

	for (int i = 0; i < 2; i++) {
		rig_init(&rig);
		quirk.effect.deferral = i ? QUIRK_DIRS_RX : QUIRK_DIRS_BOTH;
		rig.rules.quirks = &quirk;
		rig.rules.n_quirks = 1;
		fakenic_knob(&rig.fake, KNOB_TX_RING, 16);
		rig.fake.tx_pps = 100000; /* 8 in 80 us */
		rig_attach(&rig);
		rig_run(&rig, 100000, 20);
		if (i)
			ck_assert_uint_gt(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), 80000);
		else
			ck_assert_uint_le(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), 80000);
		ck_assert_uint_gt(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), 0);
	}
}
END_TEST

/* Timers that run only beside a number of frames above 1. */
START_TEST(frames_that_enable_the_timer)
{
	static struct quirk quirk;

	rig_hardware(&rig);
	quirk.effect.rx_frames = quirk.effect.tx_frames = QUIRK_FRAMES_ENABLE;
	rig.rules.quirks = &quirk;
	rig.rules.n_quirks = 1;
	rig.rules.policy.limited = KNOB_BIT(KNOB_RX_FRAMES);
	rig.rules.policy.limit_max[KNOB_RX_FRAMES] = 1000;
	rig_attach(&rig);
	for (int i = 0; i < 10; i++) {
		rig_run(&rig, i & 1 ? 3000 : 100000, 10);
		ck_assert_int_eq(rig_value(&rig, KNOB_RX_USECS) > 0, rig_value(&rig, KNOB_RX_FRAMES) > 1);
	}
	ck_assert_uint_gt(rig.changes, 1);
}
END_TEST

START_TEST(order_of_interrupts_is_told_to_the_backend)
{
	static struct quirk quirk = { .effect.irq_order = "other tx* rx*" };

	rig_init(&rig);
	rig.rules.quirks = &quirk;
	rig.rules.n_quirks = 1;
	rig_attach(&rig);
	ck_assert_str_eq(rig.fake.irq_order, "other tx* rx*");
}
END_TEST

START_TEST(cpu_target_counts_what_packets_cost_the_cpu)
{
	uint64_t usecs[2];

	for (int i = 0; i < 2; i++) {
		rig_init(&rig);
		rig.rules.policy.mode = MODE_LATENCY;
		rig.rules.policy.max_latency_usecs = 500;
		rig.rules.policy.cpu_target_ratio = i ? 0.05 : 1;
		rig.fake.has_cpu = true;
		rig.fake.poll_cost_usecs = 5;
		rig_attach(&rig);
		rig_run(&rig, 100000, 90);
		usecs[i] = rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT) / NSEC_PER_USEC;
	}
	ck_assert_uint_gt(usecs[0], 0);
	ck_assert_uint_ge(usecs[1], 2 * usecs[0]);
	ck_assert_double_lt(rig.target.cpu_ratio, 0.06);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		fall_of_packets_is_rolled_back,
		what_was_rolled_back_is_avoided_ever_longer,
		ring_drops_after_a_change_are_rolled_back,
		one_interval_spikes_move_nothing,
		a_load_that_left_is_no_fault_of_the_setting,
		at_most_one_change_a_second,
		the_second_lane_waits_for_its_turn,
		steady_load_less_than_one_change_a_minute,
		timer_without_effect_is_dead_and_deferral_takes_over,
		working_timer_is_not_called_dead,
		ignored_write_is_dead,
		dead_needs_both_signs,
		answers,
		what_a_write_resets_is_written_anew,
		tx_interval_stays_below_half_the_ring,
		deferral_of_completions_stays_below_half_the_ring,
		frames_that_enable_the_timer,
		order_of_interrupts_is_told_to_the_backend,
		cpu_target_counts_what_packets_cost_the_cpu,
	};

	return SUITE_RUN("guard", tests);
}
