// SPDX-License-Identifier: GPL-2.0-or-later
/* evidence: rates and states out of two readings, and what drivers' counters mean. */
#include <errno.h>

#include "core/evidence.h"
#include "suite.h"

START_TEST(rates_and_states)
{
	struct evidence a = { 0 }, b = { 0 }, e;

	evidence_put(&a, EVIDENCE_PAUSE_SENT, 100);
	evidence_put(&b, EVIDENCE_PAUSE_SENT, 350);
	evidence_put(&b, EVIDENCE_SHAPED, 7); /* was not there before */
	evidence_put(&a, EVIDENCE_RING_FULL, 9);
	evidence_put(&b, EVIDENCE_RING_FULL, 3); /* began anew */
	evidence_put(&a, EVIDENCE_GRO, 1);
	evidence_put(&b, EVIDENCE_GRO, 0);
	evidence_between(&a, &b, 5, &e);
	ck_assert_double_eq(evidence_or(&e, EVIDENCE_PAUSE_SENT, -1), 50);
	ck_assert_double_eq(evidence_or(&e, EVIDENCE_SHAPED, -1), -1);
	ck_assert_double_eq(evidence_or(&e, EVIDENCE_RING_FULL, -1), -1);
	ck_assert_double_eq(evidence_or(&e, EVIDENCE_GRO, -1), 0);
	evidence_between(&a, &b, 0, &e);
	ck_assert(!evidence_has(&e, EVIDENCE_PAUSE_SENT));
}
END_TEST

START_TEST(meaning_of_counters)
{
	ck_assert_int_eq(evidence_by_counter("rx_out_of_buffer"), EVIDENCE_RING_FULL);
	ck_assert_int_eq(evidence_by_counter("     rx_pause"), EVIDENCE_PAUSE_RECEIVED);
	ck_assert_int_eq(evidence_by_counter("pps_allowance_exceeded"), EVIDENCE_SHAPED);
	ck_assert_int_eq(evidence_by_counter("rx_out_of_buffers"), -ENOENT);
	ck_assert_int_eq(evidence_by_counter("rx_dropped"), -ENOENT);
	ck_assert_int_eq(evidence_by_counter(""), -ENOENT);
}
END_TEST

START_TEST(keys)
{
	for (int i = 0; i < EVIDENCE_COUNT; i++)
		ck_assert_int_eq(evidence_by_key(evidence_table[i].key), i);
	ck_assert_int_eq(evidence_by_key("no"), -ENOENT);
	ck_assert_int_le(EVIDENCE_COUNT, 32); /* bits of `have` */
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { rates_and_states, meaning_of_counters, keys };

	return SUITE_RUN("evidence", tests);
}
