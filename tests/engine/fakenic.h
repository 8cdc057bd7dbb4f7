// SPDX-License-Identifier: GPL-2.0-or-later
/* fakenic: a backend with one NIC in memory, whose manners tests set: limits, refusals, forgetting, traffic. */
#pragma once
#include "io/backend.h"

#define FAKE_QUEUES_MAX 16

struct fake_queue {
	struct knob_set knobs;
	uint32_t napi_id;
	double pps;
	uint64_t packets, interrupts;
	double carry_packets, carry_interrupts;
};

struct fakenic {
	struct backend base;
	struct nic_info nic;
	struct nic_caps caps;
	struct knob_set knobs; /* what the device has */
	uint32_t napi_id;
	uint64_t after_save; /* rx-usecs that somebody sets right after the settings were read; 0: nobody does */
	struct napi_setting second; /* another instance; id 0: none */
	uint64_t clamp_max[KNOB_COUNT]; /* silently taken instead of more; 0 = no clamp */
	double step_usecs; /* rx-usecs are kept in these, rounded down when written and when read; 0 = as they are */
	int write_error;		/* errno that writes end with, positive; 0 = none */
	int restore_error;		/* the same of restores */
	uint32_t ignore;		/* knobs that accept a write and do nothing */
	double adaptive_usecs;		/* what adaptive-rx makes of rx-usecs while it is on */
	bool dead_timer;		/* rx-usecs reads back as written and changes nothing */
	uint32_t resets;		/* a write of one of these puts rx-usecs to 0 */
	bool ring_drops_link;		/* a write of rx-ring takes the link down */
	bool ring_resets;		/* ... and the coalescing back to 0 */
	bool gone;
	nsec_t now;
	/* traffic: polls follow from the interval in force as facts of deferral and timers have it */
	double pps, tx_pps;
	double drops_ps;	     /* ring drops; counted when has_drops */
	uint64_t drops_below_ring;   /* only while rx-ring is smaller; 0 = always */
	double collapse;	     /* part of the packets that arrive ... */
	uint64_t collapse_above;     /* ... while rx-usecs or the deferral's us are above this; 0 = never */
	double poll_cost_usecs;	     /* softirq time of one poll, seen when has_cpu */
	bool has_drops, has_cpu, has_carrier, has_tx_timeouts, reset;
	uint32_t missing, generation; /* sources that are not there */
	uint64_t carrier_changes, tx_timeouts, tx_packets, drops, softirq_ns, idle_ns;
	double carry_tx, carry_drops;
	uint64_t packets, polls;
	double carry_packets, carry_polls;
	unsigned writes, restores, saves, reads;
	char irq_order[64]; /* as told last */
	/* queues that can differ; 0: none. A write for the device reaches them all, `knobs` then shows queue 0, and of
	 * deferral the largest. */
	unsigned n_queues;
	struct fake_queue queue[FAKE_QUEUES_MAX];
	bool counts_queues; /* packets and interrupts by queue ... */
	nsec_t count_every; /* ... but only so often; 0: always */
	nsec_t counted;
	int queue_error;    /* errno that their writes end with */
	unsigned queue_writes, queues_written; /* requests; settings in them */
};

void fakenic_init(struct fakenic *f);		/* veth-like: deferral only, everything 0 */
void fakenic_hardware(struct fakenic *f);	/* rx/tx usecs and frames settable too, deferral not */
void fakenic_knob(struct fakenic *f, enum knob k, uint64_t value); /* adds one that can be set */
void fakenic_queues(struct fakenic *f, unsigned n); /* n of them, each with the device's knobs; counted */
void fakenic_run(struct fakenic *f, nsec_t dt); /* lets traffic flow */
