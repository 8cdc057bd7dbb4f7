// SPDX-License-Identifier: GPL-2.0-or-later
/* model and regime: the formulas against numbers worked out by hand, and learning from made-up loads of known cost. */
#include <math.h>

#include "core/model.h"
#include "core/regime.h"
#include "plant.h"
#include "suite.h"

static struct ctl_input at(double pps)
{
	return (struct ctl_input){ .now_s = 1, .dt_s = 0.1, .pps = pps, .bytes_ps = pps * 1000, .have_pps = true };
}

static struct model make(enum mech_kind kind, enum mode mode, double pps)
{
	struct plant p = plant_make(kind, pps);
	struct policy policy = plant_policy(mode);
	struct ctl_limits limits;
	struct ctl_input in = at(pps);
	struct model m;

	if (kind == MECH_DEFERRAL)
		p.floor_usecs = 55;
	limits = plant_limits(&p, 0);
	model_init(&m, &policy, &limits);
	model_average(&m, &in, 1);
	return m;
}

START_TEST(square_root_law)
{
	/* sqrt(w_cpu * a * cap / w_lat * (1 - lambda * b)) - 1 / lambda; b = 2.8 */
	struct model m = make(MECH_TIMER, MODE_BALANCED, 75000);

	ck_assert_double_eq_tol(model_target(&m, 0), 43.589 * sqrt(0.79) - 13.333, 0.5);
	m = make(MECH_TIMER, MODE_THROUGHPUT, 50000);
	ck_assert_double_eq_tol(model_target(&m, 0), 119.373 * sqrt(0.86) - 20, 0.5);
	m = make(MECH_TIMER, MODE_BALANCED, 20000); /* 1 / lambda is longer than the best interval */
	ck_assert_double_eq(model_target(&m, 0), 0);
	m = make(MECH_TIMER, MODE_BALANCED, 75000);
	m.cpu_price = 4; /* the CPU target doubles the interval */
	ck_assert_double_eq_tol(model_target(&m, 0), 2 * 43.589 * sqrt(0.79) - 13.333, 0.5);
}
END_TEST

START_TEST(target_is_the_minimum_of_the_cost)
{
	for (double pps = 2000; pps < 300000; pps *= 1.7) {
		struct model m = make(MECH_TIMER, MODE_THROUGHPUT, pps);
		double best = model_cost(&m, model_target(&m, 0));

		m.limits.link_mbps = 0;
		m.limits.ring_entries = 0;
		best = model_cost(&m, model_target(&m, 0));
		for (double t = 0; t <= 225; t++)
			ck_assert_double_ge(model_cost(&m, t), best - 1e-4);
	}
}
END_TEST

/* Polls and their cost while a pause is on, by hand: 50 000 packets/s, a = 5.7, b = 2.8, 30 us. */
START_TEST(a_pause_gathers_what_came_meanwhile)
{
	struct model m = make(MECH_PACING, MODE_BALANCED, 50000);
	double best, cycle = 30 + 5.7 + exp(-1.5) / 0.05;

	ck_assert_double_eq_tol(model_polls_ps(&m, 30), 1e6 * 0.86 / cycle, 1);
	ck_assert_double_eq_tol(model_polls_ps(&m, 0), 0.86 * 50000, 1);
	ck_assert_double_eq_tol(model_poll_cost(&m, 30), 1.6 * 5.7, 1e-9);
	for (double pps = 30000; pps < 150000; pps *= 1.3) {
		m = make(MECH_PACING, MODE_THROUGHPUT, pps);
		best = model_cost(&m, model_target(&m, 0));
		for (double t = 0; t <= 225; t++)
			ck_assert_double_ge(model_cost(&m, t), best - 2e-4);
	}
	m = make(MECH_PACING, MODE_BALANCED, 10000); /* a packet in 100 us: the pause is over before it comes */
	ck_assert_double_eq(model_target(&m, 0), 0);
}
END_TEST

START_TEST(wakeups_are_a_part_of_the_cost)
{
	struct model m = make(MECH_TIMER, MODE_BALANCED, 75000);
	double without = model_target(&m, 0);

	m.limits.prior.wakeup_usecs = 4.8; /* sqrt((5.7 + 4.8) / 5.7) */
	ck_assert_double_eq(model_poll_cost(&m, 0), 10.5);
	ck_assert_double_eq_tol(model_target(&m, 0) + 13.333, 1.3572 * (without + 13.333), 1);
}
END_TEST

START_TEST(bursts_weigh_more)
{
	struct model m = make(MECH_TIMER, MODE_BALANCED, 10000);

	for (int i = 0; i < 200; i++) {
		struct ctl_input in = at(i & 1 ? 40000 : 0);

		model_average(&m, &in, 10);
	}
	ck_assert_double_eq_tol(model_lambda(&m), 0.04, 0.003); /* not the mean, 0.02 */
}
END_TEST

START_TEST(limits_of_cap_and_ring)
{
	struct model m = make(MECH_TIMER, MODE_BALANCED, 75000);

	m.limits.ring_entries = 0;
	ck_assert_double_eq_tol(model_limit(&m), 90, 1e-9);
	m.limits.ring_entries = 512; /* 128 frames of 1024 bytes at 1 Gb/s are 1048 us: the cap is shorter */
	ck_assert_double_eq_tol(model_limit(&m), 90, 1e-9);
	m.limits.ring_entries = 32;
	ck_assert_double_eq_tol(model_limit(&m), 8 / (1000 / (1024.0 * 8)), 1e-6);
	m = make(MECH_DEFERRAL, MODE_BALANCED, 75000); /* the floor counts against the cap */
	ck_assert_double_eq_tol(model_limit(&m), 35, 1e-9);
	m = make(MECH_DEFERRAL, MODE_LATENCY, 75000);
	ck_assert_double_eq(model_limit(&m), 0);
	m = make(MECH_TIMER, MODE_BALANCED, 75000);
	ck_assert(!model_over_cap(&m, 100));
	ck_assert(model_over_cap(&m, 101));
}
END_TEST

START_TEST(fits_into_the_device)
{
	struct model m = make(MECH_TIMER, MODE_BALANCED, 75000);

	m.limits.step_usecs = 8;
	ck_assert_double_eq(model_fit(&m, 43), 40);
	ck_assert_double_eq(model_fit(&m, 44), 48);
	ck_assert_double_eq(model_fit(&m, 500), 88); /* below 90 */
	m.limits.step_usecs = 1;
	m.limits.min_on_usecs = 20;
	ck_assert_double_eq(model_fit(&m, 9), 0);
	ck_assert_double_eq(model_fit(&m, 11), 20);
	m.limits.min_usecs = 5;
	ck_assert_double_eq(model_fit(&m, 0), 5);
	m.limits.max_usecs = 30;
	ck_assert_double_eq(model_fit(&m, 60), 30);
}
END_TEST

START_TEST(what_polls_show)
{
	struct model m = make(MECH_TIMER, MODE_BALANCED, 40000);

	/* 40 000 packets/s: 0.8 are due in 20 us */
	ck_assert(model_lonely(&m, 20, 40000, 39900, 0.01));
	ck_assert(!model_lonely(&m, 20, 40000, 22000, 0.01));
	ck_assert(!model_lonely(&m, 4, 40000, 39900, 0.01));  /* not worth it */
	ck_assert(model_lonely(&m, 12, 12000, 11990, 0.005)); /* 0.14 due: suspicious when counted well */
	ck_assert(!model_lonely(&m, 12, 12000, 11990, 0.03));
	ck_assert(!model_more_polls(&m, 20, 40000, 40000));
	/* what does not happen cannot be saved */
	ck_assert_double_eq(model_present_cost(&m, 20, -1), model_cost(&m, 20));
	ck_assert_double_lt(model_present_cost(&m, 20, 1000), model_cost(&m, 20));
	ck_assert_double_eq(model_present_cost(&m, 20, 40000), model_cost(&m, 20));
	m = make(MECH_DEFERRAL, MODE_BALANCED, 40000);
	ck_assert(model_more_polls(&m, 20, 40000, 39000));
	ck_assert(!model_more_polls(&m, 20, 40000, 20000));
	ck_assert(!model_more_polls(&m, 0, 40000, 40000)); /* off */
	ck_assert(!model_lonely(&m, 20, 40000, 39900, 0.01));
}
END_TEST

START_TEST(deferral_needs_packets)
{
	struct model m = make(MECH_DEFERRAL, MODE_THROUGHPUT, 50000);
	double on = model_target(&m, 0);

	ck_assert_double_ge(on + 55, 130);
	ck_assert_double_le(on + 55, 225);
	m = make(MECH_DEFERRAL, MODE_THROUGHPUT, 11000); /* 2.5 packets in the longest period: not worth starting */
	ck_assert_double_eq(model_target(&m, 0), 0);
	m = make(MECH_DEFERRAL, MODE_POWERSAVE, 1000); /* nor keeping */
	ck_assert_double_eq(model_target(&m, 300), 0);
	/* light load: two empty polls behind each packet */
	ck_assert_double_eq_tol(model_polls_ps(&m, 100), 3000, 1e-6);
	ck_assert_double_eq_tol(model_polls_ps(&m, 0), 1000 * (1 - 0.0028), 1e-6);
}
END_TEST

START_TEST(rests_where_it_is_free)
{
	struct model m = make(MECH_TIMER, MODE_BALANCED, 100);

	m.limits.default_usecs = 5;
	ck_assert_double_eq(model_rest(&m), 5);
	m.limits.default_usecs = 50; /* 0.01 of utility buys 6.7 us */
	ck_assert_double_eq(model_rest(&m), 7);
	m = make(MECH_TIMER, MODE_BALANCED, 5000);
	m.limits.default_usecs = 5;
	ck_assert_double_eq(model_rest(&m), 0);
}
END_TEST

static void teach(struct model *m, double a, double b, double ratio, double seconds)
{
	for (double t = 0; t < seconds; t += 0.1) {
		struct ctl_input in = at(40000);

		in.have_polls = in.have_cpu = true;
		in.polls_ps = in.pps * ratio;
		in.cpu_ratio = (a * in.polls_ps + b * in.pps) / 1e6;
		model_learn(m, &in, ratio < 1 ? 20 : 0);
	}
	model_end_block(m);
}

START_TEST(learns_the_costs)
{
	struct model m = make(MECH_TIMER, MODE_BALANCED, 40000);

	teach(&m, 9, 2, 1, 6);
	ck_assert_double_eq(m.confidence, 0);
	ck_assert_double_eq_tol(m.a_usecs, 0.6 * 11, 0.3); /* one setting only: the usual split */
	for (int i = 0; i < 4; i++) {
		teach(&m, 9, 2, 0.3, 6);
		teach(&m, 9, 2, 1, 6);
	}
	ck_assert_double_eq_tol(m.a_usecs, 9, 0.5);
	ck_assert_double_eq_tol(m.b_usecs, 2, 0.5);
	ck_assert_double_ge(m.confidence, 0.8);
	for (int i = 0; i < 8; i++)
		teach(&m, 1000 / 40.0, 0, i & 1 ? 0.1 : 0.6, 6); /* 25 us: within 8 times the prior */
	ck_assert_double_le(m.a_usecs, 8 * 5.7);
	m.limits.learn_costs = false;
	m.a_usecs = 5.7;
	teach(&m, 20, 2, 0.5, 20);
	ck_assert_double_eq(m.a_usecs, 5.7);
}
END_TEST

START_TEST(priors)
{
	ck_assert_double_eq(model_prior_by_name("arm-small")->a_usecs, 5.7);
	ck_assert_double_eq(model_prior_by_name("x86")->wakeup_usecs, 1.5);
	ck_assert_double_eq(model_prior_by_name("x86")->b_usecs, 0.4);
	ck_assert_str_eq(model_prior_by_name("no such")->name, "fallback");
}
END_TEST

START_TEST(regime_needs_several_samples)
{
	struct regime r;
	double now = 0;

	regime_init(&r);
	for (int i = 0; i < 30; i++)
		ck_assert(!regime_update(&r, now += 0.1, 0.1, 10000 + (i & 1 ? 100 : -100)));
	ck_assert(!regime_update(&r, now += 0.1, 0.1, 100000));
	ck_assert_double_eq_tol(regime_expected(&r, 100000), 10000, 100);
	ck_assert(!regime_update(&r, now += 0.1, 0.1, 10000)); /* only a spike */
	ck_assert_double_eq(regime_expected(&r, 10000), 10000);
	ck_assert(!regime_update(&r, now += 0.1, 0.1, 50000));
	ck_assert(!regime_update(&r, now += 0.1, 0.1, 50000));
	ck_assert(regime_update(&r, now += 0.1, 0.1, 50000));
	ck_assert(!regime_flapping(&r, now));
}
END_TEST

START_TEST(regime_flaps)
{
	struct regime r;
	double now = 100;

	regime_init(&r);
	for (int i = 0; i < 100; i++)
		regime_update(&r, now += 0.1, 0.1, i / 20 & 1 ? 50000 : 5000);
	ck_assert(regime_flapping(&r, now));
	ck_assert(regime_flapping(&r, now + 20));
	ck_assert(!regime_flapping(&r, now + 40));
}
END_TEST

int main(void)
{
	const TTest *const all[] = {
		square_root_law,
		target_is_the_minimum_of_the_cost,
		a_pause_gathers_what_came_meanwhile,
		wakeups_are_a_part_of_the_cost,
		bursts_weigh_more,
		limits_of_cap_and_ring,
		fits_into_the_device,
		deferral_needs_packets,
		what_polls_show,
		rests_where_it_is_free,
		learns_the_costs,
		priors,
		regime_needs_several_samples,
		regime_flaps,
	};

	return SUITE_RUN("model", all);
}
