// SPDX-License-Identifier: GPL-2.0-or-later
/* manners: see manners.h. */
#include "daemon/manners.h"

#include <stdio.h>
#include <string.h>

#include "core/line.h"

/* netdev_sw_irq_coalesce_default_on(): what the kernel gives some drivers at probe. */
#define KERNEL_TIMEOUT_NS 20000
#define KERNEL_DEFER 1

const struct manners_row manners_table[MANNERS_COUNT] = {
	[OCCUPANCY_TAPRIO] = { "taprio", "a taprio qdisc keeps a schedule on it", EXEMPT_DEVICE, OVERRULE_NAMED },
	[OCCUPANCY_ETF] = { "etf", "an etf qdisc sends at exact times on it", EXEMPT_DEVICE, OVERRULE_NAMED },
	[OCCUPANCY_CBS] = { "cbs", "a cbs qdisc shapes time-critical streams on it", EXEMPT_DEVICE, OVERRULE_NAMED },
	[OCCUPANCY_MQPRIO] = { "mqprio", "an mqprio qdisc gives its queues to traffic classes", EXEMPT_DEVICE,
			       OVERRULE_NAMED },
	[OCCUPANCY_XDP_SOCKET] = { "xdp-socket", "an AF_XDP socket polls it", EXEMPT_DEVICE, OVERRULE_NAMED },
	[OCCUPANCY_TIMESTAMPS] = { "timestamps", "hardware timestamps are on, so somebody keeps time by it",
				   EXEMPT_DEVICE, OVERRULE_NAMED },
	[OCCUPANCY_REALTIME] = { "realtime-kernel", "software deferral is off on a PREEMPT_RT kernel",
				 EXEMPT_DEFERRAL, OVERRULE_SOFTWARE },
	[MANNERS_BUSY_POLL] = { "busy-poll", "somebody set software deferral before us, as for busy polling",
				EXEMPT_DEVICE, OVERRULE_SOFTWARE },
	[MANNERS_SHARED] = { "shared", "another interface of the same hardware decides", EXEMPT_DEVICE,
			     OVERRULE_NEVER },
};

bool manners_named(const struct match *m)
{
	static const enum match_key keys[] = { MATCH_NAME, MATCH_MAC, MATCH_PATH };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *t = m->text[keys[i]];

		if (t[0] && t[0] != '!' && strcmp(t, "*"))
			return true;
	}
	return false;
}

static bool overruled(const struct manners_row *row, bool named, const struct policy *p)
{
	switch (row->overrule) {
	case OVERRULE_NEVER:
		return false;
	case OVERRULE_NAMED:
		return named;
	case OVERRULE_SOFTWARE:
		return p->mechanism == MECHANISM_SOFTWARE;
	}
	return false;
}

uint32_t manners_policy(uint32_t found, bool named, const struct policy *p, struct policy *ret)
{
	struct policy left = *p;
	uint32_t counted = 0;

	for (int i = 0; i < MANNERS_COUNT; i++) {
		const struct manners_row *row = &manners_table[i];

		if (!(found & MANNERS_BIT(i)) || !mode_table[p->mode].tunes || overruled(row, named, p))
			continue;
		if (row->exempt == EXEMPT_DEVICE)
			left.mode = MODE_OFF;
		else if (p->mechanism == MECHANISM_AUTO)
			left.mechanism = MECHANISM_HARDWARE;
		else
			continue;
		counted |= MANNERS_BIT(i);
	}
	*ret = left;
	return counted;
}

bool manners_busy_poll(const struct knob_set *rest)
{
	uint64_t timeout, defer;

	if (!knob_has(rest, KNOB_GRO_FLUSH_TIMEOUT) || !knob_has(rest, KNOB_NAPI_DEFER_HARD_IRQS))
		return false;
	timeout = rest->value[KNOB_GRO_FLUSH_TIMEOUT];
	defer = rest->value[KNOB_NAPI_DEFER_HARD_IRQS];
	return timeout && defer && !(timeout == KERNEL_TIMEOUT_NS && defer == KERNEL_DEFER);
}

static void add_queues(struct line *l, uint64_t queues)
{
	const char *before = " (queue ";

	for (unsigned q = 0; q < 64; q++)
		if (queues >> q & 1) {
			line_add(l, "%s%u", before, q);
			before = ",";
		}
	if (queues)
		line_add(l, ")");
}

const char *manners_text(uint32_t reasons, uint64_t xdp_queues, char *buf, size_t size)
{
	struct line l = { buf, size, 0 };

	buf[0] = 0;
	for (int i = 0; i < MANNERS_COUNT; i++) {
		if (!(reasons & MANNERS_BIT(i)))
			continue;
		line_add(&l, "%s%s", l.n ? "; " : "", manners_table[i].sentence);
		if (i == OCCUPANCY_XDP_SOCKET)
			add_queues(&l, xdp_queues);
	}
	return buf;
}
