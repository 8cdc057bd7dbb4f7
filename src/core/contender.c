// SPDX-License-Identifier: GPL-2.0-or-later
/* contender: see contender.h; those in user space, and the choice. */
#include "core/contender.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/contender-driver.h"

#define FRAME_BITS ((1500 + 24) * 8.0)
#define HILL_S 2.0 /* one measurement */

const struct contender_desc contender_table[CONTENDER_COUNT] = {
	[CONTENDER_DEFAULT] = { "default", "the driver's own setting" },
	[CONTENDER_FIXED] = { "fixed", "fixed:USECS or fixed:USECS+FRAMES" },
	[CONTENDER_DIM] = { "dim", "dynamic interrupt moderation of the kernel's drivers" },
	[CONTENDER_BUCKETS] = { "buckets", "three classes by packets and bytes of each interrupt" },
	[CONTENDER_MAP] = { "map", "interval proportional to the packet rate of the last sample" },
	[CONTENDER_HILL] = { "hill", "hill climbing" },
	[CONTENDER_LAW] = { "law", "the control law of this program" },
};

/* "fixed:USECS", "USECS", either with "+FRAMES". */
static int parse_fixed(const char *text, double *usecs, unsigned *frames)
{
	unsigned long n = 0;
	double v;
	char *end;

	if (!strncmp(text, "fixed:", 6))
		text += 6;
	if (*text < '0' || *text > '9')
		return -ENOENT;
	v = strtod(text, &end);
	if (*end == '+' && end[1] >= '0' && end[1] <= '9')
		n = strtoul(end + 1, &end, 10);
	if (*end || !(v <= 1e6) || n > 65535)
		return -EINVAL;
	*usecs = v;
	*frames = (unsigned)n;
	return 0;
}

static int kind_by_name(const char *text)
{
	for (int i = 0; i < CONTENDER_COUNT; i++)
		if (i != CONTENDER_FIXED && !strcmp(text, contender_table[i].name))
			return i;
	return -ENOENT;
}

static enum mech_kind mech_kind(enum sim_mech mech)
{
	switch (mech) {
	case SIM_DEFERRAL: return MECH_DEFERRAL;
	case SIM_PACING: return MECH_PACING;
	case SIM_TIMER:
	case SIM_GAP:
	case SIM_RESTART:
	case SIM_TX: break;
	}
	return MECH_TIMER;
}

static struct ctl_limits limits_of(const struct sim_profile *p, double start_usecs, unsigned start_frames)
{
	return (struct ctl_limits){
		.kind = mech_kind(p->mech),
		.max_usecs = p->max_usecs,
		.step_usecs = p->step_usecs,
		.min_on_usecs = p->min_on_usecs,
		.floor_usecs = p->floor_usecs,
		.has_frames = p->has_frames,
		.ring_entries = p->ring,
		.link_mbps = p->no_wire ? 0 : p->link_mbps,
		.default_usecs = start_usecs,
		.default_frames = start_frames,
		.prior = *model_prior_by_name(p->prior),
		.learn_costs = true,
	};
}

/* The nearest that the device has: a value that it cannot take is no contender. */
static double as_device_has(const struct sim_profile *p, double usecs)
{
	double step = p->step_usecs > 0 ? p->step_usecs : 0;

	if (usecs > 0 && step > 0)
		usecs = floor(usecs / step + 0.5) * step;
	return usecs > 0 && usecs < p->min_on_usecs ? p->min_on_usecs : fmin(usecs, p->max_usecs);
}

int contender_init(struct contender *c, const char *text, const struct sim_profile *p, const struct policy *policy,
		   double start_usecs, unsigned start_frames)
{
	struct contender new = {
		.interval_usecs = start_usecs < 0 ? p->default_usecs : start_usecs,
		.frames = start_usecs < 0 ? p->default_frames : start_frames,
		.cap_usecs = policy_cap_usecs(policy),
		.line_pps = p->link_mbps * 1e6 / FRAME_BITS,
		.w_cpu = mode_table[policy->mode].w_cpu,
		.w_lat = mode_table[policy->mode].w_lat,
	};
	int kind = kind_by_name(text), r;

	if (kind < 0) {
		kind = CONTENDER_FIXED;
		r = parse_fixed(text, &new.interval_usecs, &new.frames);
		if (r < 0)
			return r;
	}
	new.kind = (enum contender_kind)kind;
	new.interval_usecs = as_device_has(p, new.interval_usecs);
	new.limits = limits_of(p, new.interval_usecs, new.frames);
	switch (new.kind) {
	case CONTENDER_DEFAULT:
		new.interval_usecs = p->default_usecs;
		new.frames = p->default_frames;
		break;
	case CONTENDER_DIM: dim_init(&new); break;
	case CONTENDER_BUCKETS: buckets_init(&new); break;
	case CONTENDER_HILL: new.hill = (struct hill){ .best = -1e9, .direction = 1 }; break;
	case CONTENDER_LAW: controller_init(&new.law, policy, &new.limits); break;
	case CONTENDER_FIXED:
	case CONTENDER_MAP:
	case CONTENDER_COUNT: break;
	}
	*c = new;
	return 0;
}

enum sim_mech contender_mech(enum contender_kind kind, enum sim_mech mech)
{
	return kind == CONTENDER_BUCKETS && mech == SIM_TIMER ? SIM_GAP : mech;
}

bool contender_is_inside(enum contender_kind kind)
{
	return kind == CONTENDER_DIM || kind == CONTENDER_BUCKETS;
}

static double into_limits(const struct contender *c, double usecs)
{
	double step = c->limits.step_usecs > 0 ? c->limits.step_usecs : 1;

	usecs = floor(fmin(usecs, fmin(c->cap_usecs - c->limits.floor_usecs, c->limits.max_usecs)) / step + 0.5) * step;
	if (usecs < c->limits.min_on_usecs)
		usecs = usecs < c->limits.min_on_usecs / 2 ? 0 : c->limits.min_on_usecs;
	return fmax(usecs, 0);
}

static bool hill_step(struct contender *c, const struct ctl_input *in)
{
	struct hill *h = &c->hill;
	double now, before = c->interval_usecs;

	h->pps_max = fmax(in->pps, h->pps_max + (in->pps - h->pps_max) * 0.02 * in->dt_s);
	h->sum += in->pps / (h->pps_max + 1) - c->w_cpu * in->cpu_ratio - c->w_lat * before / c->cap_usecs;
	h->samples++;
	if (h->samples * in->dt_s < HILL_S)
		return false;
	now = h->sum / h->samples;
	h->sum = h->samples = 0;
	if (now < h->best)
		h->direction = -h->direction;
	h->best = now;
	c->interval_usecs = into_limits(c, h->direction > 0 ? fmax(6, before * 1.5) : before < 6 ? 0 : before / 1.5);
	return c->interval_usecs != before;
}

static bool map_step(struct contender *c, const struct ctl_input *in)
{
	double before = c->interval_usecs;

	c->interval_usecs = into_limits(c, 0.9 * c->cap_usecs * fmin(1, in->pps / c->line_pps));
	return c->interval_usecs != before;
}

static bool law_step(struct contender *c, const struct ctl_input *in)
{
	controller_step(&c->law, in, &c->last);
	if (!c->last.change)
		return false;
	c->interval_usecs = c->last.interval_usecs;
	c->frames = (unsigned)c->last.frames;
	controller_took(&c->law, c->interval_usecs);
	return true;
}

bool contender_poll(struct contender *c, const struct nicsim_poll *poll)
{
	bool changed = false;

	if (c->kind == CONTENDER_DIM)
		changed = dim_poll(c, poll);
	else if (c->kind == CONTENDER_BUCKETS)
		changed = buckets_poll(c, poll);
	c->changes += changed;
	return changed;
}

bool contender_step(struct contender *c, const struct ctl_input *in)
{
	bool changed = false;

	switch (c->kind) {
	case CONTENDER_LAW: changed = law_step(c, in); break;
	case CONTENDER_MAP: changed = map_step(c, in); break;
	case CONTENDER_HILL: changed = hill_step(c, in); break;
	case CONTENDER_DEFAULT:
	case CONTENDER_FIXED:
	case CONTENDER_DIM:
	case CONTENDER_BUCKETS:
	case CONTENDER_COUNT: break;
	}
	c->changes += changed;
	return changed;
}
