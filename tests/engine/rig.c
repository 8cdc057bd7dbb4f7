// SPDX-License-Identifier: GPL-2.0-or-later
/* rig: see rig.h. */
#include "rig.h"

#include <string.h>

void rig_init(struct rig *r)
{
	memset(r, 0, sizeof(*r));
	fakenic_init(&r->fake);
	policy_default(&r->rules.policy);
	r->rules.policy.mode = MODE_THROUGHPUT;
	r->rules.policy.max_latency_usecs = 250;
}

void rig_hardware(struct rig *r)
{
	rig_init(r);
	fakenic_hardware(&r->fake);
	r->rules.policy.mode = MODE_BALANCED;
	r->rules.policy.max_latency_usecs = 100;
}

void rig_attach(struct rig *r)
{
	const struct machine_facts facts = { .timer_floor_usecs = r->floor_usecs, .prior = { "test", 6, 1.5 } };
	struct fakenic *f = &r->fake;
	char err[ERR_MAX];

	ck_assert_int_eq(target_attach(&r->target, &f->base, r->state, &f->nic, &r->rules, &facts, false, err), 0);
	r->changes = 0;
	r->last_change = r->least_gap = 0;
	r->yielded = r->fell_back = r->resumed = r->rolled_back = r->dead = r->clamped = 0;
}

static void note(struct rig *r)
{
	const struct report *p = &r->report;

	if (p->rolled_back | p->dead | p->clamped)
		memcpy(r->message, p->message, ERR_MAX);
	r->yielded |= p->yielded;
	r->fell_back |= p->fell_back;
	r->resumed |= p->resumed;
	r->rolled_back |= p->rolled_back;
	r->dead |= p->dead;
	r->clamped |= p->clamped;
	if (!p->written)
		return;
	if (r->last_change && !p->rolled_back && (!r->least_gap || p->now - r->last_change < r->least_gap))
		r->least_gap = p->now - r->last_change;
	r->last_change = p->now;
	r->changes++;
}

int rig_run(struct rig *r, double pps, double seconds)
{
	int e = 0;

	r->fake.pps = pps;
	for (int i = 0; i < seconds * 10 - 0.5 && e == 0; i++) {
		fakenic_run(&r->fake, RIG_TICK_NS);
		e = tick_run(&r->target, r->fake.now, &r->report);
		note(r);
	}
	return e;
}

uint64_t rig_value(const struct rig *r, enum knob k)
{
	return r->fake.knobs.value[k];
}
