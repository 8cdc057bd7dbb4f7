// SPDX-License-Identifier: GPL-2.0-or-later
/* sum: see sum.h. */
#include "engine/sum.h"

#include <math.h>

#include "core/units.h"

#define LEAST_CAP_USECS 1.0 /* a cap of 0 would mean the mode's own */

static const struct knob_set *present(const struct mech_context *c)
{
	return c->current ? c->current : c->rest;
}

/* As the policy's limits will have it. */
static uint64_t value_of(const struct mech_context *c, enum knob k)
{
	const struct policy *p = c->policy;
	uint64_t v = knob_has(present(c), k) ? present(c)->value[k] : 0;

	if (!(p->limited & c->caps->knobs.settable & ~c->dead & KNOB_BIT(k)))
		return v;
	v = v < p->limit_min[k] ? p->limit_min[k] : v;
	return v > p->limit_max[k] ? p->limit_max[k] : v;
}

static bool may_lower(const struct mech_context *c, enum knob k, uint64_t to)
{
	const struct policy *p = c->policy;

	return (c->caps->knobs.settable & ~c->dead & KNOB_BIT(k)) &&
	       !((p->limited & KNOB_BIT(k)) && to < p->limit_min[k]);
}

static double standing_timer(const struct mech_context *c, struct knob_set *lower)
{
	double usecs = (double)value_of(c, KNOB_RX_USECS), cap = policy_cap_usecs(c->policy);
	uint64_t half;

	if (usecs < QUIRK_MAGIC_MAX && quirk_is_magic(c->quirk, KNOB_RX_USECS, (uint64_t)usecs))
		return 0; /* no quantity */
	if (usecs <= cap)
		return usecs;
	half = quirk_round(c->quirk, KNOB_RX_USECS, (uint64_t)(cap / 2));
	if ((double)half > cap || !may_lower(c, KNOB_RX_USECS, half))
		return usecs;
	knob_put(lower, KNOB_RX_USECS, half);
	return (double)half;
}

static double standing_deferral(const struct mech_context *c, struct knob_set *lower)
{
	double usecs = (double)value_of(c, KNOB_GRO_FLUSH_TIMEOUT) / NSEC_PER_USEC;
	double floor_usecs = c->facts->timer_floor_usecs, cap = policy_cap_usecs(c->policy), left;

	if (usecs <= 0 || !value_of(c, KNOB_NAPI_DEFER_HARD_IRQS))
		return 0;
	if (usecs + floor_usecs <= cap)
		return usecs + floor_usecs;
	left = cap / 2 - floor_usecs;
	left = left < MECH_DEFERRAL_MIN_USECS ? 0 : floor(left);
	if (!may_lower(c, KNOB_GRO_FLUSH_TIMEOUT, units_usecs_to_ns(left)))
		return usecs + floor_usecs;
	knob_put(lower, KNOB_GRO_FLUSH_TIMEOUT, units_usecs_to_ns(left));
	return left > 0 ? left + floor_usecs : 0;
}

double sum_standing_usecs(const struct mech_context *c, enum mech_kind driven, struct knob_set *ret_lower)
{
	*ret_lower = (struct knob_set){ 0 };
	return driven == MECH_DEFERRAL ? standing_timer(c, ret_lower) : standing_deferral(c, ret_lower);
}

void sum_policy_left(const struct policy *p, double usecs, struct policy *ret)
{
	double left = policy_cap_usecs(p) - usecs;

	*ret = *p;
	if (usecs > 0)
		ret->max_latency_usecs = left > LEAST_CAP_USECS ? left : LEAST_CAP_USECS;
}
