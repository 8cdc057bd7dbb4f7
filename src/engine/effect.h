// SPDX-License-Identifier: GPL-2.0-or-later
/* effect: what a device makes of a value: by readback, and for timers by the spacing of its interrupts. */
#pragma once
#include "core/controller-types.h"
#include "core/knob.h"
#include "core/quirk.h"

enum effect_kind {
	EFFECT_UNKNOWN,
	EFFECT_EQUAL,	/* reads back as asked */
	EFFECT_ROUNDED, /* near it */
	EFFECT_CLAMPED, /* another value */
	EFFECT_MAGIC,	/* reads back a value that is no quantity */
	EFFECT_DEAD,	/* refused, ignored, or without any effect on interrupts */
	EFFECT_COUNT
};
extern const char *const effect_names[EFFECT_COUNT];

/* Of one readback; before: the value until then. */
enum effect_kind effect_of_readback(const struct quirk_effect *q, enum knob k, uint64_t before, uint64_t asked,
				    uint64_t got);

/* Watches one lane's timer over its raises. */
struct effect_test {
	bool running;
	double to_usecs, before; /* polls per packet before the raise */
	double sum;		 /* since */
	double last;		 /* polls per packet at the present setting; 0: not known */
	unsigned seen, strikes;
};

/* The lane's interval was raised or lowered by a write. */
void effect_changed(struct effect_test *e, double from_usecs, double to_usecs);
/* One sample. queues: how many of them raise interrupts each. Returns true when the timer proved dead. */
bool effect_step(struct effect_test *e, const struct ctl_input *in, unsigned queues);
