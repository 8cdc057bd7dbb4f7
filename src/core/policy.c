// SPDX-License-Identifier: GPL-2.0-or-later
/* policy: see policy.h. */
#include "core/policy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct mode_desc mode_table[MODE_COUNT] = {
#define MODE(id, name, w_cpu, w_lat, cap_usecs, tunes, what) \
	[MODE_##id] = { name, what, w_cpu, w_lat, cap_usecs, tunes },
#include "core/modes.def"
#undef MODE
};

static const char *const mechanism_names[MECHANISM_COUNT] = {
	[MECHANISM_AUTO] = "auto",
	[MECHANISM_HARDWARE] = "hardware",
	[MECHANISM_SOFTWARE] = "software",
	[MECHANISM_ADAPTIVE] = "adaptive",
};

static const char *const rings_names[RINGS_COUNT] = {
	[RINGS_KEEP] = "keep",
	[RINGS_IDLE] = "idle",
	[RINGS_LIVE] = "live",
};

int mode_by_name(const char *name)
{
	for (int m = 0; m < MODE_COUNT; m++)
		if (!strcmp(mode_table[m].name, name))
			return m;
	return -ENOENT;
}

const char *mechanism_name(enum mechanism m)
{
	return mechanism_names[m];
}

int mechanism_by_name(const char *name)
{
	for (int m = 0; m < MECHANISM_COUNT; m++)
		if (!strcmp(mechanism_names[m], name))
			return m;
	return -ENOENT;
}

const char *rings_policy_name(enum rings_policy r)
{
	return rings_names[r];
}

int rings_policy_by_name(const char *name)
{
	for (int r = 0; r < RINGS_COUNT; r++)
		if (!strcmp(rings_names[r], name))
			return r;
	return -ENOENT;
}

void policy_default(struct policy *ret)
{
	*ret = (struct policy){
		.name = "built-in",
		.mode = MODE_BALANCED,
		.cpu_target_ratio = 1,
		.mechanism = MECHANISM_AUTO,
		.rings = RINGS_KEEP,
	};
}

double policy_cap_usecs(const struct policy *p)
{
	return p->max_latency_usecs > 0 ? p->max_latency_usecs : mode_table[p->mode].cap_usecs;
}

/* Frames above 1 without a timer leave the end of a burst waiting until the next one, for ever if none comes. */
static int check_pair(const struct policy *p, enum knob frames, enum knob usecs, char err[ERR_MAX])
{
	if ((p->limited & KNOB_BIT(frames)) && (p->limited & KNOB_BIT(usecs)) && p->limit_min[frames] > 1 &&
	    p->limit_max[usecs] == 0) {
		snprintf(err, ERR_MAX, "%s = %llu with %s = 0 could hold packets for ever", knob_table[frames].name,
			 (unsigned long long)p->limit_min[frames], knob_table[usecs].name);
		return -EINVAL;
	}
	return 0;
}

static int check_one(const struct policy *p, char err[ERR_MAX])
{
	for (int k = 0; k < KNOB_COUNT; k++)
		if ((p->limited & KNOB_BIT(k)) && p->limit_min[k] > p->limit_max[k]) {
			snprintf(err, ERR_MAX, "%s: the lower limit is above the upper one", knob_table[k].name);
			return -EINVAL;
		}
	if (check_pair(p, KNOB_RX_FRAMES, KNOB_RX_USECS, err) < 0)
		return -EINVAL;
	return check_pair(p, KNOB_TX_FRAMES, KNOB_TX_USECS, err);
}

int policy_check(const struct policy *p, char err[ERR_MAX])
{
	char why[ERR_MAX];
	struct policy q;
	int r = check_one(p, err);

	for (unsigned i = 0; r == 0 && i < p->n_queues; i++) {
		policy_for_queue(p, p->queues[i].first, &q);
		r = check_one(&q, why);
		if (r < 0)
			snprintf(err, ERR_MAX, "[queue %u-%u]: %.150s", p->queues[i].first, p->queues[i].last, why);
	}
	return r;
}

void policy_for_queue(const struct policy *p, unsigned queue, struct policy *ret)
{
	struct policy out = *p;

	out.n_queues = 0;
	for (unsigned i = 0; i < p->n_queues; i++) {
		const struct policy_queue *q = &p->queues[i];

		if (queue < q->first || queue > q->last)
			continue;
		if (q->mode >= 0)
			out.mode = (enum mode)q->mode;
		/* another mode without a cap of its own: that mode's, but never longer than the device may wait */
		if (q->max_latency_usecs > 0)
			out.max_latency_usecs = q->max_latency_usecs;
		else if (q->mode >= 0 && p->max_latency_usecs > mode_table[q->mode].cap_usecs)
			out.max_latency_usecs = 0;
		for (int k = 0; k < KNOB_COUNT; k++)
			if (q->limited & KNOB_BIT(k)) {
				out.limited |= KNOB_BIT(k);
				out.limit_min[k] = q->limit_min[k];
				out.limit_max[k] = q->limit_max[k];
			}
	}
	*ret = out;
}

static bool limits_equal(uint32_t bits, const uint64_t *min_a, const uint64_t *max_a, const uint64_t *min_b,
			 const uint64_t *max_b)
{
	for (int k = 0; k < KNOB_COUNT; k++)
		if ((bits & KNOB_BIT(k)) && (min_a[k] != min_b[k] || max_a[k] != max_b[k]))
			return false;
	return true;
}

static bool queue_equal(const struct policy_queue *a, const struct policy_queue *b)
{
	return a->first == b->first && a->last == b->last && a->mode == b->mode &&
	       a->max_latency_usecs == b->max_latency_usecs && a->limited == b->limited &&
	       limits_equal(a->limited, a->limit_min, a->limit_max, b->limit_min, b->limit_max);
}

bool policy_equal(const struct policy *a, const struct policy *b)
{
	if (a->mode != b->mode || a->max_latency_usecs != b->max_latency_usecs ||
	    a->cpu_target_ratio != b->cpu_target_ratio || a->mechanism != b->mechanism || a->rings != b->rings ||
	    a->override_hold_ns != b->override_hold_ns || a->limited != b->limited || a->n_queues != b->n_queues)
		return false;
	if (!limits_equal(a->limited, a->limit_min, a->limit_max, b->limit_min, b->limit_max))
		return false;
	for (unsigned i = 0; i < a->n_queues; i++)
		if (!queue_equal(&a->queues[i], &b->queues[i]))
			return false;
	return true;
}
