// SPDX-License-Identifier: GPL-2.0-or-later
/* watch: which setting an undo goes back to. What it does within the engine is test-guard's. */
#include "engine/watch.h"
#include "../core/suite.h"

static struct knob_set now_set;
static struct watch w;

static void set_to(uint64_t value, bool testing)
{
	struct knob_set before = now_set;

	knob_put(&now_set, KNOB_GRO_FLUSH_TIMEOUT, value);
	watch_testing(&w, testing);
	watch_change(&w, &before, KNOB_BIT(KNOB_GRO_FLUSH_TIMEOUT));
}

/* Returns whether something was undone. */
static bool run(double pps, unsigned intervals, bool testing)
{
	const struct rates r = { .rx_pps = pps };
	struct knob_set undo;
	char text[ERR_MAX];
	bool undone = false;

	for (unsigned i = 0; i < intervals; i++) {
		watch_testing(&w, testing);
		if (watch_step(&w, &r, &now_set, i, &undo, text)) {
			knob_set_overlay(&now_set, &undo);
			undone = true;
		}
	}
	return undone;
}

static void begin(void)
{
	w = (struct watch){ 0 };
	now_set = (struct knob_set){ 0 };
	knob_put(&now_set, KNOB_GRO_FLUSH_TIMEOUT, 0);
	ck_assert(!run(80000, WATCH_BEFORE, false));
}

/* A server whose clients wait: 34 us cost it a third, the step down from there nearly all. */
START_TEST(steps_of_a_test_are_undone_together)
{
	begin();
	set_to(34000, true);
	ck_assert(!run(55000, 10, true));
	set_to(14000, true);
	ck_assert(run(20000, 2, true));
	ck_assert_uint_eq(now_set.value[KNOB_GRO_FLUSH_TIMEOUT], 0);
}
END_TEST

START_TEST(a_test_that_ended_well_is_what_later_ones_go_back_to)
{
	begin();
	set_to(34000, true);
	ck_assert(!run(80000, 10, true));
	ck_assert(!run(80000, 10, false));
	set_to(90000, true);
	ck_assert(run(20000, 2, true));
	ck_assert_uint_eq(now_set.value[KNOB_GRO_FLUSH_TIMEOUT], 34000);
}
END_TEST

/* The rates from before the test are the measure as well: little by little is a collapse, too. */
START_TEST(a_collapse_in_steps_is_one)
{
	begin();
	set_to(14000, true);
	ck_assert(!run(60000, 10, true));
	set_to(34000, true);
	ck_assert(run(35000, 2, true));
	ck_assert_uint_eq(now_set.value[KNOB_GRO_FLUSH_TIMEOUT], 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		steps_of_a_test_are_undone_together,
		a_test_that_ended_well_is_what_later_ones_go_back_to,
		a_collapse_in_steps_is_one,
	};

	return SUITE_RUN("watch", tests);
}
