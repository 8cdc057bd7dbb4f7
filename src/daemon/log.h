// SPDX-License-Identifier: GPL-2.0-or-later
/* log: one line an event, to the journal with fields when it is there, else to stderr. */
#pragma once
#include <stdint.h>

#include "core/report.h"

/* priority: LOG_ERR ... LOG_DEBUG of <syslog.h>. netdev may be NULL. */
void log_line(int priority, const char *netdev, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The change that a tick made: "vb0: gro-flush-timeout 0 -> 75000, ...: why". In the journal one entry a knob, with
 * NETDEV=, KNOB=, OLD=, NEW=, REASON=. `bits`: the knobs; verb: "" or "would set ". */
void log_change(const struct report *r, uint32_t bits, const char *verb);
