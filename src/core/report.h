// SPDX-License-Identifier: GPL-2.0-or-later
/* report: everything one tick saw, decided and did for one NIC. Log, metrics and commands read only this. */
#pragma once
#include "core/decision.h"
#include "core/diagnosis.h"
#include "core/knob.h"
#include "core/nic.h"
#include "core/sample.h"

enum target_state {
	TARGET_NEW,	  /* first samples */
	TARGET_ACTIVE,	  /* under control */
	TARGET_OBSERVING, /* the policy says not to write, or dry run */
	TARGET_UNTUNABLE, /* no mechanism that works here */
	TARGET_YIELDED,	  /* someone else set the knobs */
	TARGET_SAFE,	  /* originals back after errors; tries again later */
	TARGET_GONE,	  /* the device left */
	TARGET_STATE_COUNT
};
extern const char *const target_state_names[TARGET_STATE_COUNT];

/* Why an interval was not judged. */
enum skip_reason {
	SKIP_NONE,
	SKIP_MISSING,  /* the counters could not be read */
	SKIP_CLOCK,    /* time stood still or jumped */
	SKIP_SUSPEND,  /* the machine slept */
	SKIP_CHANGED,  /* queues, interrupts or CPUs came or went */
	SKIP_RESET,    /* counters started anew */
	SKIP_NONSENSE, /* more than the link can carry */
	SKIP_COUNT
};
extern const char *const skip_names[SKIP_COUNT];

struct report {
	nsec_t now;
	struct nic_info nic;
	enum target_state state;
	struct rates rates;
	bool rates_valid;
	struct diagnosis diagnosis;
	struct decision decision[2]; /* by enum queue_dir: receive, transmit */
	bool decided[2];
	struct report_cost { /* what the law reckons with: measured as far as confidence is above 0, else assumed */
		double poll_usecs, packet_usecs, confidence;
	} cost[2]; /* by enum queue_dir, where decided */
	struct knob_set before, now_set; /* knobs read back before and after this tick's write */
	struct knob_set wanted;		 /* what the lanes asked for, after the guard */
	uint32_t written;		 /* knobs this tick wrote */
	uint32_t would_write;		 /* ... or would have, were it not only observing */
	uint32_t clamped;		 /* ... of which the device took another value, told once */
	uint32_t dead;			 /* ... that turned out unsettable now, told once */
	uint32_t yielded;		 /* knobs that someone else changed, told once */
	uint32_t resumed;		 /* ... that are under control again, told once */
	uint32_t fell_back;		 /* knobs that the device forgot by itself, written anew; told once */
	uint32_t rolled_back;		 /* ... put back because it got worse; message says how much */
	uint32_t queue_written;		 /* knobs this tick wrote for single queues */
	char queues[ERR_MAX];		 /* what was done there, would be, or was seen; "": nothing */
	enum reason why[KNOB_COUNT];	 /* of `wanted`, knob by knob */
	enum skip_reason skipped;	 /* why this interval was not judged */
	unsigned changes_per_minute;	 /* writes in the last 60 s, this one included */
	int error;			 /* negative errno of the write, 0 = none */
	char message[ERR_MAX];		 /* what went wrong, or "" */
};
