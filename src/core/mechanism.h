// SPDX-License-Identifier: GPL-2.0-or-later
/* mechanism: an interval as values of knobs. */
#pragma once
#include "core/controller-types.h"
#include "core/knob.h"
#include "core/nic.h"

/* dir: QUEUE_RX or QUEUE_TX (deferral has no TX form). interval_usecs 0 = do not hold packets back. frames 0 = no limit
 * asked for. original: values found at start; they decide what the rest leaves open. *ret gets only knobs that
 * caps->settable has, within the caps. Returns 0, or -EOPNOTSUPP when the device lacks what the mechanism needs. */
int mechanism_to_knobs(enum mech_kind kind, enum queue_dir dir, double interval_usecs, double frames,
		       const struct knob_caps *caps, const struct knob_set *original, struct knob_set *ret);
/* The interval that a set of knob values means (read-back), in us; < 0 when the set does not say. Deferral is off
 * (0) unless both knobs are > 0. */
double mechanism_interval(enum mech_kind kind, enum queue_dir dir, const struct knob_set *knobs);
