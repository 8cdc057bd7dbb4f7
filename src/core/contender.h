// SPDX-License-Identifier: GPL-2.0-or-later
/* contender: controllers that compete on the simulated NIC: the product's law, and what else there is. One serves one
 * queue. Those inside a driver decide at the end of a poll, those in user space once a sample. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/controller.h"
#include "core/nicsim.h"

enum contender_kind {
	CONTENDER_DEFAULT, /* the driver's own setting for ever */
	CONTENDER_FIXED,   /* "fixed:USECS[+FRAMES]" */
	CONTENDER_DIM,	   /* the kernel's dynamic interrupt moderation, as documented in net_dim.rst */
	CONTENDER_BUCKETS, /* three latency classes by packets and bytes of each interrupt, as older server NICs do */
	CONTENDER_MAP,	   /* interval straight from the last sample's packet rate, without filter */
	CONTENDER_HILL,	   /* hill climbing on an estimated utility */
	CONTENDER_LAW,	   /* the product */
	CONTENDER_COUNT
};

struct contender_desc {
	const char *name, *what;
};
extern const struct contender_desc contender_table[CONTENDER_COUNT];

struct dim_rates {
	double bytes, packets, events; /* per ms */
};

struct dim {
	unsigned step;	 /* row of the profile table */
	int direction;	 /* -1, +1 */
	bool top, tired; /* parked */
	unsigned steps_left, steps_right, steps_tired;
	bool started;
	double since_usecs, events, packets, bytes; /* of the measurement under way */
	struct dim_rates before;
};

struct buckets {
	int class; /* 0 lowest latency, 1 low latency, 2 bulk */
	double interrupts_ps;
};

struct hill {
	double sum, samples, best, pps_max;
	int direction;
};

struct contender {
	enum contender_kind kind;
	double interval_usecs;
	unsigned frames;
	unsigned changes;
	double cap_usecs, line_pps, w_cpu, w_lat;
	struct ctl_limits limits;
	struct dim dim;
	struct buckets buckets;
	struct hill hill;
	struct controller law;
	struct decision last; /* of the law */
};

/* start_usecs < 0: the profile's default. Returns 0, -EINVAL, -ENOENT. */
int contender_init(struct contender *c, const char *text, const struct sim_profile *p, const struct policy *policy,
		   double start_usecs, unsigned start_frames);
/* How the hardware behaves under it: some bring their own kind of timer. */
enum sim_mech contender_mech(enum contender_kind kind, enum sim_mech mech);
bool contender_is_inside(enum contender_kind kind); /* a driver: it decides at the end of polls */
/* At the end of a poll; true when interval or frames changed. */
bool contender_poll(struct contender *c, const struct nicsim_poll *poll);
/* Once a sample; true when interval or frames changed. */
bool contender_step(struct contender *c, const struct ctl_input *in);
