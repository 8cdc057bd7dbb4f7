// SPDX-License-Identifier: GPL-2.0-or-later
/* fixed: see fixed.h. */
#include "engine/fixed.h"

#define SAFETY_USECS 10 /* a timer beside frames that would wait for ever without one */

static const struct {
	enum knob usecs, frames, adaptive;
} sides[] = {
	{ KNOB_RX_USECS, KNOB_RX_FRAMES, KNOB_ADAPTIVE_RX },
	{ KNOB_TX_USECS, KNOB_TX_FRAMES, KNOB_ADAPTIVE_TX },
};
#define SIDES (sizeof(sides) / sizeof(sides[0]))

static uint64_t limit(const struct policy *p, enum knob k, uint64_t v)
{
	if (v < p->limit_min[k])
		v = p->limit_min[k];
	return v > p->limit_max[k] ? p->limit_max[k] : v;
}

void fixed_knobs(const struct policy *p, const struct nic_caps *caps, uint32_t off, const struct knob_set *current,
		 struct knob_set *ret)
{
	uint32_t usable = caps->knobs.settable & ~off;

	for (int k = 0; k < KNOB_COUNT; k++) {
		bool pinned = p->limit_min[k] == p->limit_max[k];

		if (!(p->limited & usable & KNOB_BIT(k)))
			continue;
		if (pinned)
			knob_put(ret, k, p->limit_min[k]);
		else if (knob_has(current, k) && limit(p, k, current->value[k]) != current->value[k])
			knob_put(ret, k, limit(p, k, current->value[k]));
	}
	if (p->mechanism != MECHANISM_ADAPTIVE)
		return;
	for (unsigned i = 0; i < SIDES; i++)
		if (usable & KNOB_BIT(sides[i].adaptive))
			knob_put(ret, sides[i].adaptive, 1);
}

static uint64_t value_of(const struct knob_set *want, const struct knob_set *current, enum knob k)
{
	return knob_has(want, k) ? want->value[k] : knob_has(current, k) ? current->value[k] : 0;
}

/* A policy that asks for more than one frame must not leave the last one without a timer. */
static void keep_timer(const struct policy *p, const struct quirk_effect *q, const struct nic_caps *caps,
		       const struct knob_set *current, unsigned side, struct knob_set *want)
{
	enum knob usecs = sides[side].usecs, frames = sides[side].frames;
	enum quirk_frames meaning = side == QUEUE_RX ? q->rx_frames : q->tx_frames;

	if (!(p->limited & KNOB_BIT(frames)) || p->limit_min[frames] <= 1 || value_of(want, current, usecs) ||
	    !(caps->knobs.settable & KNOB_BIT(usecs)))
		return;
	if (meaning == QUIRK_FRAMES_UNSET || meaning == QUIRK_FRAMES_COUNT)
		knob_put(want, usecs, quirk_round(q, usecs, SAFETY_USECS));
}

void fixed_limit(const struct policy *p, const struct quirk_effect *q, const struct nic_caps *caps,
		 const struct knob_set *current, struct knob_set *want)
{
	for (int k = 0; k < KNOB_COUNT; k++)
		if (knob_has(want, k) && (p->limited & KNOB_BIT(k)))
			want->value[k] = limit(p, k, want->value[k]);
	for (unsigned i = 0; i < SIDES; i++) {
		keep_timer(p, q, caps, current, i, want);
		if (!value_of(want, current, sides[i].adaptive))
			continue;
		knob_drop(want, sides[i].usecs); /* ignored or refused while the driver moderates */
		knob_drop(want, sides[i].frames);
	}
}
