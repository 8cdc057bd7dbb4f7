// SPDX-License-Identifier: GPL-2.0-or-later
/* plant: see plant.h. */
#include "plant.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double plant_uniform(struct plant *p)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return (double)(p->random >> 11) / 9007199254740992.0;
}

static double plant_noise(struct plant *p)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += plant_uniform(p);
	return 1 + p->noise * (sum - 6);
}

struct plant plant_make(enum mech_kind kind, double offered_pps)
{
	return (struct plant){ .kind = kind,
			       .offered_pps = offered_pps,
			       .a_usecs = 5.7,
			       .b_usecs = 2.8,
			       .noise = 0.02,
			       .dt_s = 0.1,
			       .random = 88172645463325252u };
}

struct ctl_input plant_run(struct plant *p, double usecs)
{
	double pps = p->offered_pps, delay = usecs > 0 ? usecs + p->floor_usecs : 0, lambda, polls;
	double paced = p->kind == MECH_PACING && usecs > 0 ? 1.6 : 1; /* a timer of its own */

	if (pps <= 0 && p->outstanding > 0)
		pps = p->outstanding * 1e6 / (p->rtt_usecs + delay);
	lambda = pps / 1e6;
	if (p->kind == MECH_DEFERRAL && usecs > 0)
		polls = fmin(1e6 / delay, 3 * pps);
	else if (p->kind == MECH_PACING && usecs > 0 && lambda > 0) /* the pause begins after the poll */
		polls = fmin(pps, 1e6 / (usecs + p->a_usecs + exp(-lambda * usecs) / lambda));
	else if (p->outstanding == 1 && p->offered_pps <= 0)
		polls = pps; /* alone: nothing else comes while it waits */
	else
		polls = pps / (1 + lambda * usecs);
	if (p->own_usecs > 0)
		polls = fmin(polls, 1e6 / p->own_usecs);
	if (p->cpus > 0 && p->a_usecs * polls + p->b_usecs * pps > p->cpus * 1e6) {
		if (p->kind == MECH_DEFERRAL && usecs > 0) {
			pps = (p->cpus * 1e6 - p->a_usecs * polls) / p->b_usecs; /* the polls go by the clock */
		} else {
			polls /= pps;
			pps = p->cpus * 1e6 / (p->b_usecs + p->a_usecs * polls);
			polls *= pps;
		}
	}
	pps *= plant_noise(p);
	polls *= plant_noise(p);
	p->last_pps = pps;
	p->last_polls_ps = polls;
	p->now_s += p->dt_s;
	return (struct ctl_input){
		.now_s = p->now_s,
		.dt_s = p->dt_s,
		.pps = pps,
		.bytes_ps = pps * 500,
		.polls_ps = polls,
		.cpu_ratio = (p->a_usecs * paced * polls + p->b_usecs * pps) / 1e6,
		.have_pps = true,
		.have_polls = !p->no_polls,
		.have_cpu = !p->no_cpu,
		.have_drops = true,
	};
}

struct ctl_limits plant_limits(const struct plant *p, double default_usecs)
{
	return (struct ctl_limits){
		.kind = p->kind,
		.max_usecs = 1000,
		.step_usecs = 1,
		.min_on_usecs = p->kind == MECH_TIMER ? 0 : 10,
		.floor_usecs = p->floor_usecs,
		.ring_entries = p->kind == MECH_TIMER ? 512 : 0,
		.link_mbps = p->kind == MECH_TIMER ? 1000 : 0,
		.has_frames = p->kind == MECH_TIMER,
		.default_usecs = default_usecs,
		.prior = { "test", 5.7, 2.8 },
		.learn_costs = true,
	};
}

struct policy plant_policy(enum mode mode)
{
	struct policy p;

	policy_default(&p);
	p.mode = mode;
	return p;
}

unsigned plant_loop(struct plant *p, struct controller *c, double seconds, struct decision *last)
{
	double end = p->now_s + seconds - p->dt_s / 2;
	struct decision d = { 0 };
	unsigned changes = 0;

	while (p->now_s < end) {
		struct ctl_input in = plant_run(p, controller_interval(c));

		controller_step(c, &in, &d);
		changes += d.change;
		if (d.change && getenv("PLANT_TRACE"))
			printf("%8.2f %6.1f -> %6.1f %s pps %.0f gain %.3f\n", in.now_s, d.from_usecs, d.interval_usecs,
			       reason_table[d.reason].slug, d.pps, d.gain);
	}
	if (last)
		*last = d;
	return changes;
}

bool plant_until(struct plant *p, struct controller *c, double seconds, enum reason why, struct decision *ret)
{
	double end = p->now_s + seconds;

	while (p->now_s < end) {
		struct ctl_input in = plant_run(p, controller_interval(c));

		controller_step(c, &in, ret);
		if (ret->reason == why)
			return true;
	}
	return false;
}

uint64_t plant_seed(const char *test)
{
	const char *s = getenv("SEED");
	uint64_t seed = s ? strtoull(s, NULL, 0) : (uint64_t)time(NULL) * 2654435761u + 1;

	printf("%s: SEED=%llu\n", test, (unsigned long long)seed);
	return seed ? seed : 1;
}
