// SPDX-License-Identifier: GPL-2.0-or-later
/* Files below a root, CPU lists, and 32-bit counters. */
#include "io/procfile.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"

START_TEST(test_read_again)
{
	struct procfile f = PROCFILE_CLOSED;
	struct tree t;

	tree_open(&t, NULL);
	ck_assert_int_eq(procfile_open(&f, &t.root, "proc/x"), -ENOENT);
	ck_assert_int_eq(f.fd, -1);
	tree_write(&t, "proc/x", "one\n");
	ck_assert_int_eq(procfile_open(&f, &t.root, "/proc/x"), 0);
	ck_assert_int_eq(procfile_read(&f), 0);
	ck_assert_str_eq(f.text, "one\n");
	tree_write(&t, "proc/x", "");
	ck_assert_int_eq(procfile_read(&f), 0);
	ck_assert_uint_eq(f.len, 0);
	ck_assert_str_eq(f.text, "");
	procfile_close(&f);
	procfile_close(&f);
	tree_close(&t);
}
END_TEST

START_TEST(test_long_line)
{
	struct procfile f = PROCFILE_CLOSED;
	char *text = malloc(100001);
	struct tree t;

	/* lengths around those at which the buffer grows */
	tree_open(&t, NULL);
	for (size_t len = 4090; len <= 100000; len = len < 4100 ? len + 1 : len * 3) {
		memset(text, 'a' + (int)(len % 26), len);
		text[len] = '\0';
		tree_write(&t, "x", text);
		procfile_close(&f);
		ck_assert_int_eq(procfile_open(&f, &t.root, "x"), 0);
		ck_assert_int_eq(procfile_read(&f), 0);
		ck_assert_uint_eq(f.len, len);
		ck_assert_str_eq(f.text, text);
	}
	procfile_close(&f);
	free(text);
	tree_close(&t);
}
END_TEST

START_TEST(test_once)
{
	char buf[8] = "before";
	uint64_t v = 7;
	struct tree t;

	tree_open(&t, NULL);
	tree_write(&t, "a/number", "0x20\n");
	tree_write(&t, "a/word", "yes");
	tree_write(&t, "a/long", "1234567\n");
	tree_write(&t, "a/longer", "12345678\n");
	ck_assert_int_eq(procroot_u64(&t.root, "a/number", &v), 0);
	ck_assert_uint_eq(v, 32);
	ck_assert_int_eq(procroot_u64(&t.root, "a/word", &v), -EINVAL);
	ck_assert_int_eq(procroot_u64(&t.root, "a/none", &v), -ENOENT);
	ck_assert_uint_eq(v, 32);
	ck_assert_int_eq(procroot_string(&t.root, "a/longer", buf, sizeof(buf)), -ENAMETOOLONG);
	ck_assert_str_eq(buf, "before");
	ck_assert_int_eq(procroot_string(&t.root, "a/long", buf, sizeof(buf)), 7);
	ck_assert_str_eq(buf, "1234567");
	ck_assert_int_eq(procroot_string(&t.root, "a", buf, sizeof(buf)), -EISDIR);
	tree_close(&t);
}
END_TEST

static int collect(const char *name, void *arg)
{
	strcat(arg, name);
	return strcmp(name, "stop") == 0 ? 5 : 0;
}

START_TEST(test_names)
{
	char names[64] = "", buf[32];
	struct tree t;

	tree_open(&t, "x86-virtio");
	ck_assert_int_eq(procroot_link_name(&t.root, "sys/class/net/eth0/device", buf, sizeof(buf)), 7);
	ck_assert_str_eq(buf, "virtio2");
	ck_assert_int_eq(procroot_link_name(&t.root, "sys/class/net/eth0/device", buf, 7), -ENAMETOOLONG);
	ck_assert_int_lt(procroot_link_name(&t.root, "sys/class/net", buf, sizeof(buf)), 0);
	ck_assert(procroot_exists(&t.root, "sys/class/net/eth0/device/../msi_irqs"));
	ck_assert(!procroot_exists(&t.root, "sys/class/net/eth0/device/msi_irqs"));
	ck_assert(procroot_same(&t.root, "sys/class/net/eth0/device/..", "sys/devices/pci0000:00/0000:00:03.0"));
	ck_assert(!procroot_same(&t.root, "sys/class/net/eth0", "sys/class/net/lo"));
	ck_assert(!procroot_same(&t.root, "sys/none", "sys/none"));
	ck_assert_int_eq(procroot_list(&t.root, "sys/none", collect, names), -ENOENT);
	ck_assert_int_eq(procroot_list(&t.root, "sys/class", collect, names), 0);
	ck_assert_str_eq(names, "net");
	tree_write(&t, "d/stop", "");
	ck_assert_int_eq(procroot_list(&t.root, "d", collect, names), 5);
	tree_close(&t);
}
END_TEST

START_TEST(test_cpulist)
{
	uint16_t ids[4];

	ck_assert_int_eq(cpulist_parse("0-2,8\n", ids, 4), 4);
	ck_assert_uint_eq(ids[2], 2);
	ck_assert_uint_eq(ids[3], 8);
	ck_assert_int_eq(cpulist_parse("0-255", ids, 4), 256);
	ck_assert_int_eq(cpulist_parse("\n", ids, 4), 0);
	ck_assert_int_eq(cpulist_parse("3-1", ids, 4), -EINVAL);
	ck_assert_int_eq(cpulist_parse("1-", ids, 4), -EINVAL);
	ck_assert_int_eq(cpulist_parse("1;2", ids, 4), -EINVAL);
	ck_assert_int_eq(cpulist_parse("99999999999", ids, 4), -EINVAL);
}
END_TEST

START_TEST(test_counter)
{
	struct counter32 c = { 0 }, late = { 0 };
	bool reset = false;

	counter32_feed(&c, 4294967290U, false, 1000, &reset);
	ck_assert_uint_eq(c.total, 4294967290U);
	counter32_feed(&c, 4, false, 1000, &reset);
	ck_assert_uint_eq(c.total, 4294967300U);
	ck_assert(!reset);
	counter32_feed(&c, 3, false, 1000, &reset);
	ck_assert(reset);
	ck_assert_uint_eq(c.total, 4294967300U);
	counter32_feed(&c, 5, false, 1000, &reset);
	ck_assert_uint_eq(c.total, 4294967302U);
	counter32_feed(&late, 77, true, 1000, &reset);
	ck_assert_uint_eq(late.total, 0);
	counter32_feed(&late, 80, true, 1000, &reset);
	ck_assert_uint_eq(late.total, 3);
	ck_assert_uint_eq(counter32_max_step(NSEC_PER_SEC, 1000), 1010);
	ck_assert_uint_eq(counter32_max_step(1000 * NSEC_PER_SEC, 100000000), UINT32_MAX);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("procfile");
	TCase *tc = tcase_create("all");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, test_read_again);
	tcase_add_test(tc, test_long_line);
	tcase_add_test(tc, test_once);
	tcase_add_test(tc, test_names);
	tcase_add_test(tc, test_cpulist);
	tcase_add_test(tc, test_counter);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
