// SPDX-License-Identifier: GPL-2.0-or-later
/* CPU times, softirqs, hotplug, times that run backwards, and whether IRQ time is exact. */
#include "io/source-cpu.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tree.h"

#define TICK (NSEC_PER_SEC / 10)

static struct cpu_source source;
static struct sample sample;
static uint64_t tick_ns; /* of USER_HZ */

/* Line of one CPU: user nice system idle iowait irq softirq steal guest guest_nice */
#define CPU0 "cpu0 100 10 200 5000 50 0 30 4 1 0\n"
#define CPU1 "cpu1 1 0 2 3 0 0 0 0 0 0\n"

static void set_stat(const struct tree *t, const char *cpus, unsigned long interrupts)
{
	char text[2048];

	snprintf(text, sizeof(text), "cpu  999 9 9 9 9 9 9 9 9 9\n%sintr %lu 0 0 7\nctxt 5\nbtime 1\n", cpus,
		 interrupts);
	tree_write(t, "proc/stat", text);
}

static void set_softirqs(const struct tree *t, const char *tx, const char *rx)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "                    CPU0       CPU1       CPU2       \n          HI:          1          1 1\n"
		 "      NET_TX: %s\n      NET_RX: %s\n       SCHED:          5          5 5\n",
		 tx, rx);
	tree_write(t, "proc/softirqs", text);
}

static void make(struct tree *t)
{
	tick_ns = NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);
	tree_open(t, NULL);
	set_stat(t, CPU0 CPU1, 1000);
	set_softirqs(t, "7 8 0", "4294967290 20 0");
	tree_write(t, "proc/net/softnet_stat", "a 1 2 0 0 0 0 0 0 0 0 0 0 0 0\n14 3 4 0 0 0 0 0 0 0 0 0 1 0 0\n");
	ck_assert_int_eq(cpu_source_open(&source, &t->root), 0);
}

static void unmake(struct tree *t)
{
	cpu_source_close(&source);
	tree_close(t);
}

static void read_at(nsec_t now)
{
	memset(&sample, 0, sizeof(sample));
	sample.have = SAMPLE_LINK | SAMPLE_IRQTIME;
	sample.generation = 40;
	ck_assert_int_eq(cpu_source_read(&source, now, &sample), 0);
}

START_TEST(test_first)
{
	const struct cpu_counters *c = sample.cpu;
	struct tree t;

	make(&t);
	read_at(TICK);
	ck_assert_uint_eq(sample.have, SAMPLE_LINK | SAMPLE_CPU | SAMPLE_SOFTIRQ | SAMPLE_SOFTNET);
	ck_assert_uint_eq(sample.reset, 0);
	ck_assert_uint_eq(sample.generation, 40);
	ck_assert_uint_eq(sample.n_cpus, 2);
	ck_assert(c[0].online && c[1].online && !c[2].online);
	ck_assert_uint_eq(c[0].user_ns, 110 * tick_ns);
	ck_assert_uint_eq(c[0].system_ns, 200 * tick_ns);
	ck_assert_uint_eq(c[0].idle_ns, 5050 * tick_ns);
	ck_assert_uint_eq(c[0].irq_ns, 0);
	ck_assert_uint_eq(c[0].softirq_ns, 30 * tick_ns);
	ck_assert_uint_eq(c[0].steal_ns, 4 * tick_ns);
	ck_assert_uint_eq(c[1].user_ns, tick_ns);
	ck_assert_uint_eq(c[0].net_rx, 4294967290U);
	ck_assert_uint_eq(c[1].net_tx, 8);
	ck_assert_uint_eq(c[1].processed, 20);
	ck_assert_uint_eq(c[0].time_squeeze, 2);
	unmake(&t);
}
END_TEST

START_TEST(test_same_tick)
{
	struct tree t;

	make(&t);
	read_at(TICK);
	set_softirqs(&t, "70 80 0", "4294967295 200 0");
	read_at(TICK);
	ck_assert_uint_eq(sample.cpu[1].net_rx, 20);
	read_at(2 * TICK);
	ck_assert_uint_eq(sample.cpu[1].net_rx, 200);
	unmake(&t);
}
END_TEST

START_TEST(test_backwards)
{
	struct tree t;
	uint64_t idle;

	make(&t);
	read_at(TICK);
	idle = sample.cpu[0].idle_ns;
	/* iowait moves back by more than idle grew */
	set_stat(&t, "cpu0 100 10 200 5001 45 0 30 4 1 0\n" CPU1, 1000);
	read_at(2 * TICK);
	ck_assert_uint_eq(sample.cpu[0].idle_ns, idle);
	ck_assert_uint_eq(sample.reset, 0);
	set_stat(&t, "cpu0 100 10 200 5010 45 0 30 4 1 0\n" CPU1, 1000);
	read_at(3 * TICK);
	ck_assert_uint_eq(sample.cpu[0].idle_ns, idle + 5 * tick_ns);

	/* a CPU that starts at zero: as before, but marked; then on from there */
	set_stat(&t, "cpu0 0 0 0 0 0 0 0 0 0 0\n" CPU1, 1000);
	read_at(4 * TICK);
	ck_assert_uint_eq(sample.reset, SAMPLE_CPU);
	ck_assert_uint_eq(sample.cpu[0].idle_ns, idle + 5 * tick_ns);
	set_stat(&t, "cpu0 0 0 0 7 0 0 0 0 0 0\n" CPU1, 1000);
	read_at(5 * TICK);
	ck_assert_uint_eq(sample.reset, 0);
	ck_assert_uint_eq(sample.cpu[0].idle_ns, idle + 12 * tick_ns);
	unmake(&t);
}
END_TEST

START_TEST(test_wraps)
{
	struct tree t;

	make(&t);
	read_at(TICK);
	set_softirqs(&t, "7 8 0", "10 20 0");
	read_at(2 * TICK);
	ck_assert_uint_eq(sample.cpu[0].net_rx, UINT64_C(4294967296) + 10);
	ck_assert_uint_eq(sample.reset, 0);
	set_softirqs(&t, "7 8 0", "10 5 0");
	read_at(3 * TICK);
	ck_assert_uint_eq(sample.reset, SAMPLE_SOFTIRQ);
	ck_assert_uint_eq(sample.cpu[1].net_rx, 20);
	unmake(&t);
}
END_TEST

START_TEST(test_hotplug)
{
	struct tree t;

	make(&t);
	read_at(TICK);
	set_stat(&t, CPU0, 1000);
	tree_write(&t, "proc/net/softnet_stat", "a 1 2 0 0 0 0 0 0 0 0 0 0 0 0\n");
	read_at(2 * TICK);
	ck_assert_uint_eq(sample.generation, 41);
	ck_assert_uint_eq(sample.n_cpus, 2);
	ck_assert(!sample.cpu[1].online);
	read_at(3 * TICK);
	ck_assert_uint_eq(sample.generation, 41);
	set_stat(&t, CPU0 CPU1 "cpu2 1 1 1 1 1 1 1 1 0 0\n", 1000);
	read_at(4 * TICK);
	ck_assert_uint_eq(sample.generation, 42);
	ck_assert_uint_eq(sample.n_cpus, 3);
	ck_assert(sample.cpu[1].online && sample.cpu[2].online);
	unmake(&t);
}
END_TEST

START_TEST(test_irqtime)
{
	static const struct {
		const char *cpu0;
		unsigned long interrupts;
		bool exact;
	} steps[] = {
		{ "cpu0 1 0 1 1 0 3 0 0 0 0\n", 100000, false }, /* too early to say */
		{ "cpu0 1 0 1 1 0 6 0 0 0 0\n", 250000, true },	 /* grew since boot */
		{ "cpu0 1 0 1 1 0 6 0 0 0 0\n", 300000, true },	 /* within the window */
		{ "cpu0 1 0 1 1 0 6 0 0 0 0\n", 460000, false }, /* no more: switched off with the clock */
		{ "cpu0 1 0 1 1 0 6 0 0 0 0\n", 900000, false }, { "cpu0 1 0 1 1 0 9 0 0 0 0\n", 1200000, true },
		{ "cpu0 1 0 1 1 0 9 0 0 0 0\n", 5, true }, /* the sum wrapped */
		{ "cpu0 1 0 1 1 0 9 0 0 0 0\n", 300000, false },
	};
	struct tree t;

	make(&t);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		set_stat(&t, steps[i].cpu0, steps[i].interrupts);
		read_at((i + 1) * TICK);
		ck_assert_msg(!!(sample.have & SAMPLE_IRQTIME) == steps[i].exact, "step %zu", i);
	}
	unmake(&t);
}
END_TEST

START_TEST(test_old_kernel)
{
	struct tree t;

	/* fewer columns of time, softnet lines without a number: CPU 1 is offline */
	make(&t);
	set_stat(&t, "cpu0 1 2 3 4 5 6 7\ncpu2 8 0 9 10\n", 1000);
	tree_write(&t, "proc/net/softnet_stat", "a 1 2 0 0 0 0 0 0\nb 1 2 0 0 0 0 0 0\n");
	read_at(TICK);
	ck_assert_uint_eq(sample.cpu[0].softirq_ns, 7 * tick_ns);
	ck_assert_uint_eq(sample.cpu[0].steal_ns, 0);
	ck_assert_uint_eq(sample.cpu[2].idle_ns, 10 * tick_ns);
	ck_assert_uint_eq(sample.cpu[2].irq_ns, 0);
	ck_assert_uint_eq(sample.cpu[2].processed, 11);
	ck_assert_uint_eq(sample.cpu[1].processed, 0);
	unmake(&t);
}
END_TEST

START_TEST(test_missing)
{
	struct tree t;

	make(&t);
	cpu_source_close(&source);
	tree_remove(&t, "proc/stat");
	tree_remove(&t, "proc/net/softnet_stat");
	ck_assert_int_eq(cpu_source_open(&source, &t.root), 0);
	read_at(TICK);
	ck_assert_uint_eq(sample.have, SAMPLE_LINK | SAMPLE_SOFTIRQ);
	ck_assert_uint_eq(sample.cpu[1].net_rx, 20);
	tree_write(&t, "proc/softirqs", "nonsense\n");
	sample.have = SAMPLE_SOFTIRQ;
	ck_assert_int_eq(cpu_source_read(&source, 2 * TICK, &sample), -EIO);
	ck_assert_uint_eq(sample.have, 0);
	cpu_source_close(&source);
	tree_remove(&t, "proc/softirqs");
	ck_assert_int_eq(cpu_source_open(&source, &t.root), -ENOENT);
	tree_close(&t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("source-cpu");
	TCase *tc = tcase_create("all");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, test_first);
	tcase_add_test(tc, test_same_tick);
	tcase_add_test(tc, test_backwards);
	tcase_add_test(tc, test_wraps);
	tcase_add_test(tc, test_hotplug);
	tcase_add_test(tc, test_irqtime);
	tcase_add_test(tc, test_old_kernel);
	tcase_add_test(tc, test_missing);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
