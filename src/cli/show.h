// SPDX-License-Identifier: GPL-2.0-or-later
/* show: what `ethtune show` gathered of one interface, and its two ways of printing. */
#pragma once
#include <stdbool.h>

#include "cli/queues.h"
#include "core/nic.h"
#include "core/sample.h"

struct show {
	struct nic_info nic;
	struct nic_caps caps;
	struct knob_set current;
	struct nic_settings settings; /* what the kernel shows one by one */
	struct nic_map map;
	struct sample a, b; /* about a second apart */
	bool have_rates;    /* b and rates hold something */
	struct rates rates;
	const char *no_polls; /* why polls are not counted, "" */
	unsigned n_rows;
	struct queue_row rows[QUEUE_ROWS_MAX];
};

void show_text(const struct show *v);
void show_json(const struct show *v);

/* Counters and why one may be missing; rows end with source 0. */
struct show_source {
	unsigned source;
	const char *name, *json, *why;
};
extern const struct show_source show_sources[];
/* Why this source is missing here, or NULL when it is there. */
const char *show_missing(const struct show *v, const struct show_source *s);
/* The NAPI instances (queues) do not all have the same values. */
bool show_napi_differ(const struct nic_settings *s);
bool show_queues_differ(const struct nic_settings *s);
