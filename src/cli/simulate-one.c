// SPDX-License-Identifier: GPL-2.0-or-later
/* simulate-one: one controller on one load: its decisions, and what the run was worth. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/print.h"
#include "cli/simulate.h"

struct watch {
	const struct simulate_options *o;
	json_object *decisions;
	double before_usecs;
};

static void observe(void *ctx, const struct ctl_input *in, const struct contender *c, bool changed)
{
	struct watch *w = ctx;
	char text[200] = "";
	json_object *d;

	if (!changed)
		goto out;
	if (c->kind == CONTENDER_LAW)
		decision_explain(&c->last, text, sizeof(text));
	if (w->o->json) {
		d = json_object_new_object();
		json_object_object_add(d, "time_seconds", json_number(in->now_s));
		json_object_object_add(d, "from_usecs", json_number(w->before_usecs));
		json_object_object_add(d, "interval_usecs", json_number(c->interval_usecs));
		if (c->kind == CONTENDER_LAW)
			json_object_object_add(d, "reason", json_object_new_string(reason_table[c->last.reason].slug));
		json_object_array_add(w->decisions, d);
	} else {
		printf("%8.1f s  %4.0f -> %4.0f us  %s\n", in->now_s, w->before_usecs, c->interval_usecs, text);
	}
out:
	w->before_usecs = c->interval_usecs;
}

static void print_windows(const struct simrun_grid *g, const struct policy *p, const struct simrun_result *r)
{
	struct table t;

	table_init(&t, 9);
	for (const char *const *h = (const char *const[]){ "TIME", "PACKETS/S", "IRQ/S", "POLLS/S", "CPU", "MEAN",
							   "P99", "INTERVAL", "UTILITY", NULL };
	     *h; h++)
		table_add(&t, "%s", *h);
	for (size_t i = 0; i < r->n; i++) {
		const struct simrun_window *w = &r->windows[i];

		table_add(&t, "%.0f s", w->end_s);
		table_add(&t, "%.0f", w->delivered[0] + w->delivered[1]);
		table_add(&t, "%.0f", w->interrupts);
		table_add(&t, "%.0f", w->polls);
		table_add(&t, "%.1f%%", 100 * w->cpu_ratio);
		table_add(&t, "%.1f us", w->mean_usecs);
		table_add(&t, "%.1f us", w->p99_usecs);
		table_add(&t, "%.0f us", w->interval_usecs);
		table_add(&t, "%.3f", simrun_utility(g, p, w));
	}
	table_end(&t, true, "");
}

static json_object *numbers(const struct simrun_row *r)
{
	const struct simrun_summary *s = &r->sum;
	json_object *o = json_object_new_object(), *best = json_object_new_array();

	json_object_object_add(o, "nic", json_object_new_string(simprofile_table[r->profile].name));
	json_object_object_add(o, "load", json_object_new_string(r->load));
	json_object_object_add(o, "controller", json_object_new_string(r->contender));
	json_object_object_add(o, "mode", json_object_new_string(mode_table[r->mode].name));
	json_object_object_add(o, "variant", json_object_new_string(simrun_variant_names[r->variant]));
	json_object_object_add(o, "start_usecs", r->start_usecs < 0 ? NULL : json_number(r->start_usecs));
	json_object_object_add(o, "utility", json_number(s->utility));
	json_object_object_add(o, "oracle_utility", json_number(r->oracle));
	json_object_object_add(o, "utility_of_oracle_ratio", json_number(s->of_oracle));
	for (unsigned i = 0; i < r->n_phases; i++)
		json_object_array_add(best, json_number(r->oracle_usecs[i]));
	json_object_object_add(o, "oracle_interval_usecs", best);
	json_object_object_add(o, "packets_per_second", json_number(s->delivered_ps));
	json_object_object_add(o, "bits_per_second", json_number(s->bytes_ps * 8));
	json_object_object_add(o, "interrupts_per_second", json_number(s->interrupts_ps));
	json_object_object_add(o, "softirq_cpu_ratio", json_number(s->cpu_ratio));
	json_object_object_add(o, "host_cpu_ratio", json_number(s->host_ratio / simprofile_table[r->profile].cpus));
	json_object_object_add(o, "added_latency_mean_usecs", json_number(s->mean_usecs));
	json_object_object_add(o, "added_latency_p99_usecs", json_number(s->p99_usecs));
	json_object_object_add(o, "drop_ratio", json_number(s->drop_ratio));
	json_object_object_add(o, "changes", json_object_new_int64(s->changes));
	json_object_object_add(o, "converged_seconds", json_number(s->converged_s));
	json_object_object_add(o, "interval_usecs", json_number(s->interval_usecs));
	return o;
}

json_object *simulate_row_json(const struct simrun_row *r)
{
	return numbers(r);
}

static void print_summary(const struct simrun_row *r)
{
	const struct simrun_summary *s = &r->sum;
	const struct sim_profile *p = &simprofile_table[r->profile];

	printf("%s, %s, %s, %s:\n", p->name, r->load, r->contender, mode_table[r->mode].name);
	printf("  throughput    %.0f packets/s, %.1f Mb/s, %.4f%% dropped\n", s->delivered_ps, s->bytes_ps * 8 / 1e6,
	       100 * s->drop_ratio);
	printf("  interrupts    %.0f/s\n", s->interrupts_ps);
	printf("  CPU           %.1f%% of one for interrupts and packets; with the receivers %.1f%% of %u\n",
	       100 * s->cpu_ratio, 100 * s->host_ratio / p->cpus, p->cpus);
	printf("  added delay   mean %.1f us, p99 %.1f us\n", s->mean_usecs, s->p99_usecs);
	printf("  interval      %.1f us on average, %u changes, settled after %.0f s\n", s->interval_usecs, s->changes,
	       s->converged_s);
	printf("  utility       %.3f, %.1f%% of the best fixed interval%s (", s->utility, 100 * s->of_oracle,
	       r->n_phases > 1 ? " of each phase" : "");
	for (unsigned i = 0; i < r->n_phases; i++)
		printf("%s%.0f us", i ? ", " : "", r->oracle_usecs[i]);
	printf(")\n");
}

/* Fills the row of one finished run. */
static void judge(const struct simrun_grid *g, const struct simrun_config *cfg, const struct simrun_result *r,
		  struct simrun_row *row)
{
	row->n_phases = g->load.n_phases;
	row->oracle = simrun_oracle(g, &cfg->policy, cfg->profile->floor_usecs, row->oracle_usecs);
	simrun_summarize(g, &cfg->policy, row->oracle, r, &row->sum);
}

int simulate_one(const struct cmd *c, const struct simulate_options *o)
{
	struct watch watch = { .o = o, .decisions = NULL };
	struct simrun_row row = { .profile = (enum simprofile_id)o->profile, .start_usecs = o->start_usecs };
	struct simrun_config cfg = { .load = o->load ? o->load : simload_table[SIMLOAD_poisson_hi].name,
				     .contender = o->controller ? o->controller : contender_table[CONTENDER_LAW].name,
				     .seed = o->seed,
				     .queues = o->queues,
				     .one_cpu = o->one_cpu,
				     .seconds = o->seconds,
				     .sample_s = o->sample_s,
				     .start_usecs = o->start_usecs,
				     .observe = observe,
				     .ctx = &watch };
	struct simrun_result result;
	struct simrun_grid grid;
	json_object *out;
	int r;

	if (o->profile >= SIMPROFILE_COUNT || (o->modes & (o->modes - 1)))
		return cmd_fail(c, EXIT_USAGE, "one run has one NIC and one mode");
	cfg.profile = &simprofile_table[o->profile];
	policy_default(&cfg.policy);
	while (!(o->modes & 1U << cfg.policy.mode))
		cfg.policy.mode = (enum mode)((cfg.policy.mode + 1) % MODE_COUNT);
	row.mode = cfg.policy.mode;
	snprintf(row.load, sizeof(row.load), "%s", cfg.load);
	snprintf(row.contender, sizeof(row.contender), "%s", cfg.contender);
	watch.before_usecs = o->start_usecs < 0 ? cfg.profile->default_usecs : o->start_usecs;
	r = simrun_grid_like(&cfg, policy_cap_usecs(&cfg.policy), &grid);
	if (r < 0)
		return cmd_fail(c, r == -ENOMEM ? EXIT_FAILED : EXIT_USAGE, "load '%s': %s (see --list)", cfg.load,
				strerror(-r));
	if (!(cfg.seconds > 0))
		cfg.seconds = simrun_seconds(cfg.profile, &grid.load);
	watch.decisions = o->json ? json_object_new_array() : NULL;
	r = simrun(&cfg, &result);
	if (r < 0) {
		json_object_put(watch.decisions);
		simrun_grid_free(&grid);
		return cmd_fail(c, r == -ENOMEM ? EXIT_FAILED : EXIT_USAGE, "controller '%s': %s (see --list)",
				cfg.contender, strerror(-r));
	}
	judge(&grid, &cfg, &result, &row);
	if (o->json) {
		out = numbers(&row);
		json_object_object_add(out, "decisions", watch.decisions);
		json_end(out, true);
	} else {
		if (o->verbose)
			print_windows(&grid, &cfg.policy, &result);
		print_summary(&row);
	}
	simrun_free(&result);
	simrun_grid_free(&grid);
	return EXIT_DONE;
}
