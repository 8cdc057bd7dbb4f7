// SPDX-License-Identifier: GPL-2.0-or-later
/* mechanism: see mechanism.h. Frames are where drivers agree least, so they are touched only where they must be:
 * with no timer more than one frame would wait for the next packet, for ever if none comes. */
#include "core/mechanism.h"

#include <errno.h>

#include "core/units.h"

#define DEFER_EMPTY_POLLS 2 /* one is undone by the first gap; more only add empty polls */

static uint64_t to_device(double v)
{
	return v > 0 ? (uint64_t)(v + 0.5) : 0;
}

static int timer_knobs(enum queue_dir dir, double interval_usecs, double frames, const struct knob_caps *caps,
		       const struct knob_set *original, struct knob_set *want)
{
	enum knob usecs = dir == QUEUE_RX ? KNOB_RX_USECS : KNOB_TX_USECS;
	enum knob limit = dir == QUEUE_RX ? KNOB_RX_FRAMES : KNOB_TX_FRAMES;
	enum knob adaptive = dir == QUEUE_RX ? KNOB_ADAPTIVE_RX : KNOB_ADAPTIVE_TX;
	uint64_t before = knob_has(original, limit) ? original->value[limit] : 0;
	bool timer = knob_has(original, usecs) && original->value[usecs];

	if (!(caps->settable & KNOB_BIT(usecs)))
		return -EOPNOTSUPP;
	knob_put(want, usecs, to_device(interval_usecs));
	if (knob_has(original, adaptive))
		knob_put(want, adaptive, 0); /* while on, it overrides or rejects usecs */
	if (!knob_has(original, limit))
		return 0;
	if (interval_usecs <= 0)
		knob_put(want, limit, before > 1 || timer ? 1 : before);
	else if (frames > 0)
		knob_put(want, limit, to_device(frames));
	else
		knob_put(want, limit, before == 1 ? 0 : before); /* 1 = every frame: no timer would ever run */
	return 0;
}

static int deferral_knobs(double interval_usecs, const struct knob_caps *caps, const struct knob_set *original,
			  struct knob_set *want)
{
	static const enum knob both[] = { KNOB_GRO_FLUSH_TIMEOUT, KNOB_NAPI_DEFER_HARD_IRQS };

	for (int i = 0; i < 2; i++) {
		if (!(caps->settable & KNOB_BIT(both[i])))
			return -EOPNOTSUPP;
		knob_put(want, both[i], knob_has(original, both[i]) ? original->value[both[i]] : 0);
	}
	if (interval_usecs > 0) {
		knob_put(want, KNOB_GRO_FLUSH_TIMEOUT, units_usecs_to_ns(interval_usecs));
		knob_put(want, KNOB_NAPI_DEFER_HARD_IRQS, DEFER_EMPTY_POLLS);
	}
	return 0;
}

int mechanism_to_knobs(enum mech_kind kind, enum queue_dir dir, double interval_usecs, double frames,
		       const struct knob_caps *caps, const struct knob_set *original, struct knob_set *ret)
{
	struct knob_set want = { 0 };
	int r = -EOPNOTSUPP;

	switch (kind) {
	case MECH_TIMER: r = timer_knobs(dir, interval_usecs, frames, caps, original, &want); break;
	case MECH_PACING: r = timer_knobs(dir, interval_usecs, 0, caps, original, &want); break;
	case MECH_DEFERRAL:
		if (dir == QUEUE_RX)
			r = deferral_knobs(interval_usecs, caps, original, &want);
		break;
	}
	if (r < 0)
		return r;
	knob_set_clamp(&want, caps);
	*ret = want;
	return 0;
}

double mechanism_interval(enum mech_kind kind, enum queue_dir dir, const struct knob_set *knobs)
{
	enum knob usecs = dir == QUEUE_RX ? KNOB_RX_USECS : KNOB_TX_USECS;

	switch (kind) {
	case MECH_TIMER:
	case MECH_PACING: return knob_has(knobs, usecs) ? (double)knobs->value[usecs] : -1;
	case MECH_DEFERRAL:
		if (!knob_has(knobs, KNOB_GRO_FLUSH_TIMEOUT) || !knob_has(knobs, KNOB_NAPI_DEFER_HARD_IRQS))
			return -1;
		if (!knobs->value[KNOB_NAPI_DEFER_HARD_IRQS])
			return 0;
		return (double)knobs->value[KNOB_GRO_FLUSH_TIMEOUT] / 1e3;
	}
	return -1;
}
