// SPDX-License-Identifier: GPL-2.0-or-later
/* manners: the table of reasons, and what they leave of a policy. */
#include <string.h>

#include "../core/suite.h"
#include "daemon/manners.h"

static struct policy policy, left;

static uint32_t judge(uint32_t found, bool named)
{
	return manners_policy(found, named, &policy, &left);
}

START_TEST(rows_are_complete_and_distinct)
{
	for (int i = 0; i < MANNERS_COUNT; i++) {
		ck_assert_ptr_nonnull(manners_table[i].slug);
		ck_assert_ptr_nonnull(manners_table[i].sentence);
		for (int j = 0; j < i; j++)
			ck_assert_str_ne(manners_table[i].slug, manners_table[j].slug);
	}
}
END_TEST

START_TEST(no_reason_changes_nothing)
{
	policy_default(&policy);
	ck_assert_uint_eq(judge(0, false), 0);
	ck_assert(policy_equal(&policy, &left));
}
END_TEST

START_TEST(a_device_is_left_alone)
{
	policy_default(&policy);
	ck_assert_uint_eq(judge(MANNERS_BIT(OCCUPANCY_ETF), false), MANNERS_BIT(OCCUPANCY_ETF));
	ck_assert_int_eq(left.mode, MODE_OFF);
	ck_assert_uint_eq(judge(MANNERS_BIT(OCCUPANCY_ETF), true), 0); /* named */
	ck_assert(policy_equal(&policy, &left));
	/* nobody overrules the owner of the hardware */
	ck_assert_uint_eq(judge(MANNERS_BIT(MANNERS_SHARED), true), MANNERS_BIT(MANNERS_SHARED));
	ck_assert_int_eq(left.mode, MODE_OFF);
	/* what is not written anyway needs no reason */
	policy.mode = MODE_OBSERVE;
	ck_assert_uint_eq(judge(MANNERS_BIT(OCCUPANCY_ETF), false), 0);
	ck_assert_int_eq(left.mode, MODE_OBSERVE);
}
END_TEST

START_TEST(software_deferral_must_be_asked_for)
{
	uint32_t rt = MANNERS_BIT(OCCUPANCY_REALTIME), busy = MANNERS_BIT(MANNERS_BUSY_POLL);

	policy_default(&policy);
	ck_assert_uint_eq(judge(rt, true), rt);
	ck_assert_int_eq(left.mechanism, MECHANISM_HARDWARE);
	ck_assert_int_eq(left.mode, policy.mode);
	ck_assert_uint_eq(judge(busy, true), busy);
	ck_assert_int_eq(left.mode, MODE_OFF);
	policy.mechanism = MECHANISM_HARDWARE;
	ck_assert_uint_eq(judge(rt, false), 0); /* takes nothing away */
	policy.mechanism = MECHANISM_SOFTWARE;
	ck_assert_uint_eq(judge(rt | busy, false), 0);
	ck_assert(policy_equal(&policy, &left));
}
END_TEST

START_TEST(named)
{
	static const struct {
		enum match_key key;
		const char *text;
		bool named;
	} rows[] = {
		{ MATCH_NAME, "eth0", true },	 { MATCH_NAME, "en*", true },	 { MATCH_NAME, "*", false },
		{ MATCH_NAME, "!eth0", false },	 { MATCH_MAC, "02:*", true },	 { MATCH_PATH, "pci-*", true },
		{ MATCH_DRIVER, "veth", false }, { MATCH_KERNEL, "6.*", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct match m = { 0 };

		strcpy(m.text[rows[i].key], rows[i].text);
		ck_assert_msg(manners_named(&m) == rows[i].named, "%s", rows[i].text);
	}
}
END_TEST

START_TEST(busy_polling)
{
	static const struct {
		uint64_t timeout, defer;
		bool busy;
	} rows[] = {
		{ 0, 0, false },      { 200000, 0, false }, { 0, 2, false },	 { 20000, 1, false },
		{ 200000, 2, true }, { 20000, 2, true },   { 20001, 1, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct knob_set s = { 0 };

		ck_assert(!manners_busy_poll(&s));
		knob_put(&s, KNOB_GRO_FLUSH_TIMEOUT, rows[i].timeout);
		knob_put(&s, KNOB_NAPI_DEFER_HARD_IRQS, rows[i].defer);
		ck_assert_msg(manners_busy_poll(&s) == rows[i].busy, "row %zu", i);
	}
}
END_TEST

START_TEST(text)
{
	char buf[ERR_MAX], small[8];

	ck_assert_str_eq(manners_text(0, 0, buf, sizeof(buf)), "");
	ck_assert_str_eq(manners_text(MANNERS_BIT(OCCUPANCY_XDP_SOCKET), 0, buf, sizeof(buf)),
			 "an AF_XDP socket polls it");
	ck_assert_str_eq(manners_text(MANNERS_BIT(OCCUPANCY_XDP_SOCKET), 0x8000000000000005, buf, sizeof(buf)),
			 "an AF_XDP socket polls it (queue 0,2,63)");
	manners_text(MANNERS_BIT(OCCUPANCY_TAPRIO) | MANNERS_BIT(OCCUPANCY_CBS), 0, buf, sizeof(buf));
	ck_assert_ptr_nonnull(strstr(buf, "taprio"));
	ck_assert_ptr_nonnull(strstr(buf, "; a cbs"));
	manners_text(~0U, ~0ULL, small, sizeof(small)); /* fits, whatever the size */
	ck_assert_uint_eq(strlen(small), sizeof(small) - 1);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		rows_are_complete_and_distinct,
		no_reason_changes_nothing,
		a_device_is_left_alone,
		software_deferral_must_be_asked_for,
		named,
		busy_polling,
		text,
	};

	return SUITE_RUN("manners", tests);
}
