// SPDX-License-Identifier: GPL-2.0-or-later
/* model-learn: what an interrupt (a) and a packet (b) cost, fitted to CPU per packet = b + a * polls per packet, and
 * how late the deferral timer is. CPU time comes in ticks of some ms, so samples are gathered
 * into blocks of 2 s first. */
#include <math.h>

#include "core/model.h"

#define BLOCK_S 2.0
#define BLOCK_MIN_S 0.5 /* a block cut short by a change still counts from here on */
#define FORGET_S 60.0
#define CPU_MIN 0.02 /* below, ticks say nothing; above the other, queueing spoils the sum */
#define CPU_MAX 0.9
#define BLOCK_PPS 1000.0 /* smallest rates of a block worth looking at */
#define BLOCK_POLLS_PS 20.0
#define VARIANCE_MIN 5e-4 /* polls per packet must have varied by more than 0.022 (one sigma) */
#define A_SHARE 0.6	  /* while nothing varies: the usual part of the interrupt when packets come singly ... */
#define SINGLY 0.7	  /* ... (polls per packet above this), within this factor of the prior */
#define GUESS_RANGE 2.0
#define SINGLY_S 2.0
#define A_RANGE 8.0 /* learnt values stay within this factor of the prior */
#define B_RANGE 10.0
#define GAIN 0.5	/* how far one block moves a */
#define FLOOR_MAX 200.0 /* where there is no prior */
#define FLOOR_RANGE                                                                                                    \
	1.4 /* of the prior: a timer that is later still waits for a CPU, which is not the interval's fault */
#define FLOOR_FALL_S 4.0 /* falls faster than it rises, for the same reason */
#define FLOOR_RISE_S 16.0

static double clamp(double x, double lo, double hi)
{
	return x < lo ? lo : x > hi ? hi : x;
}

static void fit_block(struct model *m)
{
	struct cost_fit *f = &m->fit;
	const struct cost_prior *prior = &m->limits.prior;
	double w = f->block_s, fade = exp(-w / FORGET_S);
	double x = clamp(f->block_polls / f->block_packets, 0, 1.5); /* polls per packet */
	double y = f->block_cpu_s * 1e6 / f->block_packets;	     /* us of CPU per packet */
	double mx, my, vx, vy, cov;

	f->weight = fade * f->weight + w;
	f->x = fade * f->x + w * x;
	f->y = fade * f->y + w * y;
	f->xx = fade * f->xx + w * x * x;
	f->xy = fade * f->xy + w * x * y;
	f->yy = fade * f->yy + w * y * y;
	mx = f->x / f->weight;
	my = f->y / f->weight;
	vx = f->xx / f->weight - mx * mx;
	vy = f->yy / f->weight - my * my;
	cov = f->xy / f->weight - mx * my;
	if (vx > VARIANCE_MIN) {
		/* r^2: how much of the scatter the line explains; any two blocks lie on a line */
		m->confidence = vy > 0 && cov > 0 ? clamp(cov * cov / (vx * vy), 0, 1) : 0;
		m->confidence *= clamp(1 - 2 * BLOCK_S / f->weight, 0, 1);
		m->a_usecs += GAIN * (cov / vx - m->a_usecs) * m->confidence;
	} else if (m->confidence <= 0 && x > SINGLY && m->limits.kind != MECH_DEFERRAL) {
		/* with deferral at hand the cost sits in wake-ups elsewhere, which softirq time does not show */
		m->a_usecs += GAIN * (A_SHARE * y / x - m->a_usecs);
		m->a_usecs = clamp(m->a_usecs, prior->a_usecs / GUESS_RANGE, prior->a_usecs * GUESS_RANGE);
	}
	m->a_usecs = clamp(m->a_usecs, prior->a_usecs / A_RANGE, prior->a_usecs * A_RANGE);
	m->b_usecs = clamp(my - m->a_usecs * mx, prior->b_usecs / B_RANGE, prior->b_usecs * B_RANGE);
}

static void close_block(struct model *m, double shortest_s)
{
	struct cost_fit *f = &m->fit;

	if (f->block_s >= shortest_s) {
		double cpu = f->block_cpu_s / f->block_s;

		if (cpu > CPU_MIN && cpu < CPU_MAX && f->block_packets > BLOCK_PPS * f->block_s &&
		    f->block_polls > BLOCK_POLLS_PS * f->block_s)
			fit_block(m);
	}
	f->block_s = f->block_cpu_s = f->block_polls = f->block_packets = 0;
}

/* Under load deferral polls once per real period; with 2 to 40 packets each neither empty polls nor re-polls (budget
 * 64) disturb the count. */
static void learn_floor(struct model *m, const struct ctl_input *in, double interval_usecs)
{
	double most = m->limits.floor_usecs > 0 ? FLOOR_RANGE * m->limits.floor_usecs : FLOOR_MAX;
	double per_poll, late, tau_s;

	if (m->limits.kind != MECH_DEFERRAL || interval_usecs <= 0 || in->polls_ps < BLOCK_POLLS_PS)
		return;
	per_poll = in->pps / in->polls_ps;
	if (per_poll < 2 || per_poll > 40)
		return;
	late = clamp(1e6 / in->polls_ps - interval_usecs, 0, most);
	tau_s = late < m->floor_usecs ? FLOOR_FALL_S : FLOOR_RISE_S;
	m->floor_usecs += (1 - exp(-in->dt_s / tau_s)) * (late - m->floor_usecs);
}

/* Late polls and bunches make it less than 1, whatever they come from. */
static void learn_singly(struct model *m, const struct ctl_input *in, double interval_usecs)
{
	double singly;

	if (m->limits.kind == MECH_DEFERRAL || in->pps < BLOCK_PPS || in->polls_ps < BLOCK_POLLS_PS)
		return;
	singly = in->polls_ps / 1e6 * (model_gap(m, in->pps / 1e6, interval_usecs) + interval_usecs);
	m->singly = m->singly < 0 ? singly : m->singly + (1 - exp(-in->dt_s / SINGLY_S)) * (singly - m->singly);
}

void model_learn(struct model *m, const struct ctl_input *in, double interval_usecs)
{
	struct cost_fit *f = &m->fit;
	double paced = m->limits.kind == MECH_PACING && interval_usecs > 0 ? MODEL_PACING_COST : 1;

	if (!in->have_polls)
		return;
	learn_floor(m, in, interval_usecs);
	learn_singly(m, in, interval_usecs);
	if (!in->have_cpu || !m->limits.learn_costs)
		return;
	f->block_s += in->dt_s;
	f->block_cpu_s += in->cpu_ratio * in->dt_s;
	f->block_polls += in->polls_ps * in->dt_s * paced;
	f->block_packets += in->pps * in->dt_s;
	if (f->block_s >= BLOCK_S)
		close_block(m, BLOCK_S);
}

void model_end_block(struct model *m)
{
	close_block(m, BLOCK_MIN_S);
}
