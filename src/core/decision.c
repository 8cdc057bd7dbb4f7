// SPDX-License-Identifier: GPL-2.0-or-later
/* decision: see decision.h. The sentence is the row of reasons.def; the numbers go in front of it. */
#include "core/decision.h"

#include <math.h>
#include <stdio.h>

const struct reason_desc reason_table[REASON_COUNT] = {
#define REASON(id, slug, sentence) [REASON_##id] = { slug, sentence },
#include "core/reasons.def"
#undef REASON
};

/* "950", "1.2k", "50k", "1.4M" */
static void format_rate(double v, char *buf, size_t size)
{
	double scale = v >= 999.5e3 ? 1e6 : v >= 999.5 ? 1e3 : 1;
	const char *unit = scale > 1e3 ? "M" : scale > 1 ? "k" : "";
	double x = v / scale;

	snprintf(buf, size, scale > 1 && x < 9.95 ? "%.1f%s" : "%.0f%s", x, unit);
}

/* "from 0 to 50 us" or "at 50 us"; a device's odd values keep one decimal */
static void format_interval(const struct decision *d, char *buf, size_t size)
{
	int from = d->from_usecs != floor(d->from_usecs), to = d->interval_usecs != floor(d->interval_usecs);

	if (d->change)
		snprintf(buf, size, "from %.*f to %.*f us", from, d->from_usecs, to, d->interval_usecs);
	else
		snprintf(buf, size, "at %.*f us", to, d->interval_usecs);
}

int decision_explain(const struct decision *d, char *buf, size_t size)
{
	char pps[16], per_poll[48] = "", interval[64], cost[40] = "";

	format_interval(d, interval, sizeof(interval));
	if (d->polls_ps > 0.5 && d->pps > 0.5)
		snprintf(per_poll, sizeof(per_poll), " at %.1f packets per poll", d->pps / d->polls_ps);
	if (d->cost_usecs > 0)
		snprintf(cost, sizeof(cost), " (%.1f us a poll)", d->cost_usecs);
	format_rate(d->pps, pps, sizeof(pps));
	return snprintf(buf, size, "%s packets/s%s, %s: %s%s", pps, per_poll, interval,
			reason_table[d->reason].sentence, cost);
}
