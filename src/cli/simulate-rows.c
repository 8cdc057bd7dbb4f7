// SPDX-License-Identifier: GPL-2.0-or-later
/* simulate-rows: many runs: the table of controllers, and the check of the acceptance numbers. */
#include <errno.h>
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
static const struct simrun_entry check_entries[] = {
	{ "law", -1, 0 },      { "law", 30, 0 },	  { "law", 200, 25 }, { "default", -1, 0 },
	{ "fixed:30", -1, 0 }, { "fixed:200+25", -1, 0 }, { "dim", -1, 0 },
};
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* What the check runs without --nic: one of each kind of host and mechanism. */
static const enum simprofile_id check_profiles[] = { SIMPROFILE_A53, SIMPROFILE_STMMAC_GMAC5, SIMPROFILE_ICSSG,
						     SIMPROFILE_X86_10G, SIMPROFILE_VETH };

static void progress(void *ctx, size_t rows)
{
	(void)ctx;
	fprintf(stderr, "\r%zu runs", rows);
}

static bool wanted_profile(const struct simulate_options *o, int profile)
{
	if (o->profile == SIMPROFILE_COUNT)
		return true;
	if (o->profile >= 0)
		return o->profile == profile;
	for (size_t i = 0; i < COUNT(check_profiles); i++)
		if ((int)check_profiles[i] == profile)
			return true;
	return false;
}

static bool known(const char *load)
{
	for (int l = 0; l < SIMLOAD_COUNT; l++)
		if (!strcmp(load, simload_table[l].name))
			return true;
	return false;
}

/* Long jobs first, so that no process is left with one at the end. */
static size_t make_jobs(const struct simulate_options *o, const struct simrun_job *like, struct simrun_job *jobs)
{
	size_t n = 0;

	for (int changing = 1; changing >= 0; changing--)
		for (int p = 0; p < SIMPROFILE_COUNT; p++) {
			if (!wanted_profile(o, p))
				continue;
			for (int l = 0; l < SIMLOAD_COUNT; l++) {
				if (o->load ? strcmp(o->load, simload_table[l].name) : 0)
					continue;
				if (simload_table[l].changing != (bool)changing)
					continue;
				jobs[n] = *like;
				jobs[n].profile = (enum simprofile_id)p;
				jobs[n++].load = simload_table[l].name;
			}
			if (o->load && !changing && !known(o->load)) { /* not of the table: let it be parsed */
				jobs[n] = *like;
				jobs[n].profile = (enum simprofile_id)p;
				jobs[n++].load = o->load;
			}
		}
	return n;
}

static int collect(const struct cmd *c, const struct simulate_options *o, struct simrun_job *like,
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

static void print_json(const struct simrun_rows *rows, const char *key, json_object *failures)
{
	json_object *o = json_object_new_object(), *a = json_object_new_array();

	for (size_t i = 0; i < rows->n; i++)
		json_object_array_add(a, simulate_row_json(&rows->rows[i]));
	json_object_object_add(o, key, a);
	if (failures)
		json_object_object_add(o, "failures", failures);
	json_end(o, true);
}

static void head(struct table *t)
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

static void line(struct table *t, const struct simrun_row *r)
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
	int code = collect(c, o, &like, &rows);

	if (code == EXIT_DONE && o->json) {
		print_json(&rows, "rows", NULL);
	} else if (code == EXIT_DONE) {
		head(&t);
		for (size_t i = 0; i < rows.n; i++)
			line(&t, &rows.rows[i]);
		table_end(&t, true, "");
	}
	free(rows.rows);
	return code;
}

static const struct simrun_row *clean_of(const struct simrun_rows *rows, const struct simrun_row *r)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct simrun_row *k = &rows->rows[i];

		if (k->profile == r->profile && k->mode == r->mode && !strcmp(k->load, r->load) &&
		    !strcmp(k->contender, r->contender) && k->variant == SIMRUN_SHORT)
			return k;
	}
	return NULL;
}

struct verdict {
	size_t rows, failed;
	struct table table; /* of the rows that are printed */
	json_object *failures;
	bool json, verbose, any;
};

static void fail(struct verdict *v, const struct simrun_row *r, const char *why)
{
	json_object *o;

	v->failed++;
	if (!v->json)
		return;
	o = simulate_row_json(r);
	json_object_object_add(o, "failure", json_object_new_string(why));
	json_object_array_add(v->failures, o);
}

static void judge_rows(struct verdict *v, const struct simrun_rows *rows)
{
	char why[SIMRUN_WHY_MAX];

	for (size_t i = 0; i < rows->n; i++) {
		const struct simrun_row *r = &rows->rows[i];
		bool passes;

		if (!r->is_law)
			continue;
		v->rows++;
		passes = simrun_row_passes(r, r->variant == SIMRUN_CLEAN ? NULL : clean_of(rows, r), why);
		if (!passes)
			fail(v, r, why);
		if (passes && !v->verbose)
			continue;
		line(&v->table, r);
		table_add(&v->table, "%s", passes ? "ok" : why);
		v->any = true;
	}
}

/* What the law reaches, and what each missing input costs it, by profile and mode. */
static void print_means(const struct simrun_rows *rows, enum simprofile_id profile, enum mode mode)
{
	double sum[2] = { 0 }, n[2] = { 0 }, worst = 9, mean;
	const char *where = "";

	for (size_t i = 0; i < rows->n; i++) {
		const struct simrun_row *r = &rows->rows[i];

		if (r->profile != profile || r->mode != mode || !r->is_law || r->variant != SIMRUN_CLEAN)
			continue;
		sum[r->changing] += r->sum.of_oracle;
		n[r->changing]++;
		if (r->sum.of_oracle < worst) {
			worst = r->sum.of_oracle;
			where = r->load;
		}
	}
	printf("%s %s:", simprofile_table[profile].name, mode_table[mode].name);
	if (n[0] > 0)
		printf(" steady %.2f%%,", 100 * sum[0] / n[0]);
	if (n[1] > 0)
		printf(" changing %.2f%%,", 100 * sum[1] / n[1]);
	printf(" worst %.1f%% (%s)", 100 * worst, where);
	for (int v = SIMRUN_SHORT; v < SIMRUN_SEED; v++) {
		mean = simrun_variant_mean(rows->rows, rows->n, profile, mode, (enum simrun_variant)v);
		if (mean >= 0)
			printf("%s %s %.2f%%", v == SIMRUN_SHORT ? ";" : ",", simrun_variant_names[v], 100 * mean);
	}
	printf("\n");
}

static void judge_means(struct verdict *v, const struct simrun_rows *rows, uint32_t modes)
{
	char why[SIMRUN_WHY_MAX];

	for (int p = 0; p < SIMPROFILE_COUNT; p++)
		for (int m = 0; m < MODE_COUNT; m++) {
			const struct simrun_row *any = NULL;

			for (size_t i = 0; i < rows->n && !any; i++)
				if ((int)rows->rows[i].profile == p && (int)rows->rows[i].mode == m &&
				    (modes & 1U << m))
					any = &rows->rows[i];
			if (!any)
				continue;
			if (!v->json)
				print_means(rows, any->profile, any->mode);
			v->rows++;
			if (simrun_means_pass(rows->rows, rows->n, any->profile, any->mode, why))
				continue;
			fail(v, any, why);
			if (!v->json)
				printf("  FAILED: %s\n", why);
		}
}

int simulate_check(const struct cmd *c, const struct simulate_options *o)
{
	struct simrun_job like = { .entries = check_entries,
				   .n_entries = COUNT(check_entries),
				   .changing_only = 4,
				   .variant_modes = 1U << MODE_BALANCED | 1U << MODE_THROUGHPUT,
				   .seeds = o->seeds };
	struct verdict v = { .json = o->json, .verbose = o->verbose };
	struct simrun_rows rows;
	int code = collect(c, o, &like, &rows);

	if (code != EXIT_DONE) {
		free(rows.rows);
		return code;
	}
	v.failures = o->json ? json_object_new_array() : NULL;
	head(&v.table);
	v.table.columns++;
	table_add(&v.table, "VERDICT");
	judge_rows(&v, &rows);
	table_end(&v.table, v.any && !o->json, "");
	judge_means(&v, &rows, o->modes);
	if (o->json)
		print_json(&rows, "rows", v.failures);
	else
		printf("%zu of %zu checks failed\n", v.failed, v.rows);
	free(rows.rows);
	return v.failed ? EXIT_ADVISED : EXIT_DONE;
}
