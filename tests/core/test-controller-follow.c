// SPDX-License-Identifier: GPL-2.0-or-later
/* What waiting does to loads that change quickly, and to packets that come in bunches. */
#include "plant.h"
#include "suite.h"

static void start(struct controller *c, const struct plant *p, enum mode mode, double default_usecs)
{
	struct policy policy = plant_policy(mode);
	struct ctl_limits limits = plant_limits(p, default_usecs);

	controller_init(c, &policy, &limits);
}

/* 65 000 packets/s, or one request at a time. */
static void become(struct plant *p, bool busy)
{
	p->offered_pps = busy ? 65000 : 0;
	p->outstanding = busy ? 0 : 1;
	p->rtt_usecs = 70;
}

START_TEST(flapping_loads_get_each_its_own)
{
	static const double defaults[] = { 0, 30, 200 };

	for (size_t i = 0; i < sizeof(defaults) / sizeof(*defaults); i++) {
		struct plant p = plant_make(MECH_TIMER, 0);
		struct controller c;

		start(&c, &p, MODE_BALANCED, defaults[i]);
		for (int phase = 0; phase < 40; phase++) {
			become(&p, !(phase & 1));
			plant_loop(&p, &c, 0.3, NULL);
			if (phase >= 14)
				ck_assert_uint_le(plant_loop(&p, &c, 1.7, NULL), 0);
			else
				plant_loop(&p, &c, 1.7, NULL);
			if (phase >= 14 && phase & 1)
				ck_assert_double_eq(controller_interval(&c), 0);
			if (phase >= 14 && !(phase & 1))
				ck_assert_double_ge(controller_interval(&c), 15);
		}
	}
}
END_TEST

/* Where no wait was ever in force while requests came alone, but for the moment before the change was seen. */
START_TEST(the_old_interval_shows_what_the_new_load_is)
{
	struct plant p = plant_make(MECH_TIMER, 0);
	struct controller c;

	p.noise = 0.003;
	start(&c, &p, MODE_THROUGHPUT, 0);
	for (int phase = 0; phase < 31; phase++) {
		become(&p, !(phase & 1));
		plant_loop(&p, &c, 2, NULL);
		if (phase >= 14)
			ck_assert(phase & 1 ? controller_interval(&c) == 0 : controller_interval(&c) > 50);
	}
}
END_TEST

/* A wait costs those few packets as much delay as the many, and gathers none of them. */
START_TEST(hardly_any_packets_are_not_waited_for)
{
	struct plant p = plant_make(MECH_TIMER, 0);
	struct controller c;

	start(&c, &p, MODE_BALANCED, 30);
	for (int phase = 0; phase < 20; phase++) {
		p.offered_pps = phase & 1 ? 600 : 70000;
		plant_loop(&p, &c, 5, NULL);
		if (phase >= 8)
			ck_assert(phase & 1 ? controller_interval(&c) == 0 : controller_interval(&c) > 15);
	}
}
END_TEST

/* 35 000 packets/s that do not care, and one request at a time: a sixth of the packets, and half of what counts. */
START_TEST(those_who_wait_count_as_half)
{
	struct plant p = plant_make(MECH_TIMER, 0);
	struct controller c;

	p.noise = 0.003;
	start(&c, &p, MODE_POWERSAVE, 200);
	for (int i = 0; i < 300; i++) {
		p.offered_pps = 35000 + 1e6 / (70 + controller_interval(&c));
		plant_loop(&p, &c, 0.1, NULL);
	}
	ck_assert(controller_closed(&c));
	ck_assert_double_lt(controller_interval(&c), 65);
	ck_assert_double_gt(c.model.minding, 1.2);
}
END_TEST

/* The same on a device whose shortest wait is long. */
static double mixed_with_long_waits(enum mode mode, double default_usecs, unsigned run)
{
	struct plant p = plant_make(MECH_TIMER, 0);
	struct policy policy = plant_policy(mode);
	struct ctl_limits limits = plant_limits(&p, default_usecs);
	struct controller c;

	p.random ^= run * 7919;
	p.noise = 0.015;
	p.a_usecs = 8;
	limits.min_on_usecs = 33;
	limits.prior.wakeup_usecs = 4.8;
	controller_init(&c, &policy, &limits);
	for (int i = 0; i < 300; i++) {
		p.offered_pps = 42000 + 1e6 / (70 + controller_interval(&c));
		plant_loop(&p, &c, 0.1, NULL);
	}
	return controller_interval(&c);
}

/* Whether packets scatter is itself measured in noise: not each time. */
START_TEST(in_doubt_those_who_wait_do_not)
{
	unsigned none = 0;

	for (unsigned run = 0; run < 10; run++) {
		double usecs = mixed_with_long_waits(MODE_POWERSAVE, 200, run);

		none += mixed_with_long_waits(MODE_BALANCED, 0, run) == 0;
		ck_assert_msg(usecs >= 33 && usecs <= 65, "%.0f us", usecs);
	}
	ck_assert_uint_ge(none, 6);
}
END_TEST

/* No decision is left in the bucket. */
START_TEST(large_gains_do_not_wait)
{
	struct plant p = plant_make(MECH_TIMER, 100000);
	struct controller c;

	start(&c, &p, MODE_THROUGHPUT, 0);
	c.tokens = 0;
	plant_loop(&p, &c, 3, NULL);
	ck_assert_double_gt(controller_interval(&c), 50);
	ck_assert_double_ge(c.tokens, -1); /* and no further */
	start(&c, &p, MODE_THROUGHPUT, 0);
	c.tokens = -1.5;
	ck_assert_uint_eq(plant_loop(&p, &c, 3, NULL), 0);
	p.offered_pps = 15000; /* small ones do */
	start(&c, &p, MODE_THROUGHPUT, 0);
	c.tokens = 0;
	ck_assert_uint_eq(plant_loop(&p, &c, 10, NULL), 0);
	plant_loop(&p, &c, 30, NULL);
	ck_assert_double_gt(controller_interval(&c), 0);
}
END_TEST

/* A raise from what was compared with the minimum needs no comparison of its own. */
START_TEST(what_is_known_is_not_tried_again)
{
	struct plant p = plant_make(MECH_TIMER, 45000);
	struct controller c;
	double first;

	p.a_usecs = 14; /* dearer than assumed, which takes time to learn */
	start(&c, &p, MODE_BALANCED, 18);
	plant_loop(&p, &c, 5, NULL);
	first = controller_interval(&c);
	ck_assert_uint_le(plant_loop(&p, &c, 60, NULL), 1);
	ck_assert_double_gt(controller_interval(&c), first);
}
END_TEST

/* Frames follow the rate, but each number is a write: not for noise. */
START_TEST(frames_do_not_follow_the_noise)
{
	struct plant p = plant_make(MECH_TIMER, 100000);
	struct controller c;
	struct decision d = { 0 };
	double frames = 0;
	unsigned changes = 0;

	p.noise = 0.05;
	start(&c, &p, MODE_THROUGHPUT, 0);
	c.model.limits.has_frames = true;
	plant_loop(&p, &c, 10, &d);
	ck_assert_double_gt(d.frames, 4 * 0.1 * controller_interval(&c) / 1.6);
	for (int i = 0; i < 300; i++, frames = d.frames) {
		plant_loop(&p, &c, 0.1, &d);
		changes += i > 0 && d.frames != frames && !d.change;
	}
	ck_assert_uint_eq(changes, 0);
}
END_TEST

/* Requests alone are left at once, in the first sample that has them. */
START_TEST(what_waits_for_its_answers_is_left_at_once)
{
	struct plant p = plant_make(MECH_TIMER, 0);
	struct controller c;

	start(&c, &p, MODE_BALANCED, 200);
	for (int phase = 0; phase < 20; phase++) {
		become(&p, !(phase & 1));
		plant_loop(&p, &c, 2, NULL);
	}
	become(&p, true);
	plant_loop(&p, &c, 2, NULL);
	ck_assert_double_gt(controller_interval(&c), 0);
	become(&p, false);
	ck_assert_uint_eq(plant_loop(&p, &c, 0.1, NULL), 1);
	ck_assert_double_eq(controller_interval(&c), 0);
}
END_TEST

/* Trains of 20 packets with pauses between: an interrupt each, whatever the interval. */
static void bunches(struct plant *p, struct controller *c, double seconds, struct decision *d)
{
	for (int i = 0; i < seconds / p->dt_s; i++) {
		struct ctl_input in = plant_run(p, controller_interval(c));

		in.polls_ps = in.pps / 20;
		in.cpu_ratio = (p->a_usecs * in.polls_ps + p->b_usecs * in.pps) / 1e6;
		controller_step(c, &in, d);
	}
}

START_TEST(bunched_packets_need_no_wait)
{
	struct plant p = plant_make(MECH_TIMER, 75000);
	struct controller c;
	struct decision d;

	start(&c, &p, MODE_BALANCED, 25); /* where the law would be */
	bunches(&p, &c, 10, &d);
	ck_assert_double_eq(controller_interval(&c), 0);
	ck_assert_int_eq(d.reason, REASON_BUNCHED);
	ck_assert(!controller_closed(&c)); /* they do not mind, either */
	start(&c, &p, MODE_BALANCED, 0);   /* nor is it begun */
	bunches(&p, &c, 10, &d);
	ck_assert_double_eq(controller_interval(&c), 0);
}
END_TEST

/* A load whose packets find the CPU polling: a raise that saves nothing is taken back. */
START_TEST(a_raise_must_earn_its_delay)
{
	struct plant p = plant_make(MECH_TIMER, 75000);
	struct controller c;
	struct decision d = { 0 };

	start(&c, &p, MODE_BALANCED, 0);
	for (int i = 0; i < 100; i++) {
		struct ctl_input in = plant_run(&p, controller_interval(&c));

		in.polls_ps = controller_interval(&c) > 0 ? 48000 : 50000;
		controller_step(&c, &in, &d);
	}
	ck_assert_uint_ge(c.tests, 1);
	ck_assert_double_eq(controller_interval(&c), 0);
	ck_assert_int_eq(d.reason, REASON_BUNCHED);
}
END_TEST

/* Polls that turn out to cost half of what was assumed: waking costs less, too, and the raise earned nothing. */
START_TEST(a_fast_cpu_wakes_at_less_cost)
{
	struct plant p = plant_make(MECH_TIMER, 25000);
	struct policy policy = plant_policy(MODE_BALANCED);
	struct ctl_limits limits = plant_limits(&p, 0);
	struct controller c;

	p.a_usecs = 2.5;
	p.b_usecs = 2;
	limits.min_on_usecs = 33;
	limits.prior.wakeup_usecs = 4.8;
	controller_init(&c, &policy, &limits);
	plant_loop(&p, &c, 10, NULL);
	ck_assert_uint_ge(c.tests, 1);
	ck_assert_double_eq(controller_interval(&c), 0);
	p.a_usecs = 7;
	controller_init(&c, &policy, &limits);
	plant_loop(&p, &c, 10, NULL);
	ck_assert_double_gt(controller_interval(&c), 30);
}
END_TEST

int main(void)
{
	const TTest *const all[] = {
		flapping_loads_get_each_its_own,
		the_old_interval_shows_what_the_new_load_is,
		hardly_any_packets_are_not_waited_for,
		those_who_wait_count_as_half,
		in_doubt_those_who_wait_do_not,
		frames_do_not_follow_the_noise,
		large_gains_do_not_wait,
		what_is_known_is_not_tried_again,
		what_waits_for_its_answers_is_left_at_once,
		bunched_packets_need_no_wait,
		a_raise_must_earn_its_delay,
		a_fast_cpu_wakes_at_less_cost,
	};

	return SUITE_RUN("controller-follow", all);
}
