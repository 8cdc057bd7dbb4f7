// SPDX-License-Identifier: GPL-2.0-or-later
/* diagnosis: what evidence beside the counters, settings, costs and earlier looks make of it. */
#include <check.h>

#include "core/diagnosis.h"

static const struct nic_info nic = { .name = "eth0", .has_device = true, .up = true, .speed_mbps = 1000 };

#define ALL (SAMPLE_LINK | SAMPLE_POLLS | SAMPLE_CPU | SAMPLE_SOFTNET | SAMPLE_RING_DROPS)
#define E(id, v) .have = 1U << EVIDENCE_##id, .value[EVIDENCE_##id] = (v)

/* One piece of evidence with 20k small questions and answers a second, in groups of 10, on a half busy CPU. */
static const struct {
	const char *what;
	struct evidence e;
	double busiest_ratio, pps;
	enum bottleneck class;
} findings[] = {
	{ "nothing special", { 0 }, 0.4, 20000, BOTTLENECK_NONE },
	{ "allowance used up", { E(SHAPED, 300) }, 0.4, 20000, BOTTLENECK_SHAPED },
	{ "allowance touched", { E(SHAPED, 0.5) }, 0.4, 20000, BOTTLENECK_NONE },
	{ "we send pauses", { E(PAUSE_SENT, 200) }, 0.4, 20000, BOTTLENECK_FLOW },
	{ "we send pauses as the CPU is full", { E(PAUSE_SENT, 200) }, 0.95, 20000, BOTTLENECK_NONE },
	{ "the peer sends pauses", { E(PAUSE_RECEIVED, 200) }, 0.95, 20000, BOTTLENECK_FLOW },
	{ "a pause now and then", { E(PAUSE_RECEIVED, 1) }, 0.4, 20000, BOTTLENECK_NONE },
	{ "AF_XDP without buffers", { E(XSK_STARVED, 50) }, 0.4, 20000, BOTTLENECK_STARVED },
	{ "... so many that nothing arrives", { E(XSK_STARVED, 50) }, 0.4, 5, BOTTLENECK_STARVED },
	{ "the driver counts a full ring", { E(RING_FULL, 50) }, 0.4, 20000, BOTTLENECK_RING },
	{ "low clock, full CPU", { E(CLOCK_RATIO, 0.4) }, 0.95, 20000, BOTTLENECK_POWER },
	{ "low clock, nothing to do", { E(CLOCK_RATIO, 0.4) }, 0.4, 20000, BOTTLENECK_NONE },
	{ "slow to wake between answers", { E(IDLE_EXIT_USECS, 133) }, 0.1, 2000, BOTTLENECK_POWER },
	{ "quick to wake", { E(IDLE_EXIT_USECS, 10) }, 0.1, 2000, BOTTLENECK_NONE },
	{ "too busy to sleep", { E(IDLE_EXIT_USECS, 133) }, 0.4, 20000, BOTTLENECK_NONE },
};

START_TEST(evidence_names_the_class)
{
	double pps = findings[_i].pps;
	struct rates r = { .have = ALL,
			   .rx_pps = pps,
			   .tx_pps = pps,
			   .rx_bytes_ps = 100 * pps,
			   .tx_bytes_ps = 100 * pps,
			   .busiest_ratio = findings[_i].busiest_ratio };
	struct symptoms s = { .nic = &nic, .rates = &r, .polls_ps = pps / 10, .evidence = &findings[_i].e };
	struct diagnosis d;

	diagnose(&s, &d);
	ck_assert_msg(d.class == findings[_i].class, "%s: %s, not %s", findings[_i].what,
		      bottleneck_table[d.class].slug, bottleneck_table[findings[_i].class].slug);
}
END_TEST

/* 7700 answers a second, each after a wait of 100 us. */
START_TEST(a_load_that_waits_is_seen_without_a_test)
{
	struct rates r = { .have = ALL,
			   .rx_pps = 7700,
			   .tx_pps = 7700,
			   .rx_bytes_ps = 8e5,
			   .tx_bytes_ps = 8e5,
			   .busiest_ratio = 0.3 };
	struct knob_set knobs = { 0 };
	struct symptoms s = { .nic = &nic, .rates = &r, .polls_ps = 9500, .current = &knobs };
	struct diagnosis d;

	knob_put(&knobs, KNOB_GRO_FLUSH_TIMEOUT, 100000);
	knob_put(&knobs, KNOB_NAPI_DEFER_HARD_IRQS, 2);
	diagnose(&s, &d);
	ck_assert_int_eq(d.class, BOTTLENECK_LATENCY);
	ck_assert_double_eq(d.wait_usecs, 100);
	knobs.value[KNOB_NAPI_DEFER_HARD_IRQS] = 0; /* the timeout alone waits for nothing */
	diagnose(&s, &d);
	ck_assert_int_ne(d.class, BOTTLENECK_LATENCY);
	ck_assert_double_eq(d.wait_usecs, 0);
	knobs.value[KNOB_NAPI_DEFER_HARD_IRQS] = 2;
	r.tx_pps = 100; /* one way */
	diagnose(&s, &d);
	ck_assert_int_ne(d.class, BOTTLENECK_LATENCY);
}
END_TEST

START_TEST(gathering_that_no_knob_shows)
{
	struct rates r = { .have = ALL | SAMPLE_IRQS, .rx_pps = 20000, .interrupts_ps = 2500, .busiest_ratio = 0.2 };
	struct knob_set knobs = { 0 };
	struct symptoms s = { .nic = &nic, .rates = &r, .polls_ps = 2500, .current = &knobs };
	struct diagnosis d;

	diagnose(&s, &d);
	ck_assert_int_eq(d.class, BOTTLENECK_HIDDEN);
	r.busiest_ratio = 0.95; /* a busy CPU gathers by being late */
	diagnose(&s, &d);
	ck_assert_int_eq(d.class, BOTTLENECK_NONE);
	r.busiest_ratio = 0.2;
	knob_put(&knobs, KNOB_ADAPTIVE_RX, 1);
	diagnose(&s, &d);
	ck_assert_int_eq(d.class, BOTTLENECK_NONE);
}
END_TEST

/* Three packets an interrupt: where an interrupt costs four times a packet it is still the larger part. */
START_TEST(costs_move_the_border)
{
	struct rates r = { .have = ALL, .rx_pps = 90000, .busiest_ratio = 0.4 };
	struct symptoms s = { .nic = &nic, .rates = &r, .polls_ps = 30000, .poll_usecs = 6, .packet_usecs = 1.5 };
	struct diagnosis d;

	diagnose(&s, &d);
	ck_assert_int_eq(d.class, BOTTLENECK_INTERRUPT);
	s.packet_usecs = 4;
	diagnose(&s, &d);
	ck_assert_int_eq(d.class, BOTTLENECK_NONE);
	s.packet_usecs = 0.25;
	s.poll_usecs = 0.9; /* 30k of them are 2.7 % of a CPU */
	diagnose(&s, &d);
	ck_assert_int_eq(d.class, BOTTLENECK_NONE);
}
END_TEST

START_TEST(one_odd_look_names_nothing)
{
	struct diagnosis_memory m = { 0 };

	ck_assert_int_eq(diagnosis_vote(&m, BOTTLENECK_INTERRUPT), BOTTLENECK_INTERRUPT);
	ck_assert_int_eq(diagnosis_vote(&m, BOTTLENECK_INTERRUPT), BOTTLENECK_INTERRUPT);
	ck_assert_int_eq(diagnosis_vote(&m, BOTTLENECK_RING), BOTTLENECK_INTERRUPT);
	for (int i = 0; i < DIAGNOSIS_LOOKS / 2; i++)
		diagnosis_vote(&m, BOTTLENECK_IDLE);
	ck_assert_int_eq(diagnosis_vote(&m, BOTTLENECK_IDLE), BOTTLENECK_IDLE);
	for (int i = 0; i < 2 * DIAGNOSIS_LOOKS; i++)
		diagnosis_vote(&m, BOTTLENECK_LINK);
	ck_assert_int_eq(diagnosis_vote(&m, BOTTLENECK_IDLE), BOTTLENECK_LINK);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("diagnosis-evidence");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, evidence_names_the_class, 0, sizeof(findings) / sizeof(findings[0]));
	tcase_add_test(t, a_load_that_waits_is_seen_without_a_test);
	tcase_add_test(t, gathering_that_no_knob_shows);
	tcase_add_test(t, costs_move_the_border);
	tcase_add_test(t, one_odd_look_names_nothing);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
