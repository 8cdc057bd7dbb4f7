// SPDX-License-Identifier: GPL-2.0-or-later
/* bus-history: the last decisions of one interface. Ticks that say the same as the one before are one entry, so that
 * the ring reaches back over more than seconds. */
#pragma once
#include "core/report.h"

#define HISTORY_MAX 32
#define HISTORY_TEXT 768

struct history_entry {
	uint64_t first_usec, last_usec; /* CLOCK_REALTIME of the first and the last tick that said so */
	unsigned times;
	struct report report; /* of the last one */
};

struct history {
	struct history_entry entry[HISTORY_MAX];
	unsigned n, next; /* filled; where the next one goes */
};

/* r was a tick at realtime_usec. One that could not be judged and one that decided nothing are not kept. */
void history_add(struct history *h, const struct report *r, uint64_t realtime_usec);
/* The i-th, 0 = the latest; NULL: no more. */
const struct history_entry *history_get(const struct history *h, unsigned i);

/* Did this tick change anything, or would it have? */
uint32_t history_changes(const struct report *r);
/* The value a knob has after it, or would have. */
uint64_t history_value(const struct report *r, enum knob k);
/* The reason that stands for the whole tick, and a sentence about one reason's changes (or about the decision where
 * nothing changed) with the numbers. Returns buf. */
enum reason history_reason(const struct report *r);
const char *history_sentence(const struct report *r, enum reason why, char *buf, size_t size);
