// SPDX-License-Identifier: GPL-2.0-or-later
/* fleet: traffic, reload, resume and crowds of interfaces, over a machine in memory. */
#include <errno.h>

#include "answers.h"

START_TEST(follows_load)
{
	world_open(&w);
	busy(2, "eth0", WORLD_TIMERS, 0);
	busy(3, "veth1", WORLD_DEFERRAL, 1);
	ck_assert_int_eq(fleet_sync(&w.fleet), 0);
	world_run(&w, 10);
	ck_assert_uint_gt(knob(2, KNOB_RX_USECS), 20);
	ck_assert_uint_gt(knob(3, KNOB_GRO_FLUSH_TIMEOUT), 20000);
	ck_assert_uint_eq(world_said(&w, "eth0: under control"), 1);
	ck_assert_uint_eq(world_saved(&w), 2);
	world_close(&w);
}
END_TEST

START_TEST(reload_touches_only_what_changed)
{
	static const char text[] = "[match]\nname = eth0\n[policy]\nmode = throughput\n";
	unsigned writes;

	world_open(&w);
	busy(2, "eth0", WORLD_TIMERS, 0);
	busy(3, "eth1", WORLD_TIMERS, 1);
	world_config(&w, text);
	ck_assert_int_eq(fleet_load(&w.fleet), 0);
	fleet_sync(&w.fleet);
	world_run(&w, 10);
	writes = w.hw[0].writes;
	world_hush(&w);
	/* the same, and another one for eth1 */
	world_config(&w, "[daemon]\nlog-level = notice\ninterval = 200ms\n"
			 "[match]\nname = eth0\n[policy]\nmode = throughput\n");
	ck_assert_int_eq(fleet_load(&w.fleet), 0);
	fleet_sync(&w.fleet);
	ck_assert_str_eq(w.said, "");
	ck_assert_uint_eq(w.hw[0].restores + w.hw[1].restores, 0);
	ck_assert_int_eq(w.fleet.log.level, LOG_NOTICE);
	ck_assert_uint_eq(w.fleet.config->settings.interval_ns, 200 * NSEC_PER_MSEC);
	world_config(&w, "[match]\nname = eth1\n[policy]\nmode = off\n");
	ck_assert_int_eq(fleet_load(&w.fleet), 0);
	ck_assert_uint_eq(w.hw[1].restores, 1);
	ck_assert_uint_eq(w.hw[0].restores, 0);
	ck_assert_uint_eq(w.hw[0].writes, writes);
	ck_assert_uint_eq(world_said(&w, "eth1: left alone: policy"), 1);
	ck_assert_uint_eq(world_said(&w, "eth0"), 0);
	world_close(&w);
}
END_TEST

/* The policy turns off, and the originals cannot be put back: the next look tries again. */
START_TEST(restore_that_fails_is_tried_again)
{
	uint64_t found;

	world_open(&w);
	busy(2, "eth0", WORLD_TIMERS, 0);
	found = knob(2, KNOB_RX_USECS);
	fleet_sync(&w.fleet);
	world_run(&w, 10);
	ck_assert_uint_gt(knob(2, KNOB_RX_USECS), 20);
	world_config(&w, "[match]\nname = eth0\n[policy]\nmode = off\n");
	w.hw[0].restore_error = EBUSY;
	ck_assert_int_eq(fleet_load(&w.fleet), 0);
	ck_assert_uint_eq(world_said(&w, "eth0: originals could not be put back: the device is busy"), 1);
	w.hw[0].restore_error = 0;
	ck_assert_int_eq(fleet_load(&w.fleet), 0);
	ck_assert_uint_eq(w.hw[0].restores, 1);
	ck_assert_uint_eq(knob(2, KNOB_RX_USECS), found);
	ck_assert_uint_eq(world_said(&w, "eth0: left alone: policy"), 1);
	world_close(&w);
}
END_TEST

START_TEST(broken_configuration_is_not_taken)
{
	struct config *before;

	world_open(&w);
	busy(2, "eth0", WORLD_TIMERS, 0);
	fleet_sync(&w.fleet);
	before = w.fleet.config;
	world_config(&w, "[match]\nname = eth0\n[policy]\nmode = off\n[policy\n");
	ck_assert_int_eq(fleet_load(&w.fleet), -EBADMSG);
	ck_assert_ptr_eq(w.fleet.config, before);
	world_run(&w, 10);
	ck_assert_uint_gt(knob(2, KNOB_RX_USECS), 20);
	world_close(&w);
}
END_TEST

START_TEST(link_speed_chooses_the_policy_anew)
{
	world_open(&w);
	busy(2, "eth0", WORLD_TIMERS, 0);
	world_config(&w, "[match]\nlink-speed = >=10G\n[policy]\nmode = off\n");
	ck_assert_int_eq(fleet_load(&w.fleet), 0);
	fleet_sync(&w.fleet);
	world_run(&w, 10);
	ck_assert_uint_gt(knob(2, KNOB_RX_USECS), 20);
	world_port(&w, 2)->nic.speed_mbps = 10000;
	fleet_changed(&w.fleet, 2);
	ck_assert_uint_eq(knob(2, KNOB_RX_USECS), 3);
	ck_assert_uint_eq(world_said(&w, "eth0: left alone: policy"), 1);
	world_port(&w, 2)->nic.speed_mbps = 1000;
	fleet_changed(&w.fleet, 2);
	world_run(&w, 10);
	ck_assert_uint_gt(knob(2, KNOB_RX_USECS), 20);
	world_close(&w);
}
END_TEST

/* What each of them costs is within the target, what both do is not: the CPU is what counts. */
START_TEST(a_cpu_that_several_share_is_kept_below_its_target)
{
	uint64_t alone, shared;
	double before;

	world_open(&w);
	w.poll_cost_usecs = 5;
	world_config(&w, "[policy]\nmode = latency\nmax-latency = 500us\ncpu-target = 10%\n");
	ck_assert_int_eq(fleet_load(&w.fleet), 0);
	busy(2, "eth0", WORLD_TIMERS, 0);
	fleet_sync(&w.fleet);
	world_run(&w, 120);
	alone = knob(2, KNOB_RX_USECS);
	busy(3, "eth1", WORLD_TIMERS, 1);
	fleet_added(&w.fleet, 3);
	world_run(&w, 120);
	shared = knob(2, KNOB_RX_USECS);
	fprintf(stderr, "alone %u us, with another %u and %u us\n", (unsigned)alone, (unsigned)shared,
		(unsigned)knob(3, KNOB_RX_USECS));
	ck_assert_uint_gt(shared, alone);
	ck_assert_uint_gt(knob(3, KNOB_RX_USECS), alone);
	before = w.softirq_ns;
	world_run(&w, 10);
	ck_assert_double_lt((w.softirq_ns - before) / 10e9, 0.12);
	world_close(&w);
}
END_TEST

START_TEST(resume_reads_all_anew)
{
	world_open(&w);
	busy(2, "eth0", WORLD_TIMERS, 0);
	fleet_sync(&w.fleet);
	world_run(&w, 10);
	ck_assert_uint_gt(knob(2, KNOB_RX_USECS), 20);
	knob_put(&w.hw[0].knobs, KNOB_RX_USECS, 3); /* the driver forgot */
	fleet_resumed(&w.fleet, 3600 * NSEC_PER_SEC);
	ck_assert_uint_eq(world_said(&w, "the machine slept for 3600s"), 1);
	ck_assert_uint_eq(members_find(&w.fleet.members, 2)->target->skipped[SKIP_SUSPEND], 1);
	world_run(&w, 10);
	ck_assert_uint_gt(knob(2, KNOB_RX_USECS), 20);
	ck_assert_uint_eq(world_said(&w, "someone else"), 0);
	world_close(&w);
}
END_TEST

START_TEST(a_crash_leaves_nothing_when_the_policy_is_off_now)
{
	struct nic_settings s = { .device = { 0 } };

	world_open(&w);
	busy(2, "eth0", WORLD_TIMERS, 0);
	knob_put(&s.device, KNOB_RX_USECS, 3);
	knob_put(&w.hw[0].knobs, KNOB_RX_USECS, 77);
	ck_assert_int_eq(state_save(w.fleet.state, &world_port(&w, 2)->nic, &s), 0);
	w.fleet.policy.mode = MODE_OFF;
	fleet_sync(&w.fleet);
	ck_assert_uint_eq(knob(2, KNOB_RX_USECS), 3);
	ck_assert_uint_eq(world_saved(&w), 0);
	world_close(&w);
}
END_TEST

START_TEST(a_thousand_interfaces_cost_no_samples)
{
	char name[NIC_NAME_MAX];

	world_open(&w);
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		world_add(&w, 10 + i, name, WORLD_NOTHING, 7);
	}
	busy(2, "eth0", WORLD_TIMERS, 0);
	fleet_sync(&w.fleet);
	world_run(&w, 10);
	ck_assert_uint_eq(w.fleet.members.n, 1001);
	ck_assert_uint_eq(w.fleet.n_targets, 1);
	ck_assert_uint_eq(world_port(&w, 500)->samples, 0);
	ck_assert_uint_ge(world_port(&w, 2)->samples, 99);
	ck_assert_uint_gt(knob(2, KNOB_RX_USECS), 20);
	ck_assert_uint_le(w.scans, 30); /* not one for each */
	world_close(&w);
}
END_TEST

START_TEST(only_so_many_are_tuned)
{
	char name[NIC_NAME_MAX];

	world_open(&w);
	for (int i = 0; i < TARGETS_MAX + 1; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		world_add(&w, 10 + i, name, WORLD_TIMERS, 0);
	}
	fleet_sync(&w.fleet);
	ck_assert_uint_eq(w.fleet.n_targets, TARGETS_MAX);
	world_run(&w, 1);
	ck_assert_uint_eq(world_said(&w, "interfaces are under control already"), 1);
	world_remove(&w, 20);
	fleet_removed(&w.fleet, 20);
	world_run(&w, 61);
	ck_assert_uint_eq(w.fleet.n_targets, TARGETS_MAX);
	ck_assert_uint_eq(members_find(&w.fleet.members, 10 + TARGETS_MAX)->waits, false);
	world_close(&w);
}
END_TEST

START_TEST(a_storm_leaves_nothing)
{
	world_open(&w);
	for (int i = 0; i < 1000; i++) {
		busy(10 + i, "veth9", WORLD_DEFERRAL, 1);
		fleet_added(&w.fleet, 10 + i);
		world_run(&w, i % 100 ? 0.1 : 10);
		world_remove(&w, 10 + i);
		fleet_removed(&w.fleet, 10 + i);
		w.hw[1].knobs = w.hw[1].power_on; /* a new device each time */
		world_hush(&w);
	}
	ck_assert_uint_eq(w.fleet.members.n, 0);
	ck_assert_uint_eq(w.fleet.n_targets, 0);
	ck_assert_uint_eq(w.forgotten, 1000);
	ck_assert_uint_eq(world_saved(&w), 0);
	world_close(&w);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		follows_load,
		reload_touches_only_what_changed,
		restore_that_fails_is_tried_again,
		broken_configuration_is_not_taken,
		link_speed_chooses_the_policy_anew,
		a_cpu_that_several_share_is_kept_below_its_target,
		resume_reads_all_anew,
		a_crash_leaves_nothing_when_the_policy_is_off_now,
		a_thousand_interfaces_cost_no_samples,
		only_so_many_are_tuned,
		a_storm_leaves_nothing,
	};

	return SUITE_RUN("fleet", tests);
}
