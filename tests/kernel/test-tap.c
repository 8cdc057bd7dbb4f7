// SPDX-License-Identifier: GPL-2.0-or-later
/* Coalescing, rings, channels, notifications and per-queue ioctl against the kernel's tap device, which has one knob,
 * rx-frames, and quietly takes at most 64 of what is asked. Relies on /dev/net/tun and a network namespace of its
 * own. */
#include <check.h>
#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include "io/channel-channels.h"
#include "io/channel-coalesce.h"
#include "io/channel-link.h"
#include "io/channel-queue.h"
#include "io/channel-rings.h"
#include "io/ethtool-ioctl.h"
#include "io/uapi.h"
#include "ns.h"

/* One device per test, made and removed around it; each test is a process of its own. */
static struct {
	int tap, ioctl;
	struct nic_info nic;
	struct genl g;
	char err[ERR_MAX];
} t;

static void setup(void)
{
	struct ifreq ifr = { .ifr_flags = IFF_TAP | IFF_NO_PI };

	t.tap = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	ck_assert_int_ge(t.tap, 0);
	strcpy(ifr.ifr_name, "tap0");
	ck_assert_int_eq(ioctl(t.tap, TUNSETIFF, &ifr), 0);
	t.nic = ns_nic("tap0", false);
	ck_assert_int_gt(t.nic.ifindex, 0);
	ck_assert_msg(genl_open(&t.g, t.err) == 0, "%s", t.err);
	t.ioctl = ethtool_open(t.err);
	ck_assert_int_ge(t.ioctl, 0);
	t.err[0] = '\0';
}

static void teardown(void)
{
	genl_close(&t.g);
	close(t.ioctl);
	if (t.tap >= 0)
		close(t.tap);
}

static struct knob_set one(enum knob k, uint64_t v)
{
	struct knob_set s = { .have = 0 };

	knob_put(&s, k, v);
	return s;
}

START_TEST(only_rx_frames)
{
	struct knob_set got = { .have = KNOB_BIT(KNOB_TX_USECS) | KNOB_BIT(KNOB_TX_RING) };
	struct knob_caps caps = { .readable = 0 };

	ck_assert_msg(coalesce_get(&t.g, &t.nic, &got, t.err) == 0, "%s", t.err);
	/* Another channel's knob stays, its own that the device lacks goes. */
	ck_assert_uint_eq(got.have, KNOB_BIT(KNOB_RX_FRAMES) | KNOB_BIT(KNOB_TX_RING));
	ck_assert_uint_eq(got.value[KNOB_RX_FRAMES], 0);
	coalesce_caps(&got, &caps);
	ck_assert_uint_eq(caps.settable, KNOB_BIT(KNOB_RX_FRAMES));
}
END_TEST

START_TEST(read_back_shows_the_clamp)
{
	struct knob_set want = one(KNOB_RX_FRAMES, 500), got = { .have = 0 };

	knob_put(&want, KNOB_RX_RING, 512); /* another channel's: ignored */
	ck_assert_msg(coalesce_set(&t.g, &t.nic, &want, &got, t.err) == 0, "%s", t.err);
	ck_assert_uint_eq(got.have, KNOB_BIT(KNOB_RX_FRAMES));
	ck_assert_uint_eq(got.value[KNOB_RX_FRAMES], 64);
}
END_TEST

START_TEST(unsupported_knob_is_named)
{
	struct knob_set want = one(KNOB_RX_FRAMES, 20), got = { .have = 0 };

	knob_put(&want, KNOB_TX_USECS, 10);
	ck_assert_int_eq(coalesce_set(&t.g, &t.nic, &want, &got, t.err), -EINVAL);
	ck_assert_str_eq(t.err, "tx-usecs: cannot modify an unsupported parameter");
	ck_assert_uint_eq(got.have, KNOB_BIT(KNOB_RX_FRAMES));
	ck_assert_uint_eq(got.value[KNOB_RX_FRAMES], 0);
	want = one(KNOB_ADAPTIVE_RX, 0);
	ck_assert_int_eq(coalesce_set(&t.g, &t.nic, &want, &got, t.err), -EINVAL);
	ck_assert_str_eq(t.err, "adaptive-rx: cannot modify an unsupported parameter");
}
END_TEST

START_TEST(no_rings_but_channels)
{
	struct knob_set s = one(KNOB_RX_RING, 64), got = { .have = 0 };
	struct knob_caps caps = { .readable = 0 };
	struct ethtool_identity id;
	struct queue_setting q[2];
	struct link_mode m;
	struct channels c;

	ck_assert_int_eq(rings_get(&t.g, &t.nic, &got, &caps, t.err), -EOPNOTSUPP);
	ck_assert_int_eq(rings_set(&t.g, &t.nic, &s, &got, t.err), -EOPNOTSUPP);
	ck_assert_uint_eq(caps.readable, 0);
	ck_assert_msg(channels_get(&t.g, &t.nic, &c, t.err) == 0, "%s", t.err);
	ck_assert_uint_eq(c.combined, 1);
	ck_assert_uint_eq(c.combined_max, 1);
	ck_assert_uint_eq(c.rx + c.tx + c.other + c.rx_max, 0);
	ck_assert_msg(link_mode_get(&t.g, &t.nic, &m, t.err) == 0, "%s", t.err);
	ck_assert_uint_ge(m.speed_mbps, 10);
	ck_assert_int_eq(m.duplex, LINK_DUPLEX_FULL);
	ck_assert_msg(ethtool_identity(t.ioctl, &t.nic, &id, t.err) == 0, "%s", t.err);
	ck_assert_str_eq(id.driver, "tun");
	ck_assert_str_eq(id.bus_info, "tap");
	ck_assert(!queue_supported(t.ioctl, &t.nic));
	ck_assert_int_eq(queue_get(t.ioctl, &t.nic, 2, KNOB_ALL, q, t.err), -EOPNOTSUPP);
}
END_TEST

struct seen {
	int ifindex, count[GENL_EVENT_OTHER + 1];
};

static void on_event(int ifindex, enum genl_event what, void *arg)
{
	struct seen *s = arg;

	s->ifindex = ifindex;
	s->count[what]++;
}

START_TEST(changes_by_others_are_seen)
{
	struct knob_set want = one(KNOB_RX_FRAMES, 500), got = { .have = 0 };
	struct ethtool_coalesce c = { .cmd = ETHTOOL_SCOALESCE, .rx_max_coalesced_frames = 7 };
	struct genl_notify n;
	struct seen s = { 0 };

	ck_assert_msg(genl_notify_open(&t.g, &n, t.err) == 0, "%s", t.err);
	ck_assert_int_eq(genl_notify_read(&n, on_event, &s), 0);
	ck_assert_int_eq(coalesce_set(&t.g, &t.nic, &want, &got, t.err), 0);
	ck_assert_int_eq(genl_notify_read(&n, on_event, &s), 1);
	ck_assert_int_eq(s.ifindex, t.nic.ifindex);
	ck_assert_int_eq(s.count[GENL_EVENT_COALESCE], 1);
	/* Through the old ioctl. */
	ck_assert_msg(ethtool_ioctl(t.ioctl, &t.nic, &c, t.err) == 0, "%s", t.err);
	ck_assert_int_eq(genl_notify_read(&n, on_event, &s), 1);
	ck_assert_int_eq(s.count[GENL_EVENT_COALESCE], 2);
	/* What changes nothing is not told. */
	want.value[KNOB_RX_FRAMES] = 7;
	ck_assert_int_eq(coalesce_set(&t.g, &t.nic, &want, &got, t.err), 0);
	ck_assert_int_eq(genl_notify_read(&n, on_event, &s), 0);
	genl_notify_close(&n);
}
END_TEST

START_TEST(lost_notifications_are_told)
{
	struct knob_set want = one(KNOB_RX_FRAMES, 1), got = { .have = 0 };
	struct genl_notify n;
	struct seen s = { 0 };
	int small = 1;

	ck_assert_int_eq(genl_notify_open(&t.g, &n, t.err), 0);
	ck_assert_int_eq(setsockopt(genl_notify_fd(&n), SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	for (int i = 0; i < 200; i++) {
		want.value[KNOB_RX_FRAMES] = 1 + (i & 1);
		ck_assert_int_eq(coalesce_set(&t.g, &t.nic, &want, &got, t.err), 0);
	}
	ck_assert_int_eq(genl_notify_read(&n, on_event, &s), -ENOBUFS);
	ck_assert_int_lt(s.count[GENL_EVENT_COALESCE], 200);
	genl_notify_close(&n);
}
END_TEST

static int set_one(void *arg)
{
	struct knob_set got = { .have = 0 };

	return coalesce_set(&t.g, &t.nic, arg, &got, NULL);
}

static int get_all(void *arg)
{
	return coalesce_get(&t.g, &t.nic, arg, NULL);
}

START_TEST(setting_needs_a_capability)
{
	struct knob_set want = one(KNOB_RX_FRAMES, 9), got = { .have = 0 };

	/* The socket was opened with it, which is not enough: the caller needs it too. */
	ck_assert_int_eq(ns_unprivileged(set_one, &want), -EPERM);
	ck_assert_int_eq(ns_unprivileged(get_all, &got), 0);
	ck_assert_int_eq(coalesce_get(&t.g, &t.nic, &got, NULL), 0);
	ck_assert_uint_eq(got.value[KNOB_RX_FRAMES], 0);
}
END_TEST

START_TEST(renamed_or_gone)
{
	struct knob_set want = one(KNOB_RX_FRAMES, 9), got = { .have = 0 };
	struct ethtool_identity id;
	struct queue_setting q;

	ck_assert_int_eq(ns_run("ip link set tap0 name tap7"), 0);
	ck_assert_int_eq(coalesce_get(&t.g, &t.nic, &got, t.err), -ENODEV);
	ck_assert_int_eq(coalesce_set(&t.g, &t.nic, &want, &got, t.err), -ENODEV);
	ck_assert_msg(strstr(t.err, "do not match") != NULL, "%s", t.err);
	ck_assert_int_eq(ethtool_identity(t.ioctl, &t.nic, &id, t.err), -ENODEV);
	close(t.tap);
	t.tap = -1;
	strcpy(t.nic.name, "tap7");
	ck_assert_int_eq(coalesce_get(&t.g, &t.nic, &got, t.err), -ENODEV);
	ck_assert_int_eq(queue_get(t.ioctl, &t.nic, 1, KNOB_ALL, &q, t.err), -ENODEV);
	ck_assert_uint_eq(got.have, 0);
	/* The same name again is another device. */
	teardown();
	setup();
	ck_assert_int_eq(coalesce_get(&t.g, &t.nic, &got, t.err), 0);
	t.nic.ifindex--;
	ck_assert_int_eq(coalesce_get(&t.g, &t.nic, &got, t.err), -ENODEV);
	ck_assert_int_eq(ethtool_identity(t.ioctl, &t.nic, &id, t.err), -ENODEV);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("tap");
	TCase *c = tcase_create("tap");

	if (access("/dev/net/tun", R_OK | W_OK) < 0)
		ns_skip("no /dev/net/tun");
	ns_enter();
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, only_rx_frames);
	tcase_add_test(c, read_back_shows_the_clamp);
	tcase_add_test(c, unsupported_knob_is_named);
	tcase_add_test(c, no_rings_but_channels);
	tcase_add_test(c, changes_by_others_are_seen);
	tcase_add_test(c, lost_notifications_are_told);
	tcase_add_test(c, setting_needs_a_capability);
	tcase_add_test(c, renamed_or_gone);
	suite_add_tcase(s, c);
	return ns_suite(s);
}
