// SPDX-License-Identifier: GPL-2.0-or-later
/* random: whatever happens to a NIC, in any order: no write to a knob that is someone else's, never above the cap, at
 * most one change a second, and at the end every original is back. The seed is printed; SEED=n repeats a run. */
#include "../core/suite.h"
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>

#define SEQUENCES 100
#define EVENTS 40
#define CAP_USECS 100

static struct rig rig;
static struct knob_set theirs; /* what the operator set, and what was there at the start */
static uint64_t state;

static unsigned pick(unsigned n)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)(state >> 33) % n;
}

static void check_tick(uint32_t writes_before)
{
	const struct report *r = &rig.report;

	ck_assert_uint_eq(r->written & (rig.target.yielded & ~r->yielded), 0);
	if (r->state != TARGET_ACTIVE && r->state != TARGET_SAFE)
		ck_assert_uint_eq(rig.fake.writes - writes_before, 0);
	for (int i = 0; i < 2; i++) {
		enum knob k = i ? KNOB_TX_USECS : KNOB_RX_USECS;

		if (knob_has(&rig.fake.knobs, k) && rig.fake.knobs.value[k] != theirs.value[k])
			ck_assert_uint_le(rig.fake.knobs.value[k], CAP_USECS);
	}
	if (knob_has(&rig.fake.knobs, KNOB_GRO_FLUSH_TIMEOUT) &&
	    rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT) != theirs.value[KNOB_GRO_FLUSH_TIMEOUT])
		ck_assert_uint_le(rig_value(&rig, KNOB_GRO_FLUSH_TIMEOUT), CAP_USECS * NSEC_PER_USEC);
}

static void ticks(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned writes = rig.fake.writes;

		rig_run(&rig, rig.fake.pps, 0.1);
		check_tick(writes);
	}
}

static void operator_writes(void)
{
	enum knob k = rig.fake.napi_id ? KNOB_GRO_FLUSH_TIMEOUT : pick(2) ? KNOB_RX_USECS : KNOB_TX_USECS;
	uint64_t v = 1000 + pick(1000), before = theirs.value[k]; /* nothing of ours is so large */

	if (!rig.fake.nic.up || rig.target.upset || rig_value(&rig, k) == v)
		return;
	knob_put(&rig.fake.knobs, k, v);
	knob_put(&theirs, k, v);
	ticks(11); /* so that it is seen before anything else happens */
	if (!(rig.target.yielded & KNOB_BIT(k)))
		theirs.value[k] = before;
}

/* Down or up; the driver forgets what was ours, and keeps nothing of it in mind. */
static void link_event(void)
{
	char err[ERR_MAX];

	rig.fake.nic.up = rig.fake.nic.carrier = !rig.fake.nic.up;
	if (rig.fake.napi_id) { /* another instance, with the device's values; whatever the old one had is gone */
		rig.fake.napi_id++;
		theirs.value[KNOB_GRO_FLUSH_TIMEOUT] = theirs.value[KNOB_NAPI_DEFER_HARD_IRQS] = 0;
		rig.fake.knobs.value[KNOB_GRO_FLUSH_TIMEOUT] = rig.fake.knobs.value[KNOB_NAPI_DEFER_HARD_IRQS] = 0;
	} else if (pick(2)) {
		for (int k = 0; k < KNOB_COUNT; k++)
			if (knob_has(&rig.fake.knobs, k) && !(rig.target.yielded & KNOB_BIT(k)))
				rig.fake.knobs.value[k] = theirs.value[k];
	}
	target_changed(&rig.target, &rig.fake.nic, err);
}

static void event(void)
{
	static const double rates[] = { 0, 20, 900, 5000, 50000, 70000, 400000 };

	switch (pick(12)) {
	case 0:
	case 1:
	case 2: rig.fake.pps = rates[pick(7)]; break;
	case 3: rig.fake.tx_pps = rates[pick(7)]; break;
	case 4:
		if (pick(4) == 0)
			operator_writes();
		break;
	case 5: link_event(); break;
	case 6: rig.fake.write_error = pick(2) ? 5 /* EIO */ : 0; break;
	case 7: rig.fake.tx_timeouts += pick(10) == 0; break;
	case 8: rig.fake.drops_ps = pick(3) ? 0 : 500; break;
	case 9: rig.fake.now += pick(30) * NSEC_PER_SEC; break;
	case 10: rig.fake.generation++; break;
	case 11: rig.fake.collapse_above = pick(3) ? 0 : 20; break;
	}
}

static void sequence(void)
{
	char err[ERR_MAX];

	if (pick(2)) {
		rig_hardware(&rig);
		knob_put(&rig.fake.knobs, KNOB_RX_USECS, pick(2) * 30);
	} else {
		rig_init(&rig);
		rig.rules.policy.max_latency_usecs = CAP_USECS;
	}
	rig.fake.has_drops = rig.fake.has_tx_timeouts = true;
	rig.fake.collapse = 0.2;
	rig.rules.policy.override_hold_ns = pick(2) * 20 * NSEC_PER_SEC;
	theirs = rig.fake.knobs;
	rig_attach(&rig);
	for (int i = 0; i < EVENTS; i++) {
		event();
		ticks(1 + pick(60));
	}
	rig.fake.write_error = 0;
	ck_assert_int_eq(target_release(&rig.target, err), 0);
	for (int k = 0; k < KNOB_COUNT; k++)
		if (knob_has(&theirs, k) && !(rig.target.yielded & KNOB_BIT(k) & knob_channel_mask(CHANNEL_NAPI)))
			ck_assert_msg(rig_value(&rig, k) == theirs.value[k], "%s is %llu, was %llu", knob_table[k].name,
				      (unsigned long long)rig_value(&rig, k), (unsigned long long)theirs.value[k]);
	ck_assert(!rig.least_gap || rig.least_gap >= NSEC_PER_SEC);
}

START_TEST(everything_comes_back)
{
	const char *env = getenv("SEED");
	uint64_t seed = env ? strtoull(env, NULL, 0) : (uint64_t)_i + 1;

	fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
	state = seed * 0x9e3779b97f4a7c15ULL;
	sequence();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("random");
	TCase *t = tcase_create("random");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, everything_comes_back, 0, getenv("SEED") ? 1 : SEQUENCES);
	tcase_set_timeout(t, 120);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
