// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of vload: the RTT histogram's percentiles and the difference of two samples. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "vload-probe.h"

unsigned int hist_index(uint64_t ns)
{
	unsigned int e;

	if (ns < HIST_SUB)
		return (unsigned int)ns;
	e = 63u - (unsigned int)__builtin_clzll(ns);
	if (e > HIST_MAX_EXP)
		return HIST_BUCKETS - 1;
	return (e - HIST_SUB_BITS) * HIST_SUB + (unsigned int)(ns >> (e - HIST_SUB_BITS));
}

static double hist_value_us(unsigned int index)
{
	unsigned int shift = index < 2 * HIST_SUB ? 0 : index / HIST_SUB - 1;
	double low = (double)(index - shift * HIST_SUB) * (double)(1ULL << shift);

	return (low + (double)(1ULL << shift) / 2) / 1e3;
}

/* q in 0..1 of the entries that b has more than a; NAN when there are none. */
static double hist_quantile_us(const uint32_t *a, const uint32_t *b, double q)
{
	uint64_t total = 0, rank, seen = 0;

	for (unsigned int i = 0; i < HIST_BUCKETS; i++)
		total += b[i] - a[i];
	if (!total)
		return (double)NAN;
	rank = (uint64_t)(q * (double)(total - 1));
	for (unsigned int i = 0; i < HIST_BUCKETS; i++) {
		seen += b[i] - a[i];
		if (seen > rank)
			return hist_value_us(i);
	}
	return (double)NAN;
}

void sample_tally(struct sample *s, struct tally *t)
{
	s->sent = atomic_load_explicit(&t->sent, memory_order_relaxed);
	s->received = atomic_load_explicit(&t->received, memory_order_relaxed);
	s->rr_done = atomic_load_explicit(&t->rr_done, memory_order_relaxed);
	s->rr_lost = atomic_load_explicit(&t->rr_lost, memory_order_relaxed);
	s->tcp_bytes = atomic_load_explicit(&t->tcp_bytes, memory_order_relaxed);
	for (unsigned int i = 0; i < HIST_BUCKETS; i++)
		s->rtt[i] = (uint32_t)atomic_load_explicit(&t->rtt[i], memory_order_relaxed);
}

/* One column: NAN prints as null or "-". */
struct column {
	const char *key, *title;
	int decimals, width;
};

enum column_id {
	COL_SECONDS, COL_SENT, COL_RECEIVED, COL_DROPPED, COL_RR, COL_RR_LOST, COL_TCP, COL_PACKETS,
	COL_POLLS, COL_EMPTY, COL_PER_POLL, COL_P50, COL_P99, COL_CPU0, COL_CPU1,
	COL_TIMEOUT, COL_DEFER, COL_COUNT
};

static const struct column columns[COL_COUNT] = {
	[COL_SECONDS] = { "seconds", "sec", 2, 6 },
	[COL_SENT] = { "sent_pps", "sent/s", 0, 8 },
	[COL_RECEIVED] = { "received_pps", "rcvd/s", 0, 8 },
	[COL_DROPPED] = { "tx_dropped", "dropped", 0, 8 },
	[COL_RR] = { "rr_per_second", "rr/s", 0, 7 },
	[COL_RR_LOST] = { "rr_lost", "lost", 0, 5 },
	[COL_TCP] = { "tcp_bits_per_second", "tcp bit/s", 0, 12 },
	[COL_PACKETS] = { "device_packets_per_second", "pkt/s", 0, 8 },
	[COL_POLLS] = { "polls_per_second", "polls/s", 0, 8 },
	[COL_EMPTY] = { "empty_polls_per_second", "empty/s", 0, 8 },
	[COL_PER_POLL] = { "packets_per_poll", "pkt/poll", 2, 9 },
	[COL_P50] = { "rtt_p50_us", "p50us", 0, 7 },
	[COL_P99] = { "rtt_p99_us", "p99us", 0, 7 },
	[COL_CPU0] = { "cpu0_busy_ratio", "cpu0", 3, 7 },
	[COL_CPU1] = { "cpu1_busy_ratio", "cpu1", 3, 7 },
	[COL_TIMEOUT] = { "gro_flush_timeout_ns", "timeout", 0, 8 },
	[COL_DEFER] = { "napi_defer_hard_irqs", "D", 0, 3 },
};

static void compute(double v[static COL_COUNT], const struct options *o, const struct probe *p,
		    const struct sample *a, const struct sample *b)
{
	double s = (double)(b->t_ns - a->t_ns) / 1e9, hz = (double)sysconf(_SC_CLK_TCK);
	double polls = (double)(b->polls - a->polls);
	double empty = (double)(b->empty_polls - a->empty_polls);
	bool counted = p->n_cpus > 0;

	v[COL_SECONDS] = s;
	v[COL_SENT] = (double)(b->sent - a->sent) / s;
	v[COL_RECEIVED] = (double)(b->received - a->received) / s;
	v[COL_DROPPED] = (double)(b->tx_dropped - a->tx_dropped);
	v[COL_RR] = (double)(b->rr_done - a->rr_done) / s;
	v[COL_RR_LOST] = (double)(b->rr_lost - a->rr_lost);
	v[COL_TCP] = (double)(b->tcp_bytes - a->tcp_bytes) * 8 / s;
	v[COL_PACKETS] = (double)(b->rx_packets - a->rx_packets) / s;
	v[COL_POLLS] = counted ? polls / s : (double)NAN;
	v[COL_EMPTY] = counted ? empty / s : (double)NAN;
	v[COL_PER_POLL] = counted && polls > empty
			  ? (double)(b->rx_packets - a->rx_packets) / (polls - empty)
			  : (double)NAN;
	v[COL_P50] = hist_quantile_us(a->rtt, b->rtt, 0.50);
	v[COL_P99] = hist_quantile_us(a->rtt, b->rtt, 0.99);
	v[COL_TIMEOUT] = b->settings_known ? (double)b->timeout_ns : (double)NAN;
	v[COL_DEFER] = b->settings_known ? (double)b->defer : (double)NAN;
	for (int cpu = 0; cpu < 2; cpu++) {
		double idle = (double)(b->idle_ticks[cpu] - a->idle_ticks[cpu]) / hz / s;

		v[COL_CPU0 + cpu] = b->idle_ticks[cpu] && !o->awake ? fmin(1, fmax(0, 1 - idle))
								    : (double)NAN;
	}
}

void report_header(const struct options *o)
{
	if (o->json)
		return;
	printf("%-8s %-18s", "row", "load");
	for (size_t i = 0; i < COL_COUNT; i++)
		printf(" %*s", columns[i].width, columns[i].title);
	printf("\n");
}

void report_row(const struct options *o, const struct probe *p, const struct phase *ph,
		const char *kind, const struct sample *a, const struct sample *b)
{
	double v[COL_COUNT];

	compute(v, o, p, a, b);
	printf(o->json ? "{\"row\":\"%s\",\"load\":\"%s\"" : "%-8s %-18s", kind, ph->name);
	for (size_t i = 0; i < COL_COUNT; i++) {
		if (o->json && isnan(v[i]))
			printf(",\"%s\":null", columns[i].key);
		else if (o->json)
			printf(",\"%s\":%.*f", columns[i].key, columns[i].decimals, v[i]);
		else if (isnan(v[i]))
			printf(" %*s", columns[i].width, "-");
		else
			printf(" %*.*f", columns[i].width, columns[i].decimals, v[i]);
	}
	if (o->json && p->n_cpus == 0)
		printf(",\"polls_missing_reason\":\"%s\"", p->reason);
	printf(o->json ? "}\n" : "\n");
	fflush(stdout);
}
