// SPDX-License-Identifier: GPL-2.0-or-later
/* softnet_stat with and without the column of the CPU's number. */
#include "io/source-softnet.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"

#define TICK (NSEC_PER_SEC / 10)
#define FILE_PATH "proc/net/softnet_stat"

static struct cpu_counters cpu[SAMPLE_CPUS_MAX];
static struct softnet_source source;

static const char with_ids[] =
	"0025abf2 00000002 00000005 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 "
	"00000000 00000000 00000000\n"
	"00020420 00000000 00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 "
	"00000003 00000000 00000000\n";
static const char without_ids[] =
	"00000010 00000001 00000002 00000000 00000000 00000000 00000000 00000000 00000000 00000000\n"
	"00000020 00000003 00000004 00000000 00000000 00000000 00000000 00000000 00000000 00000000\n";

START_TEST(test_with_ids)
{
	unsigned n_cpus = 0;
	bool reset = false;
	struct tree t;

	tree_open(&t, NULL);
	ck_assert_int_eq(softnet_source_open(&source, &t.root), -ENOENT);
	tree_write(&t, FILE_PATH, with_ids);
	ck_assert_int_eq(softnet_source_open(&source, &t.root), 0);
	ck_assert_int_eq(softnet_source_read(&source, TICK, cpu, &n_cpus, &reset), 0);
	ck_assert_uint_eq(n_cpus, 4);
	ck_assert_uint_eq(cpu[0].processed, 0x25abf2);
	ck_assert_uint_eq(cpu[0].backlog_dropped, 2);
	ck_assert_uint_eq(cpu[0].time_squeeze, 5);
	ck_assert_uint_eq(cpu[3].processed, 0x20420);
	ck_assert_uint_eq(cpu[3].time_squeeze, 1);
	ck_assert_uint_eq(cpu[1].processed, 0);
	softnet_source_close(&source);
	tree_close(&t);
}
END_TEST

START_TEST(test_without_ids)
{
	unsigned n_cpus = 4;
	bool reset = false;
	struct tree t;

	tree_open(&t, NULL);
	tree_write(&t, FILE_PATH, without_ids);
	cpu[1].online = cpu[3].online = true;
	ck_assert_int_eq(softnet_source_open(&source, &t.root), 0);
	ck_assert_int_eq(softnet_source_read(&source, TICK, cpu, &n_cpus, &reset), 0);
	ck_assert_uint_eq(cpu[1].processed, 16);
	ck_assert_uint_eq(cpu[3].processed, 32);
	ck_assert_uint_eq(cpu[3].time_squeeze, 4);
	softnet_source_close(&source);

	/* nobody said which are online; twice, because the first reading finds out how many there are */
	cpu[1].online = cpu[3].online = false;
	n_cpus = 0;
	ck_assert_int_eq(softnet_source_open(&source, &t.root), 0);
	for (int i = 1; i <= 2; i++) {
		ck_assert_int_eq(softnet_source_read(&source, i * TICK, cpu, &n_cpus, &reset), 0);
		ck_assert_uint_eq(n_cpus, 2);
		ck_assert_uint_eq(cpu[1].processed, 32);
	}
	softnet_source_close(&source);
	tree_close(&t);
}
END_TEST

START_TEST(test_wrap_and_restart)
{
	unsigned n_cpus = 1;
	bool reset = false;
	struct tree t;

	tree_open(&t, NULL);
	cpu[0].online = true;
	tree_write(&t, FILE_PATH, "fffffff0 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000\n");
	ck_assert_int_eq(softnet_source_open(&source, &t.root), 0);
	ck_assert_int_eq(softnet_source_read(&source, TICK, cpu, &n_cpus, &reset), 0);
	ck_assert_uint_eq(cpu[0].processed, 0xfffffff0U);
	tree_write(&t, FILE_PATH, "00000010 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000\n");
	ck_assert_int_eq(softnet_source_read(&source, 2 * TICK, cpu, &n_cpus, &reset), 0);
	ck_assert_uint_eq(cpu[0].processed, UINT64_C(0x100000010));
	ck_assert(!reset);
	tree_write(&t, FILE_PATH, "00000008 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000\n");
	ck_assert_int_eq(softnet_source_read(&source, 3 * TICK, cpu, &n_cpus, &reset), 0);
	ck_assert(reset);
	ck_assert_uint_eq(cpu[0].processed, UINT64_C(0x100000010));
	softnet_source_close(&source);
	tree_close(&t);
}
END_TEST

START_TEST(test_malformed)
{
	static const char *const texts[] = { "", "\n", "00000001 00000002\n", "00000001 00000002 zz\n" };
	unsigned n_cpus = 1;
	bool reset = false;
	struct tree t;

	tree_open(&t, NULL);
	tree_write(&t, FILE_PATH, without_ids);
	ck_assert_int_eq(softnet_source_open(&source, &t.root), 0);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		tree_write(&t, FILE_PATH, texts[i]);
		ck_assert_int_eq(softnet_source_read(&source, TICK, cpu, &n_cpus, &reset), -EINVAL);
	}
	softnet_source_close(&source);
	tree_close(&t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("source-softnet");
	TCase *tc = tcase_create("all");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, test_with_ids);
	tcase_add_test(tc, test_without_ids);
	tcase_add_test(tc, test_wrap_and_restart);
	tcase_add_test(tc, test_malformed);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
