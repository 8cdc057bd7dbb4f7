// SPDX-License-Identifier: GPL-2.0-or-later
/* plant: a load and a NIC in a few formulas, to close the loop around the controller in unit tests. The simulated NIC
 * of src/core does it properly; this one is small enough to check by hand. */
#pragma once
#include <math.h>
#include <stdint.h>

#include "core/controller.h"

struct plant {
	enum mech_kind kind;
	double offered_pps;	       /* open loop; 0 = closed loop */
	double outstanding, rtt_usecs; /* closed loop: requests under way and their round trip without us */
	double a_usecs, b_usecs, floor_usecs;
	double noise; /* relative, one sigma */
	double own_usecs; /* the NIC never polls more often by itself, 0 = as often as packets come */
	double cpus;  /* that the work may take, 0 = enough; packets beyond are lost */
	double dt_s, now_s;
	bool no_polls, no_cpu;
	uint64_t random;
	double last_pps, last_polls_ps;
};

double plant_uniform(struct plant *p);				  /* 0 .. 1 */
struct plant plant_make(enum mech_kind kind, double offered_pps); /* a = 5.7, b = 2.8 us, 2 % noise, 0.1 s */
struct ctl_input plant_run(struct plant *p, double usecs);	  /* the counters of the next dt_s at this interval */
struct ctl_limits plant_limits(const struct plant *p, double default_usecs);
struct policy plant_policy(enum mode mode);
/* Runs for that long; returns the number of changes and the last decision (NULL: not wanted). */
unsigned plant_loop(struct plant *p, struct controller *c, double seconds, struct decision *last);
/* As plant_loop(), until a decision with that reason; returns whether it came. */
bool plant_until(struct plant *p, struct controller *c, double seconds, enum reason why, struct decision *ret);
uint64_t plant_seed(const char *test); /* of $SEED, else of the clock; printed, so that a failure can be run again */
