// SPDX-License-Identifier: GPL-2.0-or-later
/* quirk: see quirk.h. */
#include "core/quirk.h"

#include <math.h>
#include <string.h>

static void merge_bounds(struct quirk_bounds *into, const struct quirk_bounds *from)
{
	for (int k = 0; k < KNOB_COUNT; k++)
		if (from->have & KNOB_BIT(k)) {
			into->have |= KNOB_BIT(k);
			into->scaled = (into->scaled & ~KNOB_BIT(k)) | (from->scaled & KNOB_BIT(k));
			into->min[k] = from->min[k];
			into->max[k] = from->max[k];
		}
}

static void merge(struct quirk_effect *e, const struct quirk_effect *from)
{
	e->deny |= from->deny;
	e->together |= from->together;
	e->disruptive |= from->disruptive;
	e->resets |= from->resets;
	if (from->settle_ns)
		e->settle_ns = from->settle_ns;
	if (from->rx_frames)
		e->rx_frames = from->rx_frames;
	if (from->tx_frames)
		e->tx_frames = from->tx_frames;
	if (from->deferral)
		e->deferral = from->deferral;
	if (from->per_queue)
		e->per_queue = from->per_queue;
	if (from->global_set)
		e->global_set = from->global_set;
	if (from->delay)
		e->delay = from->delay;
	if (from->shared)
		e->shared = from->shared;
	if (from->irq_order[0])
		memcpy(e->irq_order, from->irq_order, sizeof(e->irq_order));
	merge_bounds(&e->limits, &from->limits);
	merge_bounds(&e->step, &from->step);
	for (int k = 0; k < KNOB_COUNT; k++) {
		if (from->min_on_set & KNOB_BIT(k)) {
			e->min_on_set |= KNOB_BIT(k);
			e->min_on[k] = from->min_on[k];
		}
		if (from->magic[k])
			e->magic[k] = from->magic[k];
	}
}

/* Scaled bounds into the knob's unit; those without a value to scale, or with 0 (off: says nothing), go away. */
static void resolve(struct quirk_bounds *b, const struct knob_set *defaults)
{
	for (int k = 0; k < KNOB_COUNT; k++) {
		if (!(b->scaled & KNOB_BIT(k)))
			continue;
		if (!defaults || !knob_has(defaults, k) || !defaults->value[k]) {
			b->have &= ~KNOB_BIT(k);
			continue;
		}
		b->min[k] *= (double)defaults->value[k];
		b->max[k] *= (double)defaults->value[k];
	}
	b->scaled = 0;
}

static void narrow(struct knob_caps *caps, const struct quirk_effect *e)
{
	for (int k = 0; k < KNOB_COUNT; k++) {
		uint64_t min = caps->min[k], max = caps->max[k];

		if (e->limits.have & KNOB_BIT(k)) {
			if (ceil(e->limits.min[k]) > (double)min)
				min = (uint64_t)ceil(e->limits.min[k]);
			if (floor(e->limits.max[k]) < (double)max)
				max = (uint64_t)floor(e->limits.max[k]);
		}
		if (min <= max) { /* else the device knows better */
			caps->min[k] = min;
			caps->max[k] = max;
		}
		if ((e->step.have & KNOB_BIT(k)) && e->step.min[k] >= 1)
			caps->step[k] = (uint64_t)lround(e->step.min[k]);
	}
}

size_t quirk_apply(const struct quirk *quirks, size_t n, const struct match_subject *subject,
		   const struct knob_set *defaults, struct nic_caps *caps, struct quirk_effect *ret)
{
	struct quirk_effect e = { 0 };
	size_t fit = 0;

	for (size_t i = 0; i < n; i++)
		if (match_fits(&quirks[i].match, subject)) {
			merge(&e, &quirks[i].effect);
			fit++;
		}
	resolve(&e.limits, defaults);
	resolve(&e.step, defaults);
	narrow(&caps->knobs, &e);
	/* deferral that the driver ignores would add timer polls and save no interrupt */
	if (e.deferral == QUIRK_DIRS_NONE || e.deferral == QUIRK_DIRS_TX) {
		e.deny |= knob_channel_mask(CHANNEL_NAPI);
		caps->napi_path = NAPI_NONE;
	}
	caps->knobs.settable &= ~e.deny;
	if (e.per_queue == QUIRK_DIRS_NONE)
		caps->per_queue = false;
	*ret = e;
	return fit;
}

uint64_t quirk_round(const struct quirk_effect *e, enum knob k, uint64_t v)
{
	double step = e->step.have & KNOB_BIT(k) ? e->step.min[k] : 1;

	if (v && (e->min_on_set & KNOB_BIT(k)) && v < e->min_on[k])
		v = v * 2 < e->min_on[k] ? 0 : e->min_on[k];
	/* the smallest whole number that falls into the step: drivers that round down then read back the same */
	if (v && step > 1)
		v = (uint64_t)ceil(ceil((double)v / step - 0.5) * step);
	while (quirk_is_magic(e, k, v))
		v++;
	return v;
}
