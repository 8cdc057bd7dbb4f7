// SPDX-License-Identifier: GPL-2.0-or-later
/* sum: the latency cap holds for all that holds a received packet back, one after the other: the device's timer, then
 * the kernel's deferral with the lateness of its timers. One of the two is driven; the other stands as it was found. */
#pragma once
#include "engine/mech.h"

/* What the standing one adds to `driven` on the way of a received packet, us; 0: nothing, or not known. Where it alone
 * breaks the cap, what it is lowered to (half the cap, or off) goes into *ret_lower and counts instead; pinned and
 * unsettable knobs stay. */
double sum_standing_usecs(const struct mech_context *c, enum mech_kind driven, struct knob_set *ret_lower);
/* The policy with the part of its cap that `usecs` leaves. */
void sum_policy_left(const struct policy *p, double usecs, struct policy *ret);
