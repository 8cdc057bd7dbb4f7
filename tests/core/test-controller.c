// SPDX-License-Identifier: GPL-2.0-or-later
/* The controller's states and transitions, around the small plant of plant.h. */
#include "plant.h"
#include "suite.h"

static void start(struct controller *c, const struct plant *p, enum mode mode, double default_usecs)
{
	struct policy policy = plant_policy(mode);
	struct ctl_limits limits = plant_limits(p, default_usecs);

	controller_init(c, &policy, &limits);
}

START_TEST(open_load_raises_once_and_stays)
{
	struct plant p = plant_make(MECH_TIMER, 75000);
	struct controller c;
	struct decision d;

	start(&c, &p, MODE_BALANCED, 0);
	ck_assert_uint_eq(plant_loop(&p, &c, 15, &d), 1);
	/* the plant's packets come singly: sqrt(0.5 * 5.7 * 100 / 0.15) - 1 / 0.075 = 43.6 - 13.3 */
	ck_assert_double_eq_tol(controller_interval(&c), 30.3, 1);
	ck_assert_int_eq(controller_state(&c), CTL_HOLD);
	ck_assert_int_eq(d.reason, REASON_STEADY);
	ck_assert(!controller_closed(&c));
}
END_TEST

START_TEST(light_load_stays_off)
{
	struct plant p = plant_make(MECH_TIMER, 3000);
	struct controller c;

	start(&c, &p, MODE_BALANCED, 0);
	ck_assert_uint_eq(plant_loop(&p, &c, 60, NULL), 0);
	start(&c, &p, MODE_BALANCED, 50); /* and a long default comes down */
	plant_loop(&p, &c, 10, NULL);
	ck_assert_double_eq(controller_interval(&c), 0);
}
END_TEST

START_TEST(window_limited_load_steps_down)
{
	struct plant p = plant_make(MECH_TIMER, 0);
	struct controller c;
	struct decision d;

	p.outstanding = 16;
	p.rtt_usecs = 300;
	start(&c, &p, MODE_BALANCED, 0);
	ck_assert(plant_until(&p, &c, 10, REASON_LAW, &d));
	ck_assert_int_eq(controller_state(&c), CTL_UP);
	ck_assert(plant_until(&p, &c, 10, REASON_LADDER, &d));
	ck_assert_int_eq(controller_state(&c), CTL_LADDER);
	ck_assert_double_lt(d.interval_usecs, d.from_usecs);
	ck_assert(plant_until(&p, &c, 10, REASON_CLOSED, &d));
	ck_assert(controller_closed(&c));
	ck_assert_double_lt(controller_interval(&c), 12);
	ck_assert_uint_eq(plant_loop(&p, &c, 60, &d), 0); /* not tried again at once */
	ck_assert_int_eq(d.reason, REASON_CLOSED);
}
END_TEST

START_TEST(lonely_packets_end_the_wait)
{
	struct plant p = plant_make(MECH_TIMER, 0);
	struct controller c;
	struct decision d;

	p.outstanding = 1;
	p.rtt_usecs = 12;
	start(&c, &p, MODE_BALANCED, 16); /* 36k packets/s: the law would keep it */
	ck_assert(plant_until(&p, &c, 5, REASON_LONELY, &d));
	ck_assert(d.change);
	ck_assert_double_eq(d.interval_usecs, 0);
	ck_assert(controller_closed(&c));
}
END_TEST

START_TEST(probe_goes_back_when_nothing_was_gained)
{
	struct plant p = plant_make(MECH_TIMER, 75000);
	struct controller c;
	struct decision d;

	start(&c, &p, MODE_BALANCED, 30);
	ck_assert(plant_until(&p, &c, 10, REASON_PROBE, &d));
	ck_assert_int_eq(controller_state(&c), CTL_PROBE_LOW);
	ck_assert_double_eq(d.interval_usecs, 0); /* nothing was compared with it yet */
	ck_assert(plant_until(&p, &c, 15, REASON_PROBE_END, &d));
	ck_assert_int_eq(controller_state(&c), CTL_PROBE_BACK);
	ck_assert_double_eq(d.interval_usecs, 30);
	ck_assert_uint_eq(plant_loop(&p, &c, 100, &d), 0);
	ck_assert_int_eq(controller_state(&c), CTL_HOLD);
}
END_TEST

START_TEST(probe_finds_a_closed_loop)
{
	struct plant p = plant_make(MECH_TIMER, 0);
	struct controller c;
	struct decision d;

	p.outstanding = 16;
	p.rtt_usecs = 300;
	start(&c, &p, MODE_BALANCED, 22); /* about what the law would choose: nothing to decide */
	ck_assert(plant_until(&p, &c, 20, REASON_PROBE_END, &d));
	ck_assert(plant_until(&p, &c, 20, REASON_LADDER, &d));
	ck_assert(plant_until(&p, &c, 20, REASON_CLOSED, &d));
	ck_assert_double_lt(controller_interval(&c), 12);
}
END_TEST

START_TEST(load_that_slows_down_by_itself_keeps_the_raise)
{
	struct plant p = plant_make(MECH_TIMER, 75000);
	struct controller c;
	struct decision d;

	start(&c, &p, MODE_BALANCED, 0);
	ck_assert(plant_until(&p, &c, 10, REASON_LAW, &d));
	p.offered_pps = 66000; /* looks like harm, but no rung brings it back */
	ck_assert(plant_until(&p, &c, 10, REASON_LADDER, &d));
	ck_assert(plant_until(&p, &c, 10, REASON_VOID, &d));
	ck_assert_double_gt(d.interval_usecs, 20);
	ck_assert_uint_eq(plant_loop(&p, &c, 60, NULL), 0);
	ck_assert(!controller_closed(&c));
}
END_TEST

START_TEST(new_load_voids_a_test)
{
	struct plant p = plant_make(MECH_TIMER, 75000);
	struct controller c;
	struct decision d;

	start(&c, &p, MODE_BALANCED, 0);
	ck_assert(plant_until(&p, &c, 10, REASON_LAW, &d));
	plant_loop(&p, &c, 0.4, NULL);
	p.offered_pps = 2000;
	ck_assert(plant_until(&p, &c, 3, REASON_VOID, &d));
	ck_assert_double_eq(d.interval_usecs, 0);
	ck_assert_int_eq(controller_state(&c), CTL_HOLD);
}
END_TEST

START_TEST(idle_rests_at_the_default)
{
	struct plant p = plant_make(MECH_TIMER, 75000);
	struct controller c;
	struct decision d;

	start(&c, &p, MODE_BALANCED, 5);
	plant_loop(&p, &c, 10, NULL);
	ck_assert_double_gt(controller_interval(&c), 20);
	p.offered_pps = 0;
	plant_loop(&p, &c, 10, &d);
	ck_assert_double_eq(controller_interval(&c), 5);
	ck_assert_int_eq(d.reason, REASON_IDLE);
}
END_TEST

START_TEST(cap_is_kept_from_the_first_step)
{
	struct plant p = plant_make(MECH_TIMER, 75000);
	struct ctl_input in = { .skip = true };
	struct controller c;
	struct decision d;

	start(&c, &p, MODE_BALANCED, 250);
	controller_step(&c, &in, &d);
	ck_assert(d.change);
	ck_assert_int_eq(d.reason, REASON_CAP);
	ck_assert_double_eq(d.from_usecs, 250);
	ck_assert_double_eq(d.interval_usecs, 90);
	start(&c, &p, MODE_BALANCED, 100); /* at the cap is not above it */
	controller_step(&c, &in, &d);
	ck_assert(!d.change);
	ck_assert_int_eq(d.reason, REASON_SKIPPED);
}
END_TEST

START_TEST(ring_drops_shorten_the_interval)
{
	struct plant p = plant_make(MECH_TIMER, 75000);
	struct controller c;
	struct decision d;
	struct ctl_input in;
	double before;

	start(&c, &p, MODE_POWERSAVE, 0);
	plant_loop(&p, &c, 20, NULL);
	before = controller_interval(&c);
	in = plant_run(&p, before);
	in.drops_ps = 100;
	controller_step(&c, &in, &d);
	ck_assert_int_eq(d.reason, REASON_RING);
	ck_assert_double_le(d.interval_usecs, before * 0.51);
	plant_loop(&p, &c, 20, &d); /* and stays there */
	ck_assert_double_le(controller_interval(&c), before * 0.51);
}
END_TEST

START_TEST(drops_of_a_full_cpu_are_not_the_ring)
{
	struct plant p = plant_make(MECH_TIMER, 75000);
	struct controller c;
	struct decision d = { 0 };
	double before;

	start(&c, &p, MODE_BALANCED, 0);
	plant_loop(&p, &c, 10, NULL);
	before = controller_interval(&c);
	for (int i = 0; i < 100; i++) {
		struct ctl_input in = plant_run(&p, controller_interval(&c));

		in.cpu_ratio = 1;
		in.drops_ps = i > 80 ? 1000 : 0;
		controller_step(&c, &in, &d);
		ck_assert_int_ne(d.reason, REASON_RING);
	}
	ck_assert_double_ge(controller_interval(&c), before);
}
END_TEST

START_TEST(cpu_target_lengthens_the_interval)
{
	struct plant p = plant_make(MECH_TIMER, 75000);
	struct policy policy = plant_policy(MODE_BALANCED);
	struct ctl_limits limits = plant_limits(&p, 0);
	struct controller c;
	double without;

	controller_init(&c, &policy, &limits);
	plant_loop(&p, &c, 30, NULL);
	without = controller_interval(&c);
	policy.cpu_target_ratio = 0.28; /* 0.21 of it are the packets themselves */
	controller_init(&c, &policy, &limits);
	p.now_s = 0;
	plant_loop(&p, &c, 60, NULL);
	ck_assert_double_gt(controller_interval(&c), without * 1.3);
	ck_assert_double_le(controller_interval(&c), 90);
}
END_TEST

START_TEST(flapping_load_stops_the_experiments)
{
	struct plant p = plant_make(MECH_TIMER, 65000);
	struct controller c;
	struct decision d;
	bool seen = false;
	unsigned tests = 0;

	start(&c, &p, MODE_BALANCED, 0);
	for (int i = 0; i < 20; i++) {
		p.offered_pps = i & 1 ? 4000 : 65000;
		plant_loop(&p, &c, 2, &d);
		seen |= d.reason == REASON_FLAPPING;
		if (i == 9)
			tests = c.tests + c.probes;
	}
	ck_assert(seen);
	ck_assert_uint_le(c.tests + c.probes, tests + 1);
	ck_assert_uint_le(c.changes, 12);
}
END_TEST

START_TEST(rejected_change_is_not_repeated_at_once)
{
	struct plant p = plant_make(MECH_TIMER, 75000);
	struct controller c;
	struct decision d;

	start(&c, &p, MODE_BALANCED, 0);
	ck_assert(plant_until(&p, &c, 5, REASON_LAW, &d));
	controller_took(&c, d.from_usecs);
	ck_assert_double_eq(controller_interval(&c), 0);
	ck_assert_int_eq(controller_state(&c), CTL_HOLD);
	ck_assert_uint_eq(plant_loop(&p, &c, 55, NULL), 0);
	ck_assert(plant_until(&p, &c, 10, REASON_LAW, &d)); /* but later */
}
END_TEST

START_TEST(rounding_is_taken_over)
{
	struct plant p = plant_make(MECH_TIMER, 75000);
	struct controller c;
	struct decision d;

	start(&c, &p, MODE_BALANCED, 0);
	ck_assert(plant_until(&p, &c, 5, REASON_LAW, &d));
	controller_took(&c, 25);
	ck_assert_double_eq(controller_interval(&c), 25);
	ck_assert_int_eq(controller_state(&c), CTL_UP);
	ck_assert_uint_eq(plant_loop(&p, &c, 60, NULL), 0); /* close enough: no quarrel about it */
}
END_TEST

START_TEST(rounding_up_does_not_break_the_cap_twice)
{
	struct plant p = plant_make(MECH_TIMER, 75000);
	struct ctl_input in = { .skip = true };
	struct controller c;
	struct decision d;

	start(&c, &p, MODE_BALANCED, 250);
	controller_step(&c, &in, &d);
	controller_took(&c, 120);
	controller_step(&c, &in, &d);
	ck_assert(d.change);
	ck_assert_double_eq(d.interval_usecs, 60);
}
END_TEST

START_TEST(rollback_is_respected)
{
	struct plant p = plant_make(MECH_TIMER, 75000);
	struct controller c;
	struct decision d;

	start(&c, &p, MODE_BALANCED, 0);
	ck_assert(plant_until(&p, &c, 5, REASON_LAW, &d));
	controller_took(&c, d.interval_usecs);
	plant_loop(&p, &c, 1, NULL);
	controller_took(&c, 0); /* someone put it back */
	ck_assert_uint_eq(plant_loop(&p, &c, 100, &d), 0);
	ck_assert_int_eq(d.reason, REASON_ROLLBACK);
	ck_assert(!controller_closed(&c));
}
END_TEST

START_TEST(unusable_input_changes_nothing)
{
	struct plant p = plant_make(MECH_TIMER, 75000);
	struct controller c;
	struct decision d;

	start(&c, &p, MODE_BALANCED, 0);
	for (int i = 0; i < 400; i++) {
		struct ctl_input in = plant_run(&p, controller_interval(&c));

		in.skip = i % 4 == 0;
		in.have_pps = i % 4 != 1;
		in.steal_ratio = i % 4 == 2 ? 0.2 : 0;
		in.dt_s = i % 4 == 3 ? 0 : in.dt_s;
		controller_step(&c, &in, &d);
		ck_assert(!d.change);
		ck_assert_int_eq(d.reason, REASON_SKIPPED);
	}
}
END_TEST

START_TEST(works_without_polls_and_cpu)
{
	struct plant p = plant_make(MECH_TIMER, 75000);
	struct controller c;

	p.no_polls = p.no_cpu = true;
	start(&c, &p, MODE_BALANCED, 0);
	ck_assert_uint_eq(plant_loop(&p, &c, 10, NULL), 1);
	ck_assert_double_eq_tol(controller_interval(&c), 25.5, 1);
	ck_assert_double_eq(c.model.a_usecs, 5.7); /* the prior */
}
END_TEST

int main(void)
{
	const TTest *const all[] = {
		open_load_raises_once_and_stays,
		light_load_stays_off,
		window_limited_load_steps_down,
		lonely_packets_end_the_wait,
		probe_goes_back_when_nothing_was_gained,
		probe_finds_a_closed_loop,
		load_that_slows_down_by_itself_keeps_the_raise,
		new_load_voids_a_test,
		idle_rests_at_the_default,
		cap_is_kept_from_the_first_step,
		ring_drops_shorten_the_interval,
		drops_of_a_full_cpu_are_not_the_ring,
		cpu_target_lengthens_the_interval,
		flapping_load_stops_the_experiments,
		rejected_change_is_not_repeated_at_once,
		rounding_is_taken_over,
		rounding_up_does_not_break_the_cap_twice,
		rollback_is_respected,
		unusable_input_changes_nothing,
		works_without_polls_and_cpu,
	};

	return SUITE_RUN("controller", all);
}
