// SPDX-License-Identifier: GPL-2.0-or-later
/* The simulated NIC against what is known of real ones in closed form: interrupts of each kind of timer, the laws of
 * deferral, rings, budgets, receivers; and that a seed decides everything. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/nicsim.h"
#include "suite.h"

/* Cheap, so that times are easy to reason about. */
/* clang-format off */
static const struct sim_profile machine = {
	.name = "test", .what = "", .mech = SIM_TIMER,
	.irq_usecs = 1, .poll_usecs = 0.5, .packet_usecs = 0.3, .segment_usecs = 0.2, .timer_usecs = 0.5,
	.wakeup_usecs = 1, .app_usecs = 0.5, .ring = 256, .link_mbps = 10000, .cpus = 2, .rate_scale = 1,
	.max_usecs = 1000, .has_frames = true, .prior = "x86",
};
/* clang-format on */

struct outcome {
	struct nicsim_counters n;
	struct nicsim_delays d;
};

static struct outcome run_config(struct nicsim_config cfg, const char *text, double seconds)
{
	struct simload load;
	struct outcome o;
	struct nicsim *s;
	void *mem;

	ck_assert_int_eq(simload_build(text, cfg.profile, &load), 0);
	cfg.load = &load;
	if (!cfg.seed)
		cfg.seed = 1;
	mem = malloc(nicsim_size(&cfg));
	ck_assert_ptr_nonnull(mem);
	s = nicsim_init(mem, &cfg);
	nicsim_run(s, seconds * 1e6);
	nicsim_counters(s, -1, &o.n);
	nicsim_delays(s, &o.d);
	free(mem);
	return o;
}

static struct outcome run(enum sim_mech mech, const char *text, double usecs, unsigned frames, double seconds)
{
	struct sim_profile p = machine;

	p.mech = mech;
	return run_config((struct nicsim_config){ .profile = &p, .interval_usecs = usecs, .frames = frames }, text,
			  seconds);
}

#define near(value, wanted, part) ck_assert_double_eq_tol(value, wanted, (part) * (wanted))

START_TEST(every_packet_interrupts_without_coalescing)
{
	struct outcome o = run(SIM_TIMER, "udp:50", 0, 0, 1);

	near(o.n.interrupts, 50000, 0.001);
	near(o.n.busy_usecs, 50000 * 2.0, 0.001); /* irq + poll + packet + segment */
	ck_assert_double_lt(o.d.p99_usecs, 0.2);
}
END_TEST

START_TEST(timer_interrupts_once_per_interval_and_gap)
{
	struct outcome o = run(SIM_TIMER, "poisson:50", 100, 0, 20);

	near(o.n.interrupts / 20, 1e6 / (20 + 100 + 1.5 + 6.2 * 0.5), 0.02); /* a gap, the interval, the poll */
	near(o.d.p50_usecs, 58, 0.1); /* the first of a batch waits longest */
	ck_assert_double_le(o.d.p99_usecs, 104);
}
END_TEST

START_TEST(gap_timer_interrupts_at_a_fixed_rate)
{
	struct outcome o = run(SIM_GAP, "poisson:200", 100, 0, 5);

	near(o.n.interrupts / 5, 1e4, 0.05);
	o = run(SIM_GAP, "udp:5", 100, 0, 2); /* gaps beyond it: nobody waits */
	ck_assert_double_lt(o.d.p99_usecs, 0.2);
}
END_TEST

START_TEST(restarted_timer_needs_frames)
{
	struct outcome o = run(SIM_RESTART, "udp:50", 100, 0, 1);

	ck_assert_double_lt(o.n.interrupts, 200); /* no silence of 100 us but when the ring is full */
	ck_assert_double_gt(o.n.drops, 500);
	o = run(SIM_RESTART, "udp:50", 100, 10, 1);
	near(o.n.interrupts, 5000, 0.01);
	ck_assert_double_eq(o.n.drops, 0);
	o = run(SIM_RESTART, "udp:5", 100, 10, 1); /* 200 us apart: the timer alone */
	near(o.n.interrupts, 5000, 0.01);
}
END_TEST

START_TEST(frames_end_the_wait)
{
	struct outcome o = run(SIM_TIMER, "udp:50", 1000, 8, 1);

	near(o.n.interrupts, 50000 / 8.0, 0.01);
	ck_assert_double_le(o.d.p99_usecs, 7 * 20 + 2);
}
END_TEST

START_TEST(deferral_polls_by_the_clock_under_load)
{
	struct sim_profile p = machine;
	struct nicsim_config cfg = { .profile = &p, .interval_usecs = 100 };
	struct outcome o;

	p.mech = SIM_DEFERRAL;
	o = run_config(cfg, "poisson:100", 5);
	ck_assert_double_lt(o.n.interrupts, 5);
	near(o.n.polls / 5, 1e6 / (100 + 0.5 + 0.5 + 5), 0.03); /* interval, timer, poll, 10 packets */
	p.floor_usecs = 50;
	o = run_config(cfg, "poisson:100", 5);
	near(o.n.polls / 5, 1e6 / (150 + 1 + 7.5), 0.03);
}
END_TEST

START_TEST(deferral_adds_empty_polls_at_light_load)
{
	struct sim_profile p = machine;
	struct outcome o;

	p.mech = SIM_DEFERRAL;
	for (unsigned d = 1; d <= 8; d *= 2) {
		struct nicsim_config cfg = { .profile = &p, .interval_usecs = 50, .defer_polls = d };

		o = run_config(cfg, "udp:1", 2); /* 1 000 us apart, far beyond d * 50 */
		near(o.n.interrupts, 2000, 0.01);
		near(o.n.empty_polls, 2000.0 * d, 0.01);
		ck_assert_double_lt(o.d.p99_usecs, 0.2); /* no delay: the interrupt was enabled again */
	}
}
END_TEST

START_TEST(deferral_makes_a_lone_request_wait_the_whole_interval)
{
	struct outcome o = run(SIM_DEFERRAL, "closed:1,50", 200, 0, 2);

	near(o.d.mean_usecs, 200 - 50, 0.05); /* the timer started when the last one was done */
	near(o.n.delivered[0] / 2, 1e6 / 202, 0.03);
}
END_TEST

START_TEST(pacing_does_not_delay_the_first_packet)
{
	struct outcome o = run(SIM_PACING, "udp:5", 100, 0, 1);

	ck_assert_double_lt(o.d.p99_usecs, 0.2);
	near(o.n.interrupts, 5000, 0.01);
	o = run(SIM_PACING, "poisson:100", 100, 0, 5);
	ck_assert_double_le(o.n.interrupts / 5, 1e4);
	ck_assert_double_ge(o.n.interrupts / 5, 8e3);
}
END_TEST

START_TEST(ring_overruns_and_nothing_gets_lost_otherwise)
{
	struct outcome o = run(SIM_TIMER, "train:256,400", 0, 0, 1); /* 400 at line rate, ring of 256 */
	double left = o.n.offered[0] - o.n.delivered[0] - o.n.drops;

	ck_assert_double_ge(left, 0);
	ck_assert_double_le(left, 256);
	o = run(SIM_TIMER, "train:256,400", 400, 0, 1); /* the wait fills the ring: 144 of 400 are lost */
	near(o.n.drops, o.n.offered[0] * 0.2, 0.5);
	ck_assert_double_eq(o.n.fullest, 256);
	o = run(SIM_TIMER, "train:100,200", 0, 0, 1);
	ck_assert_double_eq(o.n.drops, 0);
}
END_TEST

START_TEST(overload_polls_by_budget_and_is_squeezed)
{
	struct outcome o = run(SIM_TIMER, "overload", 0, 0, 1);

	ck_assert_double_gt(o.n.busy_usecs, 0.99e6);
	near(o.n.delivered[0] / o.n.polls, 64, 0.05);
	ck_assert_double_gt(o.n.squeezes, 1000);
	ck_assert_double_gt(o.n.drops, 0);
}
END_TEST

START_TEST(seed_decides_everything)
{
	struct nicsim_config cfg = { .profile = &machine, .seed = 7, .interval_usecs = 30, .steal_ratio = 0.05 };
	struct outcome a = run_config(cfg, "mixed", 3), b = run_config(cfg, "mixed", 3), c;

	ck_assert_mem_eq(&a, &b, sizeof(a));
	cfg.seed = 8;
	c = run_config(cfg, "mixed", 3);
	ck_assert_mem_ne(&a, &c, sizeof(a));
}
END_TEST

START_TEST(offered_load_does_not_depend_on_the_setting)
{
	static const char *const loads[] = { "poisson_hi", "mmpp_fast", "gro_trains", "microburst" };

	for (size_t i = 0; i < sizeof(loads) / sizeof(*loads); i++) {
		struct outcome a = run(SIM_TIMER, loads[i], 0, 0, 2), b = run(SIM_TIMER, loads[i], 200, 0, 2);

		ck_assert_double_eq(a.n.offered[0], b.n.offered[0]);
	}
}
END_TEST

START_TEST(running_in_pieces_is_the_same)
{
	struct simload load;
	struct nicsim_config cfg = { .profile = &machine, .load = &load, .seed = 3, .interval_usecs = 20 };
	struct nicsim_counters whole, pieces;
	struct nicsim *s;
	void *mem;

	ck_assert_int_eq(simload_build("phases", &machine, &load), 0);
	mem = malloc(nicsim_size(&cfg));
	s = nicsim_init(mem, &cfg);
	nicsim_run(s, 65e6);
	nicsim_counters(s, -1, &whole);
	ck_assert_uint_eq(nicsim_phase(s), 2);
	s = nicsim_init(mem, &cfg);
	for (int i = 1; i <= 65 * 7; i++)
		nicsim_run(s, i * 1e6 / 7);
	nicsim_counters(s, -1, &pieces);
	near(pieces.delivered[0], whole.delivered[0], 1e-4);
	near(pieces.interrupts, whole.interrupts, 1e-4);
	free(mem);
}
END_TEST

START_TEST(queues_share_one_cpu)
{
	struct nicsim_config cfg = { .profile = &machine, .queues = 4, .one_cpu = true };
	struct sim_profile p = machine;
	struct outcome one, each;

	p.link_mbps = 100000;
	cfg.profile = &p;
	one = run_config(cfg, "tcp:8,64,20", 1);
	cfg.one_cpu = false;
	each = run_config(cfg, "tcp:8,64,20", 1);
	ck_assert_double_le(one.n.busy_usecs, 1.001e6);
	ck_assert_double_gt(each.n.delivered[0], 1.5 * one.n.delivered[0]);
	ck_assert_double_gt(one.n.busy_usecs, 0.98e6);
}
END_TEST

START_TEST(wakeups_fall_with_batches)
{
	struct outcome a = run(SIM_TIMER, "udp:50", 0, 0, 1), b = run(SIM_TIMER, "udp:50", 200, 0, 1);

	near(a.n.other_usecs, 50000 * 1.5, 0.01);
	ck_assert_double_lt(b.n.other_usecs, 50000 * 0.62);
}
END_TEST

START_TEST(gro_saves_the_way_up_the_stack)
{
	struct sim_profile p = machine;
	struct nicsim_config cfg = { .profile = &p, .interval_usecs = 100 };
	struct outcome merged = run_config(cfg, "gro_trains", 5), single;

	p.segment_usecs = 0;
	single = run_config(cfg, "gro_trains", 5);
	ck_assert_double_lt(merged.n.busy_usecs - single.n.busy_usecs, 0.25 * 0.2 * merged.n.delivered[0]);
}
END_TEST

START_TEST(stolen_time_is_counted_and_hurts)
{
	struct nicsim_config cfg = { .profile = &machine, .steal_ratio = 0.05, .seed = 5 };
	struct outcome o = run_config(cfg, "udp:75", 30);

	near(o.n.steal_usecs / 30e6, 0.05, 0.4);
	ck_assert_double_gt(o.n.fullest, 100); /* packets wait meanwhile */
}
END_TEST

START_TEST(short_transmit_timer_costs_cpu)
{
	struct sim_profile p = simprofile_table[SIMPROFILE_STMMAC_TX];
	struct nicsim_config cfg = { .profile = &p, .interval_usecs = 1000, .frames = 25 };
	struct outcome near_ = run_config(cfg, "udp:80", 2), far;

	cfg.interval_usecs = 40000;
	far = run_config(cfg, "udp:80", 2);
	near(near_.n.interrupts, far.n.interrupts, 0.02); /* frames interrupt, not the timer */
	ck_assert_double_gt(near_.n.busy_usecs, 1.3 * far.n.busy_usecs);
}
END_TEST

START_TEST(setting_takes_effect_at_once)
{
	struct simload load;
	struct nicsim_config cfg = { .profile = &machine, .load = &load, .seed = 1, .interval_usecs = 1000 };
	struct nicsim_counters n;
	struct nicsim *s;
	void *mem;

	ck_assert_int_eq(simload_build("udp:1", &machine, &load), 0);
	mem = malloc(nicsim_size(&cfg));
	s = nicsim_init(mem, &cfg);
	nicsim_run(s, 1500);
	nicsim_counters(s, -1, &n);
	ck_assert_double_eq(n.interrupts, 0);
	nicsim_set(s, -1, 0, 0);
	nicsim_counters(s, -1, &n);
	ck_assert_double_eq(n.interrupts, 1);
	free(mem);
}
END_TEST

START_TEST(loads_refuse_nonsense)
{
	static const char *const bad[] = { "",		 "nothing",   "udp:",	     "udp:-1",
					   "udp:0",	 "tcp:0,1,1", "tcp:4,64",    "closed:1,0",
					   "train:10,0", "udp:10,20", "tcp:1000,1,1" };
	struct simload l;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ck_assert_msg(simload_build(bad[i], &machine, &l) < 0, "'%s' was taken", bad[i]);
}
END_TEST

START_TEST(every_load_runs_on_every_profile)
{
	for (int p = 0; p < SIMPROFILE_COUNT; p++)
		for (int l = 0; l < SIMLOAD_COUNT; l++) {
			const struct sim_profile *profile = &simprofile_table[p];
			struct nicsim_config cfg = { .profile = profile, .interval_usecs = 50, .frames = 32 };
			struct outcome o = run_config(cfg, simload_table[l].name, 0.2);

			ck_assert_double_le(o.n.delivered[0] + o.n.delivered[1] + o.n.drops,
					    o.n.offered[0] + o.n.offered[1]);
			if (p != SIMPROFILE_STMMAC_TX) /* its timer costs the sender's CPU */
				ck_assert_double_le(o.n.busy_usecs, 0.2e6 * 1.01 + 3000);
			if (l != SIMLOAD_idle && l != SIMLOAD_phases)
				ck_assert_msg(o.n.delivered[0] > 20, "%s on %s: %.0f packets", simload_table[l].name,
					      profile->name, o.n.delivered[0]);
		}
}
END_TEST

START_TEST(a_minute_of_a_million_a_second)
{
	struct nicsim_config cfg = { .profile = &simprofile_table[SIMPROFILE_X86_10G], .interval_usecs = 30 };
	clock_t start = clock();
	struct outcome o = run_config(cfg, "udp:1000,900", 60);
	double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;

	printf("60 simulated seconds of 1 000 000 packets/s: %.2f s\n", seconds);
	near(o.n.delivered[0], 60e6, 0.001);
	ck_assert_double_lt(seconds, 20 * suite_patience()); /* goal 2 s; instrumented and busy machines take longer */
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		every_packet_interrupts_without_coalescing, timer_interrupts_once_per_interval_and_gap,
		gap_timer_interrupts_at_a_fixed_rate, restarted_timer_needs_frames, frames_end_the_wait,
		deferral_polls_by_the_clock_under_load, deferral_adds_empty_polls_at_light_load,
		deferral_makes_a_lone_request_wait_the_whole_interval, pacing_does_not_delay_the_first_packet,
		ring_overruns_and_nothing_gets_lost_otherwise, overload_polls_by_budget_and_is_squeezed,
		seed_decides_everything, offered_load_does_not_depend_on_the_setting, running_in_pieces_is_the_same,
		queues_share_one_cpu, wakeups_fall_with_batches, gro_saves_the_way_up_the_stack,
		stolen_time_is_counted_and_hurts, short_transmit_timer_costs_cpu, setting_takes_effect_at_once,
		loads_refuse_nonsense, every_load_runs_on_every_profile, a_minute_of_a_million_a_second,
	};

	return SUITE_RUN("nicsim", tests);
}
