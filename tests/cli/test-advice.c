// SPDX-License-Identifier: GPL-2.0-or-later
/* advice: the diagnosis in the first two lines, what holds beside it and hints; the same in JSON. Includes the sources:
 * the programs have no library to link with. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../core/capture.h"
#include "cli/advice.c"
#include "cli/print.c"

static struct advice advice;
static struct policy policy;
static char out[8192];

static const char *printed(void)
{
	struct capture c = capture_begin(stdout);

	advice_text(&advice, &policy);
	capture_end(&c, out, sizeof(out));
	return out;
}

static void setup(void)
{
	struct symptoms s;

	memset(&advice, 0, sizeof(advice));
	policy_default(&policy);
	advice.nic = (struct nic_info){ .name = "eth0", .has_device = true, .up = true, .speed_mbps = 1000 };
	advice.tunable = true;
	advice.rates = (struct rates){ .have = SAMPLE_LINK | SAMPLE_POLLS | SAMPLE_CPU,
				       .rx_pps = 70000,
				       .busiest_ratio = 0.3,
				       .cpus = 4,
				       .idle_cpus = 4,
				       .packet_cpu.by = CPU_TIME_BY_NONE };
	advice.before = advice.expected = (struct advice_effect){ 69500, 0.3, 0, 70000, 1 };
	advice_symptoms(&advice, &s);
	s.polls_ps = 69500;
	diagnose(&s, &advice.diagnosis);
	ck_assert_int_eq(advice.diagnosis.class, BOTTLENECK_INTERRUPT);
}

START_TEST(leads_with_the_diagnosis)
{
	knob_put(&advice.current, KNOB_RX_USECS, 0);
	knob_put(&advice.advised, KNOB_RX_USECS, 40);
	advice.expected.polls_ps = 15000;
	ck_assert_ptr_eq(strstr(printed(),
				"eth0: interrupt-bound: 70.0k packets/s, 1.0 packets per poll, CPU0 30% busy\n"
				"  interrupts bring few packets each: coalescing helps: "
				"69.5k -> 15.0k interrupts or polls/s\n  rx-usecs"),
			 out);
}
END_TEST

START_TEST(says_that_it_is_not_worth_it)
{
	ck_assert_ptr_nonnull(strstr(printed(),
				     "\n  interrupts bring few packets each, but a longer wait would cost more "
				     "than it saves\n"));
}
END_TEST

START_TEST(says_that_coalescing_is_not_the_cause)
{
	advice.diagnosis.class = BOTTLENECK_ONE_CPU;
	advice.diagnosis.also = 1U << BOTTLENECK_BUDGET;
	printed();
	ck_assert_ptr_nonnull(strstr(out, "eth0: one-cpu: 70.0k packets/s"));
	ck_assert_ptr_nonnull(strstr(out, ": coalescing is not the cause; spread "));
	ck_assert_ptr_nonnull(strstr(out, "\n  also budget-bound: "));
	ck_assert_ptr_nonnull(strstr(out, "\n  hint: spread packets of several flows (RPS): echo e > "));
	ck_assert_ptr_nonnull(strstr(out, "\n  nothing to change\n"));
}
END_TEST

START_TEST(json_has_the_same)
{
	json_object *o, *d, *v;

	advice.diagnosis.class = BOTTLENECK_ONE_CPU;
	advice.diagnosis.also = 1U << BOTTLENECK_BUDGET;
	evidence_put(&advice.diagnosis.evidence, EVIDENCE_GRO, 1);
	o = advice_json(&advice);
	ck_assert(json_object_object_get_ex(o, "diagnosis", &d));
	ck_assert(json_object_object_get_ex(d, "bottleneck", &v));
	ck_assert_str_eq(json_object_get_string(v), "one-cpu");
	ck_assert(json_object_object_get_ex(d, "other_cause", &v) && json_object_get_boolean(v));
	ck_assert(json_object_object_get_ex(d, "also", &v));
	ck_assert_str_eq(json_object_get_string(json_object_array_get_idx(v, 0)), "budget-bound");
	ck_assert(json_object_object_get_ex(d, "remedies", &v));
	ck_assert_uint_ge(json_object_array_length(v), 2);
	ck_assert(json_object_object_get_ex(d, "packet_work_source", &v));
	ck_assert_str_eq(json_object_get_string(v), "none");
	ck_assert(json_object_object_get_ex(d, "evidence", &d));
	ck_assert(json_object_object_get_ex(d, "gro", &v) && json_object_get_int(v) == 1);
	ck_assert(json_object_object_get_ex(d, "pause_sent_per_second", &v) && !v); /* absent is null */
	json_object_put(o);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { leads_with_the_diagnosis, says_that_it_is_not_worth_it,
				       says_that_coalescing_is_not_the_cause, json_has_the_same };
	Suite *s = suite_create("advice");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(t, setup, NULL);
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
