// SPDX-License-Identifier: GPL-2.0-or-later
/* knob: the table itself, and sets of values: parse, format, difference, overlay, clamp. Loops over all rows. */
#include <errno.h>
#include <string.h>

#include "core/knob.h"
#include "suite.h"

START_TEST(table_is_sound)
{
	uint32_t channels = 0;

	for (int k = 0; k < KNOB_COUNT; k++) {
		const struct knob_desc *d = &knob_table[k];

		ck_assert_int_eq(knob_by_name(d->name), k);
		ck_assert_uint_le(d->min, d->max);
		ck_assert_uint_gt(strlen(d->what), 10);
		ck_assert_ptr_null(strchr(d->json, '-'));
		ck_assert(d->type != KNOB_TYPE_U32 || d->max <= UINT32_MAX);
		for (int j = 0; j < k; j++) {
			ck_assert_str_ne(d->json, knob_table[j].json);
			ck_assert(!d->metric[0] || strcmp(d->metric, knob_table[j].metric));
		}
	}
	for (int c = 0; c < CHANNEL_COUNT; c++) {
		ck_assert_uint_eq(channels & knob_channel_mask(c), 0);
		channels |= knob_channel_mask(c);
	}
	ck_assert_uint_eq(channels, KNOB_ALL);
	ck_assert_int_eq(knob_by_name("rx-usec"), -ENOENT);
}
END_TEST

START_TEST(values_go_there_and_back)
{
	for (int k = 0; k < KNOB_COUNT; k++) {
		uint64_t in[] = { knob_table[k].min, knob_table[k].max }, out;
		char text[24];

		for (int i = 0; i < 2; i++) {
			ck_assert_int_eq(knob_parse(k, knob_format(k, in[i], text, sizeof(text)), &out), 0);
			ck_assert_uint_eq(out, in[i]);
		}
		if (knob_table[k].type != KNOB_TYPE_BOOL && knob_table[k].max < UINT64_MAX) {
			ck_assert_int_eq(knob_parse(k, knob_format(k, in[1] + 1, text, sizeof(text)), &out), -ERANGE);
			ck_assert_uint_eq(out, in[1]);
		}
	}
}
END_TEST

START_TEST(times_take_units)
{
	uint64_t v;

	ck_assert_int_eq(knob_parse(KNOB_RX_USECS, "1.5ms", &v), 0);
	ck_assert_uint_eq(v, 1500);
	ck_assert_int_eq(knob_parse(KNOB_GRO_FLUSH_TIMEOUT, "20us", &v), 0);
	ck_assert_uint_eq(v, 20000);
	ck_assert_int_eq(knob_parse(KNOB_GRO_FLUSH_TIMEOUT, "20000", &v), 0); /* bare: the kernel's unit */
	ck_assert_uint_eq(v, 20000);
	ck_assert_int_eq(knob_parse(KNOB_RX_FRAMES, "20us", &v), -EINVAL);
	ck_assert_int_eq(knob_parse(KNOB_ADAPTIVE_RX, "yes", &v), 0);
	ck_assert_uint_eq(v, 1);
	ck_assert_int_eq(knob_parse(KNOB_ADAPTIVE_RX, "2", &v), -EINVAL);
}
END_TEST

START_TEST(sets_parse_and_format)
{
	struct knob_set s, again;
	char err[ERR_MAX], text[512], small[8];
	size_t n;

	ck_assert_int_eq(knob_set_parse("  rx-usecs=50 rx-frames 0\tadaptive-rx = off ", &s, err), 0);
	n = knob_set_format(&s, text, sizeof(text));
	ck_assert_str_eq(text, "rx-usecs 50 rx-frames 0 adaptive-rx off");
	ck_assert_uint_eq(n, strlen(text));
	ck_assert_uint_eq(knob_set_format(&s, small, sizeof(small)), n);
	ck_assert_uint_eq(strlen(small), sizeof(small) - 1);
	for (int k = 0; k < KNOB_COUNT; k++)
		knob_put(&s, k, knob_table[k].max);
	knob_set_format(&s, text, sizeof(text));
	ck_assert_int_eq(knob_set_parse(text, &again, err), 0);
	ck_assert_mem_eq(&s, &again, sizeof(s));
	ck_assert_int_eq(knob_set_parse("", &s, err), 0);
	ck_assert_uint_eq(s.have, 0);
	knob_set_format(&s, text, sizeof(text));
	ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(bad_sets_are_told)
{
	static const struct {
		const char *text, *word;
		int error;
	} bad[] = {
		{ "rx-usec 5", "rx-usec", -ENOENT },
		{ "rx-usecs", "value missing", -EINVAL },
		{ "rx-usecs 5 rx-frames x", "rx-frames", -EINVAL },
		{ "rx-usecs 99999999", "out of range", -ERANGE },
		{ "aVeryLongWordThatIsNoKnobAtAllButGoesOnAndOn 1", "unknown", -ENOENT },
	};
	struct knob_set s = { .have = 1, .value = { 7 } };
	char err[ERR_MAX];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err[0] = 0;
		ck_assert_int_eq(knob_set_parse(bad[i].text, &s, err), bad[i].error);
		ck_assert_msg(strstr(err, bad[i].word) != NULL, "%s: %s", bad[i].text, err);
		ck_assert_uint_eq(s.have, 1);
	}
}
END_TEST

START_TEST(differences)
{
	struct knob_set want = { 0 }, have = { 0 }, d;

	knob_put(&want, KNOB_RX_USECS, 5);
	knob_put(&want, KNOB_RX_FRAMES, 1);
	knob_put(&want, KNOB_TX_USECS, 0);
	knob_put(&have, KNOB_RX_USECS, 5);
	knob_put(&have, KNOB_RX_FRAMES, 2);
	knob_put(&have, KNOB_TX_FRAMES, 9);
	ck_assert_uint_eq(knob_set_diff(&want, &have, &d), KNOB_BIT(KNOB_RX_FRAMES) | KNOB_BIT(KNOB_TX_USECS));
	ck_assert_uint_eq(d.value[KNOB_RX_FRAMES], 1);
	ck_assert_uint_eq(knob_set_diff(&want, &want, &d), 0);
	knob_set_overlay(&have, &want);
	ck_assert_uint_eq(have.value[KNOB_RX_FRAMES], 1);
	ck_assert_uint_eq(have.value[KNOB_TX_FRAMES], 9);
	ck_assert_uint_eq(knob_set_diff(&want, &have, &d), 0);
}
END_TEST

START_TEST(clamps_to_the_device)
{
	struct knob_caps caps = { .settable = KNOB_BIT(KNOB_RX_USECS) | KNOB_BIT(KNOB_RX_FRAMES) };
	struct knob_set s = { 0 };

	caps.min[KNOB_RX_USECS] = 10;
	caps.max[KNOB_RX_USECS] = 100;
	caps.max[KNOB_RX_FRAMES] = 64;
	knob_put(&s, KNOB_RX_USECS, 500);
	knob_put(&s, KNOB_RX_FRAMES, 64);
	knob_put(&s, KNOB_TX_USECS, 1);
	ck_assert_uint_eq(knob_set_clamp(&s, &caps), KNOB_BIT(KNOB_RX_USECS) | KNOB_BIT(KNOB_TX_USECS));
	ck_assert_uint_eq(s.value[KNOB_RX_USECS], 100);
	ck_assert(!knob_has(&s, KNOB_TX_USECS));
	knob_put(&s, KNOB_RX_USECS, 1);
	knob_set_clamp(&s, &caps);
	ck_assert_uint_eq(s.value[KNOB_RX_USECS], 10);
	ck_assert_uint_eq(knob_set_clamp(&s, &caps), 0);
}
END_TEST

int main(void)
{
	const TTest *const all[] = {
		table_is_sound, values_go_there_and_back, times_take_units, sets_parse_and_format, bad_sets_are_told,
		differences,	clamps_to_the_device,
	};

	return SUITE_RUN("knob", all);
}
