// SPDX-License-Identifier: GPL-2.0-or-later
/* simulate-rows: many runs at once, and the table of controllers. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/print.h"
#include "cli/simulate.h"
#include "engine/simrun-pool.h"

static const struct simrun_entry table_entries[] = {
	{ "default", -1, 0 }, { "fixed:30", -1, 0 }, { "fixed:200+25", -1, 0 }, { "dim", -1, 0 },
	{ "buckets", -1, 0 }, { "map", -1, 0 },	     { "hill", -1, 0 },		{ "law", -1, 0 },
};
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void progress(void *ctx, size_t rows)
{
	(void)ctx;
	fprintf(stderr, "\r%zu runs", rows);
}

static bool known(const char *load)
{
	for (int l = 0; l < SIMLOAD_COUNT; l++)
		if (!strcmp(load, simload_table[l].name))
			return true;
	return false;
}

/* About as many packets for each profile: fewer seeds on fast ones, and variants in the default mode only. No two jobs
 * have the same seeds, or begin with the same mode. */
static void adapt(struct simrun_job *job, int load)
{
	double scale = simprofile_table[job->profile].rate_scale;

	if (job->seeds && scale > 1)
		job->seeds = (unsigned)ceil(job->seeds / scale);
	if (simprofile_table[job->profile].fast)
		job->variant_modes &= 1U << MODE_BALANCED;
	job->first_seed = job->seed + 1000 * (1 + (uint64_t)load + SIMLOAD_COUNT * (uint64_t)job->profile);
}

/* Long jobs first, so that no process is left with one at the end. */
static size_t make_jobs(const struct simulate_options *o, const struct simrun_job *like, struct simrun_job *jobs)
{
	size_t n = 0;

	for (int changing = 1; changing >= 0; changing--)
		for (int p = 0; p < SIMPROFILE_COUNT; p++) {
			for (int l = 0; l < SIMLOAD_COUNT; l++) {
				if (!simulate_check_has(o, p, l) ||
				    (o->load && strcmp(o->load, simload_table[l].name)))
					continue;
				if (simload_table[l].changing != (bool)changing)
					continue;
				jobs[n] = *like;
				jobs[n].profile = (enum simprofile_id)p;
				jobs[n].load = simload_table[l].name;
				adapt(&jobs[n++], l);
			}
			/* not of the table: let it be parsed */
			if (o->load && !changing && !known(o->load) && simulate_check_has(o, p, -1)) {
				jobs[n] = *like;
				jobs[n].profile = (enum simprofile_id)p;
				jobs[n++].load = o->load;
			}
		}
	return n;
}

int simulate_collect(const struct cmd *c, const struct simulate_options *o, struct simrun_job *like,
		     struct simrun_rows *rows)
{
	struct simrun_job *jobs = calloc((size_t)SIMPROFILE_COUNT * (SIMLOAD_COUNT + 1), sizeof(*jobs));
	bool terminal = isatty(STDERR_FILENO);
	int r;

	if (!jobs)
		return cmd_fail(c, EXIT_FAILED, "out of memory");
	like->modes = o->modes;
	like->seed = o->seed;
	like->sample_s = o->sample_s;
	r = simrun_pool(jobs, make_jobs(o, like, jobs), o->jobs, terminal ? progress : NULL, NULL, rows);
	if (terminal)
		fprintf(stderr, "\r%*s\r", 30, "");
	free(jobs);
	if (r < 0)
		return cmd_fail(c, r == -ENOENT || r == -EINVAL ? EXIT_USAGE : EXIT_FAILED, "%s", strerror(-r));
	return EXIT_DONE;
}

void simulate_print_json(const struct simrun_rows *rows, json_object *failures)
{
	json_object *o = json_object_new_object(), *a = json_object_new_array();

	for (size_t i = 0; i < rows->n; i++)
		json_object_array_add(a, simulate_row_json(&rows->rows[i]));
	json_object_object_add(o, "rows", a);
	if (failures)
		json_object_object_add(o, "failures", failures);
	json_end(o, true);
}

void simulate_head(struct table *t)
{
	/* clang-format off */
	static const char *const words[] = {
		"NIC", "MODE", "LOAD", "CONTROLLER", "UTILITY", "OF BEST", "PACKETS/S", "CPU", "MEAN", "P99", "DROPS",
		"CHANGES", "SETTLED", "INTERVAL"
	};
	/* clang-format on */

	table_init(t, COUNT(words));
	for (size_t i = 0; i < COUNT(words); i++)
		table_add(t, "%s", words[i]);
}

void simulate_line(struct table *t, const struct simrun_row *r)
{
	const struct simrun_summary *s = &r->sum;
	char text[64];

	snprintf(text, sizeof(text), r->start_usecs < 0 ? "%s" : "%s from %.0f", r->contender, r->start_usecs);
	if (r->variant != SIMRUN_CLEAN)
		snprintf(text, sizeof(text), "%s %s", r->contender, simrun_variant_names[r->variant]);
	table_add(t, "%s", simprofile_table[r->profile].name);
	table_add(t, "%s", mode_table[r->mode].name);
	table_add(t, "%s", r->load);
	table_add(t, "%s", text);
	table_add(t, "%.3f", s->utility);
	table_add(t, "%.1f%%", 100 * s->of_oracle);
	table_add(t, "%.0f", s->delivered_ps);
	table_add(t, "%.1f%%", 100 * s->cpu_ratio);
	table_add(t, "%.1f us", s->mean_usecs);
	table_add(t, "%.1f us", s->p99_usecs);
	table_add(t, "%.4f%%", 100 * s->drop_ratio);
	table_add(t, "%u", s->changes);
	table_add(t, "%.0f s", s->converged_s);
	table_add(t, "%.0f us", s->interval_usecs);
}

int simulate_table(const struct cmd *c, const struct simulate_options *o)
{
	struct simrun_entry one = { o->controller, o->start_usecs, 0 };
	struct simrun_job like = { .entries = o->controller ? &one : table_entries,
				   .n_entries = o->controller ? 1 : COUNT(table_entries) };
	struct simrun_rows rows;
	struct table t;
	int code = simulate_collect(c, o, &like, &rows);

	if (code == EXIT_DONE && o->json) {
		simulate_print_json(&rows, NULL);
	} else if (code == EXIT_DONE) {
		simulate_head(&t);
		for (size_t i = 0; i < rows.n; i++)
			simulate_line(&t, &rows.rows[i]);
		table_end(&t, true, "");
	}
	free(rows.rows);
	return code;
}

/* Item by item what was published for a NIC, and what the law makes of it. */
void simulate_published_head(struct table *t)
{
	/* clang-format off */
	static const char *const words[] = {
		"NIC", "MODE", "LOAD", "DEFAULT CPU", "PUBLISHED CPU", "CPU", "MB/S", "INTERVAL", "BEST OF MODE",
		"VERDICT"
	};
	/* clang-format on */

	table_init(t, COUNT(words));
	for (size_t i = 0; i < COUNT(words); i++)
		table_add(t, "%s", words[i]);
}

void simulate_published_line(struct table *t, const struct simrun_published *p,
			     const struct simrun_published_row *r)
{
	static const char *const verdicts[] = {
		[SIMRUN_REACHES] = "reached",
		[SIMRUN_MODE_LIMITS] = "not what this mode is for",
		[SIMRUN_FALLS_SHORT] = "FAILED",
	};

	table_add(t, "%s", simprofile_table[p->profile].name);
	table_add(t, "%s", mode_table[r->mode].name);
	table_add(t, "%s", p->load);
	table_add(t, "%.2f%%", r->default_percent);
	table_add(t, "%.2f%%", p->after_percent);
	table_add(t, "%.2f%%", r->percent);
	table_add(t, "%.1f", r->mbps);
	table_add(t, "%.0f us", r->interval_usecs);
	table_add(t, "%.0f us: %.2f%%", r->best_usecs, r->best_percent);
	table_add(t, "%s", verdicts[r->verdict]);
}
