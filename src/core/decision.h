// SPDX-License-Identifier: GPL-2.0-or-later
/* decision: what the controller wants, with the reason as a row of reasons.def and the numbers that led there. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum reason {
#define REASON(id, slug, sentence) REASON_##id,
#include "core/reasons.def"
#undef REASON
	REASON_COUNT
};

struct reason_desc {
	const char *slug, *sentence;
};
extern const struct reason_desc reason_table[REASON_COUNT];

struct decision {
	bool change;		/* interval differs from the one in force */
	double interval_usecs;	/* how long packets may be held back; 0 = not at all */
	double from_usecs;	/* the interval in force before */
	double frames;		/* frames that end the wait early; 0 = no such limit asked for */
	enum reason reason;
	double pps;		/* packets per second as the law saw them (bursts weigh more) */
	double polls_ps;	/* interrupts or polls per second */
	double cost_usecs;	/* `a`: CPU time of one interrupt, us */
	double gain;		/* utility that the model promises or the test measured */
};

/* "50k packets/s at 1.0 packets per poll: ... (12.3 us a poll)": one sentence with the numbers. Returns as snprintf. */
int decision_explain(const struct decision *d, char *buf, size_t size);
