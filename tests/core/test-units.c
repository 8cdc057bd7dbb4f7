// SPDX-License-Identifier: GPL-2.0-or-later
/* units: what people write as a time, ratio or number, and what must be refused. */
#include <errno.h>
#include <string.h>

#include "core/units.h"
#include "suite.h"

START_TEST(times)
{
	static const struct {
		const char *text;
		nsec_t ns;
	} good[] = {
		{ "100us", 100000 },
		{ "0.25ms", 250000 },
		{ "1s", NSEC_PER_SEC },
		{ "250ns", 250 },
		{ "0.4ns", 0 },
		{ "100", 100000 },
		{ "0", 0 },
		{ "5min", 300 * NSEC_PER_SEC },
		{ "1h", 3600 * NSEC_PER_SEC },
		{ "1.5us", 1500 },
		{ "20 usecs", 20000 },
		{ ".5ms", 500000 },
		{ "10msec", 10 * NSEC_PER_MSEC },
	};
	static const char *const bad[] = {
		"", "us", "-1us", "+1", " 1", "1 us ", "1uss", "nan", "inf", "0x10", "1e", "1,5us", "1m",
	};
	nsec_t ns;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ck_assert_msg(units_parse_time(good[i].text, &ns) == 0, "%s", good[i].text);
		ck_assert_msg(ns == good[i].ns, "%s: %llu", good[i].text, (unsigned long long)ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ns = 42;
		ck_assert_msg(units_parse_time(bad[i], &ns) == -EINVAL, "'%s'", bad[i]);
		ck_assert_uint_eq(ns, 42);
	}
	ck_assert_int_eq(units_parse_time("1e300s", &ns), -ERANGE);
}
END_TEST

START_TEST(ratios)
{
	double r = 7;

	ck_assert_int_eq(units_parse_ratio("40%", &r), 0);
	ck_assert_double_eq_tol(r, 0.4, 1e-12);
	ck_assert_int_eq(units_parse_ratio("0.4", &r), 0);
	ck_assert_double_eq_tol(r, 0.4, 1e-12);
	ck_assert_int_eq(units_parse_ratio("100%", &r), 0);
	ck_assert_double_eq(r, 1);
	ck_assert_int_eq(units_parse_ratio("40", &r), -ERANGE);
	ck_assert_int_eq(units_parse_ratio("101%", &r), -ERANGE);
	ck_assert_int_eq(units_parse_ratio("-1%", &r), -EINVAL);
	ck_assert_int_eq(units_parse_ratio("40%%", &r), -EINVAL);
	ck_assert_int_eq(units_parse_ratio("", &r), -EINVAL);
	ck_assert_int_eq(units_parse_ratio("nan", &r), -EINVAL);
	ck_assert_double_eq(r, 1); /* untouched */
}
END_TEST

START_TEST(numbers)
{
	uint64_t v = 7;

	ck_assert_int_eq(units_parse_u64("18446744073709551615", &v), 0);
	ck_assert_uint_eq(v, UINT64_MAX);
	ck_assert_int_eq(units_parse_u64("0x20", &v), 0);
	ck_assert_uint_eq(v, 32);
	ck_assert_int_eq(units_parse_u64("010", &v), 0); /* decimal, not octal */
	ck_assert_uint_eq(v, 10);
	ck_assert_int_eq(units_parse_u64("18446744073709551616", &v), -ERANGE);
	ck_assert_int_eq(units_parse_u64("-1", &v), -EINVAL);
	ck_assert_int_eq(units_parse_u64("1 ", &v), -EINVAL);
	ck_assert_int_eq(units_parse_u64("", &v), -EINVAL);
	ck_assert_uint_eq(v, 10);
}
END_TEST

START_TEST(formats_and_parses_back)
{
	static const char *const texts[] = { "0", "250ns", "100us", "1500us", "2ms", "10s", "3600s", "1ns" };
	char buf[32];
	nsec_t ns;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ck_assert_int_eq(units_parse_time(texts[i], &ns), 0);
		ck_assert_str_eq(units_format_time(buf, sizeof(buf), ns), texts[i]);
	}
}
END_TEST

START_TEST(conversions_saturate)
{
	ck_assert_uint_eq(units_sat_u32(UINT64_C(1) << 33), UINT32_MAX);
	ck_assert_uint_eq(units_sat_u32(5), 5);
	ck_assert_uint_eq(units_ns_to_usecs(1499), 1);
	ck_assert_uint_eq(units_ns_to_usecs(1500), 2);
	ck_assert_uint_eq(units_ns_to_usecs(UINT64_MAX), UINT32_MAX);
	ck_assert_uint_eq(units_usecs_to_ns(20.5), 20500);
	ck_assert_uint_eq(units_usecs_to_ns(-1), 0);
	ck_assert_uint_ge(units_usecs_to_ns(1e300), UINT64_C(9000000000000000000));
}
END_TEST

int main(void)
{
	const TTest *const all[] = { times, ratios, numbers, formats_and_parses_back, conversions_saturate };

	return SUITE_RUN("units", all);
}
