// SPDX-License-Identifier: GPL-2.0-or-later
/* queues: decisions queue by queue, when they are made, and what [queue] sections do. */
#include "queuerig.h"

#include <string.h>

static char err[ERR_MAX];

START_TEST(alike_queues_need_none_of_it)
{
	timers(4);
	load(50000);
	rig_attach(&rig);
	run(60);
	ck_assert_uint_eq(rig.fake.queue_writes, 0);
	ck_assert_uint_gt(usecs(0), 10);
	ck_assert_uint_eq(usecs(0), usecs(3));
}
END_TEST

START_TEST(loads_that_differ_are_decided_apart)
{
	timers(4);
	load(100000);
	rig.fake.queue[2].pps = 2000; /* one request at a time, maybe */
	rig_attach(&rig);
	run(120);
	ck_assert_uint_gt(rig.fake.queue_writes, 0);
	ck_assert_uint_gt(usecs(0), 30);
	ck_assert_uint_eq(usecs(0), usecs(1));
	ck_assert_uint_eq(usecs(0), usecs(3));
	ck_assert_uint_lt(usecs(2), 5);
	ck_assert(rig.report.decided[QUEUE_RX]);
	ck_assert_double_gt(rig.report.cost[QUEUE_RX].poll_usecs, 0);
	ck_assert_int_eq(target_release(&rig.target, err), 0);
	for (unsigned q = 0; q < 4; q++)
		ck_assert_uint_eq(usecs(q), 0);
}
END_TEST

START_TEST(alike_queues_get_the_same_everywhere)
{
	timers(8);
	section(7, 7)->mode = MODE_LATENCY;
	for (unsigned q = 0; q < 8; q++)
		rig.fake.queue[q].pps = 60000 + 1000 * q;
	rig_attach(&rig);
	for (int i = 0; i < 120; i++) {
		run(1);
		for (unsigned q = 1; q < 7; q++)
			ck_assert_uint_eq(usecs(q), usecs(0));
	}
	ck_assert_uint_gt(usecs(0), 30);
	ck_assert_uint_le(usecs(7), 25);
}
END_TEST

START_TEST(one_request_for_all_queues)
{
	timers(8);
	section(7, 7)->mode = MODE_OFF;
	load(50000);
	rig_attach(&rig);
	for (int i = 0; i < 200 && !rig.fake.queue_writes; i++)
		run(0.1);
	ck_assert_uint_eq(rig.fake.queue_writes, 1);
	ck_assert_uint_eq(rig.fake.queues_written, 7);
	ck_assert_uint_eq(rig.fake.writes, 0); /* nor one for the device, which would reach queue 7 */
	ck_assert_ptr_nonnull(strstr(rig.report.queues, "queues 0-6: rx-usecs "));
}
END_TEST

START_TEST(steady_queues_less_than_one_change_a_minute)
{
	timers(16);
	section(0, 3)->max_latency_usecs = 60;
	for (unsigned q = 0; q < 16; q++)
		rig.fake.queue[q].pps = q % 4 ? 80000 : 8000;
	rig_attach(&rig);
	run(120);
	rig.fake.queue_writes = 0;
	run(600);
	ck_assert_uint_lt(rig.fake.queue_writes, 10);
}
END_TEST

START_TEST(sections_hold)
{
	struct policy_queue *q;

	timers(6);
	section(1, 1)->max_latency_usecs = 30;
	section(2, 2)->mode = MODE_OFF;
	q = section(3, 4);
	q->limited = KNOB_BIT(KNOB_RX_USECS) | KNOB_BIT(KNOB_TX_USECS);
	q->limit_min[KNOB_RX_USECS] = 7;
	q->limit_max[KNOB_RX_USECS] = 9;
	q->limit_min[KNOB_TX_USECS] = q->limit_max[KNOB_TX_USECS] = 33;
	load(100000);
	rig.fake.tx_pps = 300000;
	rig_attach(&rig);
	for (int i = 0; i < 100; i++) {
		run(1);
		ck_assert_uint_le(usecs(1), 30);
		ck_assert_uint_le(of(1, KNOB_TX_USECS), 30);
		ck_assert_uint_eq(usecs(2), 0);
		ck_assert_uint_eq(of(2, KNOB_RX_FRAMES), 1);
		ck_assert_uint_eq(of(2, KNOB_TX_USECS), 0);
		ck_assert(i < 2 || (usecs(3) >= 7 && usecs(4) <= 9));
		ck_assert(i < 2 || of(4, KNOB_TX_USECS) == 33);
	}
	ck_assert_uint_gt(usecs(0), 40);
	ck_assert_uint_gt(usecs(1), 5);
	ck_assert_uint_gt(of(0, KNOB_TX_USECS), 33);
	ck_assert_uint_eq(of(0, KNOB_TX_USECS), of(5, KNOB_TX_USECS));
}
END_TEST

START_TEST(queues_without_counters_follow_the_device)
{
	timers(3);
	rig.fake.counts_queues = false;
	section(2, 2)->max_latency_usecs = 20;
	load(60000);
	rig_attach(&rig);
	run(30);
	ck_assert_uint_gt(usecs(0), 30);
	ck_assert_uint_eq(usecs(0), usecs(1));
	ck_assert_uint_gt(usecs(2), 10);
	ck_assert_uint_le(usecs(2), 20);
}
END_TEST

START_TEST(counters_once_a_second_do)
{
	timers(2);
	rig.fake.count_every = NSEC_PER_SEC;
	section(1, 1)->max_latency_usecs = 40;
	load(80000);
	rig_attach(&rig);
	run(60);
	ck_assert_uint_gt(usecs(0), 40);
	ck_assert_uint_gt(usecs(1), 10);
	ck_assert_uint_le(usecs(1), 40);
}
END_TEST

START_TEST(write_for_the_device_that_reaches_queue_0_only)
{
	static const struct quirk quirk = { .effect.global_set = QUIRK_SET_QUEUE_0 };

	timers(2);
	rig.rules.quirks = &quirk;
	rig.rules.n_quirks = 1;
	load(60000);
	rig_attach(&rig);
	run(20);
	ck_assert_uint_gt(usecs(1), 30);
	ck_assert_uint_eq(rig.fake.writes, 0);
}
END_TEST

START_TEST(directions_that_cannot_differ)
{
	static struct quirk quirk;

	for (int i = 0; i < 2; i++) {
		quirk.effect.per_queue = i ? QUIRK_DIRS_TX : QUIRK_DIRS_NONE;
		timers(2);
		section(1, 1)->max_latency_usecs = 20;
		rig.rules.quirks = &quirk;
		rig.rules.n_quirks = 1;
		load(60000);
		rig.fake.tx_pps = 100000;
		rig_attach(&rig);
		run(30);
		ck_assert_uint_eq(usecs(0), usecs(1));
		ck_assert_int_eq(of(0, KNOB_TX_USECS) != of(1, KNOB_TX_USECS), i);
		ck_assert_int_eq(rig.fake.queue_writes > 0, i);
	}
}
END_TEST

START_TEST(deferral_by_napi_instance)
{
	deferral(3);
	section(1, 1)->mode = MODE_OFF;
	section(2, 2)->max_latency_usecs = 60;
	load(60000);
	rig_attach(&rig);
	run(30);
	ck_assert_uint_gt(of(0, KNOB_GRO_FLUSH_TIMEOUT), 80000);
	ck_assert_uint_eq(of(1, KNOB_GRO_FLUSH_TIMEOUT), 0);
	ck_assert_uint_eq(of(1, KNOB_NAPI_DEFER_HARD_IRQS), 0);
	ck_assert_uint_gt(of(2, KNOB_GRO_FLUSH_TIMEOUT), 10000);
	ck_assert_uint_le(of(2, KNOB_GRO_FLUSH_TIMEOUT), 60000);
	knob_put(&rig.fake.queue[2].knobs, KNOB_GRO_FLUSH_TIMEOUT, 123456);
	knob_put(&rig.fake.knobs, KNOB_GRO_FLUSH_TIMEOUT, 123456);
	run(10);
	ck_assert_uint_eq(rig.yielded, 0);
	ck_assert_uint_gt(of(0, KNOB_GRO_FLUSH_TIMEOUT), 80000);
	ck_assert_int_eq(target_release(&rig.target, err), 0);
	ck_assert_uint_eq(of(0, KNOB_GRO_FLUSH_TIMEOUT), 0);
	ck_assert_uint_eq(of(2, KNOB_GRO_FLUSH_TIMEOUT), 123456);
}
END_TEST

START_TEST(observed_queues_are_not_written)
{
	timers(2);
	section(1, 1)->max_latency_usecs = 50;
	rig.rules.policy.mode = MODE_OBSERVE;
	rig.rules.policy.queues[0].mode = MODE_THROUGHPUT;
	load(60000);
	rig_attach(&rig);
	run(20);
	ck_assert_uint_eq(rig.fake.queue_writes + rig.fake.writes, 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		alike_queues_need_none_of_it,
		loads_that_differ_are_decided_apart,
		alike_queues_get_the_same_everywhere,
		one_request_for_all_queues,
		steady_queues_less_than_one_change_a_minute,
		sections_hold,
		queues_without_counters_follow_the_device,
		counters_once_a_second_do,
		write_for_the_device_that_reaches_queue_0_only,
		directions_that_cannot_differ,
		deferral_by_napi_instance,
		observed_queues_are_not_written,
	};

	return SUITE_RUN("queues", tests);
}
