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

struct report {
	nsec_t now;
	struct nic_info nic;
	enum target_state state;
	struct rates rates;
	bool rates_valid;
	struct diagnosis diagnosis;
	struct decision decision[2]; /* by enum queue_dir: receive, transmit */
	bool decided[2];
	struct knob_set before, now_set; /* knobs read back before and after this tick's write */
	struct knob_set wanted;		 /* what the lanes asked for, after the guard */
	uint32_t written;		 /* knobs this tick wrote */
	uint32_t would_write;		 /* ... or would have, were it not only observing */
	uint32_t clamped;		 /* ... of which the device took another value, told once */
	uint32_t dead;			 /* ... that turned out unsettable now, told once */
	uint32_t yielded;		 /* knobs that someone else changed, told once */
	int error;			 /* negative errno of the write, 0 = none */
	char message[ERR_MAX];		 /* what went wrong, or "" */
};
