// SPDX-License-Identifier: GPL-2.0-or-later
/* advise: advice for a fake NIC whose traffic is known, and what trying it out does. Takes no real time. */
#include <check.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "engine/advise.h"
#include "engine/facts.h"
#include "fakenic.h"

#define DURATION_S 0.5

static struct fakenic fake;
static struct backend_ops ops;
static int (*plain_sample)(struct backend *b, const struct nic_info *nic, struct sample *ret);
static struct target_rules rules;
static struct advice advice;
static unsigned calls, stop_at, looks;
static double pps_when_delayed; /* packets/s once the NIC delays them, 0: as before */

/* Instead of the C library's and the engine's: how late timers are on a busy machine must not matter here. */
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *request, struct timespec *remain)
{
	(void)clock, (void)flags, (void)request, (void)remain;
	return 0;
}

void machine_facts_read(struct machine_facts *ret)
{
	*ret = (struct machine_facts){ .timer_floor_usecs = 50, .prior = *model_prior_by_name("vm") };
}

/* Every look at the counters comes 100 ms later, however fast the test runs. */
static int sample_later(struct backend *b, const struct nic_info *nic, struct sample *ret)
{
	double pps = fake.pps;

	if (pps_when_delayed > 0 && (fake.knobs.value[KNOB_GRO_FLUSH_TIMEOUT] || fake.knobs.value[KNOB_RX_USECS]))
		fake.pps = pps_when_delayed;
	fakenic_run(&fake, 100 * NSEC_PER_MSEC);
	fake.pps = pps;
	return plain_sample(b, nic, ret);
}

static void prepare(void)
{
	plain_sample = fake.base.ops->sample;
	ops = *fake.base.ops;
	ops.sample = sample_later;
	fake.base.ops = &ops;
	policy_default(&rules.policy);
	rules.policy.mode = MODE_THROUGHPUT;
	memset(&advice, 0, sizeof(advice));
	calls = stop_at = looks = 0;
	pps_when_delayed = 0;
}

static void setup(void)
{
	fakenic_init(&fake);
	prepare();
}

static bool progress(void *userdata, double done_ratio)
{
	ck_assert_ptr_eq(userdata, &fake);
	ck_assert(done_ratio >= 0 && done_ratio <= 1);
	return !stop_at || ++calls < stop_at;
}

static int run(double pps)
{
	fake.pps = pps;
	return advise_run(&fake.base, &fake.nic, &rules, DURATION_S, progress, &fake, &advice);
}

START_TEST(advises_deferral_under_load)
{
	ck_assert_int_eq(run(50000), 0);
	ck_assert(advice.tunable && advice.decided[QUEUE_RX] && !advice.decided[QUEUE_TX]);
	ck_assert_int_eq(advice.diagnosis.class, BOTTLENECK_INTERRUPT);
	ck_assert_int_eq(advice.decision[QUEUE_RX].reason, REASON_LAW);
	ck_assert_uint_eq(advice.advised.have, KNOB_BIT(KNOB_GRO_FLUSH_TIMEOUT) | KNOB_BIT(KNOB_NAPI_DEFER_HARD_IRQS));
	ck_assert_uint_ge(advice.advised.value[KNOB_GRO_FLUSH_TIMEOUT], 50000);
	ck_assert_uint_le(advice.advised.value[KNOB_GRO_FLUSH_TIMEOUT], 250000);
	ck_assert_uint_ge(advice.advised.value[KNOB_NAPI_DEFER_HARD_IRQS], 1);
	ck_assert_double_eq_tol(advice.rates.rx_pps, 50000, 500);
	ck_assert_double_eq_tol(advice.before.polls_ps, 50000, 500);
	ck_assert(advice.expected.polls_ps < 20000);
	ck_assert(advice.expected.cpu_ratio < advice.before.cpu_ratio);
	ck_assert(advice.before.added_usecs == 0 && advice.expected.added_usecs >= 50 &&
		  advice.expected.added_usecs <= 250);
	ck_assert(!advice.measured);
	ck_assert_uint_eq(fake.writes, 0);
}
END_TEST

START_TEST(keeps_hands_off_light_load)
{
	ck_assert_int_eq(run(1000), 0);
	ck_assert_uint_eq(advice.advised.have, 0);
	ck_assert(!advice.decision[QUEUE_RX].change);
	ck_assert_int_eq(advice.diagnosis.class, BOTTLENECK_NONE);
}
END_TEST

START_TEST(needs_traffic_for_an_opinion)
{
	ck_assert_int_eq(run(0), 0);
	ck_assert_int_eq(advice.diagnosis.class, BOTTLENECK_IDLE);
	ck_assert_int_eq(advice.decision[QUEUE_RX].reason, REASON_IDLE);
	ck_assert_uint_eq(advice.advised.have, 0);
	ck_assert(advice.tunable);
}
END_TEST

START_TEST(the_cap_needs_no_traffic)
{
	fakenic_hardware(&fake);
	knob_put(&fake.knobs, KNOB_RX_USECS, 800);
	prepare();
	ck_assert_int_eq(run(0), 0);
	ck_assert_int_eq(advice.decision[QUEUE_RX].reason, REASON_CAP);
	ck_assert(knob_has(&advice.advised, KNOB_RX_USECS));
	ck_assert_uint_le(advice.advised.value[KNOB_RX_USECS], 250);
}
END_TEST

START_TEST(ends_a_deferral_that_only_adds_polls)
{
	knob_put(&fake.knobs, KNOB_GRO_FLUSH_TIMEOUT, 100000);
	knob_put(&fake.knobs, KNOB_NAPI_DEFER_HARD_IRQS, 2);
	ck_assert_int_eq(run(2000), 0);
	ck_assert_int_eq(advice.decision[QUEUE_RX].reason, REASON_MORE_POLLS);
	ck_assert(knob_has(&advice.advised, KNOB_GRO_FLUSH_TIMEOUT));
	ck_assert_uint_eq(advice.advised.value[KNOB_GRO_FLUSH_TIMEOUT], 0);
}
END_TEST

START_TEST(advises_timers_where_they_are)
{
	fakenic_hardware(&fake);
	prepare();
	ck_assert_int_eq(run(100000), 0);
	ck_assert(advice.decided[QUEUE_RX] && advice.decided[QUEUE_TX]);
	ck_assert(knob_has(&advice.advised, KNOB_RX_USECS));
	ck_assert_uint_ge(advice.advised.value[KNOB_RX_USECS], 20);
	ck_assert(!knob_has(&advice.advised, KNOB_TX_USECS)); /* nothing is sent */
	ck_assert(advice.expected.packets_per_poll > 2);
}
END_TEST

/* A provider that drops 1000 packets between two looks. */
static int evidence_of_a_limit(struct backend *b, const struct nic_info *nic, struct evidence *ret)
{
	(void)b, (void)nic;
	evidence_put(ret, EVIDENCE_SHAPED, 1000 * ++looks);
	return 0;
}

START_TEST(leaves_alone_what_is_no_matter_of_coalescing)
{
	ops.evidence = evidence_of_a_limit;
	ck_assert_int_eq(run(50000), 0);
	ck_assert_uint_eq(looks, 2);
	ck_assert_int_eq(advice.diagnosis.class, BOTTLENECK_SHAPED);
	ck_assert_int_eq(advice.decision[QUEUE_RX].reason, REASON_OTHER_CAUSE);
	ck_assert_uint_eq(advice.advised.have, 0);
	ck_assert_double_eq(advice.expected.polls_ps, advice.before.polls_ps);
}
END_TEST

START_TEST(a_broken_cap_is_one_whatever_the_cause)
{
	fakenic_hardware(&fake);
	knob_put(&fake.knobs, KNOB_RX_USECS, 800);
	prepare();
	ops.evidence = evidence_of_a_limit;
	ck_assert_int_eq(run(50000), 0);
	ck_assert_int_eq(advice.diagnosis.class, BOTTLENECK_SHAPED);
	ck_assert_int_eq(advice.decision[QUEUE_RX].reason, REASON_CAP);
	ck_assert(knob_has(&advice.advised, KNOB_RX_USECS));
}
END_TEST

START_TEST(is_content_with_its_own_advice)
{
	ck_assert_int_eq(run(50000), 0);
	knob_set_overlay(&fake.knobs, &advice.advised);
	ck_assert_int_eq(run(50000), 0);
	ck_assert_uint_eq(advice.advised.have, 0);
	ck_assert_int_eq(advice.decision[QUEUE_RX].reason, REASON_STEADY);
}
END_TEST

START_TEST(says_why_nothing_can_be_tuned)
{
	fake.caps.knobs.settable = 0;
	ck_assert_int_eq(run(50000), 0);
	ck_assert(!advice.tunable && advice.message[0] && !advice.advised.have);
	ck_assert_int_eq(advice.diagnosis.class, BOTTLENECK_INTERRUPT);
}
END_TEST

START_TEST(stops_when_asked)
{
	stop_at = 3;
	ck_assert_int_eq(run(50000), -EINTR);
	ck_assert_uint_eq(calls, 3);
	ck_assert_uint_eq(advice.caps.knobs.settable, 0); /* untouched */
}
END_TEST

/* A driver's own statistics are read once a second, which need not be when a block of the measurement ends. */
START_TEST(counts_busy_queues_whenever_they_are_counted)
{
	fakenic_hardware(&fake);
	prepare();
	fakenic_queues(&fake, 4);
	fake.nic.rx_queues = 4;
	fake.count_every = 250 * NSEC_PER_MSEC;
	for (unsigned q = 0; q < 3; q++)
		fake.queue[q].pps = 20000;
	ck_assert_int_eq(run(60000), 0);
	ck_assert(advice.rates.have & SAMPLE_QUEUES);
	ck_assert_uint_eq(advice.rates.busy_queues, 3);
}
END_TEST

START_TEST(says_that_the_device_left)
{
	fake.gone = true;
	ck_assert_int_eq(run(50000), -ENODEV);
}
END_TEST

static char not_back[ERR_MAX];

static int probe(struct apply *a)
{
	char err[ERR_MAX] = "";

	apply_init(a, &fake.base, NULL, false);
	ck_assert_int_eq(apply_attach(a, &fake.nic, err), 0);
	return advise_probe(a, &rules, DURATION_S, progress, &fake, &advice, not_back);
}

static void assert_original(void)
{
	ck_assert_uint_eq(fake.knobs.value[KNOB_GRO_FLUSH_TIMEOUT], 0);
	ck_assert_uint_eq(fake.knobs.value[KNOB_NAPI_DEFER_HARD_IRQS], 0);
	ck_assert_uint_eq(fake.restores, 1);
	ck_assert_str_eq(not_back, "");
}

START_TEST(probe_measures_and_puts_back)
{
	struct apply a;

	ck_assert_int_eq(run(50000), 0);
	ck_assert_int_eq(probe(&a), 0);
	ck_assert(advice.measured && advice.advised.have);
	/* the fake keeps exactly to the timeout */
	ck_assert_double_eq_tol(advice.expected.polls_ps, 1e9 / (double)advice.advised.value[KNOB_GRO_FLUSH_TIMEOUT],
				100);
	ck_assert_double_eq_tol(advice.expected.received_pps, 50000, 500);
	assert_original();
}
END_TEST

START_TEST(probe_finds_a_load_that_waits)
{
	struct apply a;

	pps_when_delayed = 30000;
	ck_assert_int_eq(run(50000), 0);
	ck_assert_uint_ne(advice.advised.have, 0);
	ck_assert_int_eq(probe(&a), 0);
	ck_assert_uint_eq(advice.advised.have, 0);
	ck_assert_int_eq(advice.diagnosis.class, BOTTLENECK_LATENCY);
	ck_assert_int_eq(advice.decision[QUEUE_RX].reason, REASON_CLOSED);
	assert_original();
}
END_TEST

START_TEST(probe_puts_back_when_stopped)
{
	struct apply a;

	ck_assert_int_eq(run(50000), 0);
	stop_at = 2;
	ck_assert_int_eq(probe(&a), -EINTR);
	ck_assert(!advice.measured);
	assert_original();
}
END_TEST

/* Whether it was stopped or not: the last word is that the device is not as it was. */
START_TEST(probe_tells_what_could_not_be_put_back)
{
	struct apply a;

	ck_assert_int_eq(run(50000), 0);
	fake.restore_error = EIO;
	for (unsigned i = 0; i < 2; i++) {
		stop_at = i ? 2 : 0;
		not_back[0] = 0;
		ck_assert_int_eq(probe(&a), -EIO);
		ck_assert(!advice.measured);
		ck_assert(a.saved);
		ck_assert_str_ne(not_back, "");
		fakenic_knob(&fake, KNOB_GRO_FLUSH_TIMEOUT, 0);
	}
}
END_TEST

START_TEST(probe_tells_a_refusal)
{
	struct apply a;

	ck_assert_int_eq(run(50000), 0);
	fake.write_error = EPERM;
	ck_assert_int_eq(probe(&a), -EPERM);
	ck_assert(!advice.measured);
	ck_assert_uint_eq(fake.knobs.value[KNOB_GRO_FLUSH_TIMEOUT], 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		advises_deferral_under_load,
		keeps_hands_off_light_load,
		needs_traffic_for_an_opinion,
		ends_a_deferral_that_only_adds_polls,
		the_cap_needs_no_traffic,
		advises_timers_where_they_are,
		leaves_alone_what_is_no_matter_of_coalescing,
		a_broken_cap_is_one_whatever_the_cause,
		is_content_with_its_own_advice,
		says_why_nothing_can_be_tuned,
		stops_when_asked,
		counts_busy_queues_whenever_they_are_counted,
		says_that_the_device_left,
		probe_measures_and_puts_back,
		probe_finds_a_load_that_waits,
		probe_puts_back_when_stopped,
		probe_tells_what_could_not_be_put_back,
		probe_tells_a_refusal,
	};
	Suite *s = suite_create("advise");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_set_timeout(t, 30);
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
