// SPDX-License-Identifier: GPL-2.0-or-later
/* regime: has the load become another one? The rate must leave its band for a few samples in a row; the band comes from
 * the differences of neighbouring samples, so a slow drift widens nothing. Changes in quick succession: flapping. */
#pragma once
#include <stdbool.h>

#define REGIME_QUICK_MAX 3 /* changes in quick succession that count as flapping */

struct regime {
	double level_pps, sigma_pps, last_pps;
	int n;		  /* samples in the level, up to 20 */
	int noise_n;	  /* differences in sigma, up to 20; a new setting keeps them */
	int outside;	  /* samples in a row outside the band */
	int quick;	  /* changes in a row that came soon after the one before, up to 3 */
	double lasted_s; /* the load before the last change */
	double changed_s; /* when the last change was seen */
};

void regime_init(struct regime *r);
void regime_new_setting(struct regime *r); /* our own change may move the level: learn it anew */
/* Returns true when the load changed with this sample. */
bool regime_update(struct regime *r, double now_s, double dt_s, double pps);
/* The sample for the averages: an outlier that is not (yet) a change counts as the level. After regime_update(). */
double regime_expected(const struct regime *r, double pps);
bool regime_flapping(struct regime *r, double now_s);
