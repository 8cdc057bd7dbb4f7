// SPDX-License-Identifier: GPL-2.0-or-later
/* metrics-totals: counters that only grow, whatever those of the device do. */
#include <errno.h>
#include <string.h>

#include "../core/suite.h"
#include "daemon/metrics-totals.h"

static struct totals t;
static struct sample s;
static struct report r;

static void begin(void)
{
	memset(&t, 0, sizeof(t));
	memset(&s, 0, sizeof(s));
	memset(&r, 0, sizeof(r));
	s.have = SAMPLE_LINK | SAMPLE_IRQS;
}

static uint64_t count(uint64_t packets, uint64_t interrupts)
{
	s.now += 100 * NSEC_PER_MSEC;
	s.rx_packets = packets;
	s.interrupts = interrupts;
	totals_count(&t, &s, &r);
	return t.device[TOTAL_RX_PACKETS].sum;
}

START_TEST(from_the_first_sample_on)
{
	begin();
	ck_assert_uint_eq(count(1000, 0), 0);
	ck_assert_uint_eq(count(1100, 0), 100);
	totals_count(&t, NULL, &r); /* one that failed */
	ck_assert_uint_eq(count(1300, 0), 300);
}
END_TEST

START_TEST(reset_loses_nothing_of_before)
{
	begin();
	count(1000, 0);
	count(1500, 0);
	ck_assert_uint_eq(count(20, 0), 500); /* without a word */
	ck_assert_uint_eq(count(50, 0), 530);
	s.reset = SAMPLE_LINK; /* announced, and beyond the old value */
	ck_assert_uint_eq(count(5000, 0), 530);
	s.reset = 0;
	ck_assert_uint_eq(count(5001, 0), 531);
}
END_TEST

START_TEST(other_interrupts_are_no_growth)
{
	begin();
	count(0, 100);
	count(0, 200);
	s.generation = 1; /* more lines than before, each with its past */
	count(10, 90000);
	ck_assert_uint_eq(t.device[TOTAL_INTERRUPTS].sum, 100);
	ck_assert_uint_eq(t.device[TOTAL_RX_PACKETS].sum, 10);
	count(10, 90005);
	ck_assert_uint_eq(t.device[TOTAL_INTERRUPTS].sum, 105);
}
END_TEST

START_TEST(a_gap_is_bridged)
{
	begin();
	count(0, 100);
	s.have = SAMPLE_LINK;
	count(0, 0);
	s.have = SAMPLE_LINK | SAMPLE_IRQS;
	count(0, 150);
	ck_assert_uint_eq(t.device[TOTAL_INTERRUPTS].sum, 50);
}
END_TEST

START_TEST(sources_are_fresh_for_a_while)
{
	begin();
	ck_assert(!totals_fresh(&t, SAMPLE_LINK, 1));
	count(0, 0);
	ck_assert(totals_fresh(&t, SAMPLE_LINK, s.now + NSEC_PER_SEC));
	ck_assert(!totals_fresh(&t, SAMPLE_LINK, s.now + 60 * NSEC_PER_SEC));
	ck_assert(!totals_fresh(&t, SAMPLE_POLLS, s.now));
}
END_TEST

START_TEST(queues)
{
	begin();
	s.have |= SAMPLE_QUEUES;
	s.n_queues = 2;
	s.queue[1] = (struct queue_counters){ 10, 1000, 5 };
	count(0, 0);
	s.queue[1] = (struct queue_counters){ 30, 3000, 6 };
	count(0, 0);
	ck_assert_uint_eq(t.n_queues, 2);
	ck_assert_uint_eq(t.queue[1][QUEUE_PACKETS].sum, 20);
	ck_assert_uint_eq(t.queue[1][QUEUE_BYTES].sum, 2000);
	ck_assert_uint_eq(t.queue[1][QUEUE_INTERRUPTS].sum, 1);
}
END_TEST

START_TEST(events_of_reports)
{
	begin();
	r.written = KNOB_BIT(KNOB_TX_USECS);
	r.why[KNOB_TX_USECS] = REASON_CAP;
	r.rolled_back = KNOB_BIT(KNOB_TX_USECS);
	r.skipped = SKIP_RESET;
	count(0, 0);
	count(0, 0);
	ck_assert_uint_eq(t.changes[KNOB_TX_USECS][REASON_CAP], 2);
	ck_assert_uint_eq(t.changes[KNOB_RX_USECS][REASON_CAP], 0);
	ck_assert_uint_eq(t.rollbacks, 2);
	ck_assert_uint_eq(t.skipped[SKIP_RESET], 2);
	ck_assert_uint_eq(t.skipped[SKIP_NONE], 0);
}
END_TEST

START_TEST(errors_by_number_and_the_rest)
{
	begin();
	for (int i = 1; i <= 20; i++) {
		r.error = -i;
		count(0, 0);
	}
	r.error = -EPERM;
	count(0, 0);
	ck_assert_int_eq(t.errors[0].number, EPERM);
	ck_assert_uint_eq(t.errors[0].n, 2);
	ck_assert_int_eq(t.errors[TOTALS_ERRNOS - 1].number, 0);
	ck_assert_uint_eq(t.errors[TOTALS_ERRNOS - 1].n, 20 - (TOTALS_ERRNOS - 1));
}
END_TEST

START_TEST(bottleneck_of_the_last_judged_interval)
{
	begin();
	r.rates_valid = r.decided[QUEUE_RX] = true;
	r.diagnosis.class = BOTTLENECK_RING;
	count(0, 0);
	memset(&r, 0, sizeof(r));
	r.skipped = SKIP_CLOCK;
	count(0, 0);
	ck_assert(t.judged);
	ck_assert_int_eq(t.bottleneck, BOTTLENECK_RING);
}
END_TEST

static struct cpu_shares c;

static void cpu(struct sample *x, nsec_t now, uint64_t idle, uint64_t softirq, bool online)
{
	x->now = now;
	x->have = SAMPLE_CPU;
	x->n_cpus = 1;
	x->cpu[0] = (struct cpu_counters){ .online = online, .idle_ns = idle, .softirq_ns = softirq };
}

START_TEST(shares_of_cpus)
{
	static struct sample a, b;

	memset(&c, 0, sizeof(c));
	cpu(&a, NSEC_PER_SEC, 0, 0, true);
	cpu(&b, 2 * NSEC_PER_SEC, 750, 250, true);
	cpu_shares_count(&c, &a, &b);
	ck_assert_double_eq_tol(c.ratio[0], 0.25, 1e-9);
	cpu_shares_count(&c, &a, &b); /* once only */
	ck_assert_double_eq_tol(c.ratio[0], 0.25, 1e-9);
	cpu(&a, 22 * NSEC_PER_SEC, 750, 1250, true); /* ten time constants later */
	cpu_shares_count(&c, &b, &a);
	ck_assert_double_eq_tol(c.ratio[0], 1, 1e-3);
	cpu(&b, 23 * NSEC_PER_SEC, 750, 1250, true); /* nothing accounted: as before */
	cpu_shares_count(&c, &a, &b);
	ck_assert_double_eq_tol(c.ratio[0], 1, 1e-3);
	cpu(&a, 24 * NSEC_PER_SEC, 750, 1250, false);
	cpu_shares_count(&c, &b, &a);
	ck_assert_double_lt(c.ratio[0], 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		from_the_first_sample_on,
		reset_loses_nothing_of_before,
		other_interrupts_are_no_growth,
		a_gap_is_bridged,
		sources_are_fresh_for_a_while,
		queues,
		events_of_reports,
		errors_by_number_and_the_rest,
		bottleneck_of_the_last_judged_interval,
		shares_of_cpus,
	};

	return SUITE_RUN("metrics-totals", tests);
}
