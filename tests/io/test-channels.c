// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of the channels without privileges: sysfs as a directory of plain files, the ioctls on lo. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <netlink/attr.h>
#include <netlink/msg.h>

#include "io/channel-channels.h"
#include "io/channel-coalesce.h"
#include "io/channel-link.h"
#include "io/channel-napi.h"
#include "io/channel-queue.h"
#include "io/channel-rings.h"
#include "io/channel-sysfs.h"
#include "io/ethtool-ioctl.h"
#include "io/uapi.h"

static const struct nic_info lo = { .ifindex = 1, .name = "lo" };
static const char *const dirs[] = { "", "/class", "/class/net", "/class/net/lo" };

static void write_file(const char *root, const char *file, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/class/net/lo/%s", root, file);
	f = fopen(path, "w");
	ck_assert_msg(f != NULL, "%s", path);
	fputs(text, f);
	fclose(f);
}

static void make_sysfs(char root[64])
{
	snprintf(root, 64, "/tmp/test-channels-XXXXXX");
	ck_assert(mkdtemp(root) != NULL);
	for (int i = 1; i < 4; i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s%s", root, dirs[i]);
		ck_assert_int_eq(mkdir(path, 0755), 0);
	}
	write_file(root, "ifindex", "1\n");
	write_file(root, "gro_flush_timeout", "20000\n");
	write_file(root, "napi_defer_hard_irqs", "1\n");
}

static void remove_sysfs(const char *root)
{
	static const char *const names[] = { "ifindex", "gro_flush_timeout", "napi_defer_hard_irqs" };
	char path[128];

	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/class/net/lo/%s", root, names[i]);
		unlink(path);
	}
	for (int i = 3; i >= 0; i--) {
		snprintf(path, sizeof(path), "%s%s", root, dirs[i]);
		rmdir(path);
	}
}

static struct knob_set napi_knobs(uint64_t timeout, uint64_t defer)
{
	struct knob_set s = { .have = 0 };

	knob_put(&s, KNOB_GRO_FLUSH_TIMEOUT, timeout);
	knob_put(&s, KNOB_NAPI_DEFER_HARD_IRQS, defer);
	return s;
}

/* Names of the files in the order in which they were closed after writing. */
static void written(int fd, char *ret, size_t size)
{
	char buf[1024] __attribute__((aligned(8)));
	ssize_t n = read(fd, buf, sizeof(buf));

	ret[0] = '\0';
	for (ssize_t at = 0; at < n;) {
		const struct inotify_event *e = (const struct inotify_event *)(buf + at);
		size_t len = strlen(ret);

		snprintf(ret + len, size - len, "%s ", e->name);
		at += (ssize_t)(sizeof(*e) + e->len);
	}
}

START_TEST(sysfs_order_and_differences)
{
	static const struct {
		uint64_t timeout, defer;
		const char *order;
	} rows[] = {
		{ 50000, 2, "gro_flush_timeout napi_defer_hard_irqs " },
		{ 0, 0, "napi_defer_hard_irqs gro_flush_timeout " },
		{ 50000, 1, "gro_flush_timeout " },
		{ 20000, 3, "napi_defer_hard_irqs " },
		{ 20000, 1, "" },
		{ UINT64_MAX, 2147483647, "gro_flush_timeout napi_defer_hard_irqs " },
	};
	struct knob_set want = napi_knobs(rows[_i].timeout, rows[_i].defer), got = { .have = 0 };
	char root[64], dir[128], order[256], err[ERR_MAX] = "";
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	make_sysfs(root);
	snprintf(dir, sizeof(dir), "%s/class/net/lo", root);
	ck_assert_int_ge(inotify_add_watch(fd, dir, IN_CLOSE_WRITE), 0);
	knob_put(&want, KNOB_RX_USECS, 5); /* not ours: ignored */
	ck_assert_msg(sysfs_napi_write(root, &lo, &want, err) == 0, "%s", err);
	written(fd, order, sizeof(order));
	ck_assert_str_eq(order, rows[_i].order);
	ck_assert_int_eq(sysfs_napi_read(root, &lo, &got, err), 0);
	ck_assert_uint_eq(got.have, knob_channel_mask(CHANNEL_NAPI));
	ck_assert_uint_eq(got.value[KNOB_GRO_FLUSH_TIMEOUT], rows[_i].timeout);
	ck_assert_uint_eq(got.value[KNOB_NAPI_DEFER_HARD_IRQS], rows[_i].defer);
	remove_sysfs(root);
	close(fd);
}
END_TEST

START_TEST(sysfs_of_another_namespace)
{
	const struct nic_info gone = { .ifindex = 999999, .name = "nosuch0" };
	struct knob_set got = { .have = 0 }, want = napi_knobs(1, 1);
	char root[64], err[ERR_MAX] = "";

	make_sysfs(root);
	write_file(root, "ifindex", "2\n");
	ck_assert_int_eq(sysfs_napi_read(root, &lo, &got, err), -ENXIO);
	ck_assert_msg(strstr(err, "namespace") != NULL, "%s", err);
	ck_assert_int_eq(sysfs_napi_write(root, &lo, &want, err), -ENXIO);
	ck_assert_int_eq(sysfs_napi_read(root, &gone, &got, err), -ENODEV);
	ck_assert_uint_eq(got.have, 0);
	remove_sysfs(root);
	ck_assert_int_eq(sysfs_napi_read(root, &lo, &got, err), -ENXIO);
}
END_TEST

START_TEST(sysfs_missing_and_broken_files)
{
	struct knob_set got = { .have = 0 }, want = napi_knobs(50000, 2);
	char root[64], path[128], err[ERR_MAX] = "";

	make_sysfs(root);
	snprintf(path, sizeof(path), "%s/class/net/lo/napi_defer_hard_irqs", root);
	unlink(path);
	ck_assert_int_eq(sysfs_napi_read(root, &lo, &got, err), 0);
	ck_assert_uint_eq(got.have, KNOB_BIT(KNOB_GRO_FLUSH_TIMEOUT));
	ck_assert_int_eq(sysfs_napi_write(root, &lo, &want, err), -EOPNOTSUPP);
	write_file(root, "gro_flush_timeout", "many\n");
	got.have = 0;
	ck_assert_int_eq(sysfs_napi_read(root, &lo, &got, err), -EBADMSG);
	ck_assert_msg(strstr(err, "gro_flush_timeout") != NULL, "%s", err);
	ck_assert_uint_eq(got.have, 0);
	remove_sysfs(root);
}
END_TEST

START_TEST(caps_follow_what_is_there)
{
	struct knob_caps caps = { .readable = KNOB_BIT(KNOB_RX_RING), .settable = KNOB_BIT(KNOB_RX_RING) };
	struct knob_set got = { .have = KNOB_BIT(KNOB_RX_USECS) | KNOB_BIT(KNOB_TX_RING) };
	struct channels c = { .rx = 2, .tx = 1, .combined = 4 };

	coalesce_caps(&got, &caps);
	ck_assert_uint_eq(caps.readable, KNOB_BIT(KNOB_RX_RING) | KNOB_BIT(KNOB_RX_USECS));
	ck_assert_uint_eq(caps.settable, caps.readable);
	ck_assert_uint_eq(caps.max[KNOB_RX_USECS], knob_table[KNOB_RX_USECS].max);
	napi_caps(NAPI_NONE, &caps);
	ck_assert_uint_eq(caps.settable & knob_channel_mask(CHANNEL_NAPI), 0);
	napi_caps(NAPI_SYSFS, &caps);
	ck_assert_uint_eq(caps.settable & knob_channel_mask(CHANNEL_NAPI), knob_channel_mask(CHANNEL_NAPI));
	ck_assert_uint_eq(channels_rx_queues(&c), 6);
	ck_assert_uint_eq(channels_tx_queues(&c), 5);
}
END_TEST

START_TEST(adaptive_goes_off_before_and_on_after)
{
	const uint32_t values = KNOB_BIT(KNOB_RX_USECS) | KNOB_BIT(KNOB_TX_FRAMES);
	struct knob_set want = { .have = values | KNOB_BIT(KNOB_RX_RING) };
	uint32_t step[COALESCE_STEPS];

	coalesce_steps(&want, step);
	ck_assert_uint_eq(step[0], 0);
	ck_assert_uint_eq(step[1], values);
	ck_assert_uint_eq(step[2], 0);
	knob_put(&want, KNOB_ADAPTIVE_RX, 1);
	knob_put(&want, KNOB_ADAPTIVE_TX, 0);
	coalesce_steps(&want, step);
	ck_assert_uint_eq(step[0], KNOB_BIT(KNOB_ADAPTIVE_TX));
	ck_assert_uint_eq(step[1], values);
	ck_assert_uint_eq(step[2], KNOB_BIT(KNOB_ADAPTIVE_RX));
}
END_TEST

START_TEST(lo_has_no_settings)
{
	struct genl g;
	struct knob_set s = { .have = 0 };
	struct channels c;
	struct link_mode m;
	char err[ERR_MAX] = "";

	if (genl_open(&g, err) < 0) {
		fprintf(stderr, "not tried: %s\n", err);
		return;
	}
	ck_assert_int_eq(rings_get(&g, &lo, &s, NULL, err), -EOPNOTSUPP);
	ck_assert_int_eq(rings_set(&g, &lo, &s, &s, err), -EOPNOTSUPP);
	ck_assert_int_eq(channels_get(&g, &lo, &c, err), -EOPNOTSUPP);
	ck_assert_int_eq(link_mode_get(&g, &lo, &m, err), -EOPNOTSUPP);
	genl_close(&g);
}
END_TEST

START_TEST(ioctls_on_lo)
{
	const struct nic_info other = { .ifindex = 2, .name = "lo" };
	const struct queue_setting bad[] = { { .queue = 3 }, { .queue = 3 } }, far = { .queue = 4096 };
	struct ethtool_identity id = { "", "" };
	struct queue_setting q[4];
	struct drvstats st = { .n = 0 };
	char err[ERR_MAX] = "";
	int fd = ethtool_open(err);

	if (fd == -EPROTONOSUPPORT) {
		fprintf(stderr, "not tried: %s\n", err);
		return;
	}
	ck_assert_msg(fd >= 0, "%s", err);
	ck_assert(!queue_supported(fd, &lo));
	ck_assert_int_eq(queue_get(fd, &lo, 4, KNOB_ALL, q, err), -EOPNOTSUPP);
	ck_assert_int_eq(queue_set(fd, &lo, bad, 2, err), -EINVAL);
	ck_assert_int_eq(queue_set(fd, &lo, &far, 1, err), -EINVAL);
	ck_assert_int_eq(queue_set(fd, &lo, bad, 0, err), 0);
	ck_assert_int_eq(ethtool_identity(fd, &other, &id, err), -ENODEV);
	ck_assert_str_eq(id.driver, "");
	ck_assert_int_eq(drvstats_read(&st, fd, &lo, err), -EOPNOTSUPP);
	ck_assert_int_eq(drvstats_find(&st, "rx"), -ENOENT);
	drvstats_free(&st);
	close(fd);
}
END_TEST

START_TEST(profile_of_adaptive_moderation)
{
	struct nl_msg *msg = nlmsg_alloc();
	struct nlattr *nest, *row;
	struct nic_profile p;

	ck_assert_ptr_nonnull(nlmsg_put(msg, 0, 0, 0, 0, 0));
	nest = nla_nest_start(msg, ETHT_A_COALESCE_RX_PROFILE);
	for (unsigned i = 0; i < 7; i++) { /* two more than there can be, and one without a time */
		row = nla_nest_start(msg, ETHT_A_PROFILE_IRQ_MODERATION);
		if (i != 1)
			nla_put_u32(msg, ETHT_A_IRQ_MODERATION_USEC, 8 * i);
		nla_put_u32(msg, ETHT_A_IRQ_MODERATION_PKTS, 256);
		nla_nest_end(msg, row);
	}
	nla_nest_end(msg, nest);
	coalesce_profile_parse(nest, &p);
	ck_assert_uint_eq(p.n, NIC_PROFILE_MAX);
	ck_assert_uint_eq(p.row[0].usecs, 0);
	ck_assert_uint_eq(p.row[1].usecs, 16);
	ck_assert_uint_eq(p.row[4].usecs, 40);
	ck_assert_uint_eq(p.row[4].frames, 256);
	ck_assert_uint_eq(p.row[4].comps, 0);
	coalesce_profile_parse(NULL, &p);
	ck_assert_uint_eq(p.n, 0);
	nlmsg_free(msg);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("channels");
	TCase *t = tcase_create("channels");
	SRunner *r;
	int failed;

	tcase_add_loop_test(t, sysfs_order_and_differences, 0, 6);
	tcase_add_test(t, sysfs_of_another_namespace);
	tcase_add_test(t, sysfs_missing_and_broken_files);
	tcase_add_test(t, caps_follow_what_is_there);
	tcase_add_test(t, adaptive_goes_off_before_and_on_after);
	tcase_add_test(t, profile_of_adaptive_moderation);
	tcase_add_test(t, lo_has_no_settings);
	tcase_add_test(t, ioctls_on_lo);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
