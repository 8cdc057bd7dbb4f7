// SPDX-License-Identifier: GPL-2.0-or-later
/* hold: who a knob belongs to. Someone else's change takes it from us; the end of the policy's override-hold, or
 * resume, gives it back. See tick.h and target.h. */
#include <errno.h>

#include "engine/target.h"

const char *hand_text(enum hand hand)
{
	switch (hand) {
	case HAND_UNSEEN: return "nobody told, found by reading back";
	case HAND_ETHTOOL: return "with ethtool";
	case HAND_SYSFS: return "by a write to sysfs";
	}
	return "";
}

/* Of the knobs that differ now, those that the device forgot: told by nobody, and all that we set is as it was found.
 * Per-queue ioctls send no notification either, but hardly put back just that. */
static uint32_t forgotten(const struct target *t, uint32_t foreign)
{
	const struct apply *a = &t->apply;
	uint32_t told = knob_channel_mask(CHANNEL_COALESCE) | knob_channel_mask(CHANNEL_RINGS);
	uint32_t ours = a->asked.have & told & ~t->yielded;

	if (!t->facts.ethtool_tells || !a->saved || !(foreign & ours))
		return 0;
	for (int k = 0; k < KNOB_COUNT; k++)
		if ((ours & KNOB_BIT(k)) && !(knob_has(&a->original.device, k) && knob_has(&a->current, k) &&
					      a->original.device.value[k] == a->current.value[k]))
			return 0;
	return foreign & ours;
}

/* The notification of a change may still wait to be read when the change is seen: so it is looked at twice. */
static uint32_t leave_out_forgotten(struct target *t, const struct knob_set *before, uint32_t foreign)
{
	uint32_t lost = forgotten(t, foreign);

	if (lost && lost == t->suspected) {
		t->fell_back |= lost;
		lost = 0;
		foreign &= ~t->suspected;
	} else if (lost) {
		for (int k = 0; k < KNOB_COUNT; k++)
			if (lost & KNOB_BIT(k))
				knob_put(&t->apply.current, k, before->value[k]); /* nothing is written meanwhile */
		foreign &= ~lost;
	}
	t->suspected = lost;
	return foreign;
}

/* What the driver moderates it may show, and that moves by itself. */
static uint32_t moderated(const struct knob_set *before, const struct knob_set *now)
{
	uint32_t bits = 0;

	if (knob_has(before, KNOB_ADAPTIVE_RX) && before->value[KNOB_ADAPTIVE_RX] && now->value[KNOB_ADAPTIVE_RX])
		bits |= KNOB_BIT(KNOB_RX_USECS) | KNOB_BIT(KNOB_RX_FRAMES);
	if (knob_has(before, KNOB_ADAPTIVE_TX) && before->value[KNOB_ADAPTIVE_TX] && now->value[KNOB_ADAPTIVE_TX])
		bits |= KNOB_BIT(KNOB_TX_USECS) | KNOB_BIT(KNOB_TX_FRAMES);
	return bits;
}

int target_notified(struct target *t, enum hand hand, uint32_t *ret_yielded)
{
	struct knob_set before = t->apply.current;
	uint32_t foreign = 0;
	bool reshaped = false;
	char err[ERR_MAX];
	int r = apply_refresh(&t->apply, &t->nic, &foreign, &reshaped);

	if (r < 0)
		return r;
	foreign &= ~moderated(&before, &t->apply.current);
	queues_refresh(t, hand != HAND_UNSEEN, reshaped, &foreign);
	if (rings_settling(&t->rings) || t->upset)
		foreign = 0; /* a reset that our own write caused */
	if (hand == HAND_UNSEEN)
		foreign = leave_out_forgotten(t, &before, foreign);
	else
		t->suspected = 0;
	for (int k = 0; k < KNOB_COUNT; k++)
		if (foreign & KNOB_BIT(k))
			t->held_since[k] = 0; /* again: the hold starts over */
	if (foreign)
		apply_disown(&t->apply, &t->nic, foreign | t->yielded);
	foreign &= ~t->yielded;
	*ret_yielded = foreign;
	if (foreign) {
		t->hand = hand;
		t->yielded |= foreign;
		target_choose(t);
		/* the half that is still ours makes no sense beside theirs; what fails now is tried again at the end */
		if (!t->n_lanes)
			apply_restore(&t->apply, &t->nic, t->yielded, err);
	}
	return 0;
}

void target_count_resets(struct target *t, nsec_t now, struct report *r)
{
	if (!t->fell_back)
		return;
	r->fell_back = t->fell_back;
	t->fell_back = 0;
	if (health_note(&t->health, TROUBLE_RESET, 1, now) && t->state == TARGET_ACTIVE)
		target_enter_safe(t, health_text(TROUBLE_RESET), now);
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
	if (!queues_yielded(t))
		return;
	if (!t->queues.held_since)
		t->queues.held_since = now;
	else if (hold && now - t->queues.held_since >= hold) {
		r->resumed |= queues_yielded(t);
		queues_reclaim(t);
	}
}

int target_resume(struct target *t)
{
	queues_reclaim(t);
	return t->yielded ? reclaim(t, t->yielded) : 0;
}
