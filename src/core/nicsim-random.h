// SPDX-License-Identifier: GPL-2.0-or-later
/* nicsim-random: a stream of random numbers per purpose, so that one never disturbs another. */
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>

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
/* ln(x) of a normal number above 0, to 2e-12: 2 atanh((m - 1) / (m + 1)) of x = m * 2^e with m between sqrt(1/2) and
 * sqrt(2). Made for loops: libm's takes
 * a third of the time of a simulation. */
static inline double sim_log(double x)
{
	uint64_t bits;
	double m, z, zz, zzzz, e;

	memcpy(&bits, &x, sizeof(bits));
	bits += UINT64_C(0x3ff0000000000000) - UINT64_C(0x3fe6a09e667f3bcd); /* carries where m is above sqrt(1/2) */
	e = (double)((int64_t)(bits >> 52) - 1023);
	bits = (bits & UINT64_C(0xfffffffffffff)) + UINT64_C(0x3fe6a09e667f3bcd);
	memcpy(&m, &bits, sizeof(m));
	z = (m - 1) / (m + 1);
	zz = z * z;
	zzzz = zz * zz;
	return e * 0.693147180559945309 +
	       2 * z * (1 + zz / 3 + zzzz * ((1. / 5 + zz / 7) + zzzz * (1. / 9 + zz / 11 + zzzz / 13)));
}
static inline double sim_exponential(struct sim_rng *r, double mean)
{
	return -mean * sim_log(1 - sim_uniform(r));
}
