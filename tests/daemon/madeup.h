// SPDX-License-Identifier: GPL-2.0-or-later
/* madeup: a fleet as metrics see it, with every source that there can be: "eth0" has them all, "veth1" hardly any, and
 * "dummy2" is only remembered. */
#pragma once
#include "daemon/metrics-collect.h"

#define MADEUP_NOW (1000 * NSEC_PER_SEC)

struct madeup {
	struct backend backend; /* has only a clock, which stands at MADEUP_NOW */
	struct fleet fleet;
	struct config config;
	struct metrics_self self;
};

void madeup_open(struct madeup *m, unsigned queues, bool per_queue);
void madeup_close(struct madeup *m);
/* The exposition; to be freed. */
char *madeup_text(struct madeup *m, enum metrics_format format);
