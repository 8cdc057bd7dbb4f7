// SPDX-License-Identifier: GPL-2.0-or-later
/* quirk: what is special about a driver, as data. Drivers' limits, steps and odd values are not published by the
 * kernel; conf/quirks.d holds them, matched by driver, device and kernel, and they are applied to what the device
 * reports of itself. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "core/match.h"
#include "core/nic.h"

enum quirk_frames {
	QUIRK_FRAMES_UNSET,  /* not said: as QUIRK_FRAMES_COUNT */
	QUIRK_FRAMES_COUNT,  /* so many packets end the wait */
	QUIRK_FRAMES_SWITCH, /* 0: only the timer; anything else: every packet interrupts at once */
	QUIRK_FRAMES_POLL,   /* packets that one poll may take; no part of the wait */
	QUIRK_FRAMES_ENABLE, /* 0 and 1 switch the timer off, more count packets */
	QUIRK_FRAMES_LAST
};

enum quirk_dirs { QUIRK_DIRS_UNSET, QUIRK_DIRS_NONE, QUIRK_DIRS_RX, QUIRK_DIRS_TX, QUIRK_DIRS_BOTH, QUIRK_DIRS_COUNT };
enum quirk_delay { QUIRK_DELAY_UNSET, QUIRK_DELAY_BEFORE, QUIRK_DELAY_AFTER, QUIRK_DELAY_COUNT };
enum quirk_set { QUIRK_SET_UNSET, QUIRK_SET_ALL, QUIRK_SET_QUEUE_0, QUIRK_SET_COUNT };
enum quirk_flag { QUIRK_FLAG_UNSET, QUIRK_NO, QUIRK_YES, QUIRK_FLAG_COUNT };
#define QUIRK_MAGIC_MAX 64 /* magic values are below */

/* A bound or step: of the value that the knob had at the start where `scaled` (1.6: 160 %), else in the knob's unit. */
struct quirk_bounds {
	uint32_t have, scaled; /* knobs */
	double min[KNOB_COUNT], max[KNOB_COUNT];
};

/* Bit masks hold knobs. 0 and ..._UNSET: nothing is known to be special. */
struct quirk_effect {
	uint32_t deny;	     /* never write: has no effect, or a bad one */
	uint32_t together;   /* a write of one of these must carry all of them, in one message */
	uint32_t disruptive; /* a write takes the link down or loses packets */
	uint32_t resets;     /* a write of one of these puts the driver's other settings back to its defaults */
	uint64_t settle_ns;  /* after a write, until measuring makes sense */
	enum quirk_frames rx_frames, tx_frames;
	enum quirk_dirs deferral;  /* directions whose interrupts napi-defer-hard-irqs really keeps off */
	enum quirk_dirs per_queue; /* directions that can differ by queue */
	enum quirk_set global_set; /* what a write for the device reaches */
	enum quirk_delay delay;	   /* before the poll: packets wait; after: the first one after idle does not */
	enum quirk_flag shared;	   /* several interfaces are one piece of hardware: one of them decides */
	char irq_order[64];	   /* who the interrupts of the same name belong to, in their order: "other tx* rx*" */
	struct quirk_bounds limits, step; /* step: min only */
	uint32_t min_on_set;
	uint64_t min_on[KNOB_COUNT]; /* smallest value but 0 that means what it says */
	uint64_t magic[KNOB_COUNT];  /* bit v: the value v is no quantity, e.g. "the driver chooses" */
};

struct quirk {
	char name[64];
	struct match match;
	struct quirk_effect effect;
};

/* All that fit, in their order, later ones over earlier ones, into *ret; and into caps: limits and steps become
 * narrower, denied knobs are not settable, paths that do not work go away. defaults: values at the start, for scaled
 * bounds; without a value those are left out. Returns how many fit. */
size_t quirk_apply(const struct quirk *quirks, size_t n, const struct match_subject *subject,
		   const struct knob_set *defaults, struct nic_caps *caps, struct quirk_effect *ret);

/* Is v a magic value of this knob? */
static inline int quirk_is_magic(const struct quirk_effect *e, enum knob k, uint64_t v)
{
	return v < QUIRK_MAGIC_MAX && (e->magic[k] >> v & 1);
}
/* The nearest value that the driver takes as it is: in steps, 0 or at least min-on, no magic value. */
uint64_t quirk_round(const struct quirk_effect *e, enum knob k, uint64_t v);
