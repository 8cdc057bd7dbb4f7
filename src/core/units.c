// SPDX-License-Identifier: GPL-2.0-or-later
/* units: see units.h. strtod and strtoull do the number, the suffix is a table. */
#include "core/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *suffix;
	double ns;
} time_units[] = {
	{ "ns", 1 },    { "us", 1e3 },	 { "usec", 1e3 }, { "usecs", 1e3 }, { "", 1e3 },
	{ "ms", 1e6 },	{ "msec", 1e6 }, { "s", 1e9 },	  { "sec", 1e9 },   { "min", 60e9 },
	{ "h", 3600e9 },
};

int units_parse_time(const char *text, nsec_t *ret_ns)
{
	char *end;
	double v;

	if (!isdigit((unsigned char)text[0]) && text[0] != '.')
		return -EINVAL; /* strtod would take "nan", "-1", " 1" and "0x1p3" */
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return -EINVAL;
	v = strtod(text, &end);
	while (*end == ' ')
		end++;
	for (size_t i = 0; i < sizeof(time_units) / sizeof(time_units[0]); i++) {
		if (strcmp(end, time_units[i].suffix))
			continue;
		v = v * time_units[i].ns + 0.5;
		if (!(v < 9.2e18))
			return -ERANGE;
		*ret_ns = (nsec_t)v;
		return 0;
	}
	return -EINVAL;
}

int units_parse_ratio(const char *text, double *ret_ratio)
{
	char *end;
	double v;

	if (!isdigit((unsigned char)text[0]) && text[0] != '.')
		return -EINVAL;
	v = strtod(text, &end);
	if (!strcmp(end, "%"))
		v /= 100;
	else if (*end)
		return -EINVAL;
	if (!(v >= 0 && v <= 1))
		return -ERANGE;
	*ret_ratio = v;
	return 0;
}

int units_parse_u64(const char *text, uint64_t *ret)
{
	char *end;
	unsigned long long v;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	v = strtoull(text, &end, text[0] == '0' && tolower((unsigned char)text[1]) == 'x' ? 16 : 10);
	if (*end)
		return -EINVAL;
	if (errno == ERANGE)
		return -ERANGE;
	*ret = v;
	return 0;
}

const char *units_format_time(char *buf, size_t size, nsec_t ns)
{
	if (!ns)
		snprintf(buf, size, "0");
	else if (ns % NSEC_PER_USEC)
		snprintf(buf, size, "%" PRIu64 "ns", ns);
	else if (ns % NSEC_PER_MSEC)
		snprintf(buf, size, "%" PRIu64 "us", ns / NSEC_PER_USEC);
	else if (ns % NSEC_PER_SEC)
		snprintf(buf, size, "%" PRIu64 "ms", ns / NSEC_PER_MSEC);
	else
		snprintf(buf, size, "%" PRIu64 "s", ns / NSEC_PER_SEC);
	return buf;
}

uint32_t units_sat_u32(uint64_t v)
{
	return v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

uint32_t units_ns_to_usecs(nsec_t ns)
{
	return units_sat_u32(ns / NSEC_PER_USEC + (ns % NSEC_PER_USEC >= NSEC_PER_USEC / 2));
}

nsec_t units_usecs_to_ns(double usecs)
{
	if (!(usecs > 0))
		return 0;
	return usecs >= 9e15 ? (nsec_t)9e18 : (nsec_t)(usecs * 1e3 + 0.5);
}
