// SPDX-License-Identifier: GPL-2.0-or-later
/* show: what `ethtune show` gathered of one interface, and its two ways of printing. */
#pragma once
#include <json-c/json.h>
#include <stdbool.h>

#include "cli/queues.h"
#include "core/nic.h"
#include "core/sample.h"
#include "engine/facts.h"

struct show {
	struct nic_info nic;
	struct nic_caps caps;
	struct knob_set current;
	struct nic_settings settings; /* what the kernel shows one by one */
	struct nic_map map;
	struct sample a, b; /* about a second apart */
	bool have_rates;    /* b and rates hold something */
	struct rates rates;
	bool detailed;	      /* the dear sources were asked; why_* then say what is missing, "" */
	char why_polls[ERR_MAX], why_trace[ERR_MAX], why_pmu[ERR_MAX];
	bool have_cost; /* polls were timed: cost holds something */
	struct cost_estimate cost;
	struct machine_facts facts; /* what is assumed of costs until then */
	unsigned n_rows;
	struct queue_row rows[QUEUE_ROWS_MAX];
};

void show_text(const struct show *v);
void show_json(const struct show *v);

/* CPU time and costs: where they come from, how sure they are. */
void show_costs_text(const struct show *v);
json_object *show_packet_cpu_json(const struct show *v);
json_object *show_costs_json(const struct show *v);
json_object *show_pmu_json(const struct show *v);
/* NULL: polls are not known at all. */
const struct polls_desc *show_polls_source(const struct show *v);

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
