// SPDX-License-Identifier: GPL-2.0-or-later
/* rings: grows a receive ring that was measured to overflow while the CPU had time. A write resets most devices, so
 * there are few of them, and the link must come back. */
#pragma once
#include "core/knob.h"
#include "core/policy.h"
#include "core/sample.h"
#include "core/units.h"

#define RINGS_LINK_WAIT_NS (10 * NSEC_PER_SEC)

enum rings_state {
	RINGS_WATCH,   /* counting drops */
	RINGS_DUE,     /* wants a write, as soon as the policy lets it */
	RINGS_LINK,    /* written: the link must come back */
	RINGS_UNDO,    /* it did not: the old size is due */
	RINGS_REFUSED, /* not tried again */
};

struct rings {
	enum rings_state state;
	nsec_t link_wait; /* set by the owner */
	unsigned overflows; /* intervals with drops while the CPU had time ... */
	nsec_t first;	    /* ... since then */
	nsec_t quiet_since; /* 0: not quiet */
	nsec_t written;
	bool was_down; /* the link went away after the write */
	double pps_peak;
	uint64_t wanted, old;
};

struct rings_input {
	nsec_t now;
	const struct rates *rates;
	double cpu_ratio;      /* of the busiest CPU on packets, < 0 unknown */
	double interval_usecs; /* in force */
	enum rings_policy policy;
	const struct knob_caps *caps;
	const struct knob_set *current;
	bool carrier;
	unsigned queues;
};

/* Returns true when rx-ring is to be written now: then *ret_entries, and text says why and what it costs. */
bool rings_step(struct rings *g, const struct rings_input *in, uint64_t *ret_entries, char text[ERR_MAX]);
/* What came of that write: its error, and the size now. */
void rings_wrote(struct rings *g, int error, uint64_t entries, nsec_t now);
/* Is the device settling after a write? Nothing measured counts then. */
bool rings_settling(const struct rings *g);
