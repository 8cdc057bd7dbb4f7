// SPDX-License-Identifier: GPL-2.0-or-later
/* owner: see owner.h. Same hardware: the driver says so, and the bus address is the same. */
#include "daemon/owner.h"

#include <string.h>

#include "daemon/manners.h"
#include "daemon/member.h"

static bool same_hardware(const struct member *a, const struct member *b)
{
	return a->shared && b->shared && !strcmp(a->nic.bus_info, b->nic.bus_info) &&
	       !strcmp(a->nic.driver, b->nic.driver);
}

/* Members are in order of ifindex, so the first of the best is the lowest. */
static struct member *best(const struct fleet *f, const struct member *m, const struct member *without)
{
	struct member *found = NULL;
	int points = -1;

	for (size_t i = 0; i < f->members.n; i++) {
		struct member *k = f->members.v[i];
		int p = 2 * k->wants + (k->wants && k->nic.up);

		if (k == without || !same_hardware(k, m) || p <= points)
			continue;
		found = k;
		points = p;
	}
	return found;
}

struct member *owner_of(const struct fleet *f, const struct member *m)
{
	struct member *o = m->shared ? best(f, m, NULL) : NULL;

	return o ? o : members_find(&f->members, m->nic.ifindex);
}

uint32_t owner_found(const struct fleet *f, const struct member *m)
{
	uint32_t found = 0;

	for (size_t i = 0; m->shared && i < f->members.n; i++)
		if (f->members.v[i] != m && same_hardware(f->members.v[i], m))
			found |= f->members.v[i]->found;
	return found & (MANNERS_BIT(OCCUPANCY_COUNT) - 1); /* NAPI instances are not shared */
}

void owner_step_down(struct fleet *f, const struct member *m)
{
	for (size_t i = 0; i < f->members.n; i++) {
		struct member *k = f->members.v[i];

		if (k != m && k->target && !k->owner && same_hardware(k, m) && owner_of(f, k) != k)
			member_restart(f, k);
	}
}

void owner_elect(struct fleet *f)
{
	for (size_t i = 0; i < f->members.n; i++)
		if (f->members.v[i]->shared && member_outdated(f, f->members.v[i]))
			member_restart(f, f->members.v[i]);
}

void owner_bequeath(struct fleet *f, const struct member *m)
{
	const struct apply *a = m->target ? &m->target->apply : NULL;
	struct nic_settings s;
	struct member *heir;

	if (!m->shared || !a || !a->saved || !f->state)
		return;
	heir = best(f, m, m);
	if (!heir)
		return;
	s = a->original;
	s.device.have &= knob_channel_mask(CHANNEL_COALESCE); /* NAPI instances and rings went with m */
	s.n_napi = 0;
	if (s.device.have)
		state_save(f->state, &heir->nic, &s);
}
