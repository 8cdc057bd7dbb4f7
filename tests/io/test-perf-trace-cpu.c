// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of perf as polls with their times: what belongs to a poll, other devices, records that got lost, threads. */
#include "io/perf-trace-cpu.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/suite.h"

#define RECORD_NS 100.0

static struct trace_ids ids;
static struct trace_cpu cpu;
static struct poll_sums sums;

struct record {
	struct perf_event_header head;
	uint64_t time;
	uint32_t size;
	unsigned char raw[64];
} __attribute__((packed, aligned(8)));

static void put(unsigned char *at, uint32_t v)
{
	memcpy(at, &v, sizeof(v));
}

static struct record record(uint64_t time, enum perf_tracepoint t, size_t size)
{
	struct record r = { .head = { .type = PERF_RECORD_SAMPLE, .size = sizeof(r) }, .time = time };
	uint16_t id = (uint16_t)ids.id[t];

	r.size = (uint32_t)size;
	memcpy(r.raw, &id, sizeof(id));
	return r;
}

static void softirq(uint64_t time, bool entry)
{
	struct record r = record(time, entry ? TRACEPOINT_SOFTIRQ_ENTRY : TRACEPOINT_SOFTIRQ_EXIT, 12);

	put(r.raw + 8, 3);
	trace_cpu_record(&r.head, &cpu);
}

static void irq(uint64_t time, bool entry)
{
	struct record r = record(time, entry ? TRACEPOINT_IRQ_ENTRY : TRACEPOINT_IRQ_EXIT, 16);

	trace_cpu_record(&r.head, &cpu);
}

static struct record poll_record(uint64_t time, const char *dev, uint32_t work, size_t pointer)
{
	struct record r = record(time, TRACEPOINT_NAPI_POLL, 64);
	size_t at = 8 + pointer;

	put(r.raw + at, (uint32_t)(at + 12) | (uint32_t)(strlen(dev) + 1) << 16);
	put(r.raw + at + 4, work);
	put(r.raw + at + 8, 64);
	strcpy((char *)r.raw + at + 12, dev);
	return r;
}

static void napi_poll(uint64_t time, const char *dev, uint32_t work)
{
	struct record r = poll_record(time, dev, work, 8);

	trace_cpu_record(&r.head, &cpu);
}

static void begin(void)
{
	for (int i = 0; i < TRACEPOINT_COUNT; i++)
		ids.id[i] = 300 + (uint64_t)i;
	ids.dev_name = "eth0";
	ids.record_ns = RECORD_NS;
	memset(&cpu, 0, sizeof(cpu));
	cpu.ids = &ids;
	sums = (struct poll_sums){ 0 };
	trace_cpu_begin(&cpu, 1000);
}

START_TEST(what_a_poll_lasts)
{
	begin();
	softirq(2000, true);
	napi_poll(3100, "eth0", 4); /* 1000 with the record taken off */
	napi_poll(4200, "eth1", 9); /* not ours */
	napi_poll(4900, "eth0", 2); /* 600, and the end: 200 */
	softirq(5200, false);
	trace_cpu_end(&cpu, 11000, &sums);
	ck_assert_double_eq(sums.polls, 2);
	ck_assert_double_eq(sums.packets, 6);
	ck_assert_double_eq(sums.ns, 1000 + 600 + 200);
	ck_assert_uint_eq(cpu.traced_ns, 10000);
	ck_assert_uint_eq(cpu.work_ns, 3200 - 4 * 100); /* three polls and the end */
}
END_TEST

START_TEST(the_end_of_another_device_is_its_own)
{
	begin();
	softirq(2000, true);
	napi_poll(3100, "eth0", 4);
	napi_poll(4200, "eth1", 9);
	softirq(9000, false);
	trace_cpu_end(&cpu, 11000, &sums);
	ck_assert_double_eq(sums.polls, 1);
	ck_assert_double_eq(sums.ns, 1000);
}
END_TEST

START_TEST(cut_off_at_both_ends)
{
	begin();
	napi_poll(1500, "eth0", 4); /* when it began is not known: before the burst, or a thread's */
	softirq(1600, false);
	softirq(2000, true);
	napi_poll(3100, "eth0", 4);
	trace_cpu_end(&cpu, 3200, &sums); /* when it ended neither */
	ck_assert_double_eq(sums.polls, 0);
	ck_assert_uint_eq(cpu.work_ns, 0);
	ck_assert_uint_eq(cpu.traced_ns, 2200);
}
END_TEST

START_TEST(lost_records_end_the_burst)
{
	static const uint32_t kinds[] = { PERF_RECORD_LOST, PERF_RECORD_THROTTLE };

	for (unsigned i = 0; i < 2; i++) {
		struct perf_event_header lost = { .type = kinds[i], .size = sizeof(lost) };

		begin();
		softirq(2000, true);
		napi_poll(3100, "eth0", 4);
		softirq(3300, false);
		trace_cpu_record(&lost, &cpu);
		napi_poll(900000, "eth0", 4);
		softirq(900300, false);
		trace_cpu_end(&cpu, 1000000, &sums);
		ck_assert_double_eq(sums.polls, 1);
		ck_assert_uint_eq(cpu.traced_ns, 2300);
	}
}
END_TEST

START_TEST(interrupt_handlers)
{
	begin();
	irq(1100, true);
	irq(1700, false); /* 500, alone */
	softirq(2000, true);
	irq(2100, true);
	irq(2500, false); /* 300, inside a softirq: counted once */
	softirq(3100, false);
	trace_cpu_end(&cpu, 11000, &sums);
	ck_assert_double_eq(sums.irqs, 2);
	ck_assert_double_eq(sums.irq_ns, 800);
	ck_assert_uint_eq(cpu.work_ns, 500 + 1000);
}
END_TEST

START_TEST(held_up_polls_are_left_out)
{
	begin();
	for (uint64_t i = 0; i < 100; i++) {
		uint64_t t = 2000 + i * 10000;

		softirq(t, true);
		napi_poll(t + (i % 10 ? 1100 : 9000), "eth0", 4);
		softirq(t + (i % 10 ? 1200 : 9100), false);
	}
	trace_cpu_end(&cpu, 2000000, &sums);
	ck_assert_double_eq(sums.polls, 90);
	ck_assert_double_eq_tol(sums.ns / sums.polls, 1000, 1);
}
END_TEST

START_TEST(the_same_event_twice)
{
	begin();
	softirq(2000, true);
	softirq(2440, true);
	napi_poll(3100, "eth0", 4);
	softirq(3300, false);
	ck_assert_uint_eq(cpu.n_twice, 1);
	ck_assert_float_eq(cpu.twice_ns[0], 440);
	trace_cpu_end(&cpu, 5000, &sums);
	trace_cpu_begin(&cpu, 6000);
	ck_assert_uint_eq(cpu.n_twice, 1); /* gathered until there are enough */
}
END_TEST

START_TEST(layouts)
{
	struct perf_napi_poll p;
	struct record r = poll_record(1, "eth0", 7, 4);

	ck_assert(perf_parse_napi_poll(r.raw, 64, &p)); /* a 32 bit kernel */
	ck_assert_str_eq(p.dev_name, "eth0");
	ck_assert_int_eq(p.work, 7);
	ck_assert_int_eq(p.budget, 64);
	r = poll_record(1, "eth0", 7, 8);
	ck_assert(perf_parse_napi_poll(r.raw, 64, &p));
	ck_assert_int_eq(p.work, 7);
	ck_assert(!perf_parse_napi_poll(r.raw, 28, &p)); /* too short for a name */
	ck_assert(!perf_parse_napi_poll(r.raw, 30, &p)); /* a name without an end */
	put(r.raw + 16, 44);
	ck_assert(!perf_parse_napi_poll(r.raw, 64, &p)); /* another layout */
}
END_TEST

START_TEST(filters)
{
	static const unsigned irqs[] = { 38, 39 };
	char text[96];

	ck_assert_int_eq(perf_filter_irqs(irqs, 2, text, sizeof(text)), 0);
	ck_assert_str_eq(text, "irq==38 || irq==39");
	ck_assert_int_lt(perf_filter_irqs(irqs, 2, text, 12), 0);
	ck_assert_int_lt(perf_filter_irqs(irqs, 0, text, sizeof(text)), 0);
	ck_assert_int_eq(perf_filter_device("eth0", " && work==64", text, sizeof(text)), 0);
	ck_assert_str_eq(text, "dev_name==\"eth0\" && work==64");
	ck_assert_int_lt(perf_filter_device("a\"b'c", "", text, sizeof(text)), 0);
}
END_TEST

int main(void)
{
	const TTest *const all[] = {
		what_a_poll_lasts,  the_end_of_another_device_is_its_own,
		cut_off_at_both_ends, lost_records_end_the_burst,
		interrupt_handlers, held_up_polls_are_left_out,
		the_same_event_twice, layouts,
		filters,
	};

	return SUITE_RUN("perf-trace-cpu", all);
}
