// SPDX-License-Identifier: GPL-2.0-or-later
/* owner: interfaces that are one piece of hardware have one set of knobs: the first that is up and is to be tuned
 * decides, the others are left alone. */
#pragma once
#include "daemon/fleet.h"

/* Who decides for the hardware of m: m itself where it is not shared. */
struct member *owner_of(const struct fleet *f, const struct member *m);
/* What was found on the others of the same hardware: it would suffer too. */
uint32_t owner_found(const struct fleet *f, const struct member *m);
/* Those that hold the hardware of m although they do not decide any more let it go. */
void owner_step_down(struct fleet *f, const struct member *m);
/* After somebody came, left, went up or down: whoever has to begin or to end does. */
void owner_elect(struct fleet *f);
/* m leaves, and the hardware keeps what we wrote: what m found there goes to the next owner, as if after a crash. */
void owner_bequeath(struct fleet *f, const struct member *m);
