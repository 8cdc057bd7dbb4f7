// SPDX-License-Identifier: GPL-2.0-or-later
/* mech: which mechanism a device is driven with, and the controllers that drive it: one "lane" a direction. */
#pragma once
#include "core/controller.h"
#include "core/mechanism.h"
#include "core/nic.h"
#include "core/policy.h"
#include "core/quirk.h"
#include "core/sample.h"
#include "engine/effect.h"

struct lane {
	enum queue_dir dir;
	enum mech_kind kind;
	struct controller ctl;
	struct knob_set rest; /* the mechanism's knobs as they were found: the default */
	struct decision waiting; /* its turn to be written is still to come, while .change */
	struct effect_test effect;
};

struct machine_facts { /* measured or read once at start */
	double timer_floor_usecs;
	struct cost_prior prior;
	bool ethtool_tells; /* the kernel notifies of every change by ethtool */
};

struct mech_context {
	const struct nic_info *nic;
	const struct nic_caps *caps;
	const struct knob_set *rest; /* values as they were found, before anything was changed */
	uint32_t dead;		     /* knobs that turned out unsettable, or belong to someone else */
	const struct policy *policy;
	const struct quirk_effect *quirk;
	const struct machine_facts *facts;
	const struct knob_set *current; /* values of now; NULL: those of rest */
	bool adaptive_off; /* the driver's own moderation of receive compared worse, and is not left in charge */
};

#define MECH_DEFERRAL_MIN_USECS 10 /* shorter than what a timer and a poll cost anywhere */

/* Chooses the mechanisms and starts their controllers. Returns the number of lanes (0..2), receive first; 0: why holds
 * one sentence. */
unsigned mech_choose(const struct mech_context *c, struct lane lanes[2], char why[ERR_MAX]);
/* One lane as mech_choose() would start it; kind says which. */
void mech_lane(const struct mech_context *c, enum queue_dir dir, enum mech_kind kind, struct lane *ret);
/* The same from the present values on, which need current. */
void mech_lane_here(const struct mech_context *c, enum queue_dir dir, enum mech_kind kind, struct lane *ret);
/* Input of one lane's controller out of a device's rates. */
void mech_input(const struct lane *l, const struct rates *r, double now_s, struct ctl_input *ret);
/* Knobs that give the interval. */
void mech_knobs(const struct lane *l, double interval_usecs, double frames, const struct nic_caps *caps,
		const struct quirk_effect *q, struct knob_set *ret);
/* The interval that the readback amounts to. */
double mech_interval(const struct lane *l, const struct knob_set *current);
/* Its knob that holds the interval: the timer. */
enum knob mech_timer(const struct lane *l);
