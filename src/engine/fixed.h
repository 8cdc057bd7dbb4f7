// SPDX-License-Identifier: GPL-2.0-or-later
/* fixed: what a policy says of single knobs, whatever the load: pins, limits, and adaptive moderation on. */
#pragma once
#include "core/nic.h"
#include "core/policy.h"
#include "core/quirk.h"

/* Values that hold without any lane: pinned ones, present ones moved into their limits, adaptive moderation where it is
 * the mechanism. off: knobs that cannot be set or are someone else's. Adds to *ret. */
void fixed_knobs(const struct policy *p, const struct nic_caps *caps, uint32_t off, const struct knob_set *current,
		 struct knob_set *ret);
/* Moves `want` into the limits, and takes out what the driver's adaptive moderation owns while it is on. */
void fixed_limit(const struct policy *p, const struct quirk_effect *q, const struct nic_caps *caps,
		 const struct knob_set *current, struct knob_set *want);
