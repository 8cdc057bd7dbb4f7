// SPDX-License-Identifier: GPL-2.0-or-later
/* trace: text to data and back, what is absent, and lines that are refused. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/trace.h"
#include "suite.h"

static struct trace *t, *u;
static char err[ERR_MAX], line[8192];

static void read_all(struct trace *into, const char *const *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(trace_read(into, lines[i], err) >= 0, "%s: %s", lines[i], err);
}

static const char *const example[] = {
	"# what a router did",
	"nic name=eth0 driver=abc device=1 up=1 carrier=1 speed=2500 rx-queues=2 tx-queues=4\n",
	"caps rx-usecs=0..1023/2 rx-ring=64..4096 gro-flush-timeout napi-defer-hard-irqs napi=genl per-queue=1",
	"set rx-usecs=50 rx-frames 0   # as found",
	"at 0 rx-packets=0 rx-bytes=0 q0.rx-packets=0 q1.rx-packets=3 cpu0.softirq=0 cpu0.idle=0 pause_sent=2",
	"at 10s rx-packets=700k rx-bytes=1.05G q0.rx-packets=700k cpu0.softirq=2700ms cpu0.idle=7.3s pause_sent=1k",
};
#define N (sizeof(example) / sizeof(example[0]))

static void setup(void)
{
	t = calloc(1, sizeof(*t));
	u = calloc(1, sizeof(*u));
}

START_TEST(reads)
{
	setup();
	read_all(t, example, N);
	ck_assert_str_eq(t->nic.name, "eth0");
	ck_assert(t->nic.has_device && t->nic.up && t->nic.speed_mbps == 2500 && t->nic.tx_queues == 4);
	ck_assert_uint_eq(t->caps.knobs.max[KNOB_RX_USECS], 1023);
	ck_assert_uint_eq(t->caps.knobs.step[KNOB_RX_USECS], 2);
	ck_assert_uint_eq(t->caps.knobs.max[KNOB_GRO_FLUSH_TIMEOUT], knob_table[KNOB_GRO_FLUSH_TIMEOUT].max);
	ck_assert(t->caps.per_queue && t->caps.napi_path == NAPI_GENL);
	ck_assert(knob_has(&t->current, KNOB_RX_FRAMES) && t->current.value[KNOB_RX_USECS] == 50);
	ck_assert(!(t->caps.knobs.settable & KNOB_BIT(KNOB_RX_FRAMES)));
	ck_assert_uint_eq(t->sample.now, 10 * NSEC_PER_SEC + 1);
	ck_assert_uint_eq(t->sample.rx_packets, 700000);
	ck_assert_uint_eq(t->sample.rx_bytes, 1050000000);
	ck_assert_uint_eq(t->sample.queue[1].rx_packets, 3); /* as before */
	ck_assert_uint_eq(t->sample.cpu[0].softirq_ns, 2700 * NSEC_PER_MSEC);
	ck_assert_uint_eq(t->sample.have, SAMPLE_LINK | SAMPLE_QUEUES | SAMPLE_CPU);
	ck_assert_uint_eq(t->sample.n_cpus, 1);
	ck_assert_double_eq(evidence_or(&t->evidence, EVIDENCE_PAUSE_SENT, -1), 1000);
	ck_assert(!evidence_has(&t->evidence, EVIDENCE_GRO));
}
END_TEST

START_TEST(writes_what_it_reads)
{
	setup();
	read_all(t, example, N);
	for (int kind = TRACE_NIC; kind < TRACE_LINES; kind++) {
		int n = trace_write(t, kind, NULL, line, sizeof(line));

		ck_assert_int_eq(n, (int)strlen(line));
		ck_assert_int_eq(trace_read(u, line, err), kind);
	}
	ck_assert(!memcmp(&t->nic, &u->nic, sizeof(t->nic)));
	ck_assert(!memcmp(&t->current, &u->current, sizeof(t->current)));
	ck_assert_uint_eq(t->caps.knobs.settable, u->caps.knobs.settable);
	ck_assert(!memcmp(t->caps.knobs.max, u->caps.knobs.max, sizeof(t->caps.knobs.max)));
	ck_assert(!memcmp(&t->sample, &u->sample, sizeof(t->sample)));
	ck_assert(!memcmp(&t->evidence, &u->evidence, sizeof(t->evidence)));
}
END_TEST

START_TEST(writes_only_what_changed)
{
	setup();
	read_all(t, example, N - 1);
	read_all(u, example, N);
	trace_write(u, TRACE_AT, t, line, sizeof(line));
	ck_assert_str_eq(line, "at 10s rx-packets=700000 rx-bytes=1050000000 q0.rx-packets=700000 cpu0.idle=7300ms "
			       "cpu0.softirq=2700ms pause_sent=1000");
	read_all(t, &(const char *){ line }, 1);
	ck_assert(!memcmp(&t->sample, &u->sample, sizeof(t->sample)));
}
END_TEST

/* Both are names that the kernel takes. */
START_TEST(a_hash_inside_a_word_is_no_comment)
{
	setup();
	read_all(t, &(const char *){ "nic name=lan#1 driver=abc # name=eth0" }, 1);
	ck_assert_str_eq(t->nic.name, "lan#1");
	trace_write(t, TRACE_NIC, NULL, line, sizeof(line));
	read_all(u, &(const char *){ line }, 1);
	ck_assert(!memcmp(&t->nic, &u->nic, sizeof(t->nic)));
	read_all(t, &(const char *){ "at 1s rx-packets=1 ring_counter=q#0_drops #2" }, 1);
	trace_write(t, TRACE_AT, NULL, line, sizeof(line));
	read_all(u, &(const char *){ line }, 1);
	ck_assert_str_eq(u->evidence.ring_counter, "q#0_drops");
}
END_TEST

START_TEST(polls_come_in_three_kinds)
{
	setup();
	read_all(t, &(const char *){ "at 1s polls=10 empty-polls=2 full-polls=3" }, 1);
	ck_assert_uint_eq(t->sample.full_polls, 3);
	trace_write(t, TRACE_AT, NULL, line, sizeof(line));
	ck_assert_str_eq(line, "at 1s polls=10 empty-polls=2 full-polls=3");
}
END_TEST

START_TEST(refuses)
{
	static const char *const bad[] = { "what=1",
					   "nic color=red",
					   "caps rx-usecs=9..1",
					   "caps speed=1",
					   "set rx-usecs=x",
					   "at",
					   "at soon",
					   "at 1s rx-packets=-1",
					   "at 1s rx=1",
					   "at 1s cpu600.idle=1",
					   "at 1s gro=yes",
					   "at 1s q0.idle=1",
					   "at 1s rx-packets=1T" };

	setup();
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err[0] = 0;
		ck_assert_msg(trace_read(t, bad[i], err) == -EINVAL, "taken: %s", bad[i]);
		ck_assert_msg(err[0], "no word about: %s", bad[i]);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { reads, writes_what_it_reads, writes_only_what_changed,
				       a_hash_inside_a_word_is_no_comment, polls_come_in_three_kinds, refuses };

	return SUITE_RUN("trace", tests);
}
