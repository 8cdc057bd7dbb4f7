// SPDX-License-Identifier: GPL-2.0-or-later
/* tick: one round for one NIC: sample, estimate, decide, guard, apply, report. `now` comes from the caller. */
#pragma once
#include "core/report.h"
#include "engine/apply.h"
#include "engine/compare.h"
#include "engine/health.h"
#include "engine/mech.h"
#include "engine/pace.h"
#include "engine/polls.h"
#include "engine/queues.h"
#include "engine/rings.h"
#include "engine/rules.h"
#include "engine/watch.h"

/* How a change by someone else came to light; more the kernel does not tell. */
enum hand {
	HAND_UNSEEN,  /* found by reading back */
	HAND_ETHTOOL, /* ethtool's netlink or ioctl */
	HAND_SYSFS,   /* a write to a file of sysfs */
};
const char *hand_text(enum hand hand); /* "with ethtool" */

struct target {
	struct nic_info nic;
	struct nic_caps caps;
	struct target_rules rules;
	struct quirk_effect quirk; /* of rules.quirks, for this device */
	struct machine_facts facts;
	enum target_state state;
	struct apply apply;
	struct lane lanes[2];
	unsigned n_lanes;
	unsigned chosen_mbps;	  /* speed of the link when they were chosen */
	struct sample samples[2]; /* the last two */
	unsigned flip;		  /* which of them is newer */
	struct poll_source polls;
	bool have_previous;
	uint64_t skipped[SKIP_COUNT]; /* intervals that were not judged */
	struct diagnosis_memory diagnoses;
	double cpu_ratio;	      /* of the busiest CPU on packets, over seconds; < 0 unknown */
	uint32_t yielded;	      /* knobs that belong to someone else now ... */
	nsec_t held_since[KNOB_COUNT]; /* ... since when; 0: the next tick says */
	enum hand hand;		       /* ... and how the last of them were changed */
	uint32_t suspected;	       /* knobs that seem to have fallen back by themselves; the next look says */
	uint32_t fell_back;	       /* ... of which this was so, not told yet */
	struct health health;
	struct watch watch;
	struct compare compare;
	struct pace pace;
	struct rings rings;
	enum effect_kind effect[KNOB_COUNT]; /* what the device makes of our values */
	nsec_t settle_until;  /* a write upset the device: nothing measured counts before ... */
	bool upset;	      /* ... and what it forgot then is not known yet */
	unsigned quarantines; /* times it went to TARGET_SAFE: the stay doubles */
	nsec_t safe_until;    /* TARGET_SAFE ends */
	nsec_t last_refresh;
	char why[ERR_MAX];    /* why it is untunable, yielded or safe */
	struct queues queues; /* last: large, and seldom used */
};

/* Reads capabilities and values, takes over what a crash left, chooses mechanisms. Returns 0 or negative errno; err may
 * hold a warning on success too. dry_run: never writes. */
int target_attach(struct target *t, struct backend *b, struct state_dir *state, const struct nic_info *nic,
		  const struct target_rules *rules, const struct machine_facts *f, bool dry_run, char err[ERR_MAX]);
/* One round; *ret is always filled. Returns 0, or -ENODEV when the device is gone (forget the target then). */
int tick_run(struct target *t, nsec_t now, struct report *ret);
/* The device changed shape (down/up, queues, driver reset) or name: read again; settings that it forgot are written
 * anew by the next ticks. Returns 0 or negative errno. */
int target_changed(struct target *t, const struct nic_info *nic, char err[ERR_MAX]);
/* The machine slept (CLOCK_BOOTTIME went ahead of CLOCK_MONOTONIC): as target_changed, and counted. */
int target_woken(struct target *t, char err[ERR_MAX]);
/* Someone may have changed knobs: find out which are not ours and keep off them, until the policy's override-hold ends
 * or target_resume(). What nobody was seen to change, and all of it back at what was found, is a driver that was reset:
 * the ticks write it anew. */
int target_notified(struct target *t, enum hand hand, uint32_t *ret_yielded);
/* Takes everything that was yielded under control again; the values of now are what is put back at the end. Returns 0
 * or negative errno. */
int target_resume(struct target *t);
/* Originals back, except knobs that are someone else's now. */
int target_release(struct target *t, char err[ERR_MAX]);
/* What does the waiting now, in the words of policies: "hardware", "software", "adaptive", "none". */
const char *target_mechanism(const struct target *t);
