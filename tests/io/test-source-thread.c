// SPDX-License-Identifier: GPL-2.0-or-later
/* NAPI threads: run time by CPU, from schedstat or else stat, names that mislead, threads that come, go and hide. */
#include "io/source-thread.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../core/suite.h"
#include "tree.h"

static struct napi_threads threads;
static struct sample sample;

/* utime 7, stime 5, on that CPU. */
static void set_stat(const struct tree *t, unsigned pid, unsigned cpu)
{
	char path[64], text[256];

	snprintf(path, sizeof(path), "proc/%u/stat", pid);
	snprintf(text, sizeof(text),
		 "%u (napi/e) 0-8193) S 2 0 0 0 -1 2129984 0 0 0 0 7 5 0 0 20 0 1 0 99 0 0 18446744073709551615 0 0 0 "
		 "0 0 0 0 2147483647 0 0 0 0 17 %u 0 0 0 0 0\n",
		 pid, cpu);
	tree_write(t, path, text);
}

static void set_schedstat(const struct tree *t, unsigned pid, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%u/schedstat", pid);
	tree_write(t, path, text);
}

static void look(const struct tree *t)
{
	memset(&sample, 0, sizeof(sample));
	sample.n_cpus = 4;
	napi_threads_read(&threads, &t->root, &sample);
}

START_TEST(run_time)
{
	const uint32_t pids[] = { 41, 0, 42 }, fewer[] = { 42 };
	struct tree t;

	tree_open(&t, NULL);
	memset(&threads, 0, sizeof(threads));
	look(&t);
	ck_assert_uint_eq(sample.have, 0);
	set_stat(&t, 41, 1);
	set_stat(&t, 42, 2);
	set_schedstat(&t, 41, "5000000000 7 8\n");
	set_schedstat(&t, 42, "100 7 8\n");
	napi_threads_set(&threads, pids, 3);
	ck_assert_uint_eq(threads.n, 2);
	look(&t);
	ck_assert_uint_eq(sample.have, SAMPLE_NAPI_THREADS);
	ck_assert_uint_eq(sample.cpu[1].napi_thread_ns, 0); /* from now on */
	set_schedstat(&t, 41, "5000001000 7 8\n");
	set_schedstat(&t, 42, "400 7 8\n");
	look(&t);
	ck_assert_uint_eq(sample.cpu[1].napi_thread_ns, 1000);
	ck_assert_uint_eq(sample.cpu[2].napi_thread_ns, 300);
	set_stat(&t, 41, 3); /* moved */
	set_schedstat(&t, 41, "5000003000 7 8\n");
	look(&t);
	ck_assert_uint_eq(sample.cpu[1].napi_thread_ns, 1000);
	ck_assert_uint_eq(sample.cpu[3].napi_thread_ns, 2000);
	napi_threads_set(&threads, fewer, 1);
	set_schedstat(&t, 42, "500 7 8\n");
	look(&t);
	ck_assert_uint_eq(sample.cpu[2].napi_thread_ns, 400); /* it went on */
	tree_remove(&t, "proc/42/stat"); /* hidden */
	look(&t);
	ck_assert_uint_eq(sample.have, 0);
	tree_close(&t);
}
END_TEST

START_TEST(ticks_where_there_is_no_schedstat)
{
	const uint32_t pids[] = { 41 };
	struct tree t;

	tree_open(&t, NULL);
	memset(&threads, 0, sizeof(threads));
	set_stat(&t, 41, 1);
	napi_threads_set(&threads, pids, 1);
	look(&t);
	ck_assert_uint_eq(threads.thread[0].last_ns, 12 * NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK));
	tree_write(&t, "proc/41/stat", "nonsense\n");
	look(&t);
	ck_assert_uint_eq(sample.have, 0);
	tree_close(&t);
}
END_TEST

int main(void)
{
	const TTest *const all[] = { run_time, ticks_where_there_is_no_schedstat };

	return SUITE_RUN("source-thread", all);
}
