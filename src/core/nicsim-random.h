// SPDX-License-Identifier: GPL-2.0-or-later
/* nicsim-random: a stream of random numbers per purpose, so that one never disturbs another. */
#pragma once
#include <math.h>
#include <stdint.h>

struct sim_rng {
	uint64_t state;
};

static inline uint64_t sim_random(struct sim_rng *r)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15); /* Weyl sequence, mixed as in splitmix64 */

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}
static inline double sim_uniform(struct sim_rng *r) /* [0, 1) */
{
	return (double)(sim_random(r) >> 11) * 0x1p-53;
}
static inline double sim_exponential(struct sim_rng *r, double mean)
{
	return -mean * log(1 - sim_uniform(r));
}
