// SPDX-License-Identifier: GPL-2.0-or-later
/* The controller on software deferral with the laws measured on a virtual machine: timers 55 us late, 6 us a poll. */
#include "plant.h"
#include "suite.h"

static struct plant make(double pps)
{
	struct plant p = plant_make(MECH_DEFERRAL, pps);

	p.floor_usecs = 55;
	p.a_usecs = 6;
	p.b_usecs = 1.5;
	return p;
}

static void start(struct controller *c, struct plant *p, enum mode mode)
{
	struct policy policy = plant_policy(mode);
	struct ctl_limits limits = plant_limits(p, 0);

	limits.prior = *model_prior_by_name("vm");
	controller_init(c, &policy, &limits);
}

static double period(const struct controller *c)
{
	return model_period(&c->model, controller_interval(c));
}

START_TEST(throughput_gathers_many)
{
	struct plant p = make(50000);
	struct controller c;

	start(&c, &p, MODE_THROUGHPUT);
	ck_assert_uint_eq(plant_loop(&p, &c, 5, NULL), 1);
	ck_assert_double_ge(period(&c), 130);
	ck_assert_double_le(period(&c), 225);
	ck_assert_double_ge(p.last_pps / p.last_polls_ps, 6.5);
	ck_assert_uint_eq(plant_loop(&p, &c, 60, NULL), 0); /* passed tests are not followed by probes */
}
END_TEST

START_TEST(balanced_stays_below_its_cap)
{
	struct plant p = make(50000);
	struct controller c;

	start(&c, &p, MODE_BALANCED);
	ck_assert_uint_eq(plant_loop(&p, &c, 5, NULL), 1);
	ck_assert_double_ge(period(&c), 60);
	ck_assert_double_le(period(&c), 90);
	ck_assert_double_ge(p.last_pps / p.last_polls_ps, 3);
}
END_TEST

START_TEST(cap_below_the_floor_means_off)
{
	struct plant p = make(200000);
	struct controller c;

	start(&c, &p, MODE_LATENCY);
	ck_assert_uint_eq(plant_loop(&p, &c, 30, NULL), 0);
	ck_assert_double_eq(controller_interval(&c), 0);
}
END_TEST

START_TEST(light_load_stays_off)
{
	static const double rates[] = { 20, 1000, 5000, 10000 };

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct plant p = make(rates[i]);
		struct controller c;

		start(&c, &p, MODE_THROUGHPUT);
		ck_assert_uint_eq(plant_loop(&p, &c, 60, NULL), 0);
		ck_assert_double_eq(controller_interval(&c), 0);
	}
}
END_TEST

START_TEST(one_change_a_step)
{
	static const enum mode modes[] = { MODE_BALANCED, MODE_THROUGHPUT, MODE_POWERSAVE };

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct plant p = make(1000);
		struct controller c;

		start(&c, &p, modes[i]);
		ck_assert_uint_eq(plant_loop(&p, &c, 12, NULL), 0);
		for (int step = 0; step < 3; step++) {
			p.offered_pps = 50000;
			ck_assert_uint_eq(plant_loop(&p, &c, 12, NULL), 1);
			ck_assert_double_gt(controller_interval(&c), 0);
			p.offered_pps = 1000;
			ck_assert_uint_eq(plant_loop(&p, &c, 12, NULL), 1);
			ck_assert_double_eq(controller_interval(&c), 0);
		}
	}
}
END_TEST

/* Steps that come close together count as flapping, whose averages remember the high load; polls cost now. */
START_TEST(one_change_a_step_also_in_a_row)
{
	struct plant p = make(2);
	struct controller c;
	struct decision d;

	start(&c, &p, MODE_THROUGHPUT);
	plant_loop(&p, &c, 1, &d);
	p.offered_pps = 1000;
	ck_assert_uint_eq(plant_loop(&p, &c, 5, &d), 0);
	p.offered_pps = 50000;
	ck_assert_uint_eq(plant_loop(&p, &c, 8, &d), 1);
	p.offered_pps = 1000;
	ck_assert_uint_eq(plant_loop(&p, &c, 8, &d), 1);
	ck_assert_double_eq(controller_interval(&c), 0);
}
END_TEST

START_TEST(more_polls_turn_it_off)
{
	struct plant p = make(50000);
	struct controller c;
	struct decision d;

	start(&c, &p, MODE_THROUGHPUT);
	plant_loop(&p, &c, 20, NULL);
	for (int i = 0; i < 3; i++) { /* e.g. a busy-polling reader: one poll per packet, and a timer on top */
		struct ctl_input in = plant_run(&p, controller_interval(&c));

		in.polls_ps = in.pps;
		controller_step(&c, &in, &d);
		ck_assert_int_eq(d.change, i == 2);
	}
	ck_assert_int_eq(d.reason, REASON_MORE_POLLS);
	ck_assert_double_eq(d.interval_usecs, 0);
	ck_assert(!controller_closed(&c));
	ck_assert_uint_eq(plant_loop(&p, &c, 60, NULL), 0);
}
END_TEST

START_TEST(request_response_does_not_keep_it)
{
	struct plant p = make(0);
	struct controller c;

	p.outstanding = 1;
	p.rtt_usecs = 50;
	start(&c, &p, MODE_THROUGHPUT);
	plant_loop(&p, &c, 10, NULL);
	ck_assert_double_eq(controller_interval(&c), 0);
	ck_assert_uint_eq(plant_loop(&p, &c, 60, NULL), 0);
}
END_TEST

START_TEST(idle_after_load_is_off_within_ten_seconds)
{
	struct plant p = make(50000);
	struct controller c;

	start(&c, &p, MODE_THROUGHPUT);
	plant_loop(&p, &c, 20, NULL);
	p.offered_pps = 0;
	plant_loop(&p, &c, 10, NULL);
	ck_assert_double_eq(controller_interval(&c), 0);
}
END_TEST

START_TEST(packets_lost_to_interrupts_lengthen_the_interval)
{
	struct plant p = make(400000);
	struct controller c;
	struct decision d;
	double first;

	p.cpus = 0.9; /* takes 120 000 packets/s with an interrupt each */
	start(&c, &p, MODE_BALANCED);
	c.model.cap_usecs = 300;
	ck_assert(plant_until(&p, &c, 5, REASON_LAW, &d));
	first = d.interval_usecs;
	ck_assert(plant_until(&p, &c, 10, REASON_STARVED, &d));
	ck_assert_double_gt(d.interval_usecs, first);
	ck_assert_double_ge(c.model.cpu_price, 2);
	plant_loop(&p, &c, 60, NULL);
	ck_assert_double_le(c.model.cpu_price, 4); /* what brings no more packets raises it no more */
	p.offered_pps = 2000;
	plant_loop(&p, &c, 10, NULL);
	ck_assert_double_eq(c.model.cpu_price, 1); /* another load */
	ck_assert_double_eq(controller_interval(&c), 0);
}
END_TEST

START_TEST(ladder_looks_at_off_too)
{
	struct plant p = make(0);
	struct policy policy = plant_policy(MODE_THROUGHPUT);
	struct ctl_limits limits = plant_limits(&p, 40);
	struct controller c;

	p.outstanding = 8;
	p.rtt_usecs = 200;
	controller_init(&c, &policy, &limits);
	plant_loop(&p, &c, 12, NULL);
	ck_assert_double_eq(controller_interval(&c), 0); /* any interval costs the lateness too */
	ck_assert(controller_closed(&c));
	ck_assert_uint_eq(plant_loop(&p, &c, 60, NULL), 0);
}
END_TEST

START_TEST(floor_is_learnt)
{
	struct plant p = make(50000);
	struct controller c;

	start(&c, &p, MODE_THROUGHPUT);
	p.floor_usecs = 20; /* the prior says 55 */
	plant_loop(&p, &c, 30, NULL);
	ck_assert_double_eq_tol(c.model.floor_usecs, 20, 8);
}
END_TEST

/* A NIC that waits by itself, not to be seen in any setting: a shorter deferral has timers as its only effect. */
START_TEST(saves_nothing_where_the_nic_waits_itself)
{
	struct plant p = make(35000);
	struct controller c;

	p.own_usecs = 75;
	p.floor_usecs = 10;
	start(&c, &p, MODE_POWERSAVE);
	c.model.limits.max_usecs = 64; /* as a small ring would */
	plant_loop(&p, &c, 30, NULL);
	ck_assert_msg(controller_interval(&c) <= 0, "%.0f us", controller_interval(&c));
}
END_TEST

/* 65 000 packets/s and one request at a time, 2 s each: the polls of the second load tell it from the first. */
START_TEST(flapping_loads_get_each_its_own)
{
	struct plant p = make(0);
	struct controller c;

	p.rtt_usecs = 50;
	start(&c, &p, MODE_POWERSAVE);
	for (int phase = 0; phase < 40; phase++) {
		p.offered_pps = phase & 1 ? 0 : 65000;
		p.outstanding = phase & 1;
		plant_loop(&p, &c, 0.3, NULL);
		if (phase < 14)
			plant_loop(&p, &c, 1.7, NULL);
		else
			ck_assert_uint_le(plant_loop(&p, &c, 1.7, NULL), 1);
		if (phase >= 14)
			ck_assert(phase & 1 ? controller_interval(&c) == 0 : controller_interval(&c) > 100);
	}
}
END_TEST

/* The first step down brings nothing back, as the rounds of the load and of the timer do not fit; a shorter does. */
START_TEST(ladder_goes_on_below_a_check)
{
	struct plant p = make(39000);
	struct controller c;

	p.noise = 0.003;
	start(&c, &p, MODE_POWERSAVE);
	for (int i = 0; i < 300; i++) {
		double usecs = controller_interval(&c);

		p.offered_pps = usecs > 200 ? 24500 : usecs > 60 ? 25000 : usecs > 0 ? 37500 : 39000;
		plant_loop(&p, &c, 0.1, NULL);
	}
	ck_assert(controller_closed(&c));
	ck_assert_msg(controller_interval(&c) > 20 && controller_interval(&c) < 60, "%.0f us",
		      controller_interval(&c));
}
END_TEST

int main(void)
{
	const TTest *const all[] = {
		throughput_gathers_many,
		balanced_stays_below_its_cap,
		cap_below_the_floor_means_off,
		light_load_stays_off,
		one_change_a_step,
		one_change_a_step_also_in_a_row,
		more_polls_turn_it_off,
		request_response_does_not_keep_it,
		idle_after_load_is_off_within_ten_seconds,
		packets_lost_to_interrupts_lengthen_the_interval,
		ladder_looks_at_off_too,
		floor_is_learnt,
		saves_nothing_where_the_nic_waits_itself,
		flapping_loads_get_each_its_own,
		ladder_goes_on_below_a_check,
	};

	return SUITE_RUN("controller-deferral", all);
}
