// SPDX-License-Identifier: GPL-2.0-or-later
/* show-cost: the part of `ethtune show` on what interrupts and packets cost: CPU time, cost of a poll and of a packet,
 * hardware counters; each with the source that it comes from and how sure it is. */
#include <stdio.h>

#include "cli/print.h"
#include "cli/show.h"

const struct polls_desc *show_polls_source(const struct show *v)
{
	if (v->rates.have & SAMPLE_POLLS)
		return &polls_table[v->rates.polls_by];
	return v->rates.have & SAMPLE_SOFTIRQ ? &polls_table[POLLS_NET_RX] : NULL;
}

static void cpu_text(const struct packet_cpu *c)
{
	const struct cpu_time_desc *d = &cpu_time_table[c->by];

	if (c->by == CPU_TIME_BY_NONE)
		return;
	printf("interrupts and packets of all devices: %.1f%% +- %.1f of CPU%u (%s: %s)\n", 100 * c->ratio,
	       100 * c->error, c->cpu, d->slug, d->what);
	if (c->threads_ratio > 0)
		printf("NAPI threads: %.1f%% of it\n", 100 * c->threads_ratio);
}

static void cost_text(const struct show *v)
{
	const struct cost_estimate *c = &v->cost;
	const struct cost_prior *p = &v->facts.prior;

	if (v->have_cost && c->split)
		printf("costs: %.2f us +- %.2f a poll with its interrupt, %.3f us +- %.3f a packet (%.0f polls timed, "
		       "confidence %.0f%%)\n",
		       c->a_usecs, c->a_error_usecs, c->b_usecs, c->b_error_usecs, c->polls, 100 * c->confidence);
	else if (v->have_cost)
		printf("costs: %.2f us a poll with its packets (%.0f polls timed, all of the same size)\n",
		       c->poll_usecs, c->polls);
	if (!v->have_cost || !c->split)
		printf("assumed costs: %.2f us a poll with its interrupt, %.2f us a packet (%s)\n", p->a_usecs,
		       p->b_usecs, p->name);
}

void show_costs_text(const struct show *v)
{
	const struct rates *r = &v->rates;

	cpu_text(&r->packet_cpu);
	cost_text(v);
	if (!(r->have & SAMPLE_PMU) || r->cycles_ps <= 0)
		return;
	printf("kernel on CPU%u: %.2f GHz", r->packet_cpu.cpu, r->cycles_ps / 1e9);
	if (r->instructions_ps > 0)
		printf(", %.2f instructions a cycle", r->instructions_ps / r->cycles_ps);
	if (r->cache_misses_ps > 0 && r->rx_pps >= 1)
		printf(", %.1f cache misses a packet", r->cache_misses_ps / r->rx_pps);
	puts("");
}

json_object *show_packet_cpu_json(const struct show *v)
{
	const struct packet_cpu *c = &v->rates.packet_cpu;
	json_object *o;

	if (!v->have_rates || c->by == CPU_TIME_BY_NONE)
		return NULL;
	o = json_object_new_object();
	json_object_object_add(o, "source", json_word(cpu_time_table[c->by].slug));
	json_object_object_add(o, "accuracy", json_word(cpu_time_table[c->by].accuracy));
	json_object_object_add(o, "cpu", json_number(c->cpu));
	json_object_object_add(o, "ratio", json_number(c->ratio));
	json_object_object_add(o, "error_ratio", json_number(c->error));
	json_object_object_add(o, "napi_threads_ratio",
			       v->rates.have & SAMPLE_NAPI_THREADS ? json_number(c->threads_ratio) : NULL);
	return o;
}

json_object *show_costs_json(const struct show *v)
{
	const struct cost_estimate *c = &v->cost;
	const struct cost_prior *p = &v->facts.prior;
	json_object *o = json_object_new_object(), *prior = json_object_new_object();
	bool split = v->have_cost && c->split;

	json_object_object_add(o, "poll_usecs", split ? json_number(c->a_usecs) : NULL);
	json_object_object_add(o, "poll_error_usecs", split ? json_number(c->a_error_usecs) : NULL);
	json_object_object_add(o, "packet_usecs", split ? json_number(c->b_usecs) : NULL);
	json_object_object_add(o, "packet_error_usecs", split ? json_number(c->b_error_usecs) : NULL);
	json_object_object_add(o, "confidence_ratio", split ? json_number(c->confidence) : NULL);
	json_object_object_add(o, "poll_with_packets_usecs", v->have_cost ? json_number(c->poll_usecs) : NULL);
	json_object_object_add(o, "timed_polls", v->have_cost ? json_number(c->polls) : NULL);
	json_object_object_add(o, "timed_packets", v->have_cost ? json_number(c->packets) : NULL);
	json_object_object_add(prior, "name", json_word(p->name));
	json_object_object_add(prior, "poll_usecs", json_number(p->a_usecs));
	json_object_object_add(prior, "packet_usecs", json_number(p->b_usecs));
	json_object_object_add(o, "assumed", prior);
	return o;
}

/* A processor may lack one of the events, which then stays at 0; a kernel that works counts some of each. */
static json_object *counted(double rate)
{
	return rate > 0 ? json_number(rate) : NULL;
}

json_object *show_pmu_json(const struct show *v)
{
	const struct rates *r = &v->rates;
	json_object *o;

	if (!v->have_rates || !(r->have & SAMPLE_PMU))
		return NULL;
	o = json_object_new_object();
	json_object_object_add(o, "cpu", json_number(r->packet_cpu.cpu));
	json_object_object_add(o, "kernel_cycles_per_second", counted(r->cycles_ps));
	json_object_object_add(o, "kernel_instructions_per_second", counted(r->instructions_ps));
	json_object_object_add(o, "kernel_cache_misses_per_second", counted(r->cache_misses_ps));
	return o;
}
