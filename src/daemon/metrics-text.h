// SPDX-License-Identifier: GPL-2.0-or-later
/* metrics-text: the two text forms that Prometheus reads: its own, 0.0.4, and OpenMetrics 1.0. A family is begun, then
 * samples are added; what got no sample is not mentioned at all. Names come without the prefix "ethtuned_" and without
 * "_total", "_info": those belong to the type. */
#pragma once
#include <stdint.h>

#include "daemon/metrics-buf.h"

enum metrics_format { METRICS_TEXT, METRICS_OPENMETRICS, METRICS_FORMAT_COUNT };
extern const char *const metrics_content_types[METRICS_FORMAT_COUNT];

enum metric_type { METRIC_GAUGE, METRIC_COUNTER, METRIC_INFO, METRIC_HISTOGRAM };

struct metric_family {
	const char *name, *unit, *help; /* unit: "" or a base unit that the name ends with */
	enum metric_type type;
};

struct metrics_text {
	enum metrics_format format;
	struct metrics_buf buf;
	/* private */
	struct metric_family family;
	bool headed;
};

/* The form that an Accept header (NULL: none) likes best; Prometheus' own when it does not care. */
enum metrics_format metrics_accept(const char *accept);

void metrics_begin(struct metrics_text *t, const struct metric_family *f); /* the strings must stay */
/* Labels are pairs of name and value, ended by NULL; values may hold anything. */
void metrics_u64(struct metrics_text *t, uint64_t value, ...) __attribute__((sentinel));
void metrics_double(struct metrics_text *t, double value, ...) __attribute__((sentinel));
/* n buckets: upper bounds in seconds and how many were not above (each by itself, not summed up); the last of counts,
 * counts[n], is for those above all. */
void metrics_buckets(struct metrics_text *t, const double *bounds, const uint64_t *counts, unsigned n, double sum);
void metrics_end(struct metrics_text *t);
