// SPDX-License-Identifier: GPL-2.0-or-later
/* model: what the load is (averages), what interrupts and packets cost (learnt), and what an interval would therefore
 * cost in utility per second. Formulas: docs/control-law.md. Utility: 1 = the full throughput of the load. */
#pragma once
#include "core/controller-types.h"
#include "core/policy.h"

#define MODEL_CAP_PART 0.9   /* of the latency cap that may be used; the rest is for rounding and jitter */
#define MODEL_IDLE_PPS 50.0  /* fewer are no traffic: nobody feels 50 interrupts, 0.03 % of a slow CPU */
#define MODEL_PACING_COST 1.6 /* a paced interrupt brings a timer with it */
#define MODEL_MIN_GAIN 0.005 /* utility that a change must promise */

#define MODEL_PRIORS 4
extern const struct cost_prior model_priors[MODEL_PRIORS]; /* the last row is the fallback */
/* Row of that name ("arm-small", "x86", "vm", "fallback"); the fallback when there is none. */
const struct cost_prior *model_prior_by_name(const char *name);

/* Weighted least squares of CPU per packet on polls per packet; old blocks fade. */
struct cost_fit {
	double block_s, block_cpu_s, block_polls, block_packets; /* the block being filled */
	double weight, x, y, xx, xy, yy;
};

struct model {
	struct ctl_limits limits;
	double w_cpu, w_lat, cap_usecs; /* of the policy */
	double cpu_price;		/* mu: raised while the CPU target is exceeded, 1 .. 64 */
	double ring_margin;		/* part of the ring that one interval may fill at line rate */
	double round_up_usecs;		/* how far above the asked value the driver went at worst */
	bool primed;			/* averages hold something */
	double pps, pps2, bytes_ps;	/* moving averages of pps, pps^2, bytes/s */
	double cpu_ratio;		/* moving average over 2 s; < 0 unknown */
	double a_usecs, b_usecs;	/* cost of a poll with its interrupt, of a packet */
	double confidence;		/* of a: 0 = prior, 1 = measured without scatter */
	double floor_usecs;		/* deferral: real period minus interval */
	double minding; /* weight of throughput lost to delay, 1 = as it is counted; see controller-ladder.c */
	double singly; /* interrupts counted, part of those that single packets would raise; < 0 unknown */
	struct cost_fit fit;
};

void model_init(struct model *m, const struct policy *p, const struct ctl_limits *limits);
/* Averages with time constant tau_s; restart: forget what came before. `in` must have pps. */
void model_average(struct model *m, const struct ctl_input *in, double tau_s);
void model_restart(struct model *m, const struct ctl_input *in);
/* One sample taken entirely at interval_usecs: feeds the fit of a and b, and the floor. */
void model_learn(struct model *m, const struct ctl_input *in, double interval_usecs);
void model_end_block(struct model *m); /* the setting changes now: closes the block of the fit */

double model_lambda(const struct model *m);    /* packets per us as a packet sees them: E[r^2]/E[r] */
double model_line_rate(const struct model *m); /* worst burst in packets per us, 0 unknown */
double model_period(const struct model *m, double interval_usecs);    /* real time between polls under load */
double model_price(const struct model *m);			      /* utility lost per us of delay: w_lat / cap */
double model_poll_cost(const struct model *m, double interval_usecs); /* CPU us of one poll at this interval */
/* A cycle of waiting and polling but for the wait, in us; lambda > 0 in packets per us. */
double model_gap(const struct model *m, double lambda, double interval_usecs);
double model_polls_ps(const struct model *m, double interval_usecs);  /* predicted polls per second */
double model_cost(const struct model *m, double interval_usecs);      /* predicted utility lost per second */
/* What the present setting costs. Measured polls (< 0: not known) where they are fewer: what does not happen cannot be
 * saved. */
double model_present_cost(const struct model *m, double interval_usecs, double polls_ps);
/* Waiting gathers nothing: one packet per interrupt although more were due. error: of their ratio, one sigma. */
bool model_lonely(const struct model *m, double interval_usecs, double pps, double polls_ps, double error);
/* Deferral made as many polls as there are packets; without it there is one per packet at most. */
bool model_more_polls(const struct model *m, double interval_usecs, double pps, double polls_ps);
double model_limit(const struct model *m); /* longest interval that 0.9 * cap and the ring allow; 0 = off */
bool model_over_limit(const struct model *m, double interval_usecs); /* worth a change of its own */
bool model_over_cap(const struct model *m, double interval_usecs);   /* breaks the hard cap (not only the 0.9) */
double model_fit(const struct model *m, double usecs); /* into the device's steps and below the limit, or off */
double model_rest(const struct model *m);	       /* where to rest when coalescing buys nothing */
/* The square-root law. interval_usecs is the one in force (hysteresis of deferral). */
double model_target(const struct model *m, double interval_usecs);
/* Where the cost is least, plus 1 / lambda; more_price: utility lost per us of delay besides the price. */
double model_best_period(const struct model *m, double more_price);
double model_frames(const struct model *m, double interval_usecs); /* 0: mechanism has no frames */
