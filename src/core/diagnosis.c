// SPDX-License-Identifier: GPL-2.0-or-later
/* diagnosis: see diagnosis.h. Rules are tried in order; the first that holds names the class. What makes the others
 * pointless comes first: no traffic, loss, a full wire, a load that waits. */
#include "core/diagnosis.h"

#include <stdarg.h>
#include <stdio.h>

const struct bottleneck_desc bottleneck_table[BOTTLENECK_COUNT] = {
#define BOTTLENECK(id, slug, sentence, advice) [BOTTLENECK_##id] = { slug, sentence, advice },
#include "core/bottlenecks.def"
#undef BOTTLENECK
};

/* Below this nobody feels an interrupt: 50 of them cost 0.03 % of a slow CPU. The controller rests here too. */
#define IDLE_PPS 50
/* A TCP stream that fills a wire counts as 0.93 to 0.95 of it: pauses between bursts are the rest. */
#define LINK_FULL_RATIO 0.92
/* Preamble, FCS and the gap between frames: on the wire, but in no byte counter. */
#define WIRE_OVERHEAD_BYTES 24
/* One drop in a while is a burst; a rate of them, or one packet in 1000, is a ring that is too short. */
#define DROPS_PS 10
#define DROPS_RATIO 0.001
/* A CPU above this has no time left; drops then come from the CPU and not from the interval. */
#define CPU_FULL_RATIO 0.9
/* Each squeeze means that a softirq used up 300 packets or 2 ms and left work behind: ten a second are 20 ms. */
#define SQUEEZE_PS 10
/* Fewer packets than this per interrupt: the interrupt costs more than the packets it brings. */
#define FEW_PACKETS 2
/* From here on the interrupt's share of the cost is small (1/8 of about twice a packet's cost). */
#define MANY_PACKETS 8
/* 10k interrupts/s at 1.5 to 6 us each are 1.5 to 6 % of a CPU; less is not worth a sentence ... */
#define POLLS_MATTER_PS 10000
/* ... unless softirqs visibly load a CPU anyway (slow single core boards). */
#define POLLS_MATTER_SLOW_PS 3000
#define SOFTIRQ_MATTERS_RATIO 0.25

static double link_ratio(const struct nic_info *nic, const struct rates *r)
{
	double rx = r->rx_bytes_ps + WIRE_OVERHEAD_BYTES * r->rx_pps;
	double tx = r->tx_bytes_ps + WIRE_OVERHEAD_BYTES * r->tx_pps;

	if (!nic->speed_mbps || !nic->has_device)
		return -1; /* unknown, or a made-up number: a veth says 10 Gb/s and has no wire */
	return 8e-6 * (rx > tx ? rx : tx) / nic->speed_mbps;
}

static bool softirqs_matter(const struct rates *r)
{
	return (r->have & SAMPLE_CPU) && r->busiest_softirq_ratio >= SOFTIRQ_MATTERS_RATIO;
}

static bool drops_matter(const struct diagnosis *d, const struct rates *r)
{
	double all = r->rx_pps + d->drops_ps;

	return d->drops_ps >= DROPS_PS || (d->drops_ps > 0 && d->drops_ps >= DROPS_RATIO * all);
}

static bool interrupt_bound(const struct diagnosis *d, const struct rates *r)
{
	if (d->packets_per_poll < 0)
		return false;
	if (d->packets_per_poll < FEW_PACKETS)
		return d->polls_ps >= POLLS_MATTER_PS || (d->polls_ps >= POLLS_MATTER_SLOW_PS && softirqs_matter(r));
	/* with a full CPU somewhat larger groups still leave something to save */
	return d->packets_per_poll < MANY_PACKETS && d->polls_ps >= POLLS_MATTER_PS &&
	       d->busiest_ratio > CPU_FULL_RATIO && softirqs_matter(r);
}

static enum bottleneck classify(const struct diagnosis *d, const struct rates *r, bool closed)
{
	bool full = d->busiest_ratio > CPU_FULL_RATIO;

	if (!(r->have & SAMPLE_LINK))
		return BOTTLENECK_UNKNOWN;
	if (r->rx_pps + r->tx_pps < IDLE_PPS)
		return BOTTLENECK_IDLE;
	if (drops_matter(d, r) && (r->have & SAMPLE_CPU) && !full)
		return BOTTLENECK_RING;
	if (d->link_ratio >= LINK_FULL_RATIO)
		return BOTTLENECK_LINK;
	if (closed)
		return BOTTLENECK_LATENCY;
	if (interrupt_bound(d, r))
		return BOTTLENECK_INTERRUPT; /* before squeezes: fewer interrupts make room for the rest */
	if (d->squeeze_ps >= SQUEEZE_PS)
		return BOTTLENECK_BUDGET;
	if (full && d->packets_per_poll >= MANY_PACKETS && softirqs_matter(r))
		return BOTTLENECK_PACKET;
	if (d->packets_per_poll < 0 && softirqs_matter(r))
		return BOTTLENECK_UNKNOWN; /* a CPU is busy with packets and what interrupts bring is not seen */
	return BOTTLENECK_NONE;
}

void diagnose(const struct nic_info *nic, const struct rates *r, double polls_ps, bool closed, struct diagnosis *ret)
{
	struct diagnosis d = {
		.polls_ps = polls_ps,
		.packets_per_poll = -1,
		.link_ratio = -1,
		.busiest_ratio = -1,
		.drops_ps = -1,
		.squeeze_ps = -1,
	};

	if (r->have & SAMPLE_LINK) {
		d.link_ratio = link_ratio(nic, r);
		if (polls_ps >= 1)
			d.packets_per_poll = r->rx_pps / polls_ps;
	}
	if (r->have & SAMPLE_CPU)
		d.busiest_ratio = r->busiest_ratio;
	if (r->have & SAMPLE_RING_DROPS)
		d.drops_ps = r->ring_drops_ps;
	if (r->have & SAMPLE_SOFTNET)
		d.squeeze_ps = r->time_squeeze_ps;
	d.class = classify(&d, r, closed);
	*ret = d;
}

struct line {
	char *buf;
	size_t size, n;
};

__attribute__((format(printf, 2, 3))) static void add(struct line *l, const char *format, ...)
{
	va_list ap;
	int w;

	va_start(ap, format);
	w = vsnprintf(l->n < l->size ? l->buf + l->n : NULL, l->n < l->size ? l->size - l->n : 0, format, ap);
	va_end(ap);
	if (w > 0)
		l->n += (size_t)w;
}

static void add_rate(struct line *l, double v, const char *what)
{
	if (v >= 999950)
		add(l, "%.2fM %s", v / 1e6, what);
	else if (v >= 999.5)
		add(l, "%.1fk %s", v / 1e3, what);
	else
		add(l, "%.0f %s", v, what);
}

int diagnosis_explain(const struct diagnosis *d, const struct rates *r, char *buf, size_t size)
{
	struct line l = { buf, size, 0 };

	if (size)
		buf[0] = 0;
	add(&l, "%s: ", bottleneck_table[d->class].slug);
	if (!(r->have & SAMPLE_LINK)) {
		add(&l, "no packet counters");
		return (int)l.n;
	}
	add_rate(&l, r->rx_pps, "packets/s");
	if (r->rx_pps < IDLE_PPS && r->tx_pps >= IDLE_PPS)
		add_rate(&l, r->tx_pps, "sent/s");
	if (d->class == BOTTLENECK_LINK || d->link_ratio >= 0.5)
		add(&l, ", link %.0f%% full", 100 * d->link_ratio);
	if (d->packets_per_poll >= 0 && r->rx_pps >= 1)
		add(&l, ", %.1f packets per poll", d->packets_per_poll);
	if (d->drops_ps >= 0.5) {
		add(&l, ", ");
		add_rate(&l, d->drops_ps, "drops/s");
	}
	if (d->class == BOTTLENECK_BUDGET) {
		add(&l, ", ");
		add_rate(&l, d->squeeze_ps, "squeezes/s");
	}
	if (d->busiest_ratio >= 0)
		add(&l, ", CPU%u %.0f%% busy", r->busiest_cpu, 100 * d->busiest_ratio);
	return (int)l.n;
}
