// SPDX-License-Identifier: GPL-2.0-or-later
/* rig: one target over one fake NIC in simulated time, ticked every 100 ms. Tests set what differs, attach, and run. */
#pragma once
#include <check.h>

#include "engine/tick.h"
#include "fakenic.h"

#define RIG_TICK_NS (100 * NSEC_PER_MSEC)

struct rig {
	struct fakenic fake;
	struct target target;
	struct target_rules rules;
	struct report report;
	double floor_usecs; /* lateness of timers */
	struct state_dir *state; /* NULL: originals in memory only */
	/* since rig_attach() */
	unsigned changes;	       /* ticks that wrote */
	nsec_t last_change, least_gap; /* to one that is no rollback; 0: none */
	uint32_t yielded, fell_back, resumed, rolled_back, dead, clamped; /* told */
	char message[ERR_MAX];	       /* of the tick that told the last of them */
};

void rig_init(struct rig *r);	  /* veth-like, mode throughput, cap 250 us */
void rig_hardware(struct rig *r); /* timers, mode balanced, cap 100 us */
void rig_attach(struct rig *r);
/* Runs some seconds at a rate of received packets. Returns what tick_run returned last. */
int rig_run(struct rig *r, double pps, double seconds);
uint64_t rig_value(const struct rig *r, enum knob k); /* what the device has */
