// SPDX-License-Identifier: GPL-2.0-or-later
/* What users of perf share, as far as it needs no perf: CPUs that come and go, numbers that are passed on, refusals. */
#include "io/perf-event.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/suite.h"
#include "io/perf-trace.h"
#include "io/source-pmu.h"
#include "tree.h"

#define ONLINE "sys/devices/system/cpu/online"

START_TEST(cpus_are_followed)
{
	char err[ERR_MAX] = "";
	struct perf_cpus c;
	struct tree t;

	tree_open(&t, NULL);
	ck_assert_int_eq(perf_cpus_open(&c, &t.root, err), -ENOENT);
	ck_assert(strstr(err, "online"));
	tree_write(&t, ONLINE, "0-1,4\n");
	ck_assert_int_eq(perf_cpus_open(&c, &t.root, err), 0);
	ck_assert_int_eq(perf_cpus_look(&c), 1);
	ck_assert(c.online[0] && c.online[1] && !c.online[2] && c.online[4]);
	ck_assert_int_eq(perf_cpus_look(&c), 0);
	tree_write(&t, ONLINE, "0,4-5\n");
	ck_assert_int_eq(perf_cpus_look(&c), 1);
	ck_assert(!c.online[1] && c.online[5]);
	tree_write(&t, ONLINE, "what?\n");
	ck_assert_int_eq(perf_cpus_look(&c), -EBADMSG);
	ck_assert(c.online[5]); /* as it was */
	perf_cpus_close(&c);
	tree_close(&t);
}
END_TEST

START_TEST(passed_numbers)
{
	char err[ERR_MAX] = "";
	struct tree t;
	uint64_t id = 0;

	tree_open(&t, NULL);
	tree_write(&t, "napi_poll", "1234\n");
	tree_write(&t, "softirq_entry", "77");
	setenv("CREDENTIALS_DIRECTORY", t.path, 1);
	ck_assert_int_eq(perf_tracepoint_id(TRACEPOINT_NAPI_POLL, &id, err), 0);
	ck_assert_uint_eq(id, 1234);
	ck_assert_int_eq(perf_tracepoint_id(TRACEPOINT_SOFTIRQ_ENTRY, &id, err), 0);
	ck_assert_uint_eq(id, 77);
	unsetenv("CREDENTIALS_DIRECTORY");
	tree_close(&t);
}
END_TEST

START_TEST(no_tracing_on_preempt_rt)
{
	struct perf_trace *p = NULL;
	char err[ERR_MAX] = "";
	struct tree t;

	tree_open(&t, NULL);
	tree_write(&t, "sys/kernel/realtime", "1\n");
	ck_assert_int_eq(perf_trace_open(&t.root, "eth0", NULL, 0, &p, err), -EOPNOTSUPP);
	ck_assert(strstr(err, "PREEMPT_RT"));
	ck_assert_ptr_null(p);
	tree_close(&t);
}
END_TEST

START_TEST(errors_in_words)
{
	static const int known[] = { EACCES, EPERM, ENOSYS, ENOENT, EOPNOTSUPP, EMFILE, ENFILE };
	char err[ERR_MAX] = "";

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		ck_assert_int_eq(perf_event_explain(-known[i], "X", err), -known[i]);
		ck_assert_int_eq(strncmp(err, "X: ", 3), 0);
		ck_assert_str_ne(err + 3, strerror(known[i]));
	}
	perf_event_explain(-EIO, "X", err);
	ck_assert_str_eq(err + 3, strerror(EIO));
}
END_TEST

/* libpfm4 encodes what every processor has a name for; whether it is there the kernel says. */
START_TEST(hardware_events)
{
	struct perf_event_attr a = { 0 };
	char err[ERR_MAX] = "";

	ck_assert_msg(pmu_encode("perf::cycles:k", &a, err) == 0, "%s", err);
	ck_assert_uint_eq(a.type, PERF_TYPE_HARDWARE);
	ck_assert_uint_eq(a.config, PERF_COUNT_HW_CPU_CYCLES);
	ck_assert(a.exclude_user && !a.exclude_kernel);
	ck_assert_uint_eq(a.read_format, PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
	ck_assert_int_eq(pmu_encode("perf::cpu-clock", &a, err), 0);
	ck_assert_uint_eq(a.type, PERF_TYPE_SOFTWARE);
	ck_assert_uint_eq(a.config, PERF_COUNT_SW_CPU_CLOCK);
	ck_assert_int_eq(pmu_encode("no-such-event", &a, err), -ENOENT);
	ck_assert(strstr(err, "no-such-event"));
	ck_assert_uint_eq(a.config, PERF_COUNT_SW_CPU_CLOCK);
}
END_TEST

int main(void)
{
	const TTest *const all[] = {
		cpus_are_followed, passed_numbers, no_tracing_on_preempt_rt, errors_in_words, hardware_events,
	};

	return SUITE_RUN("perf-event", all);
}
