// SPDX-License-Identifier: GPL-2.0-or-later
/* regime: see regime.h. */
#include "core/regime.h"

#include <math.h>

#define MEMORY 20 /* samples that level and noise remember */
#define NEED 3	  /* samples before anything is judged */
#define SIGMAS 4.0
#define SLACK 0.02 /* of the level */
#define SLACK_PPS 20.0
#define FACTOR_UP 1.4 /* a change is at least this large */
#define FACTOR_DOWN 0.7
#define QUICK_S 10.0 /* changes closer than this count as flapping when there are enough */
#define NOT_YET_S (-1e9)
#define QUIET_S 30.0 /* and it ends after this */

void regime_init(struct regime *r)
{
	*r = (struct regime){ .changed_s = NOT_YET_S };
}

void regime_new_setting(struct regime *r)
{
	r->outside = r->n = 0;
	r->level_pps = 0;
}

static double band(const struct regime *r)
{
	return SIGMAS * r->sigma_pps + SLACK * r->level_pps + SLACK_PPS;
}

static void learn_noise(struct regime *r, double pps)
{
	double d = fabs(pps - r->last_pps) / 1.13; /* mean difference of two normal values = 1.13 sigma */

	if (r->n > 0) {
		if (r->sigma_pps > 0 && d > 3 * r->sigma_pps)
			d = 3 * r->sigma_pps; /* a jump is not noise */
		if (r->noise_n < MEMORY)
			r->noise_n++;
		r->sigma_pps += (d - r->sigma_pps) / r->noise_n;
	}
	r->last_pps = pps;
}

bool regime_update(struct regime *r, double now_s, double dt_s, double pps)
{
	learn_noise(r, pps);
	if (r->changed_s == NOT_YET_S)
		r->changed_s = now_s; /* for us the load is new now */
	if (r->n >= NEED && fabs(pps - r->level_pps) > band(r) &&
	    (pps > FACTOR_UP * r->level_pps || pps < FACTOR_DOWN * r->level_pps)) {
		if (++r->outside < (dt_s > 0.5 ? 2 : 3))
			return false;
		r->outside = 0;
		r->n = r->noise_n = 1;
		r->level_pps = pps;
		if (now_s - r->changed_s >= QUICK_S)
			r->quick = 0;
		else if (r->quick < REGIME_QUICK_MAX)
			r->quick++;
		r->lasted_s = now_s - r->changed_s;
		r->changed_s = now_s;
		return true;
	}
	r->outside = 0;
	if (r->n < MEMORY)
		r->n++;
	r->level_pps += (pps - r->level_pps) / r->n;
	return false;
}

double regime_expected(const struct regime *r, double pps)
{
	return r->outside ? r->level_pps : pps;
}

bool regime_flapping(struct regime *r, double now_s)
{
	if (r->quick && now_s - r->changed_s > QUIET_S)
		r->quick = 0;
	return r->quick >= REGIME_QUICK_MAX;
}
