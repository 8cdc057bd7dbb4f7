// SPDX-License-Identifier: GPL-2.0-or-later
/* pace: at most one change a second for a device, whatever its lanes want. */
#pragma once
#include <stdbool.h>

#include "core/units.h"

#define PACE_SLOTS 64

struct pace {
	nsec_t times[PACE_SLOTS]; /* of the last changes, in a ring; 0 = none */
	unsigned next;
};

bool pace_free(const struct pace *p, nsec_t now); /* may there be a change now? */
void pace_note(struct pace *p, nsec_t now);	  /* there was one */
unsigned pace_per_minute(const struct pace *p, nsec_t now);
