// SPDX-License-Identifier: GPL-2.0-or-later
/* simrun-tape: the simulated NIC of many runs that differ only in their settings. What the NIC does follows from the
 * settings alone, so a run that has made the same ones as an earlier run until now is read from that, and is simulated
 * only from where it parts. Results are the same to the last bit.
 *
 * A step is one sample: advance to its time, read, set, end. One queue; moderation inside the driver cannot be taped,
 * as it sets something between samples. */
#pragma once
#include "core/nicsim.h"

struct simrun_tape;

struct simrun_step { /* at the end of a step */
	struct nicsim_counters n;
	unsigned phase;
	struct nicsim_delays delays; /* since the last step that ended a window */
	double interval_usecs;	     /* set then */
	unsigned frames;
};

/* step_s, window_steps: the same for all runs. Returns NULL when out of memory. */
struct simrun_tape *simrun_tape_new(const struct nicsim_config *cfg, double step_s, unsigned long window_steps);
void simrun_tape_free(struct simrun_tape *t); /* NULL is fine */
bool simrun_tape_fits(const struct simrun_tape *t, const struct nicsim_config *cfg, double step_s,
		      unsigned long window_steps);
/* A new run. The others return 0 or -ENOMEM; all of *ret but the settings is filled. */
int simrun_tape_begin(struct simrun_tape *t, double interval_usecs, unsigned frames);
int simrun_tape_advance(struct simrun_tape *t, struct simrun_step *ret);
int simrun_tape_set(struct simrun_tape *t, double interval_usecs, unsigned frames); /* once each step, also if same */
/* Steps that were asked for, and those that had to be simulated. */
void simrun_tape_count(const struct simrun_tape *t, unsigned long *ret_steps, unsigned long *ret_simulated);
