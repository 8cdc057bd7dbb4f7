// SPDX-License-Identifier: GPL-2.0-or-later
/* diagnosis: every class from numbers like those of public reports, the borders between them, and the printed line. */
#include <check.h>
#include <string.h>

#include "core/diagnosis.h"

static const struct nic_info nic = { .name = "eth0", .has_device = true, .up = true, .speed_mbps = 1000 };

#define ALL (SAMPLE_LINK | SAMPLE_POLLS | SAMPLE_CPU | SAMPLE_SOFTNET | SAMPLE_RING_DROPS)

static void judge(const struct nic_info *n, const struct rates *r, double polls_ps, bool closed, struct diagnosis *ret)
{
	diagnose(&(struct symptoms){ .nic = n, .rates = r, .polls_ps = polls_ps, .closed = closed }, ret);
}

static const struct {
	const char *what;
	struct rates r;
	double polls_ps;
	bool closed;
	enum bottleneck class;
} rows[] = {
	{ "no counters", { .rx_pps = 1e5 }, 1e5, false, BOTTLENECK_UNKNOWN },
	{ "no traffic", { .have = ALL, .rx_pps = 20 }, 20, false, BOTTLENECK_IDLE },
	{ "timer polls without packets", { .have = ALL, .rx_pps = 3 }, 1996, false, BOTTLENECK_IDLE },
	{ "interrupts without packets",
	  { .have = ALL | SAMPLE_IRQS, .rx_pps = 3, .interrupts_ps = 1996, .busiest_ratio = 0.6 },
	  1996,
	  false,
	  BOTTLENECK_STORM },
	{ "two lines an exchange",
	  { .have = ALL | SAMPLE_IRQS, .rx_pps = 500, .tx_pps = 500, .interrupts_ps = 2000, .busiest_ratio = 0.1 },
	  1000,
	  false,
	  BOTTLENECK_NONE },
	{ "sends only", { .have = ALL, .tx_pps = 5000 }, 100, false, BOTTLENECK_NONE },
	{ "one packet each at 69.5k interrupts/s",
	  { .have = ALL, .rx_pps = 70000, .rx_bytes_ps = 9e7, .busiest_ratio = 0.27 },
	  69489,
	  false,
	  BOTTLENECK_INTERRUPT },
	{ "the same with a full CPU",
	  { .have = ALL, .rx_pps = 70000, .busiest_ratio = 1, .busiest_softirq_ratio = 0.96 },
	  69489,
	  false,
	  BOTTLENECK_INTERRUPT },
	{ "few interrupts", { .have = ALL, .rx_pps = 2500, .busiest_ratio = 0.1 }, 2000, false, BOTTLENECK_NONE },
	{ "few interrupts, slow core",
	  { .have = ALL, .rx_pps = 4500, .busiest_ratio = 0.6, .busiest_softirq_ratio = 0.4 },
	  4000,
	  false,
	  BOTTLENECK_INTERRUPT },
	{ "groups of four with a full CPU",
	  { .have = ALL, .rx_pps = 80000, .busiest_ratio = 0.97, .busiest_softirq_ratio = 0.9 },
	  20000,
	  false,
	  BOTTLENECK_INTERRUPT },
	{ "groups of four with time left",
	  { .have = ALL, .rx_pps = 80000, .busiest_ratio = 0.5 },
	  20000,
	  false,
	  BOTTLENECK_NONE },
	{ "large groups with a full CPU",
	  { .have = ALL, .rx_pps = 300000, .busiest_ratio = 0.99, .busiest_softirq_ratio = 0.9 },
	  9000,
	  false,
	  BOTTLENECK_PACKET },
	{ "large groups, CPU full of other work",
	  { .have = ALL, .rx_pps = 3000, .busiest_ratio = 1, .busiest_softirq_ratio = 0.02 },
	  100,
	  false,
	  BOTTLENECK_NONE },
	{ "squeezes of a full CPU",
	  { .have = ALL,
	    .rx_pps = 300000,
	    .busiest_ratio = 0.99,
	    .busiest_softirq_ratio = 0.9,
	    .time_squeeze_ps = 200 },
	  6000,
	  false,
	  BOTTLENECK_PACKET },
	{ "large groups that leave receivers little",
	  { .have = ALL, .rx_pps = 300000, .busiest_ratio = 0.85, .busiest_softirq_ratio = 0.65 },
	  9000,
	  false,
	  BOTTLENECK_PACKET },
	{ "completions of what is sent",
	  { .have = ALL | SAMPLE_IRQS, .tx_pps = 80000, .rx_pps = 2000, .interrupts_ps = 60000, .busiest_ratio = 0.4 },
	  2000,
	  false,
	  BOTTLENECK_INTERRUPT },
	{ "one of four CPUs, several queues",
	  { .have = ALL | SAMPLE_QUEUES,
	    .rx_pps = 400000,
	    .busiest_ratio = 1,
	    .busiest_softirq_ratio = 0.95,
	    .cpus = 4,
	    .idle_cpus = 3,
	    .busy_queues = 4 },
	  20000,
	  false,
	  BOTTLENECK_ONE_CPU },
	{ "one of four CPUs, one flow",
	  { .have = ALL | SAMPLE_QUEUES,
	    .rx_pps = 400000,
	    .busiest_ratio = 1,
	    .busiest_softirq_ratio = 0.95,
	    .cpus = 4,
	    .idle_cpus = 3,
	    .busy_queues = 1 },
	  20000,
	  false,
	  BOTTLENECK_PACKET },
	{ "one of four CPUs, a router's flows",
	  { .have = ALL,
	    .rx_pps = 90000,
	    .tx_pps = 88000,
	    .rx_bytes_ps = 5e7,
	    .tx_bytes_ps = 5e7,
	    .busiest_ratio = 1,
	    .busiest_softirq_ratio = 0.95,
	    .cpus = 4,
	    .idle_cpus = 3 },
	  9000,
	  false,
	  BOTTLENECK_ONE_CPU },
	{ "two of four CPUs busy",
	  { .have = ALL | SAMPLE_QUEUES,
	    .rx_pps = 400000,
	    .busiest_ratio = 1,
	    .busiest_softirq_ratio = 0.95,
	    .cpus = 4,
	    .idle_cpus = 1,
	    .busy_queues = 4 },
	  20000,
	  false,
	  BOTTLENECK_PACKET },
	{ "squeezes",
	  { .have = ALL, .rx_pps = 300000, .busiest_ratio = 0.8, .time_squeeze_ps = 200 },
	  6000,
	  false,
	  BOTTLENECK_BUDGET },
	{ "drops with time left",
	  { .have = ALL, .rx_pps = 80000, .busiest_ratio = 0.4, .ring_drops_ps = 500 },
	  4000,
	  false,
	  BOTTLENECK_RING },
	{ "drops with a full CPU",
	  { .have = ALL, .rx_pps = 80000, .busiest_ratio = 1, .busiest_softirq_ratio = 1, .ring_drops_ps = 500 },
	  4000,
	  false,
	  BOTTLENECK_PACKET },
	{ "one drop in a while",
	  { .have = ALL, .rx_pps = 80000, .busiest_ratio = 0.4, .ring_drops_ps = 0.2 },
	  4000,
	  false,
	  BOTTLENECK_NONE },
	{ "full link",
	  { .have = ALL, .rx_pps = 81000, .rx_bytes_ps = 1.2e8, .busiest_ratio = 0.3 },
	  60000,
	  false,
	  BOTTLENECK_LINK },
	{ "full in the other direction",
	  { .have = ALL, .tx_pps = 81000, .tx_bytes_ps = 1.2e8, .rx_pps = 9000 },
	  9000,
	  false,
	  BOTTLENECK_LINK },
	{ "nearly full link",
	  { .have = ALL, .rx_pps = 70000, .rx_bytes_ps = 1.05e8, .busiest_ratio = 0.3 },
	  7000,
	  false,
	  BOTTLENECK_NONE },
	{ "the load waits", { .have = ALL, .rx_pps = 20000, .busiest_ratio = 0.7 }, 20000, true, BOTTLENECK_LATENCY },
	{ "a waiting load that fills the link",
	  { .have = ALL, .rx_pps = 81000, .rx_bytes_ps = 1.2e8 },
	  20000,
	  true,
	  BOTTLENECK_LINK },
	{ "polls unknown, softirqs busy",
	  { .have = ALL & ~SAMPLE_POLLS, .rx_pps = 50000, .busiest_ratio = 1, .busiest_softirq_ratio = 0.8 },
	  -1,
	  false,
	  BOTTLENECK_UNKNOWN },
	{ "polls unknown, softirqs quiet",
	  { .have = ALL & ~SAMPLE_POLLS, .rx_pps = 500, .busiest_ratio = 0.1 },
	  -1,
	  false,
	  BOTTLENECK_NONE },
};

START_TEST(names_the_class)
{
	struct diagnosis d;

	judge(&nic, &rows[_i].r, rows[_i].polls_ps, rows[_i].closed, &d);
	ck_assert_msg(d.class == rows[_i].class, "%s: %s, not %s", rows[_i].what, bottleneck_table[d.class].slug,
		      bottleneck_table[rows[_i].class].slug);
}
END_TEST

START_TEST(absent_is_not_zero)
{
	struct rates r = { .have = SAMPLE_LINK, .rx_pps = 1000 };
	struct diagnosis d;

	judge(&nic, &r, -1, false, &d);
	ck_assert(d.packets_per_poll < 0 && d.busiest_ratio < 0 && d.drops_ps < 0 && d.squeeze_ps < 0);
	ck_assert(d.link_ratio >= 0);
	r.have = SAMPLE_CPU;
	judge(&nic, &r, 500, false, &d);
	ck_assert(d.link_ratio < 0 && d.packets_per_poll < 0 && d.busiest_ratio >= 0);
}
END_TEST

START_TEST(a_link_without_a_wire_is_never_full)
{
	struct nic_info veth = { .name = "veth0", .kind = "veth", .speed_mbps = 10000 };
	struct rates r = { .have = ALL, .rx_pps = 8e5, .rx_bytes_ps = 1.25e9 };
	struct diagnosis d;

	judge(&veth, &r, 20000, false, &d);
	ck_assert(d.link_ratio < 0);
	ck_assert_int_ne(d.class, BOTTLENECK_LINK);
}
END_TEST

START_TEST(explains_with_numbers)
{
	struct rates r = { .have = ALL, .rx_pps = 50120, .busiest_ratio = 0.71, .busiest_cpu = 1 };
	char line[200], small[12];
	struct diagnosis d;
	int n;

	judge(&nic, &r, 50000, false, &d);
	n = diagnosis_explain(&d, &r, line, sizeof(line));
	ck_assert_str_eq(line, "interrupt-bound: 50.1k packets/s, 1.0 packets per poll, CPU1 71% busy");
	ck_assert_int_eq(n, (int)strlen(line));
	ck_assert_int_eq(diagnosis_explain(&d, &r, small, sizeof(small)), n);
	ck_assert_str_eq(small, "interrupt-b");
	r.have = SAMPLE_LINK;
	judge(&nic, &r, -1, false, &d);
	diagnosis_explain(&d, &r, line, sizeof(line));
	ck_assert_str_eq(line, "none: 50.1k packets/s");
}
END_TEST

START_TEST(table_is_complete)
{
	for (int i = 0; i < BOTTLENECK_COUNT; i++) {
		ck_assert(bottleneck_table[i].slug[0] && bottleneck_table[i].sentence[0] &&
			  bottleneck_table[i].advice[0]);
		for (int j = 0; j < i; j++)
			ck_assert_str_ne(bottleneck_table[i].slug, bottleneck_table[j].slug);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("diagnosis");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, names_the_class, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_test(t, absent_is_not_zero);
	tcase_add_test(t, a_link_without_a_wire_is_never_full);
	tcase_add_test(t, explains_with_numbers);
	tcase_add_test(t, table_is_complete);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
