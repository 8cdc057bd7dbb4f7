// SPDX-License-Identifier: GPL-2.0-or-later
/* rings: see rings.h; the size follows from core/ring.h. */
#include "engine/rings.h"

#include <math.h>
#include <stdio.h>

#include "core/ring.h"

#define CPU_FULL 0.9
#define OVERFLOWS 3 /* intervals: fewer are spikes */
#define OVERFLOW_NS (60 * NSEC_PER_SEC)
#define QUIET_PPS 50.0
#define QUIET_NS (5 * NSEC_PER_SEC)
#define SETTLE_NS (2 * NSEC_PER_SEC) /* a link that is there after this never went away */
#define BUFFER_BYTES 2048.0	     /* of one received frame; larger MTUs take more */

/* As wanted, or the most that the device can. */
static uint64_t within(const struct knob_caps *caps, uint64_t wanted)
{
	return wanted > caps->max[KNOB_RX_RING] ? caps->max[KNOB_RX_RING] : wanted;
}

static void count_overflow(struct rings *g, const struct rings_input *in)
{
	const struct rates *r = in->rates;
	uint64_t have = in->current->value[KNOB_RX_RING];
	double gap;

	if (!(r->have & SAMPLE_RING_DROPS) || r->ring_drops_ps <= 0 || in->cpu_ratio >= CPU_FULL)
		return;
	if (!g->overflows || in->now - g->first > OVERFLOW_NS) {
		g->overflows = 0;
		g->first = in->now;
		g->pps_peak = 0;
	}
	g->overflows++;
	g->pps_peak = fmax(g->pps_peak, r->rx_pps + r->ring_drops_ps);
	if (g->overflows < OVERFLOWS)
		return;
	gap = ring_gap_usecs(have, g->pps_peak, in->interval_usecs);
	g->wanted = within(in->caps, ring_wanted(g->pps_peak, in->interval_usecs, gap));
	g->overflows = 0;
	g->state = g->wanted > have ? RINGS_DUE : RINGS_REFUSED;
	g->old = have;
	g->quiet_since = 0;
}

static bool may_write(struct rings *g, const struct rings_input *in)
{
	if (in->policy == RINGS_LIVE)
		return true;
	if (in->rates->rx_pps >= QUIET_PPS)
		g->quiet_since = 0;
	else if (!g->quiet_since)
		g->quiet_since = in->now;
	return g->quiet_since && in->now - g->quiet_since >= QUIET_NS;
}

static void wait_for_link(struct rings *g, const struct rings_input *in)
{
	nsec_t waited = in->now - g->written;

	if (!in->carrier)
		g->was_down = true;
	else if (g->was_down || waited >= SETTLE_NS)
		g->state = RINGS_WATCH;
	if (g->state == RINGS_LINK && waited >= g->link_wait)
		g->state = RINGS_UNDO;
}

bool rings_step(struct rings *g, const struct rings_input *in, uint64_t *ret_entries, char text[ERR_MAX])
{
	if (in->policy == RINGS_KEEP || !(in->caps->settable & KNOB_BIT(KNOB_RX_RING)) ||
	    !knob_has(in->current, KNOB_RX_RING))
		return false;
	if (g->state == RINGS_WATCH)
		count_overflow(g, in);
	if (g->state == RINGS_LINK)
		wait_for_link(g, in);
	if (g->state == RINGS_UNDO) {
		*ret_entries = g->old;
		snprintf(text, ERR_MAX,
			 "no link within %.0f s of the larger ring: back to %llu entries, not tried again",
			 (double)g->link_wait / NSEC_PER_SEC, (unsigned long long)g->old);
		return true;
	}
	if (g->state != RINGS_DUE || !may_write(g, in))
		return false;
	*ret_entries = g->wanted;
	snprintf(text, ERR_MAX,
		 "receive ring %llu to %llu entries after drops at %.0f packets/s: about %.1f MB more memory",
		 (unsigned long long)g->old, (unsigned long long)g->wanted, g->pps_peak,
		 (double)(g->wanted - g->old) * BUFFER_BYTES * (in->queues ? in->queues : 1) / 1e6);
	return true;
}

void rings_wrote(struct rings *g, int error, uint64_t entries, nsec_t now)
{
	if (g->state == RINGS_UNDO || error || entries <= g->old) {
		g->state = RINGS_REFUSED;
		return;
	}
	g->state = RINGS_LINK;
	g->written = now;
	g->was_down = false;
}

bool rings_settling(const struct rings *g)
{
	return g->state == RINGS_LINK || g->state == RINGS_UNDO;
}
