// SPDX-License-Identifier: GPL-2.0-or-later
/* suite: runs a list of Check tests as one suite; the exit status for main(). suite_patience(): by how much Check's own
 * limits of time are lengthened, for a test that has one: instructions of another architecture take longer. */
#pragma once
#include <check.h>
#include <stddef.h>
#include <stdlib.h>

static inline double suite_patience(void)
{
	const char *text = getenv("CK_TIMEOUT_MULTIPLIER");
	double times = text ? strtod(text, NULL) : 1;

	return times > 1 ? times : 1;
}

static inline int suite_run(const char *name, const TTest *const *tests, size_t n)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create(name);
	SRunner *r;
	int failed;

	for (size_t i = 0; i < n; i++)
		tcase_add_test(t, tests[i]);
	tcase_set_timeout(t, 120);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}

#define SUITE_RUN(name, tests) suite_run(name, tests, sizeof(tests) / sizeof((tests)[0]))
