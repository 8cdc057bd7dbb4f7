// SPDX-License-Identifier: GPL-2.0-or-later
/* watch: see watch.h. The offered load cannot be measured. It counts as unchanged when the rate was steady before (a
 * fall is one below the least of the last intervals), and when putting the setting back brings the packets back. */
#include "engine/watch.h"

#include <math.h>
#include <stdio.h>

#define PPS_MIN 1000.0	  /* less traffic tells nothing */
#define FALL 0.8	  /* of the least before */
#define FALL_TESTED 0.5
#define BAD_INTERVALS 2	  /* of WATCH_AFTER: one is a spike */
#define DROPS_FACTOR 2.0
#define DROPS_PPS 10.0
#define DROPS_PART 0.001
#define BACKOFF_NS (60 * NSEC_PER_SEC)
#define BACKOFF_MAX_NS (3600 * NSEC_PER_SEC)

static double least(const double *v, unsigned n)
{
	double m = n ? v[0] : 0;

	for (unsigned i = 1; i < n; i++)
		m = fmin(m, v[i]);
	return m;
}

static double most(const double *v, unsigned n)
{
	double m = 0;

	for (unsigned i = 0; i < n; i++)
		m = fmax(m, v[i]);
	return m;
}

void watch_testing(struct watch *w, bool testing)
{
	w->goes_on = testing && w->testing;
	w->testing = testing;
}

void watch_change(struct watch *w, const struct knob_set *before, uint32_t written)
{
	struct knob_set from = *before;

	from.have &= written;
	if (w->state == WATCH_CHANGE || w->goes_on) { /* one more before the verdict: together they are one change */
		knob_set_overlay(&from, &w->from);
	} else {
		w->base_pps = least(w->pps, w->n);
		w->base_drops = most(w->drops, w->n);
	}
	w->from = from;
	w->tested = w->testing;
	w->state = w->n ? WATCH_CHANGE : WATCH_REST;
	w->seen = w->worse = 0;
	w->sum_pps = w->sum_drops = 0;
}

void watch_skip(struct watch *w)
{
	w->state = WATCH_REST;
	w->testing = w->goes_on = false;
	w->n = w->next = 0;
}

static void remember(struct watch *w, double pps, double drops_ps)
{
	w->pps[w->next] = pps;
	w->drops[w->next] = drops_ps;
	w->next = (w->next + 1) % WATCH_BEFORE;
	if (w->n < WATCH_BEFORE)
		w->n++;
}

static bool drops_more(const struct watch *w, double drops_ps)
{
	return drops_ps > DROPS_FACTOR * w->base_drops + fmax(DROPS_PPS, DROPS_PART * w->base_pps);
}

static bool is_worse(const struct watch *w, double pps, double drops_ps)
{
	if (drops_more(w, drops_ps))
		return true;
	return w->base_pps >= PPS_MIN && pps < w->base_pps * (w->tested ? FALL_TESTED : FALL);
}

static void avoid_value(struct avoid *a, uint64_t good, uint64_t bad, nsec_t now)
{
	a->backoff_ns = !a->backoff_ns ? BACKOFF_NS :
			a->backoff_ns >= BACKOFF_MAX_NS / 2 ? BACKOFF_MAX_NS : a->backoff_ns * 2;
	a->until = now + a->backoff_ns;
	a->good = good;
	a->bad = bad;
}

static uint32_t undo(struct watch *w, const struct knob_set *current, nsec_t now, struct knob_set *ret, char *text)
{
	uint32_t bits = knob_set_diff(&w->from, current, ret);
	nsec_t wait = 0;

	w->worse_pps = w->sum_pps / w->seen;
	w->worse_drops = w->sum_drops / w->seen;
	w->state = bits ? WATCH_UNDONE : WATCH_REST;
	w->seen = 0;
	w->sum_pps = w->sum_drops = 0;
	if (!bits)
		return 0;
	w->rollbacks++;
	for (int k = 0; k < KNOB_COUNT; k++)
		if (bits & KNOB_BIT(k)) {
			avoid_value(&w->avoid[k], w->from.value[k], current->value[k], now);
			wait = w->avoid[k].backoff_ns;
		}
	snprintf(text, ERR_MAX,
		 "after it %.0f packets/s (%.0f before), %.0f ring drops/s (%.0f before): undone, avoided for %.0f s",
		 w->worse_pps, w->base_pps, w->worse_drops, w->base_drops, (double)wait / NSEC_PER_SEC);
	return bits;
}

/* Nothing better without the change: it was the load. */
static void absolve(struct watch *w)
{
	double pps = w->sum_pps / w->seen, drops = w->sum_drops / w->seen;
	bool fell = w->worse_pps < w->base_pps * (w->tested ? FALL_TESTED : FALL);

	w->state = WATCH_REST;
	if (fell ? pps >= (w->base_pps + w->worse_pps) / 2 : !drops_more(w, drops))
		return;
	w->voids++;
	for (int k = 0; k < KNOB_COUNT; k++)
		if (knob_has(&w->from, k)) {
			w->avoid[k].until = 0;
			w->avoid[k].backoff_ns /= 2;
		}
}

uint32_t watch_step(struct watch *w, const struct rates *r, const struct knob_set *current, nsec_t now,
		    struct knob_set *ret_undo, char text[ERR_MAX])
{
	double drops = r->have & SAMPLE_RING_DROPS ? r->ring_drops_ps : 0;

	remember(w, r->rx_pps, drops);
	if (w->state == WATCH_REST)
		return 0;
	w->seen++;
	w->sum_pps += r->rx_pps;
	w->sum_drops += drops;
	if (w->state == WATCH_UNDONE) {
		if (w->seen >= WATCH_AFTER)
			absolve(w);
		return 0;
	}
	w->worse += is_worse(w, r->rx_pps, drops);
	if (w->worse >= BAD_INTERVALS)
		return undo(w, current, now, ret_undo, text);
	if (w->seen >= WATCH_AFTER)
		w->state = WATCH_REST;
	return 0;
}

uint32_t watch_avoid(const struct watch *w, nsec_t now, struct knob_set *want)
{
	uint32_t bits = 0;

	for (int k = 0; k < KNOB_COUNT; k++) {
		const struct avoid *a = &w->avoid[k];
		uint64_t v = want->value[k], half = a->good + a->bad;

		if (!knob_has(want, k) || now >= a->until)
			continue;
		if (a->bad > a->good ? v * 2 > half : v * 2 < half) { /* nearer to the bad one */
			want->value[k] = a->good;
			bits |= KNOB_BIT(k);
		}
	}
	return bits;
}
