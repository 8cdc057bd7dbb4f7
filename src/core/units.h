// SPDX-License-Identifier: GPL-2.0-or-later
/* units: times and ratios as people write them. A bare time is in microseconds, as ethtool's are. */
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef uint64_t nsec_t; /* nanoseconds; CLOCK_MONOTONIC where it is a point in time */

#define NSEC_PER_USEC UINT64_C(1000)
#define NSEC_PER_MSEC UINT64_C(1000000)
#define NSEC_PER_SEC UINT64_C(1000000000)
#define USEC_PER_SEC UINT64_C(1000000)

/* "100us", "0.25ms", "1s", "250ns", "100" (= us), "5min". Returns 0; -EINVAL when malformed or
 * negative; -ERANGE when it does not fit. *ret_ns untouched on failure. */
int units_parse_time(const char *text, nsec_t *ret_ns);

/* "40%" or "0.4" -> 0.4. Returns 0, -EINVAL, or -ERANGE outside 0..1. */
int units_parse_ratio(const char *text, double *ret_ratio);

/* Unsigned decimal or 0x number, nothing else around it. Returns 0, -EINVAL or -ERANGE. */
int units_parse_u64(const char *text, uint64_t *ret);

/* Shortest exact form: "0", "250ns", "100us", "1500us", "2ms", "10s". Returns buf. */
const char *units_format_time(char *buf, size_t size, nsec_t ns);

/* Conversions that saturate instead of wrapping; usecs round to nearest. */
uint32_t units_ns_to_usecs(nsec_t ns);
nsec_t units_usecs_to_ns(double usecs);
uint32_t units_sat_u32(uint64_t v);
