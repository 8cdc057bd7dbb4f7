// SPDX-License-Identifier: GPL-2.0-or-later
/* diagnosis-text: a diagnosis in one line: the class, then the numbers that led to it. */
#include "core/diagnosis.h"
#include "core/line.h"

#define WORTH_PPS 50 /* less traffic than this needs no number */

static void add_rate(struct line *l, double v, const char *what)
{
	if (v >= 999950)
		line_add(l, "%.2fM %s", v / 1e6, what);
	else if (v >= 999.5)
		line_add(l, "%.1fk %s", v / 1e3, what);
	else
		line_add(l, "%.0f %s", v, what);
}

/* What only this class, or an unusual machine, makes worth saying. */
static void add_evidence(struct line *l, const struct diagnosis *d)
{
	static const struct {
		enum evidence_id id;
		const char *what;
	} rates[] = {
		{ EVIDENCE_XSK_STARVED, "starved/s" },	    { EVIDENCE_SHAPED, "over the allowance/s" },
		{ EVIDENCE_PAUSE_SENT, "PAUSE sent/s" },    { EVIDENCE_PAUSE_RECEIVED, "PAUSE received/s" },
		{ EVIDENCE_SOCKET_FULL, "socket drops/s" },
	};

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		if (evidence_or(&d->evidence, rates[i].id, 0) >= 0.5) {
			line_add(l, ", ");
			add_rate(l, d->evidence.value[rates[i].id], rates[i].what);
		}
	if (d->class == BOTTLENECK_POWER) {
		if (evidence_has(&d->evidence, EVIDENCE_IDLE_EXIT_USECS))
			line_add(l, ", %.0f us to wake up", d->evidence.value[EVIDENCE_IDLE_EXIT_USECS]);
		if (evidence_has(&d->evidence, EVIDENCE_CLOCK_RATIO))
			line_add(l, ", clock at %.0f%%", 100 * d->evidence.value[EVIDENCE_CLOCK_RATIO]);
	}
}

static void add_cpu(struct line *l, const struct diagnosis *d, const struct rates *r)
{
	if (d->class == BOTTLENECK_PACKET && d->packet_usecs >= 0)
		line_add(l, ", %.1f us a packet", d->packet_usecs);
	if (d->class == BOTTLENECK_LATENCY && d->wait_usecs > 0)
		line_add(l, ", wait %.0f us", d->wait_usecs);
	if (d->busiest_ratio >= 0)
		line_add(l, ", CPU%u %.0f%% busy", r->busiest_cpu, 100 * d->busiest_ratio);
	if (d->class == BOTTLENECK_ONE_CPU || d->also & (1U << BOTTLENECK_ONE_CPU))
		line_add(l, ", %u of %u CPUs idle", r->idle_cpus, r->cpus);
}

int diagnosis_explain(const struct diagnosis *d, const struct rates *r, char *buf, size_t size)
{
	struct line l = { buf, size, 0 };

	if (size)
		buf[0] = 0;
	line_add(&l, "%s: ", bottleneck_table[d->class].slug);
	if (!(r->have & SAMPLE_LINK)) {
		line_add(&l, "no packet counters");
		return (int)l.n;
	}
	add_rate(&l, r->rx_pps, "packets/s");
	if (r->rx_pps < WORTH_PPS && r->tx_pps >= WORTH_PPS) {
		line_add(&l, ", ");
		add_rate(&l, r->tx_pps, "sent/s");
	}
	if (d->class == BOTTLENECK_LINK || d->link_ratio >= 0.5)
		line_add(&l, ", link %.0f%% full", 100 * d->link_ratio);
	if (d->class == BOTTLENECK_STORM || d->class == BOTTLENECK_HIDDEN) {
		line_add(&l, ", ");
		add_rate(&l, d->interrupts_ps, "interrupts/s");
	}
	if (d->class != BOTTLENECK_STORM && d->packets_per_poll >= 0 && r->rx_pps >= 1)
		line_add(&l, ", %.1f packets per poll", d->packets_per_poll);
	if (d->drops_ps >= 0.5) {
		line_add(&l, ", ");
		add_rate(&l, d->drops_ps, "drops/s");
	}
	if (d->class == BOTTLENECK_BUDGET || d->also & (1U << BOTTLENECK_BUDGET)) {
		line_add(&l, ", ");
		add_rate(&l, d->squeeze_ps, "squeezes/s");
	}
	add_evidence(&l, d);
	add_cpu(&l, d, r);
	return (int)l.n;
}
