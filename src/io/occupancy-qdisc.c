// SPDX-License-Identifier: GPL-2.0-or-later
/* occupancy-qdisc: which packet schedulers promise times; a file of its own, for whoever asks only that. */
#include <string.h>

#include "io/occupancy.h"

static const struct {
	const char *kind;
	enum occupancy what;
} qdiscs[] = {
	{ "taprio", OCCUPANCY_TAPRIO },
	{ "etf", OCCUPANCY_ETF },
	{ "cbs", OCCUPANCY_CBS },
	{ "mqprio", OCCUPANCY_MQPRIO },
};

int occupancy_of_qdisc(const char *kind)
{
	for (size_t i = 0; i < sizeof(qdiscs) / sizeof(qdiscs[0]); i++)
		if (!strcmp(kind, qdiscs[i].kind))
			return (int)qdiscs[i].what;
	return -1;
}
