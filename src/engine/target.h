// SPDX-License-Identifier: GPL-2.0-or-later
/* target: what tick.c needs of a target's life: which state it is in and why. */
#pragma once
#include "engine/tick.h"

enum target_state target_ready_state(const struct target *t); /* after the first samples */
void target_choose(struct target *t);			      /* mechanisms anew, e.g. after a knob turned out dead */
/* What holds whatever the lanes decide: see fixed.h, and sum.h (*ret_capped: knobs from there). */
void target_fixed(const struct target *t, struct knob_set *ret, uint32_t *ret_capped);
/* Knobs of `s` that the engine wrote before, or whose value differs from the one found at start. */
bool target_has_touched(const struct target *t, const struct knob_set *s);
/* What mechanisms are chosen from. rest: see apply_rest(). */
void target_context(const struct target *t, struct mech_context *ret, const struct knob_set *rest);
/* Failed writes in a row are a trouble; missing rights are final. */
void target_count_errors(struct target *t, int error, nsec_t now, struct report *r);
/* hold.c: settings that fell back by themselves are told, and a trouble when it is often. */
void target_count_resets(struct target *t, nsec_t now, struct report *r);
/* Originals back and hands off for a while, each time twice as long. */
void target_enter_safe(struct target *t, const char *what, nsec_t now);
void target_leave_safe(struct target *t);

/* hold.c: knobs whose override-hold is over are ours again. */
void target_end_holds(struct target *t, nsec_t now, struct report *r);
