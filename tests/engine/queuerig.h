// SPDX-License-Identifier: GPL-2.0-or-later
/* queuerig: the rig with a NIC whose queues can differ; its packets are the sum of theirs. For one .c file each. */
#pragma once
#include "../core/suite.h"
#include "rig.h"

static struct rig rig;

/* A NIC with timers and n queues. */
static inline void timers(unsigned n)
{
	rig_hardware(&rig);
	rig.rules.policy.mode = MODE_THROUGHPUT;
	rig.rules.policy.max_latency_usecs = 200;
	fakenic_queues(&rig.fake, n);
}

static inline void deferral(unsigned n)
{
	rig_init(&rig);
	fakenic_queues(&rig.fake, n);
}

static inline struct policy_queue *section(unsigned first, unsigned last)
{
	struct policy_queue *q = &rig.rules.policy.queues[rig.rules.policy.n_queues++];

	*q = (struct policy_queue){ .first = first, .last = last, .mode = -1 };
	return q;
}

static inline void load(double pps)
{
	for (unsigned q = 0; q < rig.fake.n_queues; q++)
		rig.fake.queue[q].pps = pps;
}

static inline uint64_t of(unsigned queue, enum knob k)
{
	return rig.fake.queue[queue].knobs.value[k];
}

static inline uint64_t usecs(unsigned queue)
{
	return of(queue, KNOB_RX_USECS);
}

/* The device's packets follow from its queues'. */
static inline void run(double seconds)
{
	rig_run(&rig, 0, seconds);
}
