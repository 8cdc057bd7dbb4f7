// SPDX-License-Identifier: GPL-2.0-or-later
/* ring: how many descriptors a ring needs, and how long one may be left alone. Times in us, rates per second. */
#pragma once
#include <stdint.h>

/* Entries for a peak rate that is served every interval plus the worst gap, twice over: the next power of two. */
uint64_t ring_wanted(double pps_peak, double interval_usecs, double gap_usecs);
/* A ring that overflowed at this rate was left alone at least so long beyond the interval. */
double ring_gap_usecs(uint64_t entries, double pps_peak, double interval_usecs);
/* The longest wait for completions: half the time that fills the ring. 0 entries or rate: no limit (infinite). */
double ring_tx_cap_usecs(uint64_t entries, double pps);
/* Packets per second that fill the link at this mean size (without preamble, FCS and gap). 0 Mbit/s: 0, unknown. */
double ring_line_pps(double link_mbps, double mean_bytes);
