// SPDX-License-Identifier: GPL-2.0-or-later
/* hold: who a knob belongs to. Someone else's change takes it from us; the end of the policy's override-hold, or
 * resume, gives it back. See tick.h and target.h. */
#include <errno.h>

#include "engine/target.h"

int target_notified(struct target *t, uint32_t *ret_yielded)
{
	uint32_t foreign = 0;
	bool reshaped = false;
	char err[ERR_MAX];
	int r = apply_refresh(&t->apply, &t->nic, &foreign, &reshaped);

	if (r < 0)
		return r;
	if (rings_settling(&t->rings) || t->upset)
		foreign = 0; /* a reset that our own write caused */
	for (int k = 0; k < KNOB_COUNT; k++)
		if (foreign & KNOB_BIT(k))
			t->held_since[k] = 0; /* again: the hold starts over */
	if (foreign)
		apply_disown(&t->apply, &t->nic, foreign | t->yielded);
	foreign &= ~t->yielded;
	*ret_yielded = foreign;
	if (foreign) {
		t->yielded |= foreign;
		target_choose(t);
		/* the half that is still ours makes no sense beside theirs; what fails now is tried again at the end */
		if (!t->n_lanes)
			apply_restore(&t->apply, &t->nic, t->yielded, err);
	}
	return 0;
}

static int reclaim(struct target *t, uint32_t bits)
{
	int r = apply_adopt(&t->apply, &t->nic, bits);

	if (r < 0)
		return r;
	t->yielded &= ~bits;
	for (int k = 0; k < KNOB_COUNT; k++)
		if (bits & KNOB_BIT(k))
			t->held_since[k] = 0;
	if (t->state == TARGET_YIELDED)
		t->state = TARGET_NEW;
	target_choose(t);
	return 0;
}

void target_end_holds(struct target *t, nsec_t now, struct report *r)
{
	nsec_t hold = t->rules.policy.override_hold_ns;
	uint32_t over = 0;

	for (int k = 0; k < KNOB_COUNT; k++) {
		if (!(t->yielded & KNOB_BIT(k)))
			continue;
		if (!t->held_since[k])
			t->held_since[k] = now;
		else if (hold && now - t->held_since[k] >= hold)
			over |= KNOB_BIT(k);
	}
	if (over && t->state != TARGET_GONE && reclaim(t, over) == 0)
		r->resumed = over;
}

int target_resume(struct target *t)
{
	return t->yielded ? reclaim(t, t->yielded) : 0;
}
