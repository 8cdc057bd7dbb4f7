// SPDX-License-Identifier: GPL-2.0-or-later
/* policy: what an administrator wants of a NIC: a mode, a hard cap on added delay, and bounds for single knobs. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/knob.h"

#define POLICY_QUEUES_MAX 16 /* [queue] sections of one policy */

enum mode {
#define MODE(id, name, w_cpu, w_lat, cap_usecs, tunes, what) MODE_##id,
#include "core/modes.def"
#undef MODE
	MODE_COUNT
};

struct mode_desc {
	const char *name, *what;
	double w_cpu, w_lat;
	double cap_usecs;
	bool tunes; /* may write */
};
extern const struct mode_desc mode_table[MODE_COUNT];

enum mechanism { MECHANISM_AUTO, MECHANISM_HARDWARE, MECHANISM_SOFTWARE, MECHANISM_ADAPTIVE, MECHANISM_COUNT };
enum rings_policy { RINGS_KEEP, RINGS_IDLE, RINGS_LIVE, RINGS_COUNT };

/* What differs for some queues; the rest is as for the device. */
struct policy_queue {
	unsigned first, last;
	int mode;		  /* enum mode; -1 = the device's */
	double max_latency_usecs; /* 0 = the device's */
	uint32_t limited;
	uint64_t limit_min[KNOB_COUNT], limit_max[KNOB_COUNT];
};

struct policy {
	char name[64];
	enum mode mode;
	double max_latency_usecs; /* hard cap over all mechanisms together; 0 = the mode's */
	double cpu_target_ratio;  /* of the busiest CPU; 1 = none */
	enum mechanism mechanism;
	enum rings_policy rings;
	uint64_t override_hold_ns; /* how long somebody else's setting is left alone; 0 = until `resume` */
	uint32_t limited; /* knobs that have limits below; min = max pins the knob */
	uint64_t limit_min[KNOB_COUNT], limit_max[KNOB_COUNT];
	unsigned n_queues;
	struct policy_queue queues[POLICY_QUEUES_MAX]; /* no two name the same queue */
};

int mode_by_name(const char *name); /* enum mode, or -ENOENT */
const char *mechanism_name(enum mechanism m);
int mechanism_by_name(const char *name); /* enum mechanism, or -ENOENT */
const char *rings_policy_name(enum rings_policy r);
int rings_policy_by_name(const char *name); /* enum rings_policy, or -ENOENT */
void policy_default(struct policy *ret); /* balanced, 100us, no CPU target, auto, rings kept */
double policy_cap_usecs(const struct policy *p);
/* The policy that holds for one queue: the device's with what its [queue] section says; it has no queues itself. */
void policy_for_queue(const struct policy *p, unsigned queue, struct policy *ret);
/* Do both ask for the same? Names do not count. */
bool policy_equal(const struct policy *a, const struct policy *b);
/* An unsafe policy is refused: returns -EINVAL with the reason, else 0. Looks at the queues too. */
int policy_check(const struct policy *p, char err[ERR_MAX]);
