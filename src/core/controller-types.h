// SPDX-License-Identifier: GPL-2.0-or-later
/* controller-types: what the control law is told: the mechanism under the interval, its limits, and one measured
 * interval of the target. Shared by the model and the controller. Times in us unless the name says otherwise. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* How the mechanism under the interval behaves. */
enum mech_kind {
	MECH_TIMER,    /* hardware timer: first packet starts it, one interrupt when it ends (rx-usecs, tx-usecs) */
	MECH_PACING,   /* software pause after a poll; the first packet after idle is not delayed */
	MECH_DEFERRAL, /* gro_flush_timeout + napi_defer_hard_irqs: timer polls; adds empty polls at light load */
};

/* CPU time that one interrupt with its poll (a) and one packet (b) cost, before anything was measured here; and waking
 * those who wait for the packets of a poll, which no softirq shows. */
struct cost_prior {
	const char *name;
	double a_usecs, b_usecs, wakeup_usecs;
};

/* What the controller may ask for and what it starts from. Intervals in us. */
struct ctl_limits {
	enum mech_kind kind;
	double min_usecs, max_usecs, step_usecs; /* step 0 = 1 us */
	double min_on_usecs;			 /* smallest non-zero interval worth setting */
	double floor_usecs;  /* real period = interval + floor (late timers); prior, learnt from polls; 0 unknown */
	bool has_frames;     /* frames end the wait early */
	double ring_entries; /* 0 = unknown: no ring limit */
	double link_mbps;    /* 0 = unknown; leave it so where no wire limits bursts (veth) */
	double default_usecs, default_frames; /* found at start: where to rest */
	struct cost_prior prior;
	bool learn_costs; /* CPU numbers are usable */
};

/* One measured interval of this target. */
struct ctl_input {
	double now_s, dt_s;
	double pps, bytes_ps; /* bytes 0 = unknown */
	double polls_ps;      /* interrupts; with deferral, or where none are seen, polls (empty ones included) */
	double empty_polls_ps;
	double cpu_ratio; /* CPU spent on it, 1 = one CPU */
	double drops_ps;  /* ring drops */
	double steal_ratio;
	bool have_pps, have_polls, have_empty, have_cpu, have_drops;
	bool skip; /* the interval straddles something that makes it meaningless */
};
