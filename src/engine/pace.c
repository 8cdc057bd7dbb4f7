// SPDX-License-Identifier: GPL-2.0-or-later
/* pace: see pace.h. */
#include "engine/pace.h"

bool pace_free(const struct pace *p, nsec_t now)
{
	nsec_t last = p->times[(p->next + PACE_SLOTS - 1) % PACE_SLOTS];

	return !last || now - last >= NSEC_PER_SEC;
}

void pace_note(struct pace *p, nsec_t now)
{
	p->times[p->next] = now;
	p->next = (p->next + 1) % PACE_SLOTS;
}

unsigned pace_per_minute(const struct pace *p, nsec_t now)
{
	unsigned n = 0;

	for (unsigned i = 0; i < PACE_SLOTS; i++)
		n += p->times[i] && now - p->times[i] < 60 * NSEC_PER_SEC;
	return n;
}
