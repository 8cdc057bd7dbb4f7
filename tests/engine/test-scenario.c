// SPDX-License-Identifier: GPL-2.0-or-later
/* The whole engine on the simulated NIC: law, guards, writes and read-back, minutes of it in simulated time. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "../core/suite.h"
#include "engine/tick.h"
#include "io/backend-sim.h"

#define TICK_NS (100 * NSEC_PER_MSEC)

struct scene {
	struct backend *b;
	struct target target;
	struct report report;
	unsigned changes; /* ticks that wrote */
	uint32_t yielded, rolled_back, dead, clamped;
};

static void begin(struct scene *s, const struct backend_sim_config *cfg, enum mode mode)
{
	const struct machine_facts facts = { 0, .prior = *model_prior_by_name(cfg->profile.prior) };
	static struct target_rules rules; /* large */
	struct nic_info nic;
	char err[ERR_MAX] = "";

	memset(s, 0, sizeof(*s));
	memset(&rules, 0, sizeof(rules));
	policy_default(&rules.policy);
	rules.policy.mode = mode;
	ck_assert_int_eq(backend_sim_new(cfg, &s->b), 0);
	backend_sim_nic(s->b, &nic);
	ck_assert_msg(target_attach(&s->target, s->b, NULL, &nic, &rules, &facts, false, err) == 0, "%s", err);
}

static void run(struct scene *s, double seconds)
{
	s->changes = 0;
	s->yielded = s->rolled_back = s->dead = s->clamped = 0;
	for (int i = 0; i < seconds * 10 - 0.5; i++) {
		backend_sim_run(s->b, TICK_NS);
		ck_assert_int_eq(tick_run(&s->target, s->b->ops->now(s->b), &s->report), 0);
		s->changes += s->report.written != 0;
		s->yielded |= s->report.yielded;
		s->rolled_back |= s->report.rolled_back;
		s->dead |= s->report.dead;
		s->clamped |= s->report.clamped;
	}
}

static void end(struct scene *s)
{
	s->b->ops->close(s->b);
}

static unsigned usecs(const struct scene *s)
{
	return (unsigned)backend_sim_value(s->b, KNOB_RX_USECS);
}

static double interrupts_ps(struct scene *s, double seconds)
{
	struct nicsim_counters a, b;

	backend_sim_counters(s->b, &a);
	run(s, seconds);
	backend_sim_counters(s->b, &b);
	return (b.interrupts - a.interrupts) / seconds;
}

static struct backend_sim_config on(enum simprofile_id p, const char *load)
{
	return (struct backend_sim_config){ .profile = simprofile_table[p], .load = load, .seed = 1 };
}

START_TEST(steps_of_load)
{
	struct backend_sim_config cfg = on(SIMPROFILE_A53, "step"); /* 4k and 70k packets/s, 20 s each */
	struct scene s;
	double light, heavy;

	begin(&s, &cfg, MODE_THROUGHPUT);
	run(&s, 15);
	ck_assert_uint_le(usecs(&s), 60); /* it may gain a little */
	light = interrupts_ps(&s, 5);
	run(&s, 15);
	ck_assert_uint_ge(usecs(&s), 60);
	heavy = interrupts_ps(&s, 5);
	printf("steps: %.0f interrupts/s at 4k, %.0f at 70k packets/s\n", light, heavy);
	ck_assert_double_lt(heavy, 70000 / 4.0);
	run(&s, 15);
	ck_assert_uint_le(usecs(&s), 60);
	ck_assert_uint_eq(s.changes, 1);
	end(&s);
}
END_TEST

START_TEST(a_knob_that_rounds_is_told_once)
{
	struct backend_sim_config cfg = on(SIMPROFILE_A53, "poisson_hi");
	struct scene s;

	cfg.step[KNOB_RX_USECS] = 16;
	begin(&s, &cfg, MODE_THROUGHPUT);
	run(&s, 60);
	ck_assert_uint_ge(usecs(&s), 32);
	ck_assert_uint_eq(usecs(&s) % 16, 0);
	run(&s, 60);
	ck_assert_uint_eq(s.clamped & KNOB_BIT(KNOB_RX_USECS), 0);
	ck_assert_uint_eq(s.dead, 0);
	ck_assert_uint_le(s.changes, 2); /* one look, at most */
	end(&s);
}
END_TEST

START_TEST(an_operators_change_stays)
{
	struct backend_sim_config cfg = on(SIMPROFILE_A53, "poisson_hi");
	struct scene s;

	begin(&s, &cfg, MODE_THROUGHPUT);
	run(&s, 30);
	ck_assert_uint_gt(usecs(&s), 20);
	backend_sim_put(s.b, KNOB_RX_USECS, 7);
	run(&s, 60);
	ck_assert_uint_ne(s.yielded & KNOB_BIT(KNOB_RX_USECS), 0);
	ck_assert_uint_eq(usecs(&s), 7);
	end(&s);
}
END_TEST

START_TEST(a_raise_that_drops_packets_is_taken_back)
{
	struct backend_sim_config cfg = on(SIMPROFILE_A53, "poisson_hi");
	struct nicsim_counters before, after;
	struct scene s;

	cfg.profile.ring = 8; /* full after 110 us at 70k packets/s, and nobody told the tuner */
	begin(&s, &cfg, MODE_POWERSAVE);
	run(&s, 5);
	ck_assert_uint_ne(s.rolled_back & KNOB_BIT(KNOB_RX_USECS), 0);
	run(&s, 55);
	backend_sim_counters(s.b, &before);
	run(&s, 60);
	backend_sim_counters(s.b, &after);
	printf("ring of 8: %u us, %.0f drops in the first minute, %.0f in the second\n", usecs(&s), before.drops,
	       after.drops - before.drops);
	ck_assert_uint_lt(usecs(&s), 110);
	ck_assert_double_lt(after.drops - before.drops, 0.002 * (after.offered[0] - before.offered[0]));
	end(&s);
}
END_TEST

/* Neither is tried for ever. */
static void is_given_up(const struct backend_sim_config *cfg)
{
	struct scene s;

	begin(&s, cfg, MODE_THROUGHPUT);
	run(&s, 150);
	ck_assert_uint_le(s.changes, 4);
	ck_assert_uint_ne(s.dead & KNOB_BIT(KNOB_RX_USECS), 0);
	ck_assert_uint_eq(usecs(&s), 0);
	ck_assert_uint_le(backend_sim_value(s.b, KNOB_RX_FRAMES), 1); /* no waiting without a timer */
	run(&s, 60);
	ck_assert_uint_eq(s.changes, 0);
	end(&s);
}

START_TEST(a_timer_that_does_nothing_is_given_up)
{
	struct backend_sim_config cfg = on(SIMPROFILE_A53, "poisson_hi");

	cfg.dead = KNOB_BIT(KNOB_RX_USECS) | KNOB_BIT(KNOB_RX_FRAMES);
	is_given_up(&cfg);
}
END_TEST

START_TEST(a_write_that_is_ignored_is_given_up)
{
	struct backend_sim_config cfg = on(SIMPROFILE_A53, "poisson_hi");

	cfg.frozen = KNOB_BIT(KNOB_RX_USECS);
	is_given_up(&cfg);
}
END_TEST

START_TEST(deferral_by_the_kernels_knobs)
{
	struct backend_sim_config cfg = on(SIMPROFILE_MACB, "poisson_hi");
	struct scene s;

	begin(&s, &cfg, MODE_THROUGHPUT);
	run(&s, 30);
	ck_assert_uint_ge(backend_sim_value(s.b, KNOB_GRO_FLUSH_TIMEOUT), 40000);
	ck_assert_uint_ge(backend_sim_value(s.b, KNOB_NAPI_DEFER_HARD_IRQS), 1);
	ck_assert_double_lt(interrupts_ps(&s, 10), 1000);
	end(&s);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		steps_of_load,
		a_knob_that_rounds_is_told_once,
		an_operators_change_stays,
		a_raise_that_drops_packets_is_taken_back,
		a_timer_that_does_nothing_is_given_up,
		a_write_that_is_ignored_is_given_up,
		deferral_by_the_kernels_knobs,
	};

	return SUITE_RUN("scenario", tests);
}
