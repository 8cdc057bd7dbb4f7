// SPDX-License-Identifier: GPL-2.0-or-later
/* target: what tick.c needs of a target's life: which state it is in and why. */
#pragma once
#include "engine/tick.h"

enum target_state target_ready_state(const struct target *t); /* after the first samples */
void target_choose(struct target *t);			      /* mechanisms anew, e.g. after a knob turned out dead */
/* Knobs of `s` that the engine wrote before, or whose value differs from the one found at start. */
bool target_has_touched(const struct target *t, const struct knob_set *s);
/* Three failed writes in a row: originals back and hands off for a while, each time twice as long. */
void target_count_errors(struct target *t, int error, nsec_t now, struct report *r);
void target_leave_safe(struct target *t);
