// SPDX-License-Identifier: GPL-2.0-or-later
/* CPU time of interrupts and packets: the best source that is there, per CPU, with its error. */
#include <string.h>

#include "core/sample.h"
#include "suite.h"

#define SECOND NSEC_PER_SEC
#define MS NSEC_PER_MSEC

static struct sample a, b;
static struct packet_cpu p;

/* Two seconds on two CPUs; the second has packets: 20 % by ticks, 30 % by bursts. */
static void make_pair(void)
{
	memset(&a, 0, sizeof(a));
	a.now = 5 * SECOND;
	a.have = SAMPLE_CPU;
	a.n_cpus = 2;
	a.cpu[0].online = a.cpu[1].online = true;
	b = a;
	b.now += 2 * SECOND;
	b.cpu[0].idle_ns = 1000 * MS;
	b.cpu[0].user_ns = 1000 * MS;
	b.cpu[1].idle_ns = 1200 * MS;
	b.cpu[1].system_ns = 400 * MS;
	b.cpu[1].softirq_ns = 390 * MS;
	b.cpu[1].irq_ns = 10 * MS;
	for (int i = 0; i < 2; i++)
		b.cpu[i].traced_ns = 200 * MS;
	b.cpu[0].traced_work_ns = 10 * MS;
	b.cpu[1].traced_work_ns = 60 * MS;
}

static void between(uint32_t have)
{
	packet_cpu_between(&a, &b, have, &p);
}

START_TEST(preference)
{
	make_pair();
	between(SAMPLE_CPU | SAMPLE_IRQTIME | SAMPLE_TRACED);
	ck_assert_int_eq(p.by, CPU_TIME_BY_IRQTIME);
	ck_assert_uint_eq(p.cpu, 1);
	ck_assert_double_eq_tol(p.ratio, 0.2, 1e-9);
	ck_assert_double_eq_tol(p.error, 0.005, 1e-9); /* 10 ms of 2 s */
	between(SAMPLE_CPU | SAMPLE_TRACED);
	ck_assert_int_eq(p.by, CPU_TIME_BY_TRACED);
	ck_assert_double_eq_tol(p.ratio, 0.3, 1e-9);
	between(SAMPLE_CPU);
	ck_assert_int_eq(p.by, CPU_TIME_BY_TICKS);
	ck_assert_double_eq_tol(p.ratio, 0.2, 1e-9);
	ck_assert_double_eq_tol(p.error, 0.0283, 1e-3); /* 200 ticks */
	between(0);
	ck_assert_int_eq(p.by, CPU_TIME_BY_NONE);
	between(SAMPLE_TRACED);
	ck_assert_int_eq(p.by, CPU_TIME_BY_TRACED); /* without /proc/stat too */
}
END_TEST

/* A router: no process runs, so what is not idle is packets, also what ticks do not see. */
START_TEST(idle_time)
{
	make_pair();
	b.cpu[1].system_ns = 10 * MS;
	b.cpu[1].idle_ns = 1590 * MS;
	between(SAMPLE_CPU);
	ck_assert_int_eq(p.by, CPU_TIME_BY_IDLE);
	ck_assert_uint_eq(p.cpu, 1);
	ck_assert_double_eq_tol(p.ratio, 0.205, 1e-9);
}
END_TEST

/* The busiest one counts, not the mean. */
START_TEST(not_an_average)
{
	make_pair();
	a.n_cpus = b.n_cpus = 4;
	for (int i = 2; i < 4; i++) {
		a.cpu[i].online = b.cpu[i].online = true;
		b.cpu[i].idle_ns = 2 * SECOND;
	}
	between(SAMPLE_CPU | SAMPLE_IRQTIME);
	ck_assert_double_eq_tol(p.ratio, 0.2, 1e-9);
	b.cpu[1].online = false; /* went away meanwhile */
	between(SAMPLE_CPU | SAMPLE_IRQTIME);
	ck_assert_double_eq_tol(p.ratio, 0, 1e-9);
}
END_TEST

START_TEST(threads_come_on_top)
{
	make_pair();
	b.cpu[0].napi_thread_ns = 800 * MS;
	between(SAMPLE_CPU | SAMPLE_NAPI_THREADS);
	ck_assert_uint_eq(p.cpu, 0);
	ck_assert_double_eq_tol(p.ratio, 0.4, 1e-9);
	ck_assert_double_eq_tol(p.threads_ratio, 0.4, 1e-9);
	between(SAMPLE_CPU);
	ck_assert_uint_eq(p.cpu, 1);
	ck_assert_double_eq(p.threads_ratio, 0);
}
END_TEST

START_TEST(rates_have_it)
{
	struct rates r;

	make_pair();
	a.have |= SAMPLE_TRACED | SAMPLE_PMU | SAMPLE_POLLS;
	b.have = a.have;
	b.polls_by = POLLS_SAMPLED;
	poll_sums_add(&b.traced, 3, 2000);
	b.cpu[1].cycles = 4000000;
	b.cpu[1].instructions = 2000000;
	ck_assert_int_eq(rates_between(&a, &b, &r), RATES_OK);
	ck_assert_int_eq(r.packet_cpu.by, CPU_TIME_BY_TRACED);
	ck_assert_double_eq(r.traced.packets, 3);
	ck_assert_int_eq(r.polls_by, POLLS_SAMPLED);
	ck_assert_double_eq(r.cycles_ps, 2000000); /* of the CPU with the packets */
	ck_assert_double_eq(r.instructions_ps, 1000000);
	a.generation++;
	ck_assert_int_eq(rates_between(&a, &b, &r), RATES_CHANGED);
	ck_assert_int_eq(r.packet_cpu.by, CPU_TIME_BY_NONE);
	ck_assert_uint_eq(r.have & (SAMPLE_TRACED | SAMPLE_PMU), 0);
}
END_TEST

START_TEST(table_is_whole)
{
	for (int i = 0; i < CPU_TIME_SOURCE_COUNT; i++) {
		ck_assert(cpu_time_table[i].slug[0]);
		ck_assert(cpu_time_table[i].what[0]);
	}
	for (int i = 0; i < POLLS_SOURCE_COUNT; i++)
		ck_assert(polls_table[i].slug[0] && polls_table[i].what[0]);
}
END_TEST

int main(void)
{
	const TTest *const all[] = {
		preference, idle_time, not_an_average, threads_come_on_top, rates_have_it, table_is_whole,
	};

	return SUITE_RUN("sample-cpu", all);
}
