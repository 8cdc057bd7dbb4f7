// SPDX-License-Identifier: GPL-2.0-or-later
/* mechanism and decision: intervals as knobs and back, and the sentence about them. */
#include <errno.h>
#include <string.h>

#include "core/decision.h"
#include "core/mechanism.h"
#include "suite.h"

static struct knob_caps caps_of(uint32_t knobs)
{
	struct knob_caps c = { .readable = knobs, .settable = knobs };

	for (int k = 0; k < KNOB_COUNT; k++)
		c.max[k] = knob_table[k].max;
	return c;
}

static struct knob_set parse(const char *text)
{
	struct knob_set s;
	char err[ERR_MAX];

	ck_assert_int_eq(knob_set_parse(text, &s, err), 0);
	return s;
}

static void expect(enum mech_kind kind, enum queue_dir dir, double usecs, double frames, uint32_t knobs,
		   const char *original, const char *wanted)
{
	struct knob_caps caps = caps_of(knobs);
	struct knob_set before = parse(original), got;
	char text[256];

	ck_assert_int_eq(mechanism_to_knobs(kind, dir, usecs, frames, &caps, &before, &got), 0);
	knob_set_format(&got, text, sizeof(text));
	ck_assert_str_eq(text, wanted);
}

#define RX (KNOB_BIT(KNOB_RX_USECS) | KNOB_BIT(KNOB_RX_FRAMES) | KNOB_BIT(KNOB_ADAPTIVE_RX))
#define DEFER (KNOB_BIT(KNOB_GRO_FLUSH_TIMEOUT) | KNOB_BIT(KNOB_NAPI_DEFER_HARD_IRQS))

START_TEST(timer)
{
	expect(MECH_TIMER, QUEUE_RX, 30, 40, RX, "rx-usecs 3 rx-frames 0", "rx-usecs 30 rx-frames 40");
	expect(MECH_TIMER, QUEUE_RX, 30.4, 40, RX, "rx-usecs 3", "rx-usecs 30"); /* no frames there */
	expect(MECH_TIMER, QUEUE_RX, 30, 0, RX, "rx-usecs 3 rx-frames 1", "rx-usecs 30 rx-frames 0");
	expect(MECH_TIMER, QUEUE_RX, 30, 0, RX, "rx-usecs 3 rx-frames 25", "rx-usecs 30 rx-frames 25");
	expect(MECH_TIMER, QUEUE_RX, 30, 40, RX, "rx-usecs 3 rx-frames 0 adaptive-rx on",
	       "rx-usecs 30 rx-frames 40 adaptive-rx off");
	expect(MECH_PACING, QUEUE_RX, 20, 40, RX, "rx-usecs 0", "rx-usecs 20");
}
END_TEST

START_TEST(no_timer_no_waiting_frames)
{
	expect(MECH_TIMER, QUEUE_RX, 0, 0, RX, "rx-usecs 50 rx-frames 32", "rx-usecs 0 rx-frames 1");
	expect(MECH_TIMER, QUEUE_RX, 0, 0, RX, "rx-usecs 50 rx-frames 0", "rx-usecs 0 rx-frames 1");
	expect(MECH_TIMER, QUEUE_RX, 0, 64, RX, "rx-usecs 0 rx-frames 0", "rx-usecs 0 rx-frames 0");
}
END_TEST

START_TEST(transmit_side)
{
	uint32_t tx = KNOB_BIT(KNOB_TX_USECS) | KNOB_BIT(KNOB_TX_FRAMES);

	expect(MECH_TIMER, QUEUE_TX, 60, 64, tx | RX, "rx-usecs 3 tx-usecs 5 tx-frames 25", "tx-usecs 60 tx-frames 64");
}
END_TEST

START_TEST(deferral)
{
	expect(MECH_DEFERRAL, QUEUE_RX, 114, 0, DEFER, "gro-flush-timeout 0 napi-defer-hard-irqs 0",
	       "gro-flush-timeout 114000 napi-defer-hard-irqs 2");
	expect(MECH_DEFERRAL, QUEUE_RX, 0, 0, DEFER, "gro-flush-timeout 20000 napi-defer-hard-irqs 1",
	       "gro-flush-timeout 20000 napi-defer-hard-irqs 1");
	expect(MECH_DEFERRAL, QUEUE_RX, 0, 0, DEFER, "", "gro-flush-timeout 0 napi-defer-hard-irqs 0");
}
END_TEST

START_TEST(device_lacks_it)
{
	struct knob_caps caps = caps_of(KNOB_BIT(KNOB_GRO_FLUSH_TIMEOUT));
	struct knob_set none = { 0 }, got = { .have = 1 };

	ck_assert_int_eq(mechanism_to_knobs(MECH_DEFERRAL, QUEUE_RX, 50, 0, &caps, &none, &got), -EOPNOTSUPP);
	ck_assert_int_eq(mechanism_to_knobs(MECH_TIMER, QUEUE_RX, 50, 0, &caps, &none, &got), -EOPNOTSUPP);
	caps = caps_of(DEFER);
	ck_assert_int_eq(mechanism_to_knobs(MECH_DEFERRAL, QUEUE_TX, 50, 0, &caps, &none, &got), -EOPNOTSUPP);
	ck_assert_uint_eq(got.have, 1); /* untouched */
}
END_TEST

START_TEST(within_the_caps)
{
	struct knob_caps caps = caps_of(RX);
	struct knob_set before = parse("rx-usecs 10 rx-frames 5"), got;

	caps.max[KNOB_RX_USECS] = 100;
	caps.min[KNOB_RX_USECS] = 2;
	ck_assert_int_eq(mechanism_to_knobs(MECH_TIMER, QUEUE_RX, 500, 32, &caps, &before, &got), 0);
	ck_assert_uint_eq(got.value[KNOB_RX_USECS], 100);
	ck_assert_int_eq(mechanism_to_knobs(MECH_TIMER, QUEUE_RX, 0, 32, &caps, &before, &got), 0);
	ck_assert_uint_eq(got.value[KNOB_RX_USECS], 2);
	ck_assert_uint_eq(got.value[KNOB_RX_FRAMES], 1);
}
END_TEST

START_TEST(and_back)
{
	struct knob_set s = parse("rx-usecs 30 tx-usecs 7 gro-flush-timeout 20500 napi-defer-hard-irqs 0");

	ck_assert_double_eq(mechanism_interval(MECH_TIMER, QUEUE_RX, &s), 30);
	ck_assert_double_eq(mechanism_interval(MECH_PACING, QUEUE_TX, &s), 7);
	ck_assert_double_eq(mechanism_interval(MECH_DEFERRAL, QUEUE_RX, &s), 0);
	knob_put(&s, KNOB_NAPI_DEFER_HARD_IRQS, 2);
	ck_assert_double_eq_tol(mechanism_interval(MECH_DEFERRAL, QUEUE_RX, &s), 20.5, 1e-9);
	s.have = 0;
	ck_assert_double_lt(mechanism_interval(MECH_TIMER, QUEUE_RX, &s), 0);
	ck_assert_double_lt(mechanism_interval(MECH_DEFERRAL, QUEUE_RX, &s), 0);
}
END_TEST

START_TEST(reasons_are_complete)
{
	for (int i = 0; i < REASON_COUNT; i++) {
		ck_assert_ptr_nonnull(reason_table[i].slug);
		ck_assert_uint_gt(strlen(reason_table[i].sentence), 5);
		ck_assert_ptr_null(strchr(reason_table[i].slug, ' '));
		for (int j = 0; j < i; j++)
			ck_assert_str_ne(reason_table[i].slug, reason_table[j].slug);
	}
}
END_TEST

START_TEST(explains)
{
	struct decision d = { .change = true,
			      .interval_usecs = 114,
			      .reason = REASON_LAW,
			      .pps = 50230,
			      .polls_ps = 50100,
			      .cost_usecs = 6.04 };
	char text[256], small[10];
	int n = decision_explain(&d, text, sizeof(text));

	ck_assert_str_eq(text, "50k packets/s at 1.0 packets per poll, from 0 to 114 us: interrupts cost more than the "
			       "delay that saves them (6.0 us a poll)");
	ck_assert_int_eq(n, (int)strlen(text));
	ck_assert_int_eq(decision_explain(&d, small, sizeof(small)), n);
	ck_assert_uint_eq(strlen(small), sizeof(small) - 1);
	d = (struct decision){ .interval_usecs = 2.5, .reason = REASON_IDLE };
	decision_explain(&d, text, sizeof(text));
	ck_assert_str_eq(text, "0 packets/s, at 2.5 us: no traffic: back to rest");
	d.pps = 1.24e6;
	decision_explain(&d, text, sizeof(text));
	ck_assert_int_eq(strncmp(text, "1.2M packets/s, ", 16), 0);
}
END_TEST

int main(void)
{
	const TTest *const all[] = {
		timer,	  no_timer_no_waiting_frames, transmit_side, deferral, device_lacks_it, within_the_caps,
		and_back, reasons_are_complete,	      explains,
	};

	return SUITE_RUN("mechanism", all);
}
