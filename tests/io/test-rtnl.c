// SPDX-License-Identifier: GPL-2.0-or-later
/* rtnl and nic: messages made here are taken apart; the rules of discovery; and the loopback device of this machine. */
#include <check.h>
#include <errno.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/nic.h"
#include "io/rtnl.h"
#include "io/source-link.h"

/* QEMU's user mode knows no RTM_GETQDISC; the socket stays good. */
static bool emulated(struct rtnl *r)
{
	char qdiscs[RTNL_QDISCS_MAX][16];

	if (rtnl_qdiscs(r, 1, qdiscs) != -EOPNOTSUPP)
		return false;
	fprintf(stderr, "not tried: queueing disciplines, which this kernel or emulator does not list\n");
	return true;
}

static struct nl_msg *link_message(int type, unsigned char family, const char *name)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, 0);
	struct ifinfomsg ifi = { .ifi_family = family, .ifi_type = ARPHRD_ETHER, .ifi_index = 7, .ifi_flags = IFF_UP };

	ck_assert_int_eq(nlmsg_append(msg, &ifi, sizeof(ifi), NLMSG_ALIGNTO), 0);
	nla_put_string(msg, IFLA_IFNAME, name);
	return msg;
}

START_TEST(all_attributes)
{
	static const unsigned char mac[] = { 2, 0, 0, 0, 0, 9 };
	struct nl_msg *msg = link_message(RTM_NEWLINK, AF_UNSPEC, "vb0");
	struct rtnl_link l;
	struct nlattr *nest;

	nla_put_u32(msg, IFLA_MTU, 1400);
	nla_put_u32(msg, IFLA_NUM_RX_QUEUES, 4);
	nla_put_u32(msg, IFLA_NUM_TX_QUEUES, 5);
	nla_put_u32(msg, IFLA_LINK, 9);
	nla_put_u32(msg, IFLA_LINK_NETNSID, 0);
	nla_put_u32(msg, IFLA_MASTER, 3);
	nla_put_u8(msg, IFLA_OPERSTATE, 6);
	nla_put(msg, IFLA_ADDRESS, sizeof(mac), mac);
	nla_put_string(msg, IFLA_PARENT_DEV_NAME, "virtio2");
	nest = nla_nest_start(msg, IFLA_LINKINFO);
	nla_put_string(msg, IFLA_INFO_KIND, "veth");
	nla_nest_end(msg, nest);
	nest = nla_nest_start(msg, IFLA_XDP);
	nla_put_u8(msg, IFLA_XDP_ATTACHED, XDP_ATTACHED_DRV);
	nla_nest_end(msg, nest);
	ck_assert_int_eq(rtnl_parse_link(nlmsg_hdr(msg), &l), 0);
	ck_assert_int_eq(l.ifindex, 7);
	ck_assert_str_eq(l.name, "vb0");
	ck_assert_str_eq(l.kind, "veth");
	ck_assert_str_eq(l.parent, "virtio2");
	ck_assert(l.parent_known && l.link_foreign && l.xdp);
	ck_assert_uint_eq(l.flags, IFF_UP);
	ck_assert_uint_eq(l.mtu, 1400);
	ck_assert_uint_eq(l.rx_queues, 4);
	ck_assert_uint_eq(l.tx_queues, 5);
	ck_assert_int_eq(l.link, 9);
	ck_assert_int_eq(l.master, 3);
	ck_assert_uint_eq(l.operstate, 6);
	ck_assert_uint_eq(l.address_len, sizeof(mac));
	ck_assert_mem_eq(l.address, mac, sizeof(mac));
	nlmsg_free(msg);
}
END_TEST

START_TEST(sparse_message)
{
	struct nl_msg *msg = link_message(RTM_DELLINK, AF_UNSPEC, "a");
	struct rtnl_link l;

	nla_put_u8(msg, IFLA_MTU, 1); /* too short to be believed */
	ck_assert_int_eq(rtnl_parse_link(nlmsg_hdr(msg), &l), 0);
	ck_assert_str_eq(l.kind, "");
	ck_assert(!l.parent_known && !l.link_foreign && !l.xdp);
	ck_assert_uint_eq(l.mtu, 0);
	ck_assert_int_eq(l.link, 0);
	nlmsg_free(msg);
}
END_TEST

START_TEST(not_a_link)
{
	struct nl_msg *bridge = link_message(RTM_DELLINK, AF_BRIDGE, "port");
	struct nl_msg *other = link_message(RTM_NEWADDR, AF_UNSPEC, "a");
	struct nl_msg *cut = nlmsg_alloc_simple(RTM_NEWLINK, 0);
	struct rtnl_link l = { .ifindex = 42 };

	ck_assert_int_eq(rtnl_parse_link(nlmsg_hdr(bridge), &l), -EINVAL);
	ck_assert_int_eq(rtnl_parse_link(nlmsg_hdr(other), &l), -EINVAL);
	ck_assert_int_eq(rtnl_parse_link(nlmsg_hdr(cut), &l), -EINVAL);
	ck_assert_int_eq(l.ifindex, 42);
	nlmsg_free(bridge);
	nlmsg_free(other);
	nlmsg_free(cut);
}
END_TEST

static const struct {
	struct rtnl_link link;
	bool has_device, tunable;
} rules[] = {
	{ { .ifindex = 2, .arphrd = ARPHRD_ETHER }, true, true },
	{ { .ifindex = 2, .arphrd = ARPHRD_INFINIBAND }, true, true },
	{ { .ifindex = 2, .arphrd = ARPHRD_ETHER, .master = 5 }, true, true },
	{ { .ifindex = 2, .arphrd = ARPHRD_ETHER, .link = 2 }, true, true },
	{ { .ifindex = 2, .arphrd = ARPHRD_ETHER }, false, false },
	{ { .ifindex = 2, .arphrd = ARPHRD_CAN }, true, false },
	{ { .ifindex = 1, .arphrd = ARPHRD_LOOPBACK, .flags = IFF_LOOPBACK }, false, false },
	{ { .ifindex = 2, .arphrd = ARPHRD_ETHER, .kind = "veth", .link = 3 }, false, true },
	{ { .ifindex = 2, .arphrd = ARPHRD_ETHER, .kind = "veth", .link = 2, .link_foreign = true }, false, true },
	{ { .ifindex = 2, .arphrd = ARPHRD_NONE, .kind = "tun" }, false, true },
	{ { .ifindex = 2, .arphrd = ARPHRD_ETHER, .kind = "bridge" }, false, false },
	{ { .ifindex = 2, .arphrd = ARPHRD_ETHER, .kind = "bond" }, false, false },
	{ { .ifindex = 2, .arphrd = ARPHRD_ETHER, .kind = "dummy" }, false, false },
	{ { .ifindex = 2, .arphrd = ARPHRD_ETHER, .kind = "vlan", .link = 3 }, false, false },
	{ { .ifindex = 2, .arphrd = ARPHRD_ETHER, .kind = "dsa", .link = 3 }, true, false },
	{ { .ifindex = 2, .arphrd = ARPHRD_ETHER, .link = 3 }, true, false }, /* DSA port of an old kernel */
	{ { .ifindex = 2, .arphrd = ARPHRD_ETHER, .link = 2, .link_foreign = true }, true, false },
	{ { .ifindex = 2, .arphrd = ARPHRD_IPGRE, .kind = "gre" }, false, false },
	{ { .ifindex = 2, .arphrd = ARPHRD_ETHER, .kind = "vxlan" }, false, false },
};

START_TEST(exclusion)
{
	const char *why = nic_excluded(&rules[_i].link, rules[_i].has_device);

	ck_assert_msg(!why == rules[_i].tunable, "rule %d: %s", _i, why ? why : "kept");
}
END_TEST

START_TEST(loopback)
{
	char qdiscs[RTNL_QDISCS_MAX][16] = { "" };
	struct rtnl_link_stats64 a, b;
	struct rtnl_link l, *all;
	struct rtnl *r;
	size_t n;

	ck_assert_int_eq(rtnl_open(&r), 0);
	ck_assert_int_eq(rtnl_link(r, 0, "lo", &l), 0);
	ck_assert_int_eq(l.ifindex, 1);
	ck_assert(l.flags & IFF_LOOPBACK);
	ck_assert_int_eq(rtnl_link(r, 1, NULL, &l), 0);
	ck_assert_str_eq(l.name, "lo");
	ck_assert_int_eq(rtnl_links(r, &all, &n), 0);
	ck_assert_uint_ge(n, 1);
	ck_assert_int_eq(all[0].ifindex, 1);
	for (size_t i = 1; i < n; i++)
		ck_assert_int_lt(all[i - 1].ifindex, all[i].ifindex);
	free(all);
	ck_assert_int_eq(rtnl_stats(r, 1, &a), 0);
	ck_assert_int_eq(rtnl_stats(r, 1, &b), 0);
	ck_assert_uint_ge(b.rx_packets, a.rx_packets);
	ck_assert(emulated(r) || rtnl_qdiscs(r, 1, qdiscs) >= 0);
	rtnl_close(r);
}
END_TEST

START_TEST(nothing_there)
{
	struct rtnl_link l = { .ifindex = 42 };
	struct nic_info nic = { .ifindex = 999999 };
	struct rtnl_link_stats64 st;
	struct sample s = { .have = SAMPLE_CPU };
	char qdiscs[RTNL_QDISCS_MAX][16];
	struct rtnl *r;

	ck_assert_int_eq(rtnl_open(&r), 0);
	ck_assert_int_eq(rtnl_link(r, 0, "no-such", &l), -ENODEV);
	ck_assert_int_eq(rtnl_link(r, 0, "no-such-alternative-name", &l), -ENODEV);
	ck_assert_int_eq(rtnl_link(r, 0, "", &l), -ENODEV);
	ck_assert_int_eq(rtnl_link(r, 0, NULL, &l), -ENODEV);
	ck_assert_int_eq(rtnl_link(r, -1, NULL, &l), -ENODEV);
	ck_assert_int_eq(rtnl_link(r, 999999, NULL, &l), -ENODEV);
	ck_assert_int_eq(l.ifindex, 42);
	ck_assert_int_eq(rtnl_stats(r, 999999, &st), -ENODEV);
	ck_assert_int_eq(rtnl_stats(r, 0, &st), -ENODEV);
	ck_assert(emulated(r) || rtnl_qdiscs(r, 999999, qdiscs) == 0);
	ck_assert_int_eq(source_link_read(r, &nic, &s), -ENODEV);
	ck_assert_uint_eq(s.have, SAMPLE_CPU);
	/* The socket is still good after all these errors. */
	ck_assert_int_eq(rtnl_link(r, 1, NULL, &l), 0);
	rtnl_close(r);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("rtnl");
	TCase *t = tcase_create("rtnl");
	SRunner *sr;
	int failed;

	tcase_add_test(t, all_attributes);
	tcase_add_test(t, sparse_message);
	tcase_add_test(t, not_a_link);
	tcase_add_loop_test(t, exclusion, 0, sizeof(rules) / sizeof(rules[0]));
	tcase_add_test(t, loopback);
	tcase_add_test(t, nothing_there);
	suite_add_tcase(s, t);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
