// SPDX-License-Identifier: GPL-2.0-or-later
/* NAPI deferral against a real kernel: veth has NAPI instances while GRO is on, with values of their own (Linux 6.13
 * and later), and none while it is off. Relies on ip, ethtool and a network namespace of its own. */
#include <check.h>

#include "io/channel-channels.h"
#include "io/channel-napi.h"
#include "io/channel-sysfs.h"
#include "io/ethtool-ioctl.h"
#include "io/netdev-genl.h"
#include "ns.h"

#define SYS "/sys"
#define QUEUES 4

/* One pair of devices per test, made and removed around it; each test is a process of its own. */
static struct {
	struct nic_info nic, peer;
	struct genl g;
	char err[ERR_MAX];
} t;

static void up(void)
{
	ck_assert_int_eq(ns_run("ip link set vb0 up"), 0);
	t.nic.up = true;
}

static void down(void)
{
	ck_assert_int_eq(ns_run("ip link set vb0 down"), 0);
	t.nic.up = false;
}

static void setup(void)
{
	ck_assert_int_eq(ns_run("ip link add va0 type veth peer name vb0 numrxqueues %d numtxqueues 1", QUEUES), 0);
	ck_assert_int_eq(ns_run("ethtool -L vb0 rx 2"), 0);
	ck_assert_int_eq(ns_run("ethtool -K vb0 gro on && ip link set va0 up"), 0);
	t.nic = ns_nic("vb0", false);
	t.peer = ns_nic("va0", true);
	t.nic.rx_queues = 2;
	ck_assert_msg(genl_open(&t.g, t.err) == 0, "%s", t.err);
	t.err[0] = '\0';
	up();
}

static void teardown(void)
{
	genl_close(&t.g);
	ns_run("ip link del va0 2>/dev/null");
}

static struct knob_set napi_knobs(uint64_t timeout, uint64_t defer)
{
	struct knob_set s = { .have = 0 };

	knob_put(&s, KNOB_GRO_FLUSH_TIMEOUT, timeout);
	knob_put(&s, KNOB_NAPI_DEFER_HARD_IRQS, defer);
	return s;
}

static void assert_knobs(const struct knob_set *s, uint64_t timeout, uint64_t defer)
{
	ck_assert_uint_eq(s->have, knob_channel_mask(CHANNEL_NAPI));
	ck_assert_uint_eq(s->value[KNOB_GRO_FLUSH_TIMEOUT], timeout);
	ck_assert_uint_eq(s->value[KNOB_NAPI_DEFER_HARD_IRQS], defer);
}

static enum napi_path probe(void)
{
	enum napi_path path = NAPI_NONE;

	ck_assert_msg(napi_path_probe(&t.g, &t.nic, &path, t.err) == 0, "%s", t.err);
	return path;
}

static int list(struct napi_info *napi)
{
	int n = netdev_napi_list(&t.g, t.nic.ifindex, napi, QUEUES, t.err);

	ck_assert_msg(n >= 0, "%s", t.err);
	return n;
}

static void write_ok(enum napi_path path, uint64_t timeout, uint64_t defer)
{
	struct knob_set want = napi_knobs(timeout, defer), got = { .have = 0 };

	ck_assert_msg(napi_write(&t.g, SYS, &t.nic, path, &want, &got, t.err) == 0, "%s", t.err);
	assert_knobs(&got, timeout, defer);
}

static void read_is(enum napi_path path, uint64_t timeout, uint64_t defer)
{
	struct knob_set got = { .have = 0 };

	ck_assert_msg(napi_read(&t.g, SYS, &t.nic, path, &got, t.err) == 0, "%s", t.err);
	assert_knobs(&got, timeout, defer);
}

START_TEST(round_trip_leaves_sysfs_alone)
{
	struct knob_set one = { .have = 0 }, got = { .have = 0 };
	struct napi_info napi[QUEUES];

	ck_assert_int_eq(probe(), NAPI_GENL);
	ck_assert_int_eq(list(napi), 2);
	ck_assert_uint_ne(napi[0].id, 0);
	ck_assert_uint_lt(napi[0].id, napi[1].id);
	ck_assert_int_eq(napi[0].threaded, 0);
	write_ok(NAPI_GENL, 200000, 2);
	ck_assert_int_eq(list(napi), 2);
	for (int i = 0; i < 2; i++) {
		ck_assert(napi[i].has_settings);
		ck_assert_uint_eq(napi[i].gro_flush_timeout_ns, 200000);
		ck_assert_uint_eq(napi[i].defer_hard_irqs, 2);
	}
	ck_assert_uint_eq(ns_sysfs("vb0", "gro_flush_timeout"), 0);
	ck_assert_uint_eq(ns_sysfs("vb0", "napi_defer_hard_irqs"), 0);
	/* One of the two leaves the other. */
	knob_put(&one, KNOB_NAPI_DEFER_HARD_IRQS, 1);
	ck_assert_int_eq(napi_write(&t.g, SYS, &t.nic, NAPI_GENL, &one, &got, t.err), 0);
	assert_knobs(&got, 200000, 1);
}
END_TEST

START_TEST(largest_is_read)
{
	struct napi_info napi[QUEUES];
	struct knob_set a = napi_knobs(5000, 9), b = napi_knobs(7000, 3);

	ck_assert_int_eq(list(napi), 2);
	ck_assert_int_eq(netdev_napi_set(&t.g, napi[0].id, &a, t.err), 0);
	ck_assert_int_eq(netdev_napi_set(&t.g, napi[1].id, &b, t.err), 0);
	read_is(NAPI_GENL, 7000, 9);
}
END_TEST

START_TEST(long_timeout_takes_8_bytes)
{
	write_ok(NAPI_GENL, 5000000000ULL, 1);
	write_ok(NAPI_GENL, UINT32_MAX, 1);
	write_ok(NAPI_GENL, 0, 0);
}
END_TEST

START_TEST(new_ids_after_down_and_up)
{
	struct napi_info before[QUEUES], after[QUEUES];

	ck_assert_int_eq(list(before), 2);
	write_ok(NAPI_GENL, 200000, 2);
	down();
	ck_assert_int_eq(list(after), 0);
	ck_assert_int_eq(probe(), NAPI_SYSFS);
	write_ok(NAPI_SYSFS, 30000, 3);
	ck_assert_uint_eq(ns_sysfs("vb0", "gro_flush_timeout"), 30000);
	up();
	ck_assert_int_eq(probe(), NAPI_GENL);
	ck_assert_int_eq(list(after), 2);
	ck_assert_uint_gt(after[0].id, before[1].id);
	read_is(NAPI_GENL, 30000, 3);
}
END_TEST

START_TEST(path_with_no_instance)
{
	struct knob_set want = napi_knobs(1000, 1), got = { .have = KNOB_BIT(KNOB_GRO_FLUSH_TIMEOUT) };

	/* The path is stale: the device went down since. */
	down();
	ck_assert_int_eq(napi_write(&t.g, SYS, &t.nic, NAPI_GENL, &want, &got, t.err), -ENETDOWN);
	ck_assert_int_eq(napi_read(&t.g, SYS, &t.nic, NAPI_GENL, &got, t.err), 0);
	ck_assert_uint_eq(got.have, 0);
	ck_assert_uint_eq(ns_sysfs("vb0", "gro_flush_timeout"), 0);
	up();
	ck_assert_int_eq(ns_run("ethtool -K vb0 gro off"), 0);
	ck_assert_int_eq(probe(), NAPI_NONE);
	ck_assert_int_eq(napi_write(&t.g, SYS, &t.nic, NAPI_NONE, &want, &got, t.err), -EOPNOTSUPP);
	got.have = KNOB_BIT(KNOB_GRO_FLUSH_TIMEOUT);
	ck_assert_int_eq(napi_read(&t.g, SYS, &t.nic, NAPI_NONE, &got, t.err), 0);
	ck_assert_uint_eq(got.have, 0);
}
END_TEST

START_TEST(restore_is_exact)
{
	struct knob_set a = napi_knobs(5000, 9), b = napi_knobs(7000, 3);
	struct nic_settings saved = { .n_napi = 99 };
	struct napi_info napi[QUEUES];

	ck_assert_int_eq(ns_run("echo 4000 >/sys/class/net/vb0/gro_flush_timeout"), 0);
	ck_assert_int_eq(list(napi), 2);
	ck_assert_int_eq(netdev_napi_set(&t.g, napi[0].id, &a, t.err), 0);
	ck_assert_int_eq(netdev_napi_set(&t.g, napi[1].id, &b, t.err), 0);
	knob_put(&saved.device, KNOB_RX_USECS, 1);
	ck_assert_msg(napi_save(&t.g, SYS, &t.nic, NAPI_GENL, &saved, t.err) == 0, "%s", t.err);
	ck_assert_uint_eq(saved.n_napi, 2);
	ck_assert_uint_eq(saved.device.value[KNOB_GRO_FLUSH_TIMEOUT], 4000);
	ck_assert(knob_has(&saved.device, KNOB_RX_USECS));
	write_ok(NAPI_GENL, 100000, 1);
	ck_assert_msg(napi_restore(&t.g, SYS, &t.nic, NAPI_GENL, &saved, t.err) == 0, "%s", t.err);
	ck_assert_int_eq(list(napi), 2);
	ck_assert_uint_eq(napi[0].gro_flush_timeout_ns, 5000);
	ck_assert_uint_eq(napi[0].defer_hard_irqs, 9);
	ck_assert_uint_eq(napi[1].gro_flush_timeout_ns, 7000);
	ck_assert_uint_eq(napi[1].defer_hard_irqs, 3);
	/* Through sysfs, whose writes overwrite the instances, it is exact as well. */
	write_ok(NAPI_SYSFS, 100000, 1);
	ck_assert_msg(napi_restore(&t.g, SYS, &t.nic, NAPI_SYSFS, &saved, t.err) == 0, "%s", t.err);
	ck_assert_int_eq(list(napi), 2);
	ck_assert_uint_eq(napi[0].gro_flush_timeout_ns, 5000);
	ck_assert_uint_eq(napi[1].defer_hard_irqs, 3);
	ck_assert_uint_eq(ns_sysfs("vb0", "gro_flush_timeout"), 4000);
	ck_assert_uint_eq(ns_sysfs("vb0", "napi_defer_hard_irqs"), 0);
}
END_TEST

START_TEST(restore_gives_new_instances_what_they_were_born_with)
{
	struct nic_settings saved = { .n_napi = 0 };
	struct napi_info napi[QUEUES];

	ck_assert_int_eq(ns_run("echo 4000 >/sys/class/net/vb0/gro_flush_timeout"), 0);
	write_ok(NAPI_GENL, 50000, 5);
	ck_assert_int_eq(napi_save(&t.g, SYS, &t.nic, NAPI_GENL, &saved, t.err), 0);
	down();
	up();
	write_ok(NAPI_GENL, 100000, 1);
	ck_assert_int_eq(napi_restore(&t.g, SYS, &t.nic, NAPI_GENL, &saved, t.err), 0);
	ck_assert_int_eq(list(napi), 2);
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(napi[i].gro_flush_timeout_ns, 4000);
		ck_assert_uint_eq(napi[i].defer_hard_irqs, 0);
	}
}
END_TEST

START_TEST(restore_where_sysfs_is_read_only)
{
	struct nic_settings saved = { .n_napi = 0 };

	ck_assert_int_eq(napi_save(&t.g, SYS, &t.nic, NAPI_GENL, &saved, t.err), 0);
	saved.device.value[KNOB_GRO_FLUSH_TIMEOUT] = 4000;
	ck_assert_int_eq(unshare(CLONE_NEWNS), 0);
	ck_assert_int_eq(mount("none", SYS, "none", MS_REMOUNT | MS_BIND | MS_RDONLY, NULL), 0);
	ck_assert_int_eq(napi_restore(&t.g, SYS, &t.nic, NAPI_GENL, &saved, t.err), 0);
	ck_assert_int_eq(napi_restore(&t.g, SYS, &t.nic, NAPI_SYSFS, &saved, t.err), -EROFS);
}
END_TEST

START_TEST(bad_values_and_ids)
{
	struct knob_set want = napi_knobs(1000, 1ULL << 31), got = { .have = 0 };
	struct napi_info napi[QUEUES];

	ck_assert_int_eq(napi_write(&t.g, SYS, &t.nic, NAPI_GENL, &want, &got, t.err), -ERANGE);
	ck_assert_str_eq(t.err, "napi-defer-hard-irqs: integer out of range");
	assert_knobs(&got, 0, 0);
	want = napi_knobs(1000, 1);
	ck_assert_int_eq(list(napi), 2);
	ck_assert_int_eq(netdev_napi_set(&t.g, napi[1].id + 1000, &want, t.err), -ENOENT);
	ck_assert_str_eq(t.err, strerror(ENOENT));
}
END_TEST

START_TEST(queues_and_channels)
{
	uint32_t rx_napi[QUEUES] = { 1, 1, 1, 1 };
	struct queue_counters q[QUEUES];
	struct netdev_qstats sum;
	struct napi_info napi[QUEUES];
	struct channels c;

	ck_assert_int_eq(netdev_rx_queues(&t.g, t.nic.ifindex, rx_napi, QUEUES, t.err), 2);
	ck_assert_uint_eq(rx_napi[0] + rx_napi[1], 0); /* veth does not link them */
	ck_assert_uint_eq(rx_napi[2], 1);
	ck_assert_int_eq(netdev_qstats(&t.g, t.nic.ifindex, &sum, t.err), -EOPNOTSUPP);
	ck_assert_int_eq(netdev_qstats_rx(&t.g, t.nic.ifindex, q, QUEUES, t.err), -EOPNOTSUPP);
	ck_assert_int_eq(channels_get(&t.g, &t.nic, &c, t.err), 0);
	ck_assert_uint_eq(channels_rx_queues(&c), 2);
	ck_assert_uint_eq(channels_tx_queues(&c), 1);
	ck_assert_uint_eq(c.rx_max, QUEUES);
	ck_assert_int_eq(ns_run("ethtool -L vb0 rx 3"), 0);
	ck_assert_int_eq(list(napi), 3);
	ck_assert_int_eq(probe(), NAPI_GENL);
}
END_TEST

START_TEST(driver_statistics)
{
	struct drvstats st = { .n = 0 };
	int i, fd = ethtool_open(t.err);
	unsigned n;

	ck_assert_msg(drvstats_read(&st, fd, &t.nic, t.err) == 0, "%s", t.err);
	ck_assert_uint_eq(st.generation, 1);
	i = drvstats_find(&st, "peer_ifindex");
	ck_assert_int_ge(i, 0);
	ck_assert_uint_eq(st.value[i], (uint64_t)t.peer.ifindex);
	ck_assert_int_eq(drvstats_find(&st, "peer_ifinde"), -ENOENT);
	n = st.n;
	ck_assert_int_eq(drvstats_read(&st, fd, &t.nic, t.err), 0);
	ck_assert_uint_eq(st.generation, 1);
	ck_assert_int_eq(ns_run("ethtool -L vb0 rx 4"), 0);
	ck_assert_int_eq(drvstats_read(&st, fd, &t.nic, t.err), 0);
	ck_assert_uint_eq(st.generation, 2);
	ck_assert_uint_gt(st.n, n);
	drvstats_free(&st);
	close(fd);
}
END_TEST

static int set_napi(void *arg)
{
	struct knob_set want = napi_knobs(1000, 1), got = { .have = 0 };

	return napi_write(&t.g, SYS, &t.nic, *(enum napi_path *)arg, &want, &got, NULL);
}

static int get_napi(void *arg)
{
	struct knob_set got = { .have = 0 };

	return napi_read(&t.g, SYS, &t.nic, *(enum napi_path *)arg, &got, NULL);
}

START_TEST(setting_needs_a_capability)
{
	enum napi_path genl = NAPI_GENL, sysfs = NAPI_SYSFS;

	ck_assert_int_eq(ns_unprivileged(set_napi, &genl), -EPERM);
	ck_assert_int_eq(ns_unprivileged(set_napi, &sysfs), -EACCES);
	ck_assert_int_eq(ns_unprivileged(get_napi, &genl), 0);
	ck_assert_int_eq(ns_unprivileged(get_napi, &sysfs), 0);
	read_is(NAPI_GENL, 0, 0);
}
END_TEST

START_TEST(gone)
{
	struct knob_set want = napi_knobs(1000, 1), got = { .have = 0 };
	struct nic_settings saved = { .n_napi = 0 };
	enum napi_path path;

	ck_assert_int_eq(napi_save(&t.g, SYS, &t.nic, NAPI_GENL, &saved, t.err), 0);
	ck_assert_int_eq(ns_run("ip link del va0"), 0);
	ck_assert_int_eq(napi_path_probe(&t.g, &t.nic, &path, t.err), -ENODEV);
	for (int p = NAPI_SYSFS; p <= NAPI_GENL; p++) {
		ck_assert_int_eq(napi_read(&t.g, SYS, &t.nic, p, &got, t.err), -ENODEV);
		ck_assert_int_eq(napi_write(&t.g, SYS, &t.nic, p, &want, &got, t.err), -ENODEV);
		ck_assert_int_eq(napi_save(&t.g, SYS, &t.nic, p, &saved, t.err), -ENODEV);
		ck_assert_int_eq(napi_restore(&t.g, SYS, &t.nic, p, &saved, t.err), -ENODEV);
	}
	ck_assert_uint_eq(got.have, 0);
}
END_TEST

static void skip_unless_possible(void)
{
	ns_enter();
	ns_need_veth();
	ns_need_napi_set();
}

int main(void)
{
	Suite *s = suite_create("veth-napi");
	TCase *c = tcase_create("veth-napi");

	skip_unless_possible();
	tcase_set_timeout(c, 30);
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, round_trip_leaves_sysfs_alone);
	tcase_add_test(c, largest_is_read);
	tcase_add_test(c, long_timeout_takes_8_bytes);
	tcase_add_test(c, new_ids_after_down_and_up);
	tcase_add_test(c, path_with_no_instance);
	tcase_add_test(c, restore_is_exact);
	tcase_add_test(c, restore_gives_new_instances_what_they_were_born_with);
	tcase_add_test(c, restore_where_sysfs_is_read_only);
	tcase_add_test(c, bad_values_and_ids);
	tcase_add_test(c, queues_and_channels);
	tcase_add_test(c, driver_statistics);
	tcase_add_test(c, setting_needs_a_capability);
	tcase_add_test(c, gone);
	suite_add_tcase(s, c);
	return ns_suite(s);
}
