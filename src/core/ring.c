// SPDX-License-Identifier: GPL-2.0-or-later
/* ring: see ring.h. */
#include "core/ring.h"

#include <math.h>

#define MARGIN 2.0
#define ENTRIES_MAX 65536
#define WIRE_OVERHEAD 24.0 /* preamble, FCS, gap */

uint64_t ring_wanted(double pps_peak, double interval_usecs, double gap_usecs)
{
	double need = pps_peak / 1e6 * (interval_usecs + gap_usecs) * MARGIN;
	uint64_t n = 1;

	/* a hair below: what is a power of two already must not double by rounding */
	while ((double)n < need * (1 - 1e-9) && n < ENTRIES_MAX)
		n *= 2;
	return n;
}

double ring_gap_usecs(uint64_t entries, double pps_peak, double interval_usecs)
{
	return pps_peak > 0 ? fmax((double)entries * 1e6 / pps_peak - interval_usecs, 0) : 0;
}

double ring_tx_cap_usecs(uint64_t entries, double pps)
{
	return entries && pps > 0 ? (double)entries / 2 * 1e6 / pps : INFINITY;
}

double ring_line_pps(double link_mbps, double mean_bytes)
{
	return link_mbps > 0 ? link_mbps * 1e6 / ((fmax(mean_bytes, 60) + WIRE_OVERHEAD) * 8) : 0;
}
