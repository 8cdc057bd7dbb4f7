// SPDX-License-Identifier: GPL-2.0-or-later
/* control: what somebody asks of the running daemon for one interface, over its policy. It holds until it is taken
 * back or the daemon ends, also over a reload and over down and up. */
#pragma once
#include <stdbool.h>

#include "core/policy.h"
#include "core/units.h"

enum control_state {
	CONTROL_AUTO,	  /* the policy alone decides */
	CONTROL_PAUSED,	  /* settings stay as they are, nothing is written */
	CONTROL_RESTORED, /* originals are back, nothing is written */
	CONTROL_COUNT
};
extern const char *const control_names[CONTROL_COUNT];

struct control {
	enum control_state state;
	nsec_t until; /* CLOCK_MONOTONIC when it resumes by itself; 0: never */
	bool have_mode;
	enum mode mode; /* in place of the policy's */
};

struct fleet;
struct member;

/* The policy with the mode that was asked for; and then, where nothing is to be written, without a right to. */
void control_policy(const struct control *c, struct policy *p);
void control_restored(const struct control *c, struct policy *p);
/* Does m write nothing because of its control? For target_attach(). */
bool control_holds(const struct control *c);

/* Each returns 0; -EOPNOTSUPP: nothing of it can be tuned; else what putting back or reading anew failed with.
 * for_ns 0: until resumed. */
int control_pause(struct fleet *f, struct member *m, nsec_t for_ns);
int control_restore(struct fleet *f, struct member *m);
/* Knobs that someone else changed are taken back too. */
int control_resume(struct fleet *f, struct member *m);
/* mode < 0: the policy's again. */
int control_set_mode(struct fleet *f, struct member *m, int mode);
/* Resumes what was paused for a time that is over. */
void control_tick(struct fleet *f, struct member *m, nsec_t now);
