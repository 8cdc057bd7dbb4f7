// SPDX-License-Identifier: GPL-2.0-or-later
/* simrun-published: see simrun-published.h. The numbers are from the drivers' commit messages and mailing lists; that
 * the simulated hosts have them is what tests/core/test-nicsim-published.c shows. */
#include "engine/simrun-published.h"

#include <string.h>

#define SECONDS 40
#define TAIL 10
#define MBPS_LEAST 0.999 /* of the published, which is rounded */

const struct simrun_published simrun_published_table[] = {
	{ SIMPROFILE_STMMAC_GMAC5, "udp:84.265,1400", 1400, 943.7, 14.12 },
	{ SIMPROFILE_STMMAC_XGMAC, "udp:210.9,1400", 1400, 2361.5, 21.73 },
	{ SIMPROFILE_ICSSG, "udp:43.96,1470", 1470, 517, 25 },
	{ SIMPROFILE_ICSSG_TX, "udp:80.2,1470", 1470, 943, 28 },
};
const size_t simrun_published_count = sizeof(simrun_published_table) / sizeof(*simrun_published_table);

struct tail {
	double percent, pps, usecs;
};

static struct tail tail_of(const struct simrun_result *r, const struct sim_profile *p)
{
	struct tail t = { 0 };
	size_t n = r->n < TAIL ? r->n : TAIL;

	for (size_t i = r->n - n; i < r->n; i++) {
		const struct simrun_window *w = &r->windows[i];

		t.percent += 100 * w->host_ratio / p->cpus / (double)n;
		t.pps += (w->delivered[0] + w->delivered[1]) / (double)n;
		t.usecs += w->interval_usecs / (double)n;
	}
	return t;
}

static int run(const struct simrun_published *p, const struct policy *policy, const char *contender,
	       struct simrun_result *ret)
{
	struct simrun_config cfg = { .profile = &simprofile_table[p->profile],
				     .load = p->load,
				     .contender = contender,
				     .policy = *policy,
				     .seconds = SECONDS,
				     .seed = 1,
				     .start_usecs = -1 };

	return simrun(&cfg, ret);
}

static int best_of_mode(const struct simrun_published *p, const struct policy *policy, struct simrun_published_row *row)
{
	const struct sim_profile *profile = &simprofile_table[p->profile];
	double best[SIMLOAD_PHASES_MAX] = { 0 };
	struct simrun_grid grid;
	int r = simrun_grid(profile, p->load, 1, 0, policy_cap_usecs(policy), &grid);

	if (r < 0)
		return r;
	simrun_oracle(&grid, policy, profile->floor_usecs, best);
	row->best_usecs = best[0];
	for (size_t i = 0; i < grid.n; i++)
		if (grid.interval_usecs[i] == best[0])
			row->best_percent = tail_of(&grid.results[i], profile).percent;
	simrun_grid_free(&grid);
	return 0;
}

static enum simrun_published_verdict verdict(const struct simrun_published *p, const struct simrun_published_row *row)
{
	double least = simprofile_table[p->profile].min_on_usecs;

	if (row->mbps < MBPS_LEAST * p->mbps || (row->shortest_on_usecs > 0 && row->shortest_on_usecs < least))
		return SIMRUN_FALLS_SHORT;
	if (row->percent <= p->after_percent)
		return SIMRUN_REACHES;
	if (row->mode == MODE_BALANCED || row->best_percent <= p->after_percent) /* balanced: nobody said anything */
		return SIMRUN_FALLS_SHORT;
	return SIMRUN_MODE_LIMITS;
}

int simrun_published(const struct simrun_published *p, enum mode mode, struct simrun_published_row *ret)
{
	const struct sim_profile *profile = &simprofile_table[p->profile];
	struct simrun_published_row row = { .mode = mode };
	struct simrun_result result;
	struct policy policy;
	struct tail t;
	int r;

	policy_default(&policy);
	policy.mode = mode;
	r = run(p, &policy, "default", &result);
	if (r < 0)
		return r;
	row.default_percent = tail_of(&result, profile).percent;
	simrun_free(&result);
	r = run(p, &policy, contender_table[CONTENDER_LAW].name, &result);
	if (r < 0)
		return r;
	t = tail_of(&result, profile);
	row.percent = t.percent;
	row.mbps = t.pps * p->payload * 8 / 1e6;
	row.interval_usecs = t.usecs;
	row.shortest_on_usecs = result.shortest_on_usecs;
	simrun_free(&result);
	r = best_of_mode(p, &policy, &row);
	if (r < 0)
		return r;
	row.verdict = verdict(p, &row);
	*ret = row;
	return 0;
}
