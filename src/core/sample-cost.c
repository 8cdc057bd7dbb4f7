// SPDX-License-Identifier: GPL-2.0-or-later
/* sample-cost: see sample-cost.h. The interrupt handler is no part of a poll's time, so its mean share a poll is added
 * to a. */
#include "core/sample-cost.h"

#include <math.h>

#define POLLS_MIN 50
/* Squared packets: with less, one poll in 100 brings one packet more, and its cause is another load. */
#define VARIANCE_MIN 0.01

void poll_sums_add(struct poll_sums *s, double packets, double ns)
{
	s->polls++;
	s->packets += packets;
	s->packets2 += packets * packets;
	s->ns += ns;
	s->ns2 += ns * ns;
	s->packets_ns += packets * ns;
}

struct poll_sums poll_sums_since(const struct poll_sums *a, const struct poll_sums *b)
{
	return (struct poll_sums){
		.polls = b->polls - a->polls,
		.packets = b->packets - a->packets,
		.packets2 = b->packets2 - a->packets2,
		.ns = b->ns - a->ns,
		.ns2 = b->ns2 - a->ns2,
		.packets_ns = b->packets_ns - a->packets_ns,
		.irqs = b->irqs - a->irqs,
		.irq_ns = b->irq_ns - a->irq_ns,
	};
}

static void split(const struct poll_sums *s, struct cost_estimate *e)
{
	double n = s->polls, mx = s->packets / n, my = s->ns / n;
	double vx = s->packets2 / n - mx * mx, vy = s->ns2 / n - my * my, cov = s->packets_ns / n - mx * my;
	double slope, scatter, a;

	if (vx < VARIANCE_MIN)
		return;
	slope = cov / vx;
	a = my - slope * mx + s->irq_ns / n;
	if (slope <= 0 || a <= 0)
		return; /* nothing that could be a cost: noise */
	scatter = fmax(vy - slope * cov, 0) / n;
	e->split = true;
	e->a_usecs = a / 1e3;
	e->b_usecs = slope / 1e3;
	e->b_error_usecs = sqrt(scatter / vx) / 1e3;
	e->a_error_usecs = sqrt(scatter * (1 + mx * mx / vx)) / 1e3;
	e->confidence = fmax(0, 1 - 2 * e->a_error_usecs / e->a_usecs);
}

bool cost_estimate(const struct poll_sums *s, struct cost_estimate *ret)
{
	struct cost_estimate e = { .polls = s->polls, .packets = s->packets };

	*ret = (struct cost_estimate){ 0 };
	if (s->polls < POLLS_MIN)
		return false;
	e.poll_usecs = (s->ns + s->irq_ns) / s->polls / 1e3;
	e.packet_usecs = s->packets > 0 ? (s->ns + s->irq_ns) / s->packets / 1e3 : 0;
	split(s, &e);
	*ret = e;
	return true;
}
