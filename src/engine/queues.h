// SPDX-License-Identifier: GPL-2.0-or-later
/* queues: decisions queue by queue, where the device or its NAPI instances can differ by queue, and it makes sense: the
 * policy has a [queue] section, a write for the device would reach queue 0 only, or the queues' loads differ.
 *
 * Every receive queue has a lane of its own, fed by the packets and interrupts of the queue. Queues of one section with
 * like loads follow the first of them, whose lane is fed with their mean: so alike queues get the same, and a device
 * with many queues is not tested queue by queue all the time. Where the driver does not count by queue, all follow the
 * device's lane, and so do transmit queues, each within the cap and limits of its section. */
#pragma once
#include "core/report.h"
#include "engine/mech.h"
#include "engine/watch.h"

struct queue {
	struct lane lane;	   /* used while `leader` is this queue itself */
	unsigned leader;	   /* the queue whose decision holds */
	int section;		   /* of the policy, -1: none */
	bool tunes;		   /* its mode does */
	bool has_irq;		   /* an interrupt of its own */
	uint32_t napi_id;	   /* 0: not known */
	double pps;		   /* over seconds */
	double new_pps, new_irqs;  /* of the last interval, per second */
	uint64_t packets, irqs;	   /* counters at the end of it */
	struct decision decision;  /* of its lane, this tick */
	double from_usecs;	   /* before its last change, while that is watched; else < 0 */
	double good_usecs, bad_usecs; /* rolled back lately, while the watch avoids it */
	uint32_t yielded;	   /* knobs of this queue that belong to someone else now */
	struct knob_set now;	   /* last readback */
	struct knob_set asked, got; /* last request for each knob, and what came of it */
	struct knob_set todo;	   /* to be written */
};

struct queues {
	uint32_t may;	 /* knobs that can differ by queue ... */
	uint32_t knobs;	 /* ... and are decided so; 0: none, the device's settings hold for all */
	bool differ;	 /* the loads did: it stays so ... */
	double differ_s; /* ... once they did for long enough */
	bool useless;	 /* writing single queues failed for good */
	bool fresh;	 /* this tick has rates of queues, over dt_s */
	double dt_s;
	nsec_t at;	 /* when the counters were read last, 0: never */
	uint32_t generation;
	nsec_t held_since; /* someone else's queues */
	uint32_t suspected; /* knobs that all queues seem to have forgotten: looked at twice */
	struct watch watch;
	char told[ERR_MAX]; /* one line about somebody's hand, for the next report */
	unsigned n;
	struct queue q[NIC_QUEUES_MAX];
};

struct target; /* tick.h */

/* Can and shall queues be decided one by one? After mechanisms were chosen, and when queues may have changed. Keeps
 * what it knows of queues that stay. */
void queues_choose(struct target *t);
/* The device changed shape, maybe. */
void queues_changed(struct target *t);
/* A write for the device reached the queues, too. */
void queues_overwritten(struct target *t);
/* Rates out of the newest sample, if it counts by queue. */
void queues_measure(struct target *t, nsec_t now);
/* Lanes of queues decide. Returns whether receive is theirs, so that the device's lane has nothing to say. */
bool queues_decide(struct target *t, struct report *r, bool skip);
/* Did it get worse after a change of theirs? Then the lanes want back, and it returns true. */
bool queues_watch(struct target *t, struct report *r, nsec_t now);
/* What each queue lacks; knobs that are set by queue leave `want`. Returns the knobs concerned. */
uint32_t queues_want(struct target *t, struct report *r, nsec_t now, struct knob_set *want);
/* Not its turn. */
void queues_postpone(struct target *t);
/* Writes that, reads back, and tells the lanes. Returns 0 or the negative errno of the write. */
int queues_write(struct target *t, struct report *r);
/* Reads again. foreign: knobs of the device that someone changed; those that he changed for single queues only leave it
 * and are that queue's, and those that all queues forgot leave it. told: by the kernel. reshaped: see
 * apply_refresh(). */
void queues_refresh(struct target *t, bool told, bool reshaped, uint32_t *foreign);
/* Someone else's queues are ours again; their values of now are what is put back at the end. */
void queues_reclaim(struct target *t);
uint32_t queues_yielded(const struct target *t); /* knobs that are someone else's in some queue */
/* The interval that the device's lane has in force, where its knobs are set by queue. */
double queues_interval(const struct target *t, const struct lane *l);
