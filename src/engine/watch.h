// SPDX-License-Identifier: GPL-2.0-or-later
/* watch: did it get worse right after a change of ours? Looks at the intervals before and after every write and puts
 * back what cost packets; then looks whether that helped, or the load had changed by itself. */
#pragma once
#include "core/knob.h"
#include "core/sample.h"
#include "core/units.h"

#define WATCH_BEFORE 5 /* intervals */
#define WATCH_AFTER 3

/* A value that was bad for this device, and the one that was not. */
struct avoid {
	uint64_t good, bad;
	nsec_t until, backoff_ns; /* until 0: not avoided */
};

enum watch_state { WATCH_REST, WATCH_CHANGE, WATCH_UNDONE };

struct watch {
	enum watch_state state;
	double pps[WATCH_BEFORE], drops[WATCH_BEFORE]; /* the last intervals, in a ring */
	unsigned n, next;
	struct knob_set from; /* of the change that is looked at */
	bool tested;	      /* the controller measures it itself and goes on from a loss: only a collapse counts */
	bool testing, goes_on; /* at present; before this interval, too */
	double base_pps, base_drops, sum_pps, sum_drops; /* before; since, summed over `seen` */
	double worse_pps, worse_drops;			 /* at the change that was undone */
	unsigned seen, worse;
	unsigned rollbacks, voids; /* since attach; voids: it was the load after all */
	struct avoid avoid[KNOB_COUNT];
};

/* Is a test of the controller under way? Once an interval, before watch_change(). */
void watch_testing(struct watch *w, bool testing);
/* Knobs `written` changed; `before`: values until then. The steps of one test are one change: none of its settings is
 * known to be good. */
void watch_change(struct watch *w, const struct knob_set *before, uint32_t written);
/* One judged interval. Returns the knobs to put back, with their values in *ret_undo; text then says what happened. */
uint32_t watch_step(struct watch *w, const struct rates *r, const struct knob_set *current, nsec_t now,
		    struct knob_set *ret_undo, char text[ERR_MAX]);
/* The interval could not be judged: nothing follows from it, and nothing that spans it. */
void watch_skip(struct watch *w);
/* Values that were bad lately become the ones that were good. Returns the knobs concerned. */
uint32_t watch_avoid(const struct watch *w, nsec_t now, struct knob_set *want);
