// SPDX-License-Identifier: GPL-2.0-or-later
/* fakenic: a backend with one NIC in memory, whose manners tests set: limits, refusals, forgetting, traffic. */
#pragma once
#include "io/backend.h"

struct fakenic {
	struct backend base;
	struct nic_info nic;
	struct nic_caps caps;
	struct knob_set knobs; /* what the device has */
	uint32_t napi_id;
	uint64_t clamp_max[KNOB_COUNT]; /* silently taken instead of more; 0 = no clamp */
	int write_error;		/* errno that writes end with, positive; 0 = none */
	uint32_t ignore;		/* knobs that accept a write and do nothing */
	bool gone;
	nsec_t now;
	/* traffic: polls follow from the interval in force as facts of deferral and timers have it */
	double pps;
	bool irqtime;
	uint64_t packets, polls;
	double carry_packets, carry_polls;
	unsigned writes, restores, saves;
};

void fakenic_init(struct fakenic *f);		/* veth-like: deferral only, everything 0 */
void fakenic_hardware(struct fakenic *f);	/* rx/tx usecs and frames settable too, deferral not */
void fakenic_run(struct fakenic *f, nsec_t dt); /* lets traffic flow */
