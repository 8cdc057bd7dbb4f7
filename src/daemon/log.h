// SPDX-License-Identifier: GPL-2.0-or-later
/* log: one line an event, to the journal with fields when it is there, else to stderr. */
#pragma once
#include <stdint.h>

#include "core/report.h"

struct log {
	int level; /* what is less urgent is not said: LOG_ERR .. LOG_DEBUG */
};

/* priority: LOG_ERR ... LOG_DEBUG of <syslog.h>. netdev may be NULL. */
void log_line(const struct log *l, int priority, const char *netdev, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The change that a tick made, one line for all knobs of one reason: "vb0: gro-flush-timeout 0 -> 75000, ...: why".
 * In the journal one entry a knob, with NETDEV=, KNOB=, OLD=, NEW=, REASON=. `bits`: the knobs; verb: "" or "would set
 * ". */
void log_queues(const struct log *l, const struct report *r, const char *verb);
void log_change(const struct log *l, const struct report *r, uint32_t bits, const char *verb);
