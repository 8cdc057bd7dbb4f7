// SPDX-License-Identifier: GPL-2.0-or-later
/* diagnosis: names what limits a NIC now, with the numbers that led there.
 * Rules of thumb with their reasons in the .c. */
#pragma once
#include <stddef.h>

#include "core/nic.h"
#include "core/sample.h"

enum bottleneck {
#define BOTTLENECK(id, slug, sentence, advice) BOTTLENECK_##id,
#include "core/bottlenecks.def"
#undef BOTTLENECK
	BOTTLENECK_COUNT
};

struct bottleneck_desc {
	const char *slug, *sentence, *advice;
};
extern const struct bottleneck_desc bottleneck_table[BOTTLENECK_COUNT];

struct diagnosis {
	enum bottleneck class;
	double polls_ps, packets_per_poll, link_ratio, busiest_ratio, drops_ps, squeeze_ps;
};

/* closed: the controller found that the load waits for its answers. polls_ps < 0: not known. */
void diagnose(const struct nic_info *nic, const struct rates *r, double polls_ps, bool closed, struct diagnosis *ret);
/* "interrupt-bound: 50.1k packets/s, 1.0 packets per poll, CPU1 71% busy". Returns as snprintf. */
int diagnosis_explain(const struct diagnosis *d, const struct rates *r, char *buf, size_t size);
