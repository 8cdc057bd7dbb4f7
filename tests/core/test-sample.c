// SPDX-License-Identifier: GPL-2.0-or-later
/* sample: rates between two samples, across wraps, resets, missing sources, hotplug and clock steps. */
#include <string.h>

#include "core/sample.h"
#include "suite.h"

#define ALL                                                                                                            \
	(SAMPLE_LINK | SAMPLE_IRQS | SAMPLE_POLLS | SAMPLE_CPU | SAMPLE_SOFTIRQ | SAMPLE_SOFTNET | SAMPLE_RING_DROPS)

static struct sample a, b; /* too large for the stack of a test */

/* Half a second: 1000 packets, two CPUs of which the second is busier. */
static void make_pair(void)
{
	memset(&a, 0, sizeof(a));
	a.now = 10 * NSEC_PER_SEC;
	a.have = ALL;
	a.n_cpus = 2;
	a.cpu[0].online = a.cpu[1].online = true;
	a.rx_packets = 500;
	a.polls = 7;
	b = a;
	b.now += NSEC_PER_SEC / 2;
	b.rx_packets += 1000;
	b.rx_bytes += 64000;
	b.tx_packets += 10;
	b.interrupts += 400;
	b.rx_interrupts += 300;
	b.polls += 450;
	b.empty_polls += 50;
	b.ring_drops += 5;
	b.cpu[0].idle_ns += 500 * NSEC_PER_MSEC;
	b.cpu[1].idle_ns += 300 * NSEC_PER_MSEC;
	b.cpu[1].user_ns += 50 * NSEC_PER_MSEC;
	b.cpu[1].softirq_ns += 100 * NSEC_PER_MSEC;
	b.cpu[1].steal_ns += 50 * NSEC_PER_MSEC;
	b.cpu[0].net_rx += 20;
	b.cpu[1].net_rx += 30;
	b.cpu[1].time_squeeze += 2;
}

START_TEST(plain_rates)
{
	struct rates r;

	make_pair();
	ck_assert_int_eq(rates_between(&a, &b, &r), RATES_OK);
	ck_assert_uint_eq(r.have, ALL);
	ck_assert_double_eq_tol(r.dt_s, 0.5, 1e-9);
	ck_assert_double_eq_tol(r.rx_pps, 2000, 1e-6);
	ck_assert_double_eq_tol(r.rx_bytes_ps, 128000, 1e-6);
	ck_assert_double_eq_tol(r.tx_pps, 20, 1e-6);
	ck_assert_double_eq_tol(r.interrupts_ps, 800, 1e-6);
	ck_assert_double_eq_tol(r.rx_interrupts_ps, 600, 1e-6);
	ck_assert_double_eq_tol(r.polls_ps, 900, 1e-6);
	ck_assert_double_eq_tol(r.empty_polls_ps, 100, 1e-6);
	ck_assert_double_eq_tol(r.ring_drops_ps, 10, 1e-6);
	ck_assert_double_eq_tol(r.net_rx_ps, 100, 1e-6);
	ck_assert_double_eq_tol(r.time_squeeze_ps, 4, 1e-6);
	ck_assert_uint_eq(r.busiest_cpu, 1);
	ck_assert_double_eq_tol(r.busiest_ratio, 0.3, 1e-9);
	ck_assert_double_eq_tol(r.busy_cpus, 0.3, 1e-9);
	ck_assert_double_eq_tol(r.busiest_softirq_ratio, 0.2, 1e-9);
	ck_assert_double_eq_tol(r.steal_ratio, 0.1, 1e-9);
}
END_TEST

START_TEST(missing_is_absent)
{
	struct rates r;

	make_pair();
	b.have &= ~(uint32_t)SAMPLE_POLLS; /* only one of the two has it */
	b.reset = SAMPLE_IRQS;
	ck_assert_int_eq(rates_between(&a, &b, &r), RATES_OK);
	ck_assert_uint_eq(r.have, ALL & ~(uint32_t)(SAMPLE_POLLS | SAMPLE_IRQS));
	ck_assert_double_eq(r.polls_ps, 0);
	ck_assert_double_eq(r.interrupts_ps, 0);
	ck_assert_double_eq_tol(r.rx_pps, 2000, 1e-6);
}
END_TEST

START_TEST(going_back_is_no_step)
{
	struct rates r;

	make_pair();
	b.rx_packets = 3;
	b.cpu[1].idle_ns = a.cpu[1].idle_ns;
	a.cpu[0].idle_ns = 5;
	b.cpu[0].idle_ns = 4; /* the kernel's iowait may */
	ck_assert_int_eq(rates_between(&a, &b, &r), RATES_OK);
	ck_assert_double_eq(r.rx_pps, 0);
	ck_assert_double_eq_tol(r.busiest_ratio, 0.75, 1e-9);
}
END_TEST

START_TEST(clock_steps)
{
	struct rates r;

	make_pair();
	b.now = a.now;
	ck_assert_int_eq(rates_between(&a, &b, &r), RATES_CLOCK);
	b.now = a.now - 1;
	ck_assert_int_eq(rates_between(&a, &b, &r), RATES_CLOCK);
	ck_assert_uint_eq(r.have, 0);
	b.now = a.now + 11 * NSEC_PER_SEC;
	ck_assert_int_eq(rates_between(&a, &b, &r), RATES_CLOCK);
	b.now = a.now + 10 * NSEC_PER_SEC;
	ck_assert_int_eq(rates_between(&a, &b, &r), RATES_OK);
	a.now = 0;
	ck_assert_int_eq(rates_between(&a, &b, &r), RATES_FIRST);
}
END_TEST

START_TEST(another_generation_keeps_the_device_sums)
{
	struct rates r;

	make_pair();
	b.generation++;
	ck_assert_int_eq(rates_between(&a, &b, &r), RATES_CHANGED);
	ck_assert_uint_eq(r.have, SAMPLE_LINK | SAMPLE_POLLS | SAMPLE_RING_DROPS);
	ck_assert_double_eq_tol(r.rx_pps, 2000, 1e-6);
	ck_assert_double_eq(r.net_rx_ps, 0);
	ck_assert_double_eq(r.busiest_ratio, 0);
}
END_TEST

START_TEST(hotplugged_cpus_do_not_count)
{
	struct rates r;

	make_pair();
	a.cpu[1].online = false; /* came back: its counters jumped */
	b.cpu[2] = b.cpu[1];
	b.n_cpus = 3;
	ck_assert_int_eq(rates_between(&a, &b, &r), RATES_OK);
	ck_assert_double_eq_tol(r.net_rx_ps, 40, 1e-6);
	ck_assert_double_eq(r.busiest_ratio, 0);
	ck_assert_double_eq(r.steal_ratio, 0);
}
END_TEST

START_TEST(u32_counters)
{
	bool reset = true;

	ck_assert_uint_eq(counter_step_u32(10, 25, 1000, &reset), 15);
	ck_assert(!reset);
	ck_assert_uint_eq(counter_step_u32(UINT32_MAX - 4, 5, 1000, &reset), 10); /* wrapped */
	ck_assert(!reset);
	ck_assert_uint_eq(counter_step_u32(100000, 3, 1000000, &reset), 0); /* started anew */
	ck_assert(reset);
	ck_assert_uint_eq(counter_step_u32(7, 7, 0, &reset), 0);
	ck_assert(!reset);
	ck_assert_uint_eq(counter_step_u32(0, UINT32_MAX, UINT64_MAX, &reset), UINT32_MAX);
	ck_assert(!reset);
}
END_TEST

int main(void)
{
	const TTest *const all[] = {
		plain_rates,
		missing_is_absent,
		going_back_is_no_step,
		clock_steps,
		another_generation_keeps_the_device_sums,
		hotplugged_cpus_do_not_count,
		u32_counters,
	};

	return SUITE_RUN("sample", all);
}
