// SPDX-License-Identifier: GPL-2.0-or-later
/* policy: see policy.h. */
#include "core/policy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct mode_desc mode_table[MODE_COUNT] = {
#define MODE(id, name, w_cpu, w_lat, cap_usecs, tunes, what) [MODE_##id] = { name, what, w_cpu, w_lat, cap_usecs, tunes },
#include "core/modes.def"
#undef MODE
};

static const char *const mechanism_names[MECHANISM_COUNT] = {
	[MECHANISM_AUTO] = "auto",
	[MECHANISM_HARDWARE] = "hardware",
	[MECHANISM_SOFTWARE] = "software",
	[MECHANISM_ADAPTIVE] = "adaptive",
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

/* Frames above 1 without a timer leave the last packets of a burst waiting until the next burst, for ever if none comes. */
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

int policy_check(const struct policy *p, char err[ERR_MAX])
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
