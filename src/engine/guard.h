// SPDX-License-Identifier: GPL-2.0-or-later
/* guard: the last word before a write, and what follows from one. */
#pragma once
#include "engine/tick.h"

/* What may be written in this tick, from what the lanes, the policy and the rings want; `undo` goes before all of it.
 * Fills r->why. Returns false when a change has to wait for its turn. */
bool guard_step(struct target *t, struct report *r, nsec_t now, const struct knob_set *undo, struct knob_set *want);
/* Completions must be taken long before the transmit ring is full. Not what the policy pins. */
void guard_bound_tx(const struct target *t, const struct report *r, const struct policy *p, struct knob_set *want);
/* After the write: watches begin, waits for the link too; knobs that turned out dead are put back and given up. */
void guard_wrote(struct target *t, struct report *r, nsec_t now);
