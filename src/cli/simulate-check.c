// SPDX-License-Identifier: GPL-2.0-or-later
/* simulate-check: the acceptance numbers of the law: all of them, or the short form that every `make check` runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print.h"
#include "cli/simulate.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct simrun_entry check_entries[] = {
	{ "law", -1, 0 },      { "law", 30, 0 },	  { "law", 200, 25 }, { "default", -1, 0 },
	{ "fixed:30", -1, 0 }, { "fixed:200+25", -1, 0 }, { "dim", -1, 0 },
};

/* Boards, servers and virtual machines, and one of each mechanism: what the check runs without --nic. */
static const enum simprofile_id check_profiles[] = {
	SIMPROFILE_A53, SIMPROFILE_STMMAC_GMAC5, SIMPROFILE_STMMAC_XGMAC, SIMPROFILE_ICSSG, SIMPROFILE_LAN743X,
	SIMPROFILE_MTK, SIMPROFILE_X86_10G,	 SIMPROFILE_X86_100G,	  SIMPROFILE_VETH,
};

/* The short form: a load of each kind, on NICs above 1 Gb/s (what takes the time is packets) a few. Left out for their
 * time: tcp_lan, tcp_wan, tx_*, mixed_tcp, overload, microburst, incast, const_hi, poisson_hi, mmpp_*, ramp, step,
 * phases, daily. Left out as the law's own tests weigh too much in a run as short: gro_trains, onoff_slow. */
static const struct {
	enum simload_id load;
	bool fast_too;
} short_loads[] = {
	{ SIMLOAD_idle, true },	       { SIMLOAD_const_lo, true },    { SIMLOAD_const_mid, false },
	{ SIMLOAD_poisson_mid, true }, { SIMLOAD_tcp_wlim, false },   { SIMLOAD_pingpong, true },
	{ SIMLOAD_pingpong8, false },  { SIMLOAD_reqresp, false },    { SIMLOAD_mixed, false },
	{ SIMLOAD_flap, false },
};

/* Known to fall short there: left out of the short form, and printed as such. The complete form fails on them. */
static const struct {
	enum simprofile_id profile;
	enum simload_id load;
	const char *why;
} misses[] = {
#define MISS(profile, load, why) { SIMPROFILE_##profile, SIMLOAD_##load, why },
#include "cli/simulate-misses.def"
#undef MISS
};

static const char *missed(int profile, int load)
{
	for (size_t i = 0; i < COUNT(misses); i++)
		if ((int)misses[i].profile == profile && (int)misses[i].load == load)
			return misses[i].why;
	return NULL;
}

bool simulate_check_has(const struct simulate_options *o, int profile, int load)
{
	bool has_profile = o->profile == SIMPROFILE_COUNT || o->profile == profile, has_load = !o->brief || o->load;

	for (size_t i = 0; i < COUNT(check_profiles) && o->profile < 0; i++)
		has_profile |= (int)check_profiles[i] == profile;
	for (size_t i = 0; i < COUNT(short_loads) && !has_load; i++)
		has_load = (int)short_loads[i].load == load &&
			   (short_loads[i].fast_too || simprofile_table[profile].rate_scale <= 1) &&
			   !missed(profile, load);
	return has_profile && has_load;
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
		passes = simrun_row_passes(r, r->variant == SIMRUN_CLEAN ? NULL : clean_of(rows, r),
					   simrun_spread(rows->rows, rows->n, r), why);
		if (!passes)
			fail(v, r, why);
		if (passes && !v->verbose)
			continue;
		simulate_line(&v->table, r);
		table_add(&v->table, "%s", passes ? "ok" : why);
		v->any = true;
	}
}

/* What the law reaches by profile and mode. */
static void print_means(const struct simrun_rows *rows, enum simprofile_id profile, enum mode mode)
{
	double sum[2] = { 0 }, n[2] = { 0 }, worst = 9;
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
	printf(" worst %.1f%% (%s)\n", 100 * worst, where);
}

static void judge_means(struct verdict *v, const struct simrun_rows *rows, const struct simulate_options *o)
{
	char why[SIMRUN_WHY_MAX];

	for (int p = 0; p < SIMPROFILE_COUNT; p++)
		for (int m = 0; m < MODE_COUNT; m++) {
			const struct simrun_row *any = NULL;

			for (size_t i = 0; i < rows->n && !any; i++)
				if ((int)rows->rows[i].profile == p && (int)rows->rows[i].mode == m &&
				    (o->modes & 1U << m))
					any = &rows->rows[i];
			if (!any)
				continue;
			if (!v->json)
				print_means(rows, any->profile, any->mode);
			if (o->brief || o->load)
				continue; /* means are over all loads */
			v->rows++;
			if (simrun_means_pass(rows->rows, rows->n, any->profile, any->mode, why))
				continue;
			fail(v, any, why);
			if (!v->json)
				printf("  FAILED: %s\n", why);
		}
}

/* What it loses when inputs are worse than they should be, or missing: means over the loads, of the oracle. */
static void print_variants(const struct simrun_rows *rows, uint32_t modes)
{
	struct table t;
	bool any = false;

	table_init(&t, 2 + SIMRUN_SEED - SIMRUN_SHORT);
	table_add(&t, "NIC");
	table_add(&t, "MODE");
	for (int v = SIMRUN_SHORT; v < SIMRUN_SEED; v++)
		table_add(&t, "%s", v == SIMRUN_SHORT ? "CLEAN" : simrun_variant_names[v]);
	for (int p = 0; p < SIMPROFILE_COUNT; p++)
		for (int m = 0; m < MODE_COUNT; m++) {
			double clean = simrun_variant_mean(rows->rows, rows->n, (enum simprofile_id)p, (enum mode)m,
							   SIMRUN_SHORT);

			if (clean < 0 || !(modes & 1U << m))
				continue;
			any = true;
			table_add(&t, "%s", simprofile_table[p].name);
			table_add(&t, "%s", mode_table[m].name);
			table_add(&t, "%.2f%%", 100 * clean);
			for (int v = SIMRUN_SHORT + 1; v < SIMRUN_SEED; v++)
				table_add(&t, "%+.2f",
					  100 * (simrun_variant_mean(rows->rows, rows->n, (enum simprofile_id)p,
								     (enum mode)m, (enum simrun_variant)v) -
						 clean));
		}
	if (any)
		printf("\nLost when inputs are noisy or missing, in percent of the best fixed interval:\n");
	table_end(&t, any, "");
}

static bool published_wanted(const struct simulate_options *o, const struct simrun_published *p)
{
	return o->profile < 0 || o->profile == SIMPROFILE_COUNT || o->profile == (int)p->profile;
}

static bool check_published(struct verdict *v, const struct simulate_options *o)
{
	struct table t;
	bool any = false;

	if (o->load || o->json || o->brief)
		return true;
	simulate_published_head(&t);
	for (size_t i = 0; i < simrun_published_count; i++) {
		const struct simrun_published *p = &simrun_published_table[i];

		for (int m = 0; m < MODE_COUNT; m++) {
			struct simrun_published_row row;

			if (!(o->modes & 1U << m) || m == MODE_LATENCY || !published_wanted(o, p))
				continue;
			if (simrun_published(p, (enum mode)m, &row) < 0)
				return false;
			v->rows++;
			v->failed += row.verdict == SIMRUN_FALLS_SHORT;
			simulate_published_line(&t, p, &row);
			any = true;
		}
	}
	if (any)
		printf("\nFrom the driver's old default, beside the settings that were published for it:\n");
	table_end(&t, any, "");
	return true;
}

static void print_left_out(const struct simulate_options *o)
{
	for (size_t i = 0; i < COUNT(misses); i++)
		if (o->profile < 0 || o->profile == SIMPROFILE_COUNT || o->profile == (int)misses[i].profile)
			printf("left out: %s, %s: %s\n", simprofile_table[misses[i].profile].name,
			       simload_table[misses[i].load].name, misses[i].why);
}

int simulate_check(const struct cmd *c, const struct simulate_options *o)
{
	struct simrun_job like = { .entries = check_entries,
				   .n_entries = COUNT(check_entries),
				   .changing_only = 4,
				   .variant_modes = o->brief ? 0 : 1U << MODE_BALANCED | 1U << MODE_THROUGHPUT,
				   .seeds = o->brief ? 0 : o->seeds,
				   .brief = o->brief };
	struct verdict v = { .json = o->json, .verbose = o->verbose };
	struct simrun_rows rows;
	int code = simulate_collect(c, o, &like, &rows);

	if (code != EXIT_DONE) {
		free(rows.rows);
		return code;
	}
	v.failures = o->json ? json_object_new_array() : NULL;
	simulate_head(&v.table);
	v.table.columns++;
	table_add(&v.table, "VERDICT");
	judge_rows(&v, &rows);
	table_end(&v.table, v.any && !o->json, "");
	judge_means(&v, &rows, o);
	if (!o->json)
		print_variants(&rows, o->modes);
	if (!o->json && o->brief && !o->load)
		print_left_out(o);
	if (!check_published(&v, o))
		code = cmd_fail(c, EXIT_FAILED, "out of memory");
	if (o->json)
		simulate_print_json(&rows, v.failures);
	else
		printf("%zu of %zu checks failed\n", v.failed, v.rows);
	free(rows.rows);
	return code != EXIT_DONE ? code : v.failed ? EXIT_ADVISED : EXIT_DONE;
}
