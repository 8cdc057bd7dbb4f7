// SPDX-License-Identifier: GPL-2.0-or-later
/* Interrupt counts of one NIC from single files and from the table: sums, wraps, restarts, hotplug. */
#include "io/source-irq.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"

#define TICK (NSEC_PER_SEC / 10)

static const struct nic_map two_queues = {
	.n_irqs = 5,
	.irqs = { { .irq = 10, .queue = -1, .control = true, .confidence = MAP_NAME },
		  { .irq = 11, .queue = 0, .rx = 1, .confidence = MAP_NAME },
		  { .irq = 12, .queue = 1, .rx = 1, .tx = 1, .confidence = MAP_EXACT },
		  { .irq = 13, .queue = 3, .tx = 1, .confidence = MAP_NAME },
		  { .irq = 14, .queue = NIC_QUEUES_MAX, .rx = 1, .confidence = MAP_NAME } },
};

static struct sample sample;

static void set(const struct tree *t, unsigned irq, const char *counts)
{
	char path[64];

	snprintf(path, sizeof(path), "sys/kernel/irq/%u/per_cpu_count", irq);
	tree_write(t, path, counts);
}

/* Possible are CPUs 0, 1 and 4. */
static void make_files(struct tree *t)
{
	tree_open(t, NULL);
	tree_write(t, "sys/devices/system/cpu/possible", "0-1,4\n");
	set(t, 10, "5,0,0\n");
	set(t, 11, "100,0,1\n");
	set(t, 12, "0,4294967290,0\n");
	set(t, 13, "1000,0,0\n");
	set(t, 14, "7,0,0\n");
}

static int read_at(struct irq_source *s, nsec_t now)
{
	memset(&sample, 0, sizeof(sample));
	return irq_source_read(s, now, &sample);
}

START_TEST(test_files)
{
	struct irq_source s = { 0 };
	struct tree t;

	make_files(&t);
	ck_assert_int_eq(irq_source_open(&s, &t.root, &two_queues), 0);
	ck_assert(!s.use_table);
	ck_assert_int_eq(read_at(&s, TICK), 0);
	ck_assert_uint_eq(sample.have, SAMPLE_IRQS);
	ck_assert_uint_eq(sample.reset, 0);
	ck_assert_uint_eq(sample.queue[0].interrupts, 101);
	ck_assert_uint_eq(sample.queue[1].interrupts, UINT64_C(4294967290));
	ck_assert_uint_eq(sample.n_queues, 2);
	ck_assert_uint_eq(sample.rx_interrupts, 101 + UINT64_C(4294967290) + 7);
	ck_assert_uint_eq(sample.tx_interrupts, UINT64_C(4294967290) + 1000);
	ck_assert_uint_eq(sample.interrupts, 101 + UINT64_C(4294967290) + 1000 + 7);

	/* one CPU's 32 bits run over, the control interrupt grows */
	set(&t, 10, "50,0,0\n");
	set(&t, 12, "3,4,0\n");
	ck_assert_int_eq(read_at(&s, 2 * TICK), 0);
	ck_assert_uint_eq(sample.reset, 0);
	ck_assert_uint_eq(sample.queue[1].interrupts, UINT64_C(4294967290) + 3 + 10);
	ck_assert_uint_eq(sample.interrupts, 101 + UINT64_C(4294967290) + 13 + 1000 + 7);

	/* a descriptor was made anew: no step, marked; from there it counts again */
	set(&t, 11, "2,0,0\n");
	ck_assert_int_eq(read_at(&s, 3 * TICK), 0);
	ck_assert_uint_eq(sample.reset, SAMPLE_IRQS);
	ck_assert_uint_eq(sample.queue[0].interrupts, 101);
	set(&t, 11, "4,0,0\n");
	ck_assert_int_eq(read_at(&s, 4 * TICK), 0);
	ck_assert_uint_eq(sample.reset, 0);
	ck_assert_uint_eq(sample.queue[0].interrupts, 103);
	irq_source_close(&s);
	irq_source_close(&s);
	tree_close(&t);
}
END_TEST

START_TEST(test_cut_file)
{
	struct irq_source s = { 0 };
	struct tree t;

	/* one value is missing at the end, as on a machine with more CPUs than fit into a page */
	make_files(&t);
	set(&t, 13, "1000,0");
	ck_assert_int_eq(irq_source_open(&s, &t.root, &two_queues), -ENOENT);
	tree_write(&t, "proc/interrupts",
		   " CPU0 CPU1 CPU4\n 10: 5 0 0  x  a\n 11: 100 0 1  x  a\n 12: 0 9 0  x  a\n 13: 1000 0 3  x  a\n"
		   " 14: 7 0 0  x  a\n");
	ck_assert_int_eq(irq_source_open(&s, &t.root, &two_queues), 0);
	ck_assert(s.use_table);
	ck_assert_int_eq(read_at(&s, TICK), 0);
	ck_assert_uint_eq(sample.tx_interrupts, 9 + 1003);
	irq_source_close(&s);
	tree_close(&t);
}
END_TEST

START_TEST(test_gone)
{
	struct irq_source s = { 0 };
	struct tree t;

	make_files(&t);
	ck_assert_int_eq(irq_source_open(&s, &t.root, &two_queues), 0);
	ck_assert_int_eq(read_at(&s, TICK), 0);
	set(&t, 11, "");
	memset(&sample, 0, sizeof(sample));
	sample.have = SAMPLE_IRQS | SAMPLE_CPU;
	sample.interrupts = 77;
	ck_assert_int_eq(irq_source_read(&s, 2 * TICK, &sample), -ESTALE);
	ck_assert_uint_eq(sample.have, SAMPLE_CPU);
	ck_assert_uint_eq(sample.interrupts, 77);
	irq_source_close(&s);
	tree_close(&t);
}
END_TEST

START_TEST(test_table)
{
	static const struct nic_map one = { .n_irqs = 1, .irqs = { { .irq = 31, .queue = -1, .rx = 1, .tx = 1 } } };
	struct irq_source s = { 0 };
	struct tree t;

	tree_open(&t, "riscv-plic");
	ck_assert_int_eq(irq_source_open(&s, &t.root, &one), 0);
	ck_assert(s.use_table);
	ck_assert_int_eq(read_at(&s, TICK), 0);
	ck_assert_uint_eq(sample.interrupts, 23021);
	ck_assert_uint_eq(sample.n_queues, 0);

	/* CPU 3 went, CPU 2 came with what it had counted before it was seen */
	tree_write(&t, "proc/interrupts", " CPU0 CPU1 CPU2\n 31: 23020 0 5000  SiFive PLIC  7 Edge      end0\n");
	ck_assert_int_eq(read_at(&s, 2 * TICK), 0);
	ck_assert_uint_eq(sample.interrupts, 23024);
	ck_assert_uint_eq(sample.reset, 0);
	tree_write(&t, "proc/interrupts", " CPU0 CPU2 CPU3\n 31: 23020 5001 6  SiFive PLIC  7 Edge      end0\n");
	ck_assert_int_eq(read_at(&s, 3 * TICK), 0);
	ck_assert_uint_eq(sample.interrupts, 23027);
	tree_write(&t, "proc/interrupts", " CPU0 CPU2 CPU3\n 32: 1 2 3  SiFive PLIC  7 Edge      end0\n");
	ck_assert_int_eq(read_at(&s, 4 * TICK), -ESTALE);
	irq_source_close(&s);
	tree_close(&t);
}
END_TEST

START_TEST(test_nothing)
{
	static const struct nic_map none = { .n_irqs = 0 };
	struct irq_source s = { 0 };
	struct tree t;

	tree_open(&t, NULL);
	ck_assert_int_eq(irq_source_open(&s, &t.root, &none), 0);
	ck_assert_int_eq(read_at(&s, TICK), 0);
	ck_assert_uint_eq(sample.have, 0);
	irq_source_close(&s);
	ck_assert_int_eq(irq_source_open(&s, &t.root, &two_queues), -ENOENT);
	ck_assert_int_eq(read_at(&s, TICK), 0);
	ck_assert_uint_eq(sample.have, 0);
	irq_source_close(&s);
	tree_close(&t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("source-irq");
	TCase *tc = tcase_create("all");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, test_files);
	tcase_add_test(tc, test_cut_file);
	tcase_add_test(tc, test_gone);
	tcase_add_test(tc, test_table);
	tcase_add_test(tc, test_nothing);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
