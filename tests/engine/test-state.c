// SPDX-License-Identifier: GPL-2.0-or-later
/* state: the text form round-trips, damage is noticed, files are found again, the lock is exclusive. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/state.h"

static const struct nic_info nic = { .ifindex = 12, .name = "eth0" };

static void random_settings(struct nic_settings *s, unsigned *seed)
{
	memset(s, 0, sizeof(*s));
	for (int k = 0; k < KNOB_COUNT; k++)
		if (rand_r(seed) % 2)
			knob_put(&s->device, k,
				 knob_table[k].min +
					 (uint64_t)rand_r(seed) % (knob_table[k].max - knob_table[k].min + 1));
	s->n_napi = (unsigned)rand_r(seed) % 5;
	for (unsigned i = 0; i < s->n_napi; i++)
		s->napi[i] = (struct napi_setting){ (uint32_t)rand_r(seed), (uint32_t)rand_r(seed) % 9,
						    (uint64_t)rand_r(seed) * 3 };
	s->n_queue = (unsigned)rand_r(seed) % 4;
	for (unsigned i = 0; i < s->n_queue; i++) {
		s->queue[i].queue = i;
		knob_put(&s->queue[i].knobs, KNOB_RX_USECS, (uint64_t)rand_r(seed) % 1000);
	}
}

static bool same_set(const struct knob_set *a, const struct knob_set *b)
{
	struct knob_set d;

	return a->have == b->have && !knob_set_diff(a, b, &d);
}

static bool same(const struct nic_settings *a, const struct nic_settings *b)
{
	if (!same_set(&a->device, &b->device) || a->n_napi != b->n_napi || a->n_queue != b->n_queue)
		return false;
	for (unsigned i = 0; i < a->n_napi; i++)
		if (a->napi[i].id != b->napi[i].id || a->napi[i].defer_hard_irqs != b->napi[i].defer_hard_irqs ||
		    a->napi[i].gro_flush_timeout_ns != b->napi[i].gro_flush_timeout_ns)
			return false;
	for (unsigned i = 0; i < a->n_queue; i++)
		if (a->queue[i].queue != b->queue[i].queue || !same_set(&a->queue[i].knobs, &b->queue[i].knobs))
			return false;
	return true;
}

START_TEST(round_trip)
{
	unsigned seed = (unsigned)time(NULL), start = seed;
	static struct nic_settings s, back;
	static char text[16384];

	for (int i = 0; i < 200; i++) {
		char name[NIC_NAME_MAX];
		uint64_t netns;
		int ifindex;

		random_settings(&s, &seed);
		ck_assert_uint_lt(state_format(&nic, 99, &s, text, sizeof(text)), sizeof(text));
		ck_assert_msg(state_parse(text, &ifindex, &netns, name, &back) == 0, "seed %u: %s", start, text);
		ck_assert_msg(same(&s, &back) && ifindex == 12 && netns == 99 && !strcmp(name, "eth0"), "seed %u: %s",
			      start, text);
	}
}
END_TEST

START_TEST(cut_anywhere_is_noticed)
{
	static struct nic_settings s, back;
	static char text[16384];
	char name[NIC_NAME_MAX];
	unsigned seed = 5;
	uint64_t netns;
	int ifindex;
	size_t n;

	random_settings(&s, &seed);
	n = state_format(&nic, 99, &s, text, sizeof(text));
	for (size_t cut = 0; cut < n - 1; cut++) { /* without its last newline it is still whole */
		char c = text[cut];

		text[cut] = 0;
		ck_assert_int_eq(state_parse(text, &ifindex, &netns, name, &back), -EBADMSG);
		text[cut] = c;
	}
}
END_TEST

START_TEST(files)
{
	char dir[] = "/tmp/ethtuned-state-XXXXXX", name[NIC_NAME_MAX];
	static struct nic_settings s, back;
	struct state_dir d;
	unsigned seed = 9;
	int list[4], lock, fd;
	struct stat old, new;
	char file[64];

	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(state_open(&d, dir), 0);
	ck_assert_int_eq(state_load(&d, 12, name, &back), -ENOENT);
	random_settings(&s, &seed);
	ck_assert_int_eq(state_save(&d, &nic, &s), 0);
	ck_assert_int_eq(state_load(&d, 12, name, &back), 0);
	ck_assert(same(&s, &back));
	ck_assert_int_eq(state_list(&d, list, 4), 1);
	ck_assert_int_eq(list[0], 12);

	/* another one takes its place whole: who has the old one open still reads all of that */
	snprintf(file, sizeof(file), "originals-%llu-12", (unsigned long long)d.netns);
	ck_assert_int_eq(fstatat(d.fd, file, &old, 0), 0);
	ck_assert_int_eq(state_save(&d, &nic, &s), 0);
	ck_assert_int_eq(fstatat(d.fd, file, &new, 0), 0);
	ck_assert_uint_ne(old.st_ino, new.st_ino);

	lock = state_lock(&d);
	ck_assert_int_ge(lock, 0);
	ck_assert_int_eq(state_lock(&d), -EWOULDBLOCK);
	close(lock);

	d.netns++; /* another namespace does not see it */
	ck_assert_int_eq(state_list(&d, list, 4), 0);
	ck_assert_int_eq(state_load(&d, 12, name, &back), -ENOENT);
	d.netns--;

	ck_assert_int_eq(state_remove(&d, 12), 0);
	ck_assert_int_eq(state_remove(&d, 12), 0);
	ck_assert_int_eq(state_list(&d, list, 4), 0);
	fd = d.fd;
	unlinkat(fd, "lock", 0);
	state_close(&d);
	rmdir(dir);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("state");
	TCase *t = tcase_create("state");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 60); /* files are synced, and disks are busy */
	tcase_add_test(t, round_trip);
	tcase_add_test(t, cut_anywhere_is_noticed);
	tcase_add_test(t, files);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
