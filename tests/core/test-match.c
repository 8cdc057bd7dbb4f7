// SPDX-License-Identifier: GPL-2.0-or-later
/* match: globs, lists, negation, comparisons; what is unknown of an interface. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/match.h"

static const struct {
	const char *pattern, *text;
	bool fold, fits;
} globs[] = {
	{ "", "", false, true },
	{ "", "a", false, false },
	{ "*", "", false, true },
	{ "*", "eth0", false, true },
	{ "eth?", "eth0", false, true },
	{ "eth?", "eth", false, false },
	{ "eth?", "eth10", false, false },
	{ "e*0", "eth0", false, true },
	{ "e*0", "eth01", false, false },
	{ "*a*b*c", "xxaxxbaxxbc", false, true },
	{ "*a*b*c", "xxaxxcaxxb", false, false },
	{ "st[mn]mac", "stmmac", false, true },
	{ "st[!m]mac", "stmmac", false, false },
	{ "en[a-c]0", "enb0", false, true },
	{ "en[a-c]0", "end0", false, false },
	{ "x[]]y", "x]y", false, true },
	{ "x[", "x[", false, true }, /* no ']': itself */
	{ "x[", "xa", false, false },
	{ "a\\*b", "a*b", false, true },
	{ "a\\*b", "axb", false, false },
	{ "AB*", "abc", true, true },
	{ "AB*", "abc", false, false },
	{ "[A-C]x", "bX", true, true },
	{ "lan743x", "lan743", false, false },
};

START_TEST(glob)
{
	ck_assert_msg(match_glob(globs[_i].pattern, globs[_i].text, globs[_i].fold) == globs[_i].fits, "%s on %s",
		      globs[_i].pattern, globs[_i].text);
}
END_TEST

static const struct {
	const char *key, *list;
	bool fits;
} lists[] = {
	{ "driver", "st_gmac stmmac*", true },
	{ "driver", "igb igc", false },
	{ "driver", "rk_gmac-dwmac", true }, /* the bus driver below */
	{ "driver", "!igb", true },
	{ "driver", "!igb st_gmac", false }, /* '!' before the list: neither */
	{ "driver", "st_* !rk_*", false },
	{ "driver", "st_* !igb", true },
	{ "driver", "St_Gmac", false },
	{ "name", "eth0", true },
	{ "name", "eth[1-9]", false },
	{ "mac", "02:AB:*", true },
	{ "mac", "!02:ab:*", false },
	{ "path", "platform-fe*", true },
	{ "id", "*", false }, /* it has none */
	{ "id", "!8086:*", true },
	{ "compatible", "rockchip,rk3568-gmac", true },
	{ "compatible", "snps,dwmac-4.20a", true },
	{ "compatible", "fsl,*", false },
	{ "link-speed", "1000", true },
	{ "link-speed", "1G", true },
	{ "link-speed", "1*", true },
	{ "link-speed", "2.5G 10G", false },
	{ "link-speed", "100M..2.5G", true },
	{ "link-speed", "2..3G", true },
	{ "link-speed", ">1G", false },
	{ "link-speed", ">=1G", true },
	{ "link-speed", ">=100M <=500M", false }, /* comparisons all hold */
	{ "link-speed", "!1G", false },
	{ "link-speed", "!10G", true },
	{ "kernel", "6.12.*", true },
	{ "kernel", "6.1.* 5.*", false },
	{ "kernel", ">=6.1", true },
	{ "kernel", ">=6.1 <6.12", false },
	{ "kernel", "<=6.12", true }, /* as deep as it is written */
	{ "kernel", "=6.12.9", true },
	{ "kernel", "!=6.12.9", false },
	{ "kernel", "!=6.13", true },
	{ "kernel", ">6.9", true }, /* numbers, not text */
	{ "kernel", "!>=6.13", true },
	{ "kernel", "!>=6.1", false },
};

static void subject(struct match_subject *s)
{
	memset(s, 0, sizeof(*s));
	match_subject_add(s, MATCH_NAME, "eth0");
	match_subject_add(s, MATCH_DRIVER, "st_gmac");
	match_subject_add(s, MATCH_DRIVER, "rk_gmac-dwmac");
	match_subject_add(s, MATCH_MAC, "02:ab:00:00:00:01");
	match_subject_add(s, MATCH_PATH, "platform-fe010000.ethernet");
	match_subject_add(s, MATCH_COMPATIBLE, "rockchip,rk3568-gmac");
	match_subject_add(s, MATCH_COMPATIBLE, "snps,dwmac-4.20a");
	match_subject_add(s, MATCH_LINK_SPEED, "1000");
	match_subject_add(s, MATCH_KERNEL, "6.12.9-arm64");
}

START_TEST(list)
{
	struct match m = { 0 };
	struct match_subject s;
	char err[ERR_MAX] = "";

	subject(&s);
	ck_assert_msg(match_add(&m, match_key_by_name(lists[_i].key), lists[_i].list, err) == 0, "%s", err);
	ck_assert_msg(match_fits(&m, &s) == lists[_i].fits, "%s = %s", lists[_i].key, lists[_i].list);
}
END_TEST

START_TEST(all_keys_must_fit)
{
	struct match m = { 0 };
	struct match_subject s;
	char err[ERR_MAX];

	subject(&s);
	ck_assert(match_fits(&m, &s)); /* nothing asked: everything fits */
	ck_assert_int_eq(match_add(&m, MATCH_NAME, "eth*", err), 0);
	ck_assert(match_fits(&m, &s));
	ck_assert_int_eq(match_add(&m, MATCH_KERNEL, "5.*", err), 0);
	ck_assert(!match_fits(&m, &s));
	ck_assert_int_eq(match_add(&m, MATCH_KERNEL, "6.*", err), 0); /* lists grow */
	ck_assert(match_fits(&m, &s));
	ck_assert_int_eq(match_add(&m, MATCH_KERNEL, "", err), 0); /* and are cleared */
	ck_assert_str_eq(m.text[MATCH_KERNEL], "");
	ck_assert_int_eq(match_key_by_name("nonsense"), -ENOENT);
}
END_TEST

START_TEST(bad_words)
{
	static const struct {
		enum match_key key;
		const char *list;
	} bad[] = { { MATCH_KERNEL, ">=" },	  { MATCH_KERNEL, ">= 6.1" }, { MATCH_KERNEL, "<six" },
		    { MATCH_LINK_SPEED, "fast" }, { MATCH_LINK_SPEED, ">=" }, { MATCH_LINK_SPEED, "1G..x" },
		    { MATCH_DRIVER, "!" },	  { MATCH_NAME, "a ! b" } };
	struct match m = { 0 };
	char err[ERR_MAX];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err[0] = 0;
		ck_assert_msg(match_add(&m, bad[i].key, bad[i].list, err) == -EINVAL, "%s", bad[i].list);
		ck_assert(err[0]);
		ck_assert_str_eq(m.text[bad[i].key], "");
	}
}
END_TEST

START_TEST(too_long)
{
	struct match m = { 0 };
	struct match_subject s = { 0 };
	char err[ERR_MAX], word[MATCH_TEXT_MAX + 8];
	int added = 0;

	while (added < 1000 && match_add(&m, MATCH_NAME, "12345678", err) == 0)
		added++;
	ck_assert_int_lt(added, 1000);
	ck_assert_uint_lt(strlen(m.text[MATCH_NAME]), MATCH_TEXT_MAX);
	ck_assert_int_eq(match_add(&m, MATCH_NAME, "12345678", err), -ENOSPC);
	memset(word, 'x', sizeof(word));
	word[sizeof(word) - 1] = 0;
	match_subject_add(&s, MATCH_NAME, word); /* left out, not cut: a part could fit by mistake */
	ck_assert_str_eq(s.text[MATCH_NAME], "");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("match");
	TCase *t = tcase_create("match");
	SRunner *r = srunner_create(s);
	int failed;

	suite_add_tcase(s, t);
	tcase_add_loop_test(t, glob, 0, sizeof(globs) / sizeof(globs[0]));
	tcase_add_loop_test(t, list, 0, sizeof(lists) / sizeof(lists[0]));
	tcase_add_test(t, all_keys_must_fit);
	tcase_add_test(t, bad_words);
	tcase_add_test(t, too_long);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
