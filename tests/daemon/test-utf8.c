// SPDX-License-Identifier: GPL-2.0-or-later
/* utf8: what is a character, and what becomes of bytes that are none. */
#include <string.h>

#include "../core/suite.h"
#include "daemon/utf8.h"

START_TEST(characters_and_others)
{
	static const struct {
		const char *text;
		size_t length;
	} rows[] = {
		{ "a", 1 },	       { "\xc3\xa4", 2 },     { "\xe2\x82\xac", 3 }, { "\xf0\x9f\x98\x80", 4 },
		{ "\x80", 0 },	       { "\xc3", 0 },	      { "\xc0\xaf", 0 },     { "\xe0\x9f\xbf", 0 },
		{ "\xed\xa0\x80", 0 }, { "\xf4\x90\x80\x80", 0 }, { "\xff", 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_msg(utf8_length(rows[i].text) == rows[i].length, "row %zu", i);
}
END_TEST

START_TEST(others_are_replaced_one_by_one)
{
	char buf[16];

	ck_assert_str_eq(utf8_clean("eth0", buf, sizeof(buf)), "eth0");
	ck_assert_str_eq(utf8_clean("\xc3\xa4", buf, sizeof(buf)), "\xc3\xa4");
	ck_assert_str_eq(utf8_clean("a\xff\xc3z", buf, sizeof(buf)), "a" UTF8_REPLACEMENT UTF8_REPLACEMENT "z");
	ck_assert_str_eq(utf8_clean("", buf, sizeof(buf)), "");
}
END_TEST

START_TEST(cut_between_characters)
{
	char buf[4];

	ck_assert_str_eq(utf8_clean("abcdef", buf, sizeof(buf)), "abc");
	ck_assert_str_eq(utf8_clean("ab\xc3\xa4", buf, sizeof(buf)), "ab");
	ck_assert_str_eq(utf8_clean("a\xc3\xa4", buf, sizeof(buf)), "a\xc3\xa4");
	ck_assert_str_eq(utf8_clean("a\xff", buf, sizeof(buf)), "a");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		characters_and_others,
		others_are_replaced_one_by_one,
		cut_between_characters,
	};

	return SUITE_RUN("utf8", tests);
}
