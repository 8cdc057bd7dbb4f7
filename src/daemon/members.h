// SPDX-License-Identifier: GPL-2.0-or-later
/* members: the interfaces that the fleet knows, in order of ifindex. One that cannot be tuned is only remembered: what
 * is tuned takes 150 KB. */
#pragma once
#include "daemon/control.h"
#include "daemon/metrics-totals.h"
#include "engine/tick.h"

struct member {
	struct nic_info nic;
	struct target *target; /* NULL: only remembered, by the next three */
	enum target_state state;
	char why[ERR_MAX];
	struct knob_set knobs;

	struct policy policy;	   /* the one that is left by manners, and */
	struct quirk_effect quirk; /* what is known of the driver: both as they were applied */
	bool named;		 /* it names this interface: see manners.h */
	uint32_t found;		 /* reasons to leave it alone that exist (MANNERS_BIT) */
	uint32_t reasons;	 /* ... and those that count with this policy */
	uint64_t xdp_queues;	 /* see struct occupancy_found */
	bool shared, wants;	 /* its hardware has other interfaces too; the configuration wants it tuned */
	int owner;		 /* ifindex of the one that decides for shared hardware; 0 = this one */
	bool stale;		 /* its target runs by rules that no longer hold: it could not be stopped */
	bool waits;		 /* for one of the others to go: see TARGETS_MAX */

	struct control control;	 /* what somebody asked of it */
	struct report last;	 /* of its last tick */
	struct totals *totals;	 /* of all its ticks; NULL: none yet */
	enum target_state told;	 /* state and reason that the log knows */
	char told_why[ERR_MAX];
	char told_error[ERR_MAX];
	char told_queues[ERR_MAX];
	enum reason told_reason; /* of the last decision */
	struct knob_set said; /* observing: what "would set" said last */
};

struct members {
	struct member **v;
	size_t n, size;
};

struct member *members_find(const struct members *s, int ifindex);
/* A new one, zeroed but for nic; NULL: no memory. There must be none with this ifindex. */
struct member *members_add(struct members *s, const struct nic_info *nic);
void members_remove(struct members *s, struct member *m); /* frees it and its target */
void members_free(struct members *s);

enum target_state member_state(const struct member *m);
void member_count(struct member *m); /* adds its last tick to its totals */
const char *member_why(const struct member *m); /* why it is left alone; "" when it is not */
