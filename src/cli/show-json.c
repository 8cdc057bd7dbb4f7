// SPDX-License-Identifier: GPL-2.0-or-later
/* show-json: `ethtune show --json`: one object; what is not known or not supported is null. */
#include "cli/print.h"
#include "cli/show.h"

static json_object *limits(const struct knob_caps *caps)
{
	json_object *all = json_object_new_object();

	for (int k = 0; k < KNOB_COUNT; k++) {
		json_object *o = NULL;

		if (caps->readable & KNOB_BIT(k)) {
			bool settable = caps->settable & KNOB_BIT(k);

			o = json_object_new_object();
			json_object_object_add(o, "settable", json_object_new_boolean(settable));
			json_object_object_add(o, "min", settable ? json_object_new_uint64(caps->min[k]) : NULL);
			json_object_object_add(o, "max", settable ? json_object_new_uint64(caps->max[k]) : NULL);
			json_object_object_add(o, "step", caps->step[k] ? json_object_new_uint64(caps->step[k]) : NULL);
		}
		json_object_object_add(all, knob_table[k].json, o);
	}
	return all;
}

static json_object *profile(const struct nic_profile *p)
{
	json_object *a = p->n ? json_object_new_array() : NULL;

	for (unsigned i = 0; i < p->n; i++) {
		json_object *o = json_object_new_object();

		json_object_object_add(o, "usecs", json_number(p->row[i].usecs));
		json_object_object_add(o, "frames", json_number(p->row[i].frames));
		json_object_object_add(o, "completions", json_number(p->row[i].comps));
		json_object_array_add(a, o);
	}
	return a;
}

static json_object *napi(const struct nic_settings *s)
{
	json_object *a = json_object_new_array();

	for (unsigned i = 0; i < s->n_napi; i++) {
		json_object *o = json_object_new_object();

		json_object_object_add(o, "id", json_number(s->napi[i].id));
		json_object_object_add(o, knob_table[KNOB_GRO_FLUSH_TIMEOUT].json,
				       json_object_new_uint64(s->napi[i].gro_flush_timeout_ns));
		json_object_object_add(o, knob_table[KNOB_NAPI_DEFER_HARD_IRQS].json,
				       json_number(s->napi[i].defer_hard_irqs));
		json_object_array_add(a, o);
	}
	return a;
}

static json_object *queue_settings(const struct nic_settings *s)
{
	json_object *a = json_object_new_array();

	for (unsigned i = 0; i < s->n_queue; i++) {
		json_object *o = json_object_new_object();

		json_object_object_add(o, "queue", json_number(s->queue[i].queue));
		for (int k = 0; k < KNOB_COUNT; k++)
			if (knob_table[k].channel == CHANNEL_COALESCE)
				json_object_object_add(o, knob_table[k].json, json_knob(&s->queue[i].knobs, k));
		json_object_array_add(a, o);
	}
	return a;
}

static json_object *queues(const struct show *v)
{
	json_object *a = json_object_new_array();

	for (unsigned i = 0; i < v->n_rows; i++) {
		const struct queue_row *r = &v->rows[i];
		json_object *o = json_object_new_object();
		const char *serves = r->control	      ? "control"
				     : r->rx && r->tx ? "rx+tx"
				     : r->rx	      ? "rx"
				     : r->tx	      ? "tx"
						      : NULL;

		json_object_object_add(o, "queue", json_known(r->queue));
		json_object_object_add(o, "serves", json_word(serves));
		json_object_object_add(o, "napi_id", r->napi ? json_number(r->napi) : NULL);
		json_object_object_add(o, "irq", json_known(r->irq));
		json_object_object_add(o, "cpus", json_word(r->cpus));
		json_object_object_add(o, "confidence", json_word(map_confidence_names[r->confidence]));
		json_object_object_add(o, "shared", json_object_new_boolean(r->shared));
		json_object_object_add(o, "interrupts_per_second", json_known(r->interrupts_ps));
		json_object_object_add(o, "packets_per_second", json_known(r->packets_ps));
		json_object_array_add(a, o);
	}
	return a;
}

static void add_rate(json_object *o, const char *key, const struct rates *r, uint32_t source, double v)
{
	json_object_object_add(o, key, r->have & source ? json_number(v) : NULL);
}

static json_object *rates(const struct show *v)
{
	const struct rates *r = &v->rates;
	json_object *o;

	if (!v->have_rates)
		return NULL;
	o = json_object_new_object();
	add_rate(o, "rx_packets_per_second", r, SAMPLE_LINK, r->rx_pps);
	add_rate(o, "tx_packets_per_second", r, SAMPLE_LINK, r->tx_pps);
	add_rate(o, "rx_bytes_per_second", r, SAMPLE_LINK, r->rx_bytes_ps);
	add_rate(o, "tx_bytes_per_second", r, SAMPLE_LINK, r->tx_bytes_ps);
	add_rate(o, "interrupts_per_second", r, SAMPLE_IRQS, r->interrupts_ps);
	add_rate(o, "polls_per_second", r, SAMPLE_POLLS, r->polls_ps);
	add_rate(o, "empty_polls_per_second", r, SAMPLE_POLLS, r->empty_polls_ps);
	add_rate(o, "full_polls_per_second", r, SAMPLE_POLLS, r->full_polls_ps);
	json_object_object_add(o, "polls_source", json_word(show_polls_source(v) ? show_polls_source(v)->slug : NULL));
	add_rate(o, "net_rx_softirqs_per_second", r, SAMPLE_SOFTIRQ, r->net_rx_ps);
	add_rate(o, "ring_drops_per_second", r, SAMPLE_RING_DROPS, r->ring_drops_ps);
	add_rate(o, "time_squeeze_per_second", r, SAMPLE_SOFTNET, r->time_squeeze_ps);
	add_rate(o, "softirq_cpu_ratio", r, SAMPLE_CPU, r->busiest_softirq_ratio);
	add_rate(o, "busiest_cpu_ratio", r, SAMPLE_CPU, r->busiest_ratio);
	add_rate(o, "busiest_cpu", r, SAMPLE_CPU, r->busiest_cpu);
	return o;
}

void show_json(const struct show *v)
{
	json_object *o = json_nic(&v->nic), *tunable = json_object_new_array(), *missing = json_object_new_object();
	unsigned bits = print_tunables(&v->caps);

	for (unsigned i = 0; i < PRINT_TUNABLES; i++)
		if (bits & 1U << i)
			json_object_array_add(tunable, json_object_new_string(print_tunable_names[i]));
	for (const struct show_source *s = show_sources; s->source; s++)
		if (show_missing(v, s))
			json_object_object_add(missing, s->json, json_word(show_missing(v, s)));
	json_object_object_add(o, "tunable", tunable);
	json_object_object_add(o, "knobs", json_knobs(&v->current));
	json_object_object_add(o, "limits", limits(&v->caps.knobs));
	json_object_object_add(o, "adaptive_rx_profile", profile(&v->caps.rx_profile));
	json_object_object_add(o, "adaptive_tx_profile", profile(&v->caps.tx_profile));
	json_object_object_add(o, "napi", napi(&v->settings));
	json_object_object_add(o, "queue_settings", queue_settings(&v->settings));
	json_object_object_add(o, "queues", queues(v));
	json_object_object_add(o, "rates", rates(v));
	json_object_object_add(o, "packet_cpu", show_packet_cpu_json(v));
	json_object_object_add(o, "costs", show_costs_json(v));
	json_object_object_add(o, "pmu", show_pmu_json(v));
	json_object_object_add(o, "missing", missing);
	json_end(o, true);
}
