// SPDX-License-Identifier: GPL-2.0-or-later
/* queues-hold: whose a queue's setting is, what is put back, and what happens when writes go wrong. */
#include "queuerig.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char err[ERR_MAX];

START_TEST(operator_keeps_his_queue)
{
	timers(3);
	section(2, 2)->max_latency_usecs = 50;
	load(60000);
	rig_attach(&rig);
	run(20);
	knob_put(&rig.fake.queue[1].knobs, KNOB_RX_USECS, 777);
	run(3);
	ck_assert_uint_eq(rig.yielded, 0);
	ck_assert_uint_eq(rig.target.queues.q[1].yielded, KNOB_BIT(KNOB_RX_USECS));
	ck_assert_uint_gt(usecs(0), 20);
	load(0);
	run(60);
	ck_assert_uint_eq(usecs(0), 0); /* the others go on */
	ck_assert_uint_eq(usecs(1), 777);
	ck_assert_int_eq(target_release(&rig.target, err), 0);
	ck_assert_uint_eq(usecs(0), 0);
	ck_assert_uint_eq(usecs(1), 777);
	ck_assert_uint_eq(usecs(2), 0);
}
END_TEST

START_TEST(operator_sets_queue_0)
{
	timers(3);
	section(2, 2)->max_latency_usecs = 50;
	load(60000);
	rig_attach(&rig);
	run(20);
	knob_put(&rig.fake.queue[0].knobs, KNOB_RX_USECS, 777); /* the device shows it as its own */
	knob_put(&rig.fake.knobs, KNOB_RX_USECS, 777);
	run(3);
	ck_assert_uint_eq(rig.yielded, 0);
	ck_assert_uint_ne(rig.target.queues.q[0].yielded, 0);
	ck_assert_uint_ne(usecs(1), 777);
}
END_TEST

START_TEST(operator_sets_the_device)
{
	timers(3);
	section(2, 2)->max_latency_usecs = 50;
	load(60000);
	rig_attach(&rig);
	run(20);
	knob_put(&rig.fake.knobs, KNOB_RX_USECS, 60);
	for (unsigned q = 0; q < 3; q++)
		knob_put(&rig.fake.queue[q].knobs, KNOB_RX_USECS, 60);
	run(20);
	ck_assert_uint_ne(rig.yielded & KNOB_BIT(KNOB_RX_USECS), 0);
	for (unsigned q = 0; q < 3; q++)
		ck_assert_uint_eq(usecs(q), 60);
	ck_assert_int_eq(target_release(&rig.target, err), 0);
	for (unsigned q = 0; q < 3; q++)
		ck_assert_uint_eq(usecs(q), 60);
}
END_TEST

START_TEST(queue_comes_back_when_its_hold_ends)
{
	timers(2);
	section(1, 1)->max_latency_usecs = 50;
	rig.rules.policy.override_hold_ns = 10 * NSEC_PER_SEC;
	load(60000);
	rig_attach(&rig);
	run(20);
	knob_put(&rig.fake.queue[1].knobs, KNOB_RX_USECS, 777);
	run(5);
	ck_assert_uint_eq(usecs(1), 777);
	run(15);
	ck_assert_uint_le(usecs(1), 50);
	ck_assert_uint_ne(rig.resumed & KNOB_BIT(KNOB_RX_USECS), 0);
}
END_TEST

START_TEST(originals_of_each_queue_come_back)
{
	char dir[] = "/tmp/test-queues-XXXXXX", name[NIC_NAME_MAX];
	struct nic_settings saved;
	struct state_dir state;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(state_open(&state, dir), 0);
	timers(3);
	section(2, 2)->max_latency_usecs = 50;
	knob_put(&rig.fake.queue[1].knobs, KNOB_RX_USECS, 11);
	knob_put(&rig.fake.queue[2].knobs, KNOB_RX_FRAMES, 5);
	load(60000);
	rig.state = &state;
	rig_attach(&rig);
	run(20);
	ck_assert_uint_gt(usecs(1), 20);
	ck_assert_int_eq(state_load(&state, rig.fake.nic.ifindex, name, &saved), 0);
	ck_assert_uint_eq(saved.n_queue, 3);
	ck_assert_uint_eq(saved.queue[1].knobs.value[KNOB_RX_USECS], 11);
	rig_attach(&rig); /* it crashed */
	ck_assert_uint_eq(usecs(0), 0);
	ck_assert_uint_eq(usecs(1), 11);
	ck_assert_uint_eq(of(2, KNOB_RX_FRAMES), 5);
	state_close(&state);
	ck_assert_int_eq(system(strcat(strcpy((char[64]){ 0 }, "rm -r "), dir)), 0);
}
END_TEST

START_TEST(fall_of_packets_in_queues_is_rolled_back)
{
	timers(2);
	section(1, 1)->mode = MODE_OFF;
	rig.fake.queue[0].pps = 60000;
	rig.fake.collapse = 0.1;
	rig.fake.collapse_above = 1;
	rig_attach(&rig);
	for (int i = 0; i < 100 && !usecs(0); i++)
		run(0.1);
	ck_assert_uint_gt(usecs(0), 0);
	run(0.4);
	ck_assert_uint_ne(rig.rolled_back & KNOB_BIT(KNOB_RX_USECS), 0);
	ck_assert_uint_eq(usecs(0), 0);
	run(40); /* avoided */
	ck_assert_uint_eq(usecs(0), 0);
}
END_TEST

START_TEST(refused_by_queue_they_are_set_together)
{
	timers(2);
	section(1, 1)->max_latency_usecs = 150;
	rig.fake.queue_error = EOPNOTSUPP;
	load(60000);
	rig_attach(&rig);
	run(40);
	ck_assert_uint_eq(rig.fake.queue_writes, 1);
	ck_assert_uint_gt(usecs(1), 20);
	ck_assert_int_eq(rig.report.state, TARGET_ACTIVE);
}
END_TEST

START_TEST(what_a_queue_forgot_is_written_anew)
{
	timers(2);
	section(1, 1)->max_latency_usecs = 50;
	load(60000);
	rig_attach(&rig);
	run(20);
	ck_assert_uint_gt(usecs(1), 10);
	for (unsigned q = 0; q < 2; q++)
		knob_put(&rig.fake.queue[q].knobs, KNOB_RX_USECS, 0);
	knob_put(&rig.fake.knobs, KNOB_RX_USECS, 0);
	ck_assert_int_eq(target_changed(&rig.target, &rig.fake.nic, err), 0);
	run(3);
	ck_assert_uint_gt(usecs(0), 10);
	ck_assert_uint_gt(usecs(1), 10);
	ck_assert_uint_eq(rig.yielded, 0);
}
END_TEST

/* Told by nobody, and all is as it was found. */
START_TEST(a_reset_of_all_queues_is_nobodys)
{
	timers(2);
	section(1, 1)->max_latency_usecs = 50;
	load(60000);
	rig_attach(&rig);
	rig.target.facts.ethtool_tells = true;
	run(20);
	ck_assert_uint_gt(usecs(1), 10);
	for (unsigned q = 0; q < 2; q++) {
		rig.fake.queue[q].knobs.value[KNOB_RX_USECS] = 0;
		rig.fake.queue[q].knobs.value[KNOB_RX_FRAMES] = 1;
	}
	rig.fake.knobs.value[KNOB_RX_USECS] = 0;
	rig.fake.knobs.value[KNOB_RX_FRAMES] = 1;
	run(5);
	ck_assert_uint_eq(rig.yielded, 0);
	ck_assert_uint_ne(rig.fell_back & KNOB_BIT(KNOB_RX_USECS), 0);
	ck_assert_uint_gt(usecs(0), 10);
	ck_assert_uint_gt(usecs(1), 10);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		operator_keeps_his_queue,
		operator_sets_queue_0,
		operator_sets_the_device,
		queue_comes_back_when_its_hold_ends,
		originals_of_each_queue_come_back,
		fall_of_packets_in_queues_is_rolled_back,
		refused_by_queue_they_are_set_together,
		what_a_queue_forgot_is_written_anew,
		a_reset_of_all_queues_is_nobodys,
	};

	return SUITE_RUN("queues-hold", tests);
}
