// SPDX-License-Identifier: GPL-2.0-or-later
/* leave-alone: what the fleet keeps off, and who decides for shared hardware, over a machine in memory. */
#include <stdlib.h>

#include "answers.h"

static void quirk_shared(void)
{
	static const char name[] = "*";
	struct config *c = w.fleet.config;

	c->quirks = calloc(1, sizeof(*c->quirks));
	c->n_quirks = 1;
	strcpy(c->quirks[0].match.text[MATCH_NAME], name);
	c->quirks[0].effect.shared = QUIRK_YES;
}

/* Each reason that takes the whole device: nothing is written, the reason is said once and kept. */
START_TEST(each_reason_leaves_the_device_alone)
{
	for (int i = 0; i < OCCUPANCY_COUNT; i++) {
		struct member *m;
		char text[64];

		if (manners_table[i].exempt != EXEMPT_DEVICE)
			continue;
		world_open(&w);
		busy(2, "eth0", WORLD_TIMERS, 0)->found = MANNERS_BIT(i);
		fleet_sync(&w.fleet);
		world_run(&w, 70);
		ck_assert_uint_eq(w.hw[0].writes, 0);
		snprintf(text, sizeof(text), "eth0: left alone: %.30s", manners_table[i].sentence);
		ck_assert_msg(world_said(&w, text) == 1, "%s: %s", text, w.said);
		ck_assert_uint_eq(world_said(&w, "eth0"), 1);
		m = members_find(&w.fleet.members, 2);
		ck_assert_uint_eq(m->reasons, MANNERS_BIT(i));
		ck_assert_msg(strstr(member_why(m), manners_table[i].sentence) != NULL, "%s", member_why(m));
		world_close(&w);
	}
}
END_TEST

START_TEST(reason_that_comes_later_and_goes)
{
	struct port *p;

	world_open(&w);
	p = busy(2, "eth0", WORLD_TIMERS, 0);
	fleet_sync(&w.fleet);
	world_run(&w, 10);
	ck_assert_uint_gt(knob(2, KNOB_RX_USECS), 20);
	world_hush(&w);
	p->found = MANNERS_BIT(OCCUPANCY_XDP_SOCKET);
	world_run(&w, 11); /* nobody tells, so it is looked for every ten seconds */
	ck_assert_uint_eq(knob(2, KNOB_RX_USECS), 3);
	ck_assert_uint_eq(world_said(&w, "eth0: originals are back"), 1);
	ck_assert_uint_eq(world_said(&w, "eth0: left alone: an AF_XDP socket"), 1);
	p->found = 0;
	fleet_changed(&w.fleet, 2); /* a link event: at once */
	world_run(&w, 10);
	ck_assert_uint_eq(world_said(&w, "eth0: under control"), 1);
	ck_assert_uint_gt(knob(2, KNOB_RX_USECS), 20);
	world_close(&w);
}
END_TEST

START_TEST(qdisc_that_comes_later_is_noticed_at_once)
{
	struct port *p;

	world_open(&w);
	p = busy(2, "eth0", WORLD_TIMERS, 0);
	fleet_sync(&w.fleet);
	world_run(&w, 12); /* the next look around is far off */
	p->found = MANNERS_BIT(OCCUPANCY_TAPRIO);
	fleet_qdisc(&w.fleet, "htb"); /* says nothing */
	world_run(&w, 1);
	ck_assert_uint_gt(knob(2, KNOB_RX_USECS), 20);
	fleet_qdisc(&w.fleet, "taprio");
	world_run(&w, 0.1);
	ck_assert_uint_eq(knob(2, KNOB_RX_USECS), 3);
	ck_assert_uint_eq(world_said(&w, "eth0: left alone: a taprio qdisc"), 1);
	world_close(&w);
}
END_TEST

START_TEST(policy_that_names_it_overrules)
{
	world_open(&w);
	busy(2, "eth0", WORLD_TIMERS, 0)->found = MANNERS_BIT(OCCUPANCY_MQPRIO);
	busy(3, "eth1", WORLD_TIMERS, 1)->found = MANNERS_BIT(OCCUPANCY_MQPRIO);
	world_config(&w, "[match]\nname = eth1\n[policy]\nmode = throughput\n");
	ck_assert_int_eq(fleet_load(&w.fleet), 0);
	fleet_sync(&w.fleet);
	world_run(&w, 10);
	ck_assert_uint_eq(w.hw[0].writes, 0);
	ck_assert_uint_gt(knob(3, KNOB_RX_USECS), 20);
	world_close(&w);
}
END_TEST

static void deferral_found(uint64_t timeout, uint64_t defer)
{
	knob_put(&w.hw[0].knobs, KNOB_GRO_FLUSH_TIMEOUT, timeout);
	knob_put(&w.hw[0].knobs, KNOB_NAPI_DEFER_HARD_IRQS, defer);
	w.hw[0].power_on = w.hw[0].knobs;
	fleet_sync(&w.fleet);
	world_run(&w, 10);
}

START_TEST(busy_polling_found_at_start)
{
	world_open(&w);
	busy(2, "veth0", WORLD_DEFERRAL, 0);
	deferral_found(200000, 2);
	ck_assert_uint_eq(w.hw[0].writes, 0);
	ck_assert_uint_eq(world_said(&w, "veth0: left alone: somebody set software deferral"), 1);
	/* asked for by name of the mechanism */
	world_config(&w, "[policy]\nmode = throughput\nmechanism = software\n");
	ck_assert_int_eq(fleet_load(&w.fleet), 0);
	world_run(&w, 10);
	ck_assert_uint_eq(world_said(&w, "veth0: under control"), 1);
	world_close(&w);
}
END_TEST

START_TEST(the_kernels_own_deferral_is_nobodys)
{
	world_open(&w);
	busy(2, "veth0", WORLD_DEFERRAL, 0);
	deferral_found(20000, 1);
	ck_assert_uint_eq(world_said(&w, "veth0: under control"), 1);
	ck_assert_uint_gt(w.hw[0].writes, 0);
	world_close(&w);
}
END_TEST

START_TEST(realtime_kernel_keeps_timers)
{
	world_open(&w);
	busy(2, "eth0", WORLD_TIMERS, 0)->found = MANNERS_BIT(OCCUPANCY_REALTIME);
	busy(3, "veth1", WORLD_DEFERRAL, 1)->found = MANNERS_BIT(OCCUPANCY_REALTIME);
	fleet_sync(&w.fleet);
	world_run(&w, 10);
	ck_assert_uint_gt(knob(2, KNOB_RX_USECS), 20);
	ck_assert_uint_eq(w.hw[1].writes, 0);
	ck_assert_uint_eq(world_said(&w, "veth1: left alone: software deferral is off on a PREEMPT_RT kernel"), 1);
	world_close(&w);
}
END_TEST

static void two_ports(void)
{
	world_open(&w);
	busy(2, "eth0", WORLD_TIMERS, 0);
	busy(3, "eth1", WORLD_TIMERS, 0);
	quirk_shared();
	fleet_sync(&w.fleet);
	world_run(&w, 10);
}

START_TEST(shared_hardware_has_one_owner)
{
	two_ports();
	ck_assert_uint_eq(world_said(&w, "eth0: under control"), 1);
	ck_assert_uint_eq(world_said(&w, "eth1: left alone: shares its hardware with eth0"), 1);
	ck_assert_uint_eq(world_said(&w, "eth1"), 1);
	ck_assert_uint_gt(knob(2, KNOB_RX_USECS), 20);
	/* other hardware, other owner */
	busy(4, "eth2", WORLD_TIMERS, 1);
	fleet_added(&w.fleet, 4);
	world_run(&w, 10);
	ck_assert_uint_eq(world_said(&w, "eth2: under control"), 1);
	world_close(&w);
}
END_TEST

START_TEST(owner_goes_down_or_leaves)
{
	two_ports();
	world_port(&w, 2)->nic.up = false;
	world_hush(&w);
	fleet_changed(&w.fleet, 2);
	world_run(&w, 10);
	ck_assert_uint_eq(world_said(&w, "eth0: originals are back"), 1);
	ck_assert_uint_eq(world_said(&w, "eth0: left alone: shares its hardware with eth1"), 1);
	ck_assert_uint_eq(world_said(&w, "eth1: under control"), 1);
	ck_assert_uint_gt(knob(3, KNOB_RX_USECS), 20);
	/* back up: it takes over again */
	world_port(&w, 2)->nic.up = true;
	fleet_changed(&w.fleet, 2);
	world_run(&w, 10);
	ck_assert_uint_eq(world_said(&w, "eth1: originals are back"), 1);
	ck_assert_uint_gt(knob(2, KNOB_RX_USECS), 20);
	/* it leaves, its values stay in the hardware: the heir knows what was there before (see world_close) */
	world_remove(&w, 2);
	fleet_removed(&w.fleet, 2);
	ck_assert_uint_eq(knob(3, KNOB_RX_USECS), 3);
	world_run(&w, 10);
	ck_assert_uint_gt(knob(3, KNOB_RX_USECS), 20);
	world_close(&w);
}
END_TEST

START_TEST(what_occupies_one_port_spares_the_other)
{
	two_ports();
	ck_assert_uint_gt(knob(2, KNOB_RX_USECS), 20);
	world_port(&w, 3)->found = MANNERS_BIT(OCCUPANCY_TIMESTAMPS);
	fleet_changed(&w.fleet, 3);
	world_run(&w, 10);
	ck_assert_uint_eq(world_said(&w, "eth0: left alone: hardware timestamps"), 1);
	ck_assert_uint_eq(knob(2, KNOB_RX_USECS), 3);
	/* the port that is occupied comes later */
	world_remove(&w, 3);
	fleet_removed(&w.fleet, 3);
	world_run(&w, 10);
	ck_assert_uint_gt(knob(2, KNOB_RX_USECS), 20);
	busy(4, "eth2", WORLD_TIMERS, 0)->found = MANNERS_BIT(OCCUPANCY_XDP_SOCKET);
	fleet_added(&w.fleet, 4);
	ck_assert_uint_eq(knob(2, KNOB_RX_USECS), 3);
	world_run(&w, 10);
	ck_assert_uint_eq(knob(2, KNOB_RX_USECS), 3);
	world_close(&w);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		each_reason_leaves_the_device_alone,
		reason_that_comes_later_and_goes,
		qdisc_that_comes_later_is_noticed_at_once,
		policy_that_names_it_overrules,
		busy_polling_found_at_start,
		the_kernels_own_deferral_is_nobodys,
		realtime_kernel_keeps_timers,
		shared_hardware_has_one_owner,
		owner_goes_down_or_leaves,
		what_occupies_one_port_spares_the_other,
	};

	return SUITE_RUN("leave-alone", tests);
}
