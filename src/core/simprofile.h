// SPDX-License-Identifier: GPL-2.0-or-later
/* simprofile: hosts and NICs for the simulator, as rows of simprofiles.def. Costs in us of one CPU. */
#pragma once
#include <stdbool.h>

enum sim_mech {
	SIM_TIMER,    /* first packet after an interrupt starts it: rx-usecs of most, the receive watchdog of some */
	SIM_GAP,      /* least time between two interrupts (interrupt throttling) */
	SIM_RESTART,  /* every packet starts it anew: needs frames, else a steady stream never interrupts */
	SIM_DEFERRAL, /* gro_flush_timeout + napi_defer_hard_irqs: timer polls while the interrupt stays masked */
	SIM_PACING,   /* a pause after each poll, then the interrupt is enabled again */
	SIM_TX,	      /* software timer restarted by every sent packet, at a price; frames interrupt at once */
};

struct sim_profile {
	const char *name, *what;
	enum sim_mech mech;
	double irq_usecs;     /* hard interrupt and the way into the softirq */
	double poll_usecs;    /* one NAPI poll, without its packets */
	double packet_usecs;  /* driver and allocation, per packet */
	double segment_usecs; /* way up the stack, per packet handed up (merged ones count once) */
	double timer_usecs;   /* software timer interrupt */
	double rearm_usecs;   /* SIM_TX: starting the timer anew while it is the next one due */
	double wakeup_usecs;  /* waking the receiver, on another CPU */
	double app_usecs;     /* receiver per packet, on another CPU */
	double preempt_usecs; /* what an interrupt costs the receiver whose CPU it takes (cold caches), besides its time
			       */
	unsigned ring, link_mbps, cpus;
	double rate_scale;					 /* loads are written for a 1 Gb/s host */
	bool fast;						 /* short round trips */
	double min_on_usecs, max_usecs, step_usecs, floor_usecs; /* see struct ctl_limits */
	bool has_frames;
	bool no_wire;	      /* virtual: no link speed that the tuner could know */
	double default_usecs; /* as the driver comes up */
	unsigned default_frames;
	const char *prior; /* row of model_priors: what the tuner would assume of such a host */
};

enum simprofile_id {
#define PROFILE(id, ...) SIMPROFILE_##id,
#include "core/simprofiles.def"
#undef PROFILE
	SIMPROFILE_COUNT
};
extern const struct sim_profile simprofile_table[SIMPROFILE_COUNT];

int simprofile_by_name(const char *name); /* enum simprofile_id, or -ENOENT */
