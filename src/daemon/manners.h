// SPDX-License-Identifier: GPL-2.0-or-later
/* manners: reasons to leave a device alone, and what each takes away from a policy. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/match.h"
#include "core/policy.h"
#include "io/occupancy.h"

/* Bits of a set of reasons: those of enum occupancy, and what only the fleet knows: */
enum manners_reason {
	MANNERS_BUSY_POLL = OCCUPANCY_COUNT, /* deferral was on already, set by somebody */
	MANNERS_SHARED,			     /* another interface of the same hardware decides */
	MANNERS_COUNT
};
#define MANNERS_BIT(r) (UINT32_C(1) << (r))

enum manners_exempt {
	EXEMPT_DEVICE,	 /* all of its settings */
	EXEMPT_DEFERRAL, /* software deferral, unless the policy says `mechanism = software` */
};

enum manners_overrule { /* what of a policy says that the administrator wants it all the same */
	OVERRULE_NEVER,
	OVERRULE_NAMED,	   /* it names this interface by name, mac or path */
	OVERRULE_SOFTWARE, /* mechanism = software */
};

struct manners_row {
	const char *slug, *sentence;
	enum manners_exempt exempt;
	enum manners_overrule overrule;
};
extern const struct manners_row manners_table[MANNERS_COUNT];

/* Does a policy's [match] mean just this interface: a name, mac or path that is more than "*"? */
bool manners_named(const struct match *m);
/* The policy that is left with these reasons; *ret may be p itself. Returns the reasons that took something away. */
uint32_t manners_policy(uint32_t found, bool named, const struct policy *p, struct policy *ret);
/* Deferral as an application sets it: on, and not what the kernel itself gives some drivers. */
bool manners_busy_poll(const struct knob_set *rest);
/* The sentences of these reasons, with the queues for sockets (0: not known). Returns buf. */
const char *manners_text(uint32_t reasons, uint64_t xdp_queues, char *buf, size_t size);
