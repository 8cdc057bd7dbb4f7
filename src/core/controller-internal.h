// SPDX-License-Identifier: GPL-2.0-or-later
/* controller-internal: what the parts of the controller share. Not for users of it. */
#pragma once
#include "core/controller.h"

#define CTL_TRY_GAIN 0.002   /* ... of a first wait, which tells how packets gather */
#define CTL_SINGLY 0.8	     /* polls per packet above which they show nothing of that */
#define CTL_MIN_EFFECT 0.015 /* smallest change of throughput that counts */
#define CTL_SIGMAS 3.0
#define CTL_RUNG 2.5	    /* ratio of the steps of the ladder and of the probe */
#define CTL_NEAR_MIN_USECS 1.5 /* what cannot be told from the minimum */
#define CTL_SPAN_S 0.5	    /* shortest measurement, and at least 3 samples */
#define CTL_TEST_MAX_S 10.0 /* longest one */
#define CTL_BACKOFF_S 120.0 /* to the first retry after a confirmed loss, doubling */
#define CTL_BACKOFF_MAX_S 600.0
#define CTL_PROBE_FIRST_S 5.0 /* to the first probe of a setting never tested in this regime */
#define CTL_PROBE_START_S 2.0 /* of what was found at the start */
#define CTL_PROBE_S 120.0     /* to the next one, doubling */
#define CTL_SPEED_UP 0.05     /* throughput that a lowering must bring to mean something */
#define CTL_OBVIOUS 0.15      /* no load speeds up so much by chance just when the interval is lowered */
#define CTL_SURE 0.1	      /* loss that a raise must have been able to show ... */
#define CTL_PATIENCE_S 3.0    /* ... so measure at most this long before it */
#define CTL_NEVER_S (-1e9)

/* controller-window.c: running means and their comparison */
void window_reset(struct ctl_window *w, double interval_usecs);
void window_add(struct ctl_window *w, const struct ctl_input *in, double n_max);
/* Two at the same interval as one, each with the same weight. */
struct ctl_window window_pool(const struct ctl_window *a, const struct ctl_window *b);
/* log(b / a) of the packet rates, with its standard error. */
double window_change(const struct ctl_window *a, const struct ctl_window *b, double *ret_error);
/* Measured utility of b over a: throughput, less the CPU by the costs of the model, less the price of the delay. */
double window_gain(const struct model *m, const struct ctl_window *a, const struct ctl_window *b);
/* The same for a load that does not mind: what waiting saves at the rate of a, less its price. */
double window_saving(const struct model *m, const struct ctl_window *a, const struct ctl_window *b);
double window_trend(const struct ctl_window *w); /* log of the rate at its end over its mean: a load that drifts */
bool window_clear(double change, double error);	 /* so much that no longer look is needed */
double window_error(const struct ctl_window *w); /* of a change from w to as good a measurement */
double window_polls_ps(const struct model *m, const struct ctl_window *w); /* measured, else the model's */

/* controller.c */
/* Makes the decision: quantised and below the limit. Returns false (and decides "no change") when it is the present
 * one. A paid one costs a token. */
bool ctl_propose(struct controller *c, double usecs, enum reason why, struct decision *ret);
bool ctl_propose_paid(struct controller *c, double usecs, enum reason why, struct decision *ret);
double ctl_samples_needed(const struct ctl_input *in); /* samples in CTL_SPAN_S */
void ctl_hold(struct controller *c);
/* A measurement said so: stay, retry after a backoff that doubles. */
void ctl_settle(struct controller *c, enum reason why);

/* controller-guard.c: conditions that do not wait for the law. Each returns true when it decided. */
bool guard_ring(struct controller *c, const struct ctl_input *in, struct decision *ret);
bool guard_more_polls(struct controller *c, const struct ctl_input *in, struct decision *ret);
bool guard_lonely(const struct controller *c);
double guard_frames(struct controller *c); /* of the interval in force; not a new number for every sample */
void guard_cpu_target(struct controller *c);
void guard_starved(struct controller *c);   /* a raise brought more packets: the price of CPU doubles */
void guard_sensitive(struct controller *c); /* the present load minds delay */
void guard_lowering(struct controller *c);  /* what the lowering just now did */
void guard_flapping(struct controller *c, double target, struct decision *ret);
void guard_note_busy(struct controller *c); /* the load changes: remember what it was, should it come back */
/* ... and what it is now: packets that come one at a time, or next to none. */
void guard_note_rare(struct controller *c, const struct ctl_input *in);
/* Flapping between a load that is known to take a wait well and others: each gets its own. */
bool guard_follow(struct controller *c, const struct ctl_input *in, struct decision *ret);

/* controller-test.c: one step of a running test */
void test_step(struct controller *c, const struct ctl_input *in, struct decision *ret);
void test_start_up(struct controller *c, const struct ctl_window *before);
bool test_start_probe(struct controller *c, struct decision *ret);
/* The load changed: a running test is void. Returns true when it had to be undone. */
bool test_void(struct controller *c, double pps, struct decision *ret);
bool test_enough(const struct controller *c, const struct ctl_input *in, double spans); /* of CTL_SPAN_S */

/* controller-ladder.c: down from `from`, where `best` is the best so far; first_drop: log throughput change that
 * started it, which is checked; 0 none */
void ladder_start(struct controller *c, const struct ctl_window *best, const struct ctl_window *from, double first_drop,
		  struct decision *ret);
void ladder_step(struct controller *c, const struct ctl_input *in, struct decision *ret);
bool ladder_can_try_min(const struct controller *c);

/* controller-law.c: one decision while holding */
void law_step(struct controller *c, const struct ctl_input *in, struct decision *ret);
