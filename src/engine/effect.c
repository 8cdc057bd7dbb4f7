// SPDX-License-Identifier: GPL-2.0-or-later
/* effect: see effect.h. A timer is dead only when two things hold: nothing changed at all, and there are more
 * interrupts than it would let pass. Either alone may be the load's doing. */
#include "engine/effect.h"

#include <math.h>

#define ROUNDED_PART 4 /* a readback within 1/4 of what was asked */
#define RAISE 2.0
#define RAISE_MIN_USECS 8.0
#define PACKETS_MIN 2.0 /* due in an interval: else it is not the timer that ends it */
#define SAMPLES 3
#define SAME 0.05
#define TOO_MANY 1.5
#define STRIKES 2

const char *const effect_names[EFFECT_COUNT] = {
	[EFFECT_UNKNOWN] = "unknown", [EFFECT_EQUAL] = "equal", [EFFECT_ROUNDED] = "rounded",
	[EFFECT_CLAMPED] = "clamped", [EFFECT_MAGIC] = "magic", [EFFECT_DEAD] = "dead",
};

enum effect_kind effect_of_readback(const struct quirk_effect *q, enum knob k, uint64_t before, uint64_t asked,
				    uint64_t got)
{
	uint64_t off = got > asked ? got - asked : asked - got;
	uint64_t moved = asked > before ? asked - before : before - asked;

	if (got == asked)
		return quirk_is_magic(q, k, got) && got ? EFFECT_MAGIC : EFFECT_EQUAL;
	if (quirk_is_magic(q, k, got) && got)
		return EFFECT_MAGIC;
	/* a step larger than the move also leaves the value where it was; a doubling is more than any step */
	if (got == before && moved >= asked / 2 && asked)
		return EFFECT_DEAD;
	return off * ROUNDED_PART <= asked ? EFFECT_ROUNDED : EFFECT_CLAMPED;
}

void effect_changed(struct effect_test *e, double from_usecs, double to_usecs)
{
	e->running = e->last > 0 && to_usecs >= RAISE_MIN_USECS && to_usecs >= RAISE * from_usecs;
	e->before = e->last;
	e->to_usecs = to_usecs;
	e->last = e->sum = 0;
	e->seen = 0;
}

bool effect_step(struct effect_test *e, const struct ctl_input *in, unsigned queues)
{
	double permitted, mean;

	if (!in->have_polls || !in->have_pps || in->pps <= 0 || in->polls_ps <= 0 || in->skip)
		return false;
	e->last = in->polls_ps / in->pps;
	if (!e->running)
		return false;
	if (in->pps / 1e6 * e->to_usecs < PACKETS_MIN * (queues ? queues : 1)) {
		e->running = false;
		return false;
	}
	e->sum += e->last;
	if (++e->seen < SAMPLES)
		return false;
	e->running = false;
	mean = e->sum / e->seen;
	permitted = 1e6 / e->to_usecs * (queues ? queues : 1) * TOO_MANY;
	if (fabs(mean - e->before) > SAME * e->before || mean * in->pps <= permitted)
		e->strikes = 0;
	else
		e->strikes++;
	return e->strikes >= STRIKES;
}
