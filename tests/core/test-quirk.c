// SPDX-License-Identifier: GPL-2.0-or-later
/* quirk: those that fit are merged in order and narrow what a device says of itself; scaled bounds; rounding. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/quirk.h"

static struct quirk quirk_for(const char *driver)
{
	struct quirk q = { 0 };
	char err[ERR_MAX];

	ck_assert_int_eq(match_add(&q.match, MATCH_DRIVER, driver, err), 0);
	return q;
}

static void bound(struct quirk_bounds *b, enum knob k, double min, double max, bool scaled)
{
	b->have |= KNOB_BIT(k);
	if (scaled)
		b->scaled |= KNOB_BIT(k);
	b->min[k] = min;
	b->max[k] = max;
}

static struct nic_caps all_caps(void)
{
	struct nic_caps c = {
		.knobs.readable = KNOB_ALL, .knobs.settable = KNOB_ALL, .napi_path = NAPI_GENL, .per_queue = true
	};

	for (int k = 0; k < KNOB_COUNT; k++) {
		c.knobs.min[k] = knob_table[k].min;
		c.knobs.max[k] = knob_table[k].max;
	}
	return c;
}

START_TEST(only_those_that_fit)
{
	struct quirk q[3] = { quirk_for("one"), quirk_for("two"), quirk_for("one") };
	struct match_subject s = { 0 };
	struct nic_caps caps = all_caps();
	struct quirk_effect e;

	match_subject_add(&s, MATCH_DRIVER, "one");
	q[0].effect.rx_frames = QUIRK_FRAMES_SWITCH;
	q[0].effect.settle_ns = 5;
	q[0].effect.deny = KNOB_BIT(KNOB_TX_USECS);
	q[1].effect.deny = KNOB_ALL;
	q[1].effect.shared = QUIRK_YES;
	q[2].effect.rx_frames = QUIRK_FRAMES_POLL;   /* later ones win */
	q[2].effect.deny = KNOB_BIT(KNOB_TX_FRAMES); /* sets grow */
	ck_assert_uint_eq(quirk_apply(q, 3, &s, NULL, &caps, &e), 2);
	ck_assert_int_eq(e.rx_frames, QUIRK_FRAMES_POLL);
	ck_assert_uint_eq(e.settle_ns, 5);
	ck_assert_int_eq(e.shared, QUIRK_FLAG_UNSET);
	ck_assert_uint_eq(caps.knobs.settable, KNOB_ALL & ~(KNOB_BIT(KNOB_TX_USECS) | KNOB_BIT(KNOB_TX_FRAMES)));
	ck_assert(caps.per_queue && caps.napi_path == NAPI_GENL);
}
END_TEST

START_TEST(none_fits)
{
	struct quirk q = quirk_for("other");
	struct match_subject s = { 0 };
	struct nic_caps caps = all_caps(), before = caps;
	struct quirk_effect e, none = { 0 };

	q.effect.deny = KNOB_ALL;
	match_subject_add(&s, MATCH_DRIVER, "mine");
	ck_assert_uint_eq(quirk_apply(&q, 1, &s, NULL, &caps, &e), 0);
	ck_assert_int_eq(memcmp(&caps, &before, sizeof(caps)), 0);
	ck_assert_uint_eq(e.deny, none.deny);
}
END_TEST

START_TEST(bounds_only_narrow)
{
	struct quirk q = quirk_for("*");
	struct match_subject s = { 0 };
	struct nic_caps caps = all_caps();
	struct quirk_effect e;

	match_subject_add(&s, MATCH_DRIVER, "mine");
	caps.knobs.min[KNOB_RX_RING] = 128;
	caps.knobs.max[KNOB_RX_RING] = 2048;
	caps.knobs.max[KNOB_TX_RING] = 100;
	bound(&q.effect.limits, KNOB_RX_RING, 64, 1024, false);
	bound(&q.effect.limits, KNOB_TX_RING, 256, 512, false); /* contradicts the device */
	bound(&q.effect.limits, KNOB_RX_USECS, 0, 10000, false);
	bound(&q.effect.step, KNOB_RX_USECS, 2, 2, false);
	quirk_apply(&q, 1, &s, NULL, &caps, &e);
	ck_assert_uint_eq(caps.knobs.min[KNOB_RX_RING], 128);
	ck_assert_uint_eq(caps.knobs.max[KNOB_RX_RING], 1024);
	ck_assert_uint_eq(caps.knobs.max[KNOB_TX_RING], 100);
	ck_assert_uint_eq(caps.knobs.max[KNOB_RX_USECS], 10000);
	ck_assert_uint_eq(caps.knobs.step[KNOB_RX_USECS], 2);
}
END_TEST

/* A watchdog of 256 clocks from 0x10 to 0xff, found at 0xa0: whatever the clock, the bounds are valid settings. */
START_TEST(scaled_bounds_are_valid)
{
	struct quirk q = quirk_for("*");
	struct match_subject s = { 0 };

	match_subject_add(&s, MATCH_DRIVER, "mine");
	bound(&q.effect.limits, KNOB_RX_USECS, 0.101, 1.59, true);
	bound(&q.effect.step, KNOB_RX_USECS, 0.00625, 0.00625, true);
	for (unsigned mhz = 25; mhz <= 500; mhz++) {
		struct nic_caps caps = all_caps();
		struct knob_set found = { 0 };
		struct quirk_effect e;

		knob_put(&found, KNOB_RX_USECS, 0xa0 * 256 / mhz);
		quirk_apply(&q, 1, &s, &found, &caps, &e);
		ck_assert_uint_ge(caps.knobs.min[KNOB_RX_USECS] * mhz / 256, 0x10);
		ck_assert_uint_le(caps.knobs.max[KNOB_RX_USECS] * mhz / 256, 0xff);
		ck_assert_uint_gt(caps.knobs.max[KNOB_RX_USECS], 12 * caps.knobs.min[KNOB_RX_USECS]);
	}
}
END_TEST

START_TEST(scaled_without_a_value)
{
	struct quirk q = quirk_for("*");
	struct match_subject s = { 0 };
	struct nic_caps caps = all_caps();
	struct knob_set off = { 0 };
	struct quirk_effect e;

	match_subject_add(&s, MATCH_DRIVER, "mine");
	bound(&q.effect.limits, KNOB_RX_USECS, 0.101, 1.59, true);
	quirk_apply(&q, 1, &s, NULL, &caps, &e);
	ck_assert_uint_eq(caps.knobs.max[KNOB_RX_USECS], knob_table[KNOB_RX_USECS].max);
	knob_put(&off, KNOB_RX_USECS, 0);
	quirk_apply(&q, 1, &s, &off, &caps, &e);
	ck_assert_uint_eq(caps.knobs.max[KNOB_RX_USECS], knob_table[KNOB_RX_USECS].max);
}
END_TEST

START_TEST(paths_that_do_not_work)
{
	struct quirk q = quirk_for("*");
	struct match_subject s = { 0 };
	struct nic_caps caps = all_caps();
	struct quirk_effect e;

	match_subject_add(&s, MATCH_DRIVER, "mine");
	q.effect.deferral = QUIRK_DIRS_NONE;
	q.effect.per_queue = QUIRK_DIRS_NONE;
	quirk_apply(&q, 1, &s, NULL, &caps, &e);
	ck_assert(!caps.per_queue);
	ck_assert_int_eq(caps.napi_path, NAPI_NONE);
	ck_assert_uint_eq(caps.knobs.settable & knob_channel_mask(CHANNEL_NAPI), 0);
	ck_assert_uint_eq(caps.knobs.readable, KNOB_ALL); /* it is still there to be seen */
}
END_TEST

START_TEST(rounding)
{
	struct quirk_effect e = { 0 };

	ck_assert_uint_eq(quirk_round(&e, KNOB_RX_USECS, 7), 7);
	e.min_on_set = KNOB_BIT(KNOB_RX_USECS);
	e.min_on[KNOB_RX_USECS] = 10;
	ck_assert_uint_eq(quirk_round(&e, KNOB_RX_USECS, 0), 0);
	ck_assert_uint_eq(quirk_round(&e, KNOB_RX_USECS, 4), 0);
	ck_assert_uint_eq(quirk_round(&e, KNOB_RX_USECS, 5), 10);
	ck_assert_uint_eq(quirk_round(&e, KNOB_RX_USECS, 11), 11);
	bound(&e.step, KNOB_TX_USECS, 5, 5, false);
	ck_assert_uint_eq(quirk_round(&e, KNOB_TX_USECS, 12), 10);
	ck_assert_uint_eq(quirk_round(&e, KNOB_TX_USECS, 13), 15);
	e.magic[KNOB_RX_FRAMES] = 1 << 1;
	ck_assert_uint_eq(quirk_round(&e, KNOB_RX_FRAMES, 1), 2);
	ck_assert(quirk_is_magic(&e, KNOB_RX_FRAMES, 1));
	ck_assert(!quirk_is_magic(&e, KNOB_RX_FRAMES, 65));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("quirk");
	TCase *t = tcase_create("quirk");
	SRunner *r = srunner_create(s);
	int failed;

	suite_add_tcase(s, t);
	tcase_add_test(t, only_those_that_fit);
	tcase_add_test(t, none_fits);
	tcase_add_test(t, bounds_only_narrow);
	tcase_add_test(t, scaled_bounds_are_valid);
	tcase_add_test(t, scaled_without_a_value);
	tcase_add_test(t, paths_that_do_not_work);
	tcase_add_test(t, rounding);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
