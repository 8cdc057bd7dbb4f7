// SPDX-License-Identifier: GPL-2.0-or-later
/* policy: modes, defaults, and the policies that are refused. */
#include <errno.h>
#include <string.h>

#include "core/policy.h"
#include "suite.h"

START_TEST(modes)
{
	for (int m = 0; m < MODE_COUNT; m++) {
		ck_assert_int_eq(mode_by_name(mode_table[m].name), m);
		ck_assert_double_gt(mode_table[m].cap_usecs, 0);
		ck_assert_double_gt(mode_table[m].w_cpu, 0);
		ck_assert_double_gt(mode_table[m].w_lat, 0);
	}
	ck_assert_int_eq(mode_by_name("fast"), -ENOENT);
	ck_assert(!mode_table[MODE_OFF].tunes && !mode_table[MODE_OBSERVE].tunes && mode_table[MODE_BALANCED].tunes);
	/* from latency to powersave, delay gets cheaper and CPU dearer */
	for (int m = MODE_LATENCY; m < MODE_POWERSAVE; m++) {
		ck_assert_double_lt(mode_table[m].cap_usecs, mode_table[m + 1].cap_usecs);
		ck_assert_double_lt(mode_table[m].w_cpu, mode_table[m + 1].w_cpu);
		ck_assert_double_gt(mode_table[m].w_lat, mode_table[m + 1].w_lat);
	}
}
END_TEST

START_TEST(mechanisms)
{
	for (int m = 0; m < MECHANISM_COUNT; m++)
		ck_assert_int_eq(mechanism_by_name(mechanism_name(m)), m);
	ck_assert_int_eq(mechanism_by_name(""), -ENOENT);
}
END_TEST

START_TEST(defaults)
{
	struct policy p;
	char err[ERR_MAX];

	policy_default(&p);
	ck_assert_int_eq(p.mode, MODE_BALANCED);
	ck_assert_double_eq(policy_cap_usecs(&p), 100);
	ck_assert_double_eq(p.cpu_target_ratio, 1);
	ck_assert_int_eq(policy_check(&p, err), 0);
	p.max_latency_usecs = 30;
	ck_assert_double_eq(policy_cap_usecs(&p), 30);
}
END_TEST

static void limit(struct policy *p, enum knob k, uint64_t min, uint64_t max)
{
	p->limited |= KNOB_BIT(k);
	p->limit_min[k] = min;
	p->limit_max[k] = max;
}

START_TEST(unsafe_policies_are_refused)
{
	struct policy p;
	char err[ERR_MAX] = "";

	policy_default(&p);
	limit(&p, KNOB_RX_USECS, 0, 0);
	limit(&p, KNOB_RX_FRAMES, 2, 64);
	ck_assert_int_eq(policy_check(&p, err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err, "rx-frames"));
	p.limit_min[KNOB_RX_FRAMES] = 1;
	ck_assert_int_eq(policy_check(&p, err), 0);
	limit(&p, KNOB_TX_USECS, 0, 0);
	limit(&p, KNOB_TX_FRAMES, 16, 16);
	ck_assert_int_eq(policy_check(&p, err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err, "tx-frames"));
	policy_default(&p);
	limit(&p, KNOB_TX_USECS, 20, 10);
	ck_assert_int_eq(policy_check(&p, err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err, "tx-usecs"));
}
END_TEST

int main(void)
{
	const TTest *const all[] = { modes, mechanisms, defaults, unsafe_policies_are_refused };

	return SUITE_RUN("policy", all);
}
