// SPDX-License-Identifier: GPL-2.0-or-later
/* apply: originals first, the readback rules, refusals are remembered, everything comes back. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/apply.h"
#include "fakenic.h"

static struct fakenic fake;
static struct apply a;
static struct apply_result res;
static struct state_dir dir;
static char path[64];

static void setup(void)
{
	char err[ERR_MAX] = "";

	strcpy(path, "/tmp/ethtuned-apply-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(path));
	ck_assert_int_eq(state_open(&dir, path), 0);
	fakenic_hardware(&fake);
	apply_init(&a, &fake.base, &dir, false);
	ck_assert_int_eq(apply_attach(&a, &fake.nic, err), 0);
}

static void teardown(void)
{
	state_remove(&dir, fake.nic.ifindex);
	state_close(&dir);
	rmdir(path);
}

static struct knob_set one(enum knob k, uint64_t v)
{
	struct knob_set s = { 0 };

	knob_put(&s, k, v);
	return s;
}

START_TEST(writes_only_what_differs)
{
	struct knob_set want = one(KNOB_RX_USECS, 0);

	ck_assert_int_eq(apply_set(&a, &fake.nic, &want, &res), 0);
	ck_assert_uint_eq(fake.writes, 0);
	ck_assert(!a.saved); /* nothing to write: nothing to save */
	want = one(KNOB_RX_USECS, 50);
	ck_assert_int_eq(apply_set(&a, &fake.nic, &want, &res), 0);
	ck_assert_uint_eq(fake.writes, 1);
	ck_assert_uint_eq(res.written, KNOB_BIT(KNOB_RX_USECS));
	ck_assert_uint_eq(fake.knobs.value[KNOB_RX_USECS], 50);
}
END_TEST

START_TEST(originals_are_on_disk_before_the_write)
{
	struct knob_set want = one(KNOB_RX_USECS, 50);
	struct nic_settings saved;
	char name[NIC_NAME_MAX];

	fake.write_error = EIO; /* as if it died in the write */
	ck_assert_int_eq(apply_set(&a, &fake.nic, &want, &res), -EIO);
	ck_assert_int_eq(state_load(&dir, fake.nic.ifindex, name, &saved), 0);
	ck_assert_uint_eq(saved.device.value[KNOB_RX_USECS], 0);
}
END_TEST

START_TEST(no_originals_no_write)
{
	struct knob_set want = one(KNOB_RX_USECS, 50);

	close(dir.fd); /* the directory went away */
	dir.fd = open("/dev/null", O_RDONLY);
	ck_assert_int_lt(apply_set(&a, &fake.nic, &want, &res), 0);
	ck_assert_uint_eq(fake.writes, 0);
	ck_assert_ptr_nonnull(strstr(res.message, "nothing is written"));
}
END_TEST

START_TEST(clamped_once_and_not_repeated)
{
	struct knob_set want = one(KNOB_RX_FRAMES, 500);

	fake.clamp_max[KNOB_RX_FRAMES] = 64;
	ck_assert_int_eq(apply_set(&a, &fake.nic, &want, &res), 0);
	ck_assert_uint_eq(res.clamped, KNOB_BIT(KNOB_RX_FRAMES));
	ck_assert_uint_eq(a.current.value[KNOB_RX_FRAMES], 64);
	for (int i = 0; i < 20; i++) {
		ck_assert_int_eq(apply_set(&a, &fake.nic, &want, &res), 0);
		ck_assert_uint_eq(res.written | res.clamped, 0);
	}
	ck_assert_uint_eq(fake.writes, 1);
	want = one(KNOB_RX_FRAMES, 400); /* another request is tried, but not told again */
	apply_set(&a, &fake.nic, &want, &res);
	ck_assert_uint_eq(fake.writes, 2);
	ck_assert_uint_eq(res.clamped, 0);
}
END_TEST

START_TEST(forgotten_value_is_written_again)
{
	struct knob_set want = one(KNOB_RX_USECS, 50);
	uint32_t foreign;
	bool reshaped;

	apply_set(&a, &fake.nic, &want, &res);
	knob_put(&fake.knobs, KNOB_RX_USECS, 0); /* the driver reset it */
	ck_assert_int_eq(apply_refresh(&a, &fake.nic, &foreign, &reshaped), 0);
	ck_assert_uint_eq(foreign, KNOB_BIT(KNOB_RX_USECS));
	apply_set(&a, &fake.nic, &want, &res);
	ck_assert_uint_eq(fake.writes, 2);
	ck_assert_uint_eq(fake.knobs.value[KNOB_RX_USECS], 50);
}
END_TEST

START_TEST(unsupported_is_dead)
{
	struct knob_set want = one(KNOB_RX_USECS, 50);

	fake.write_error = EOPNOTSUPP;
	ck_assert_int_eq(apply_set(&a, &fake.nic, &want, &res), -EOPNOTSUPP);
	ck_assert_uint_eq(res.dead, KNOB_BIT(KNOB_RX_USECS));
	ck_assert_str_eq(res.message, "fake refusal");
	want = one(KNOB_RX_USECS, 60);
	ck_assert_int_eq(apply_set(&a, &fake.nic, &want, &res), 0);
	ck_assert_uint_eq(fake.writes, 1);
}
END_TEST

START_TEST(refused_value_is_not_repeated_another_is)
{
	struct knob_set want = one(KNOB_RX_USECS, 50);

	fake.write_error = EINVAL;
	ck_assert_int_eq(apply_set(&a, &fake.nic, &want, &res), -EINVAL);
	ck_assert_int_eq(apply_set(&a, &fake.nic, &want, &res), 0);
	ck_assert_uint_eq(fake.writes, 1);
	fake.write_error = 0;
	want = one(KNOB_RX_USECS, 60);
	ck_assert_int_eq(apply_set(&a, &fake.nic, &want, &res), 0);
	ck_assert_uint_eq(fake.knobs.value[KNOB_RX_USECS], 60);
}
END_TEST

START_TEST(restores_everything)
{
	struct knob_set before = fake.knobs, want, d;
	char err[ERR_MAX] = "", name[NIC_NAME_MAX];
	struct nic_settings s;

	want = one(KNOB_RX_USECS, 50);
	apply_set(&a, &fake.nic, &want, &res);
	want = one(KNOB_TX_FRAMES, 25);
	apply_set(&a, &fake.nic, &want, &res);
	ck_assert_int_eq(apply_restore(&a, &fake.nic, 0, err), 0);
	ck_assert_uint_eq(knob_set_diff(&before, &fake.knobs, &d), 0);
	ck_assert_int_eq(state_load(&dir, fake.nic.ifindex, name, &s), -ENOENT);
	ck_assert_uint_eq(a.current.value[KNOB_RX_USECS], 0);
}
END_TEST

/* 50 MHz / 256: 163 is 31 steps, which read 158; and 158 written again is 30. */
START_TEST(a_rounded_original_comes_back_whole)
{
	struct knob_set want = one(KNOB_RX_USECS, 163);
	char err[ERR_MAX] = "";

	fake.step_usecs = 5.12;
	apply_set(&a, &fake.nic, &want, &res); /* as somebody would have */
	ck_assert_uint_eq(a.current.value[KNOB_RX_USECS], 158);
	ck_assert_int_eq(apply_restore(&a, &fake.nic, KNOB_BIT(KNOB_RX_USECS), err), 0);
	want = one(KNOB_RX_USECS, 50);
	apply_set(&a, &fake.nic, &want, &res);
	ck_assert_int_eq(apply_restore(&a, &fake.nic, 0, err), 0);
	ck_assert_uint_eq(fake.knobs.value[KNOB_RX_USECS], 158);
	ck_assert_uint_eq(a.current.value[KNOB_RX_USECS], 158);
}
END_TEST

/* A bound is no rounding: tried once. */
START_TEST(a_bound_is_not_a_rounding)
{
	struct knob_set want = one(KNOB_RX_USECS, 158);
	char err[ERR_MAX] = "";

	apply_set(&a, &fake.nic, &want, &res);
	apply_restore(&a, &fake.nic, KNOB_BIT(KNOB_RX_USECS), err);
	want = one(KNOB_RX_USECS, 50);
	apply_set(&a, &fake.nic, &want, &res);
	fake.writes = 0;
	fake.clamp_max[KNOB_RX_USECS] = 100; /* by somebody's hand, since */
	ck_assert_int_eq(apply_restore(&a, &fake.nic, 0, err), 0);
	ck_assert_uint_le(fake.writes, 1);
	ck_assert_uint_eq(fake.knobs.value[KNOB_RX_USECS], 100);
}
END_TEST

START_TEST(keeps_what_is_someone_elses)
{
	struct knob_set want = one(KNOB_RX_USECS, 50);
	char err[ERR_MAX] = "";

	apply_set(&a, &fake.nic, &want, &res);
	want = one(KNOB_TX_USECS, 70);
	apply_set(&a, &fake.nic, &want, &res);
	ck_assert_int_eq(apply_restore(&a, &fake.nic, KNOB_BIT(KNOB_TX_USECS), err), 0);
	ck_assert_uint_eq(fake.knobs.value[KNOB_RX_USECS], 0);
	ck_assert_uint_eq(fake.knobs.value[KNOB_TX_USECS], 70);
}
END_TEST

START_TEST(takes_over_after_a_crash)
{
	struct knob_set want = one(KNOB_RX_USECS, 50);
	char err[ERR_MAX] = "";
	struct apply next;

	apply_set(&a, &fake.nic, &want, &res);
	apply_init(&next, &fake.base, &dir, false); /* the first one died here */
	ck_assert_int_eq(apply_attach(&next, &fake.nic, err), 0);
	ck_assert_uint_eq(fake.knobs.value[KNOB_RX_USECS], 0);
	ck_assert_uint_eq(next.current.value[KNOB_RX_USECS], 0);
}
END_TEST

START_TEST(dry_run_writes_nothing)
{
	struct knob_set want = one(KNOB_RX_USECS, 50);
	struct nic_settings s;
	char name[NIC_NAME_MAX];

	a.dry_run = true;
	ck_assert_int_eq(apply_set(&a, &fake.nic, &want, &res), 0);
	ck_assert_uint_eq(res.written, KNOB_BIT(KNOB_RX_USECS));
	ck_assert_uint_eq(fake.writes, 0);
	ck_assert_int_eq(state_load(&dir, fake.nic.ifindex, name, &s), -ENOENT);
}
END_TEST

START_TEST(rest_is_told_from_other_wishes)
{
	struct knob_set want = one(KNOB_RX_USECS, 50);

	ck_assert_uint_eq(apply_is_rest(&a, &want), 0); /* nothing was written: nothing to come back from */
	apply_set(&a, &fake.nic, &want, &res);
	want = one(KNOB_TX_USECS, 70);
	apply_set(&a, &fake.nic, &want, &res);
	want = one(KNOB_RX_USECS, 0);
	ck_assert_uint_eq(apply_is_rest(&a, &want), 0); /* tx-usecs would stay */
	knob_put(&want, KNOB_TX_USECS, 0);
	ck_assert_uint_eq(apply_is_rest(&a, &want), KNOB_BIT(KNOB_RX_USECS) | KNOB_BIT(KNOB_TX_USECS));
	knob_put(&want, KNOB_TX_USECS, 1);
	ck_assert_uint_eq(apply_is_rest(&a, &want), 0);
}
END_TEST

START_TEST(new_napi_ids_are_not_a_foreign_hand)
{
	struct knob_set want = one(KNOB_GRO_FLUSH_TIMEOUT, 50000);
	char err[ERR_MAX] = "";
	uint32_t foreign;
	bool reshaped;

	fakenic_init(&fake);
	apply_init(&a, &fake.base, &dir, false);
	ck_assert_int_eq(apply_attach(&a, &fake.nic, err), 0);
	apply_set(&a, &fake.nic, &want, &res);
	fake.napi_id++; /* down and up again */
	knob_put(&fake.knobs, KNOB_GRO_FLUSH_TIMEOUT, 0);
	ck_assert_int_eq(apply_refresh(&a, &fake.nic, &foreign, &reshaped), 0);
	ck_assert(reshaped);
	ck_assert_uint_eq(foreign, 0);
	knob_put(&fake.knobs, KNOB_GRO_FLUSH_TIMEOUT, 7); /* now somebody did */
	ck_assert_int_eq(apply_refresh(&a, &fake.nic, &foreign, &reshaped), 0);
	ck_assert(!reshaped);
	ck_assert_uint_eq(foreign, KNOB_BIT(KNOB_GRO_FLUSH_TIMEOUT));
}
END_TEST

/* Writing the file takes a while. */
START_TEST(what_is_set_while_originals_are_saved_is_one)
{
	struct knob_set want = one(KNOB_RX_USECS, 50);
	static struct nic_settings saved;
	char err[ERR_MAX] = "", name[NIC_NAME_MAX];

	fake.after_save = 33;
	apply_set(&a, &fake.nic, &want, &res);
	ck_assert_uint_eq(fake.knobs.value[KNOB_RX_USECS], 50);
	ck_assert_int_eq(state_load(&dir, fake.nic.ifindex, name, &saved), 0);
	ck_assert_uint_eq(saved.device.value[KNOB_RX_USECS], 33);
	ck_assert_int_eq(apply_restore(&a, &fake.nic, 0, err), 0);
	ck_assert_uint_eq(fake.knobs.value[KNOB_RX_USECS], 33);
}
END_TEST

/* More queues: the old instance has our value, the new one was born with the device's. */
START_TEST(a_new_instance_beside_the_old_one_is_given_ours)
{
	struct knob_set want = one(KNOB_GRO_FLUSH_TIMEOUT, 50000);
	char err[ERR_MAX] = "";
	uint32_t foreign;
	bool reshaped;

	fakenic_init(&fake);
	apply_init(&a, &fake.base, &dir, false);
	ck_assert_int_eq(apply_attach(&a, &fake.nic, err), 0);
	apply_set(&a, &fake.nic, &want, &res);
	fake.second.id = 77;
	ck_assert_int_eq(apply_refresh(&a, &fake.nic, &foreign, &reshaped), 0);
	ck_assert(reshaped);
	ck_assert_uint_eq(foreign, 0);
	ck_assert_int_eq(apply_refresh(&a, &fake.nic, &foreign, &reshaped), 0); /* before there was a tick */
	ck_assert_uint_eq(foreign, 0);
	apply_set(&a, &fake.nic, &want, &res);
	ck_assert_uint_eq(fake.second.gro_flush_timeout_ns, 50000);
	ck_assert_uint_eq(a.current.value[KNOB_GRO_FLUSH_TIMEOUT], 50000);
	/* one of them lowered by somebody */
	fake.second.gro_flush_timeout_ns = 20000;
	ck_assert_int_eq(apply_refresh(&a, &fake.nic, &foreign, &reshaped), 0);
	ck_assert_uint_eq(foreign, KNOB_BIT(KNOB_GRO_FLUSH_TIMEOUT));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("apply");
	TCase *t = tcase_create("apply");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60); /* files are synced, and disks are busy */
	tcase_add_test(t, writes_only_what_differs);
	tcase_add_test(t, originals_are_on_disk_before_the_write);
	tcase_add_test(t, what_is_set_while_originals_are_saved_is_one);
	tcase_add_test(t, no_originals_no_write);
	tcase_add_test(t, clamped_once_and_not_repeated);
	tcase_add_test(t, forgotten_value_is_written_again);
	tcase_add_test(t, unsupported_is_dead);
	tcase_add_test(t, refused_value_is_not_repeated_another_is);
	tcase_add_test(t, restores_everything);
	tcase_add_test(t, a_rounded_original_comes_back_whole);
	tcase_add_test(t, a_bound_is_not_a_rounding);
	tcase_add_test(t, keeps_what_is_someone_elses);
	tcase_add_test(t, takes_over_after_a_crash);
	tcase_add_test(t, dry_run_writes_nothing);
	tcase_add_test(t, rest_is_told_from_other_wishes);
	tcase_add_test(t, new_napi_ids_are_not_a_foreign_hand);
	tcase_add_test(t, a_new_instance_beside_the_old_one_is_given_ours);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
