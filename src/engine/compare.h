// SPDX-License-Identifier: GPL-2.0-or-later
/* compare: who moderates receive better, the driver by itself (adaptive-rx) or we? Measured on the live load, by turns:
 * the one in charge, the other, the one in charge again, some seconds each; judged by the law's own utility. It is left
 * on where it was found on, until such a comparison says otherwise, and gets further chances, ever more seldom. */
#pragma once
#include "core/controller.h"
#include "core/report.h"

enum compare_phase { COMPARE_REST, COMPARE_BEFORE, COMPARE_OTHER, COMPARE_AFTER };

struct compare {
	enum compare_phase phase;
	bool ours;     /* we compared better and are in charge */
	bool in_force; /* we are just now: differs from `ours` while the other one is tried */
	bool primed;   /* `next` is set */
	bool restart;  /* our lane may go on by itself, once its first write is done */
	nsec_t next, wait_ns;	 /* when the next one begins; the wait after it */
	nsec_t measure, until;	 /* of the running phase: samples count from, to */
	double our_usecs;	 /* with this interval */
	struct model model;	 /* prices of the comparison */
	struct ctl_window before, other, after;
	unsigned tried, won; /* comparisons finished; of which we came out in charge */
	double gain;	     /* utility of ours over the driver's, at the last one */
};

struct target; /* tick.h */

/* Is there a choice at all? The policy leaves it open, the driver's was found on, and both can be set. */
bool compare_possible(const struct target *t);
/* One judged interval, after the lanes decided. May choose the target's mechanisms anew. */
void compare_step(struct target *t, struct report *r, bool skip);
/* The knob as it should be now; nothing where nothing was ever compared. */
void compare_knobs(const struct target *t, struct knob_set *ret);
/* The interval is not judged, or what runs is void: back to who was in charge. */
void compare_void(struct target *t);
