// SPDX-License-Identifier: GPL-2.0-or-later
/* sysfs-watch: who wrote to the deferral files of which device. tests/kernel/manners.sh has the same with real ones. */
#include "../core/suite.h"
#include "io/sysfs-watch.h"
#include "tree.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static struct tree tree;
static struct sysfs_watch w;
static char sysfs[128];
static int told[8];
static unsigned n_told;

static void note(int ifindex, void *arg)
{
	(void)arg;
	ck_assert_uint_lt(n_told, 8);
	told[n_told++] = ifindex;
}

static unsigned look(void)
{
	n_told = 0;
	ck_assert_int_ge(sysfs_watch_read(&w, note, NULL), 0);
	return n_told;
}

static struct nic_info device(int ifindex, const char *name, bool files)
{
	struct nic_info nic = { .ifindex = ifindex };
	char path[64], text[16];

	snprintf(nic.name, sizeof(nic.name), "%s", name);
	snprintf(path, sizeof(path), "sys/class/net/%s/ifindex", name);
	snprintf(text, sizeof(text), "%d\n", ifindex);
	tree_write(&tree, path, text);
	for (int i = 0; files && i < 2; i++) {
		snprintf(path, sizeof(path), "sys/class/net/%s/%s", name,
			 i ? "gro_flush_timeout" : "napi_defer_hard_irqs");
		tree_write(&tree, path, "0\n");
	}
	return nic;
}

/* In place, as one writes to sysfs. */
static void write_file(const char *name, const char *file)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/class/net/%s/%s", sysfs, name, file);
	f = fopen(path, "r+");
	ck_assert(f && fputs("7\n", f) >= 0 && fclose(f) == 0);
}

static void setup(void)
{
	tree_open(&tree, NULL);
	snprintf(sysfs, sizeof(sysfs), "%s/sys", tree.path);
	ck_assert_int_eq(sysfs_watch_open(&w), 0);
}

static void teardown(void)
{
	sysfs_watch_close(&w);
	tree_close(&tree);
}

START_TEST(writes_are_told_by_device)
{
	struct nic_info a, b;
	char old[256], new[256];

	setup();
	a = device(3, "eth0", true);
	b = device(4, "eth1", true);
	ck_assert_int_eq(sysfs_watch_add(&w, sysfs, &a), 0);
	ck_assert_int_eq(sysfs_watch_add(&w, sysfs, &b), 0);
	ck_assert_int_eq(sysfs_watch_add(&w, sysfs, &b), 0);
	ck_assert_uint_eq(look(), 0);
	write_file("eth0", "gro_flush_timeout");
	write_file("eth0", "napi_defer_hard_irqs");
	write_file("eth1", "napi_defer_hard_irqs");
	ck_assert_uint_eq(look(), 2); /* once for both files */
	ck_assert_int_eq(told[0], 3);
	ck_assert_int_eq(told[1], 4);
	/* under another name it is still the same */
	snprintf(old, sizeof(old), "%s/class/net/eth0", sysfs);
	snprintf(new, sizeof(new), "%s/class/net/lan0", sysfs);
	ck_assert_int_eq(rename(old, new), 0);
	write_file("lan0", "gro_flush_timeout");
	ck_assert_uint_eq(look(), 1);
	ck_assert_int_eq(told[0], 3);
	sysfs_watch_drop(&w, 3);
	write_file("lan0", "gro_flush_timeout");
	write_file("eth1", "gro_flush_timeout");
	ck_assert_uint_eq(look(), 1);
	ck_assert_int_eq(told[0], 4);
	teardown();
}
END_TEST

START_TEST(others_are_refused)
{
	struct nic_info nic;

	setup();
	nic = device(3, "eth0", false);
	ck_assert_int_eq(sysfs_watch_add(&w, sysfs, &nic), -ENOENT);
	nic = device(4, "eth1", true);
	nic.ifindex = 5; /* another network namespace's eth1 */
	ck_assert_int_eq(sysfs_watch_add(&w, sysfs, &nic), -ENODEV);
	ck_assert_uint_eq(w.n, 0);
	sysfs_watch_drop(&w, 3);
	teardown();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { writes_are_told_by_device, others_are_refused };

	return SUITE_RUN("sysfs-watch", tests);
}
