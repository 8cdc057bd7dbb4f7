// SPDX-License-Identifier: GPL-2.0-or-later
/* controller: the control law as a state machine; see docs/control-law.md. One controller decides one number, the
 * interval that one mechanism may hold packets back, for one target (a device and direction, or a queue). It proposes;
 * the engine guards, writes and reads back. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/controller-types.h"
#include "core/decision.h"
#include "core/model.h"
#include "core/policy.h"
#include "core/regime.h"

enum ctl_state {
	CTL_HOLD,	/* resting; the law may decide */
	CTL_UP,		/* raised: did the throughput fall? */
	CTL_LADDER,	/* it fell: stepping down while that helps */
	CTL_PROBE_LOW,	/* lowered for a moment ... */
	CTL_PROBE_BACK, /* ... and back, to compare with before and after */
	CTL_STATE_COUNT
};

enum ladder_stage { LADDER_RUNGS, LADDER_MIN, LADDER_BETWEEN }; /* the last two: one look each */

/* Running mean at one setting. */
struct ctl_window {
	double n, pps, variance, polls_ps, cpu_ratio;
	double recent_pps; /* mean of about the last three */
	double noise_pps;  /* one sigma of a sample, as known from longer ago */
	double interval_usecs;
	double polls_n, cpu_n; /* samples that had them */
};

struct controller {
	struct model model;
	struct regime regime;
	enum ctl_state state;
	double now_s, cpu_target_ratio;
	double interval_usecs, from_usecs; /* in force (or just proposed), and the one before */
	bool proposed, straddles;	   /* waits for controller_took(); the next sample is mixed */
	double changed_s, allowed_s;	   /* last change; no new decision before */
	double tokens;			   /* decisions left in the bucket */
	struct ctl_window now, low, high;  /* since the last change; of a test: at the shorter, longer interval */
	struct ctl_window best, prev;	   /* ladder: what is kept, and the rung before */
	struct ctl_window above, below;	   /* rungs next to the best, n 0: none */
	enum ladder_stage stage;
	bool saw_min;	   /* the minimum was measured in this test */
	bool lowered;	   /* just now, not by a test; `high` is from before */
	unsigned speedups; /* times in a row that this brought throughput */
	bool sped_up;	   /* in this regime */
	bool to_min;	   /* the next probe goes to the minimum: nothing was compared with it yet */
	double frames;	      /* that go with the interval; 0 none */
	double cleared_usecs; /* longest that measured no worse than the minimum, in this regime */
	double base_usecs;    /* where a void test returns to */
	double first_drop; /* log throughput change that started the ladder, 0 none */
	int look;
	bool starved;		 /* interrupts were seen to cost packets: the CPU is full */
	bool settled;		 /* keep what measured best until retry_s ... */
	enum reason settled_why; /* ... because of this: CLOSED, LONELY, MORE_POLLS, ROLLBACK */
	double retry_s, backoff_s, probe_s, probe_wait_s;
	double sensitive_s, sensitive_pps;	   /* when part of the load was seen to mind delay, and its rate */
	double lonely_s;			   /* when packets were seen to come one at a time */
	double quiet_s;				   /* when there were too few to wait for */
	double busy_pps, busy_usecs;		   /* the last load that took a wait well, and the wait; 0 none */
	int busy_again;				   /* samples in a row that look like it */
	double dropped_s, over_s, under_s, idle_s; /* < 0: not so now */
	int awake;				   /* samples in a row with traffic */
	int more_polls;				   /* samples in a row with as many polls as packets */
	unsigned changes, tests, probes, regimes, reverts; /* since init */
};

/* limits->default_usecs is the interval in force. The first step may already want a change (default above the cap). */
void controller_init(struct controller *c, const struct policy *p, const struct ctl_limits *limits);
/* One measured interval in, a decision out: *ret is always filled; ret->change says whether to write. After a change
 * the controller takes its proposal for granted until controller_took() says otherwise. */
void controller_step(struct controller *c, const struct ctl_input *in, struct decision *ret);
/* What the device really has: the read-back after a write (rounding), the old value after a rejected write, another
 * one after a rollback. Equal to what the controller thinks: nothing happens, so it may be called at every tick. */
void controller_took(struct controller *c, double interval_usecs);
double controller_interval(const struct controller *c);
enum ctl_state controller_state(const struct controller *c);
const char *controller_state_name(enum ctl_state s); /* "hold", "up", "ladder", "probe-low", "probe-back" */
bool controller_closed(const struct controller *c);  /* "the load waits for its answers" holds */
