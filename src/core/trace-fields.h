// SPDX-License-Identifier: GPL-2.0-or-later
/* trace-fields: the keys of an `at` line: where each is in struct sample, and which source it belongs to. Private to
 * core/trace*. */
#pragma once
#include <stdbool.h>

#include "core/sample.h"

struct trace_field {
	const char *key;
	size_t offset; /* in struct sample, cpu_counters or queue_counters */
	uint32_t source;
	bool time; /* nanoseconds, written with a unit */
};

extern const struct trace_field trace_device_fields[], trace_cpu_fields[], trace_queue_fields[]; /* key NULL: end */
