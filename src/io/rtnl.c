// SPDX-License-Identifier: GPL-2.0-or-later
/* rtnl: see rtnl.h. The attributes wanted of each kind of message, and no more of rtnetlink than that. */
#include "io/rtnl.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <string.h>

#include "io/rtnl-request.h"

#define DUMP_TRIES 5 /* a dump that changed underneath is repeated */

static void copy_string(char *dst, size_t size, const struct nlattr *a)
{
	if (a)
		nla_strlcpy(dst, a, size);
}

static uint32_t get_u32(const struct nlattr *a)
{
	return a && nla_len(a) >= 4 ? nla_get_u32(a) : 0;
}

static void parse_nested(struct nlattr *const *tb, struct rtnl_link *l)
{
	struct nlattr *in[IFLA_INFO_MAX + 1], *xdp[IFLA_XDP_MAX + 1];

	if (tb[IFLA_LINKINFO] && !nla_parse_nested(in, IFLA_INFO_MAX, tb[IFLA_LINKINFO], NULL))
		copy_string(l->kind, sizeof(l->kind), in[IFLA_INFO_KIND]);
	if (tb[IFLA_XDP] && !nla_parse_nested(xdp, IFLA_XDP_MAX, tb[IFLA_XDP], NULL) && xdp[IFLA_XDP_ATTACHED] &&
	    nla_len(xdp[IFLA_XDP_ATTACHED]) >= 1)
		l->xdp = nla_get_u8(xdp[IFLA_XDP_ATTACHED]) != XDP_ATTACHED_NONE;
}

int rtnl_parse_link(const struct nlmsghdr *h, struct rtnl_link *ret)
{
	struct nlattr *tb[IFLA_MAX + 1];
	struct rtnl_link l = { 0 };
	const struct ifinfomsg *ifi;

	if ((h->nlmsg_type != RTM_NEWLINK && h->nlmsg_type != RTM_DELLINK) || nlmsg_datalen(h) < (int)sizeof(*ifi))
		return -EINVAL;
	ifi = nlmsg_data(h);
	if (ifi->ifi_family != AF_UNSPEC || nlmsg_parse((struct nlmsghdr *)h, sizeof(*ifi), tb, IFLA_MAX, NULL) < 0)
		return -EINVAL;
	l.ifindex = ifi->ifi_index;
	l.flags = ifi->ifi_flags;
	l.arphrd = ifi->ifi_type;
	copy_string(l.name, sizeof(l.name), tb[IFLA_IFNAME]);
	copy_string(l.parent, sizeof(l.parent), tb[IFLA_PARENT_DEV_NAME]);
	/* The other one is younger, and always there where it exists: it dates the kernel. */
	l.parent_known = tb[IFLA_PARENT_DEV_NAME] || tb[IFLA_TSO_MAX_SIZE];
	if (tb[IFLA_OPERSTATE] && nla_len(tb[IFLA_OPERSTATE]) >= 1)
		l.operstate = nla_get_u8(tb[IFLA_OPERSTATE]);
	l.mtu = get_u32(tb[IFLA_MTU]);
	l.rx_queues = get_u32(tb[IFLA_NUM_RX_QUEUES]);
	l.tx_queues = get_u32(tb[IFLA_NUM_TX_QUEUES]);
	l.link = (int)get_u32(tb[IFLA_LINK]);
	l.link_foreign = tb[IFLA_LINK_NETNSID];
	l.carrier_known = tb[IFLA_CARRIER_CHANGES];
	l.carrier_changes = get_u32(tb[IFLA_CARRIER_CHANGES]);
	l.master = (int)get_u32(tb[IFLA_MASTER]);
	if (tb[IFLA_ADDRESS])
		l.address_len = (unsigned char)nla_memcpy(l.address, tb[IFLA_ADDRESS], sizeof(l.address));
	parse_nested(tb, &l);
	*ret = l;
	return 0;
}

struct link_list {
	struct rtnl_link *v;
	size_t n, size;
};

static int add_link(const struct nlmsghdr *h, void *arg)
{
	struct link_list *list = arg;
	struct rtnl_link *v;

	if (list->n == list->size) {
		list->size = list->size ? list->size * 2 : 16;
		v = reallocarray(list->v, list->size, sizeof(*v));
		if (!v)
			return -ENOMEM;
		list->v = v;
	}
	if (!rtnl_parse_link(h, &list->v[list->n]))
		list->n++;
	return 0;
}

static int compare_links(const void *a, const void *b)
{
	const struct rtnl_link *x = a, *y = b;

	return (x->ifindex > y->ifindex) - (x->ifindex < y->ifindex);
}

int rtnl_links(struct rtnl *r, struct rtnl_link **ret, size_t *ret_n)
{
	struct link_list list = { 0 };
	int err = -EAGAIN;

	for (int i = 0; err == -EAGAIN && i < DUMP_TRIES; i++) {
		struct ifinfomsg *ifi;
		struct nl_msg *msg = rtnl_request_new(RTM_GETLINK, NLM_F_DUMP, sizeof(*ifi), &ifi);

		list.n = 0;
		if (!msg || nla_put_u32(msg, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS) < 0) {
			nlmsg_free(msg);
			err = -ENOMEM;
			break;
		}
		err = rtnl_request(r, msg, add_link, &list);
	}
	if (err < 0) {
		free(list.v);
		return err;
	}
	if (list.n)
		qsort(list.v, list.n, sizeof(*list.v), compare_links);
	*ret = list.v;
	*ret_n = list.n;
	return 0;
}

static int take_link(const struct nlmsghdr *h, void *arg)
{
	return rtnl_parse_link(h, arg);
}

int rtnl_link(struct rtnl *r, int ifindex, const char *name, struct rtnl_link *ret)
{
	struct rtnl_link l = { 0 };
	struct ifinfomsg *ifi;
	struct nl_msg *msg;
	int err = 0;

	if (ifindex < 0 || (!ifindex && (!name || !*name)))
		return -ENODEV;
	msg = rtnl_request_new(RTM_GETLINK, 0, sizeof(*ifi), &ifi);
	if (msg) {
		ifi->ifi_index = ifindex;
		err = nla_put_u32(msg, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
		if (!err && !ifindex)
			err = nla_put_string(msg, strlen(name) < IFNAMSIZ ? IFLA_IFNAME : IFLA_ALT_IFNAME, name);
	}
	if (!msg || err < 0) {
		nlmsg_free(msg);
		return msg ? -EINVAL : -ENOMEM;
	}
	err = rtnl_request(r, msg, take_link, &l);
	if (err < 0)
		return err;
	if (!l.ifindex)
		return -ENODEV;
	*ret = l;
	return 0;
}

struct stats_reply {
	bool got;
	struct rtnl_link_stats64 stats;
};

static int take_stats(const struct nlmsghdr *h, void *arg)
{
	bool is_link = h->nlmsg_type == RTM_NEWLINK;
	int head = is_link ? (int)sizeof(struct ifinfomsg) : (int)sizeof(struct if_stats_msg);
	struct stats_reply *reply = arg;
	struct nlattr *a;

	if (nlmsg_datalen(h) < head)
		return -EBADMSG;
	a = nlmsg_find_attr((struct nlmsghdr *)h, head, is_link ? IFLA_STATS64 : IFLA_STATS_LINK_64);
	if (!a)
		return -EBADMSG;
	nla_memcpy(&reply->stats, a, sizeof(reply->stats)); /* the shorter of the two; the rest stays 0 */
	reply->got = true;
	return 0;
}

/* How kernels before 4.7 tell the counters. */
static int stats_by_link(struct rtnl *r, int ifindex, struct stats_reply *reply)
{
	struct ifinfomsg *ifi;
	struct nl_msg *msg = rtnl_request_new(RTM_GETLINK, 0, sizeof(*ifi), &ifi);

	if (!msg)
		return -ENOMEM;
	ifi->ifi_index = ifindex;
	return rtnl_request(r, msg, take_stats, reply);
}

int rtnl_stats(struct rtnl *r, int ifindex, struct rtnl_link_stats64 *ret)
{
	struct stats_reply reply = { 0 };
	struct if_stats_msg *head;
	struct nl_msg *msg;
	int err;

	if (ifindex <= 0)
		return -ENODEV;
	msg = rtnl_request_new(RTM_GETSTATS, 0, sizeof(*head), &head);
	if (!msg)
		return -ENOMEM;
	head->ifindex = (uint32_t)ifindex;
	head->filter_mask = IFLA_STATS_FILTER_BIT(IFLA_STATS_LINK_64);
	err = rtnl_request(r, msg, take_stats, &reply);
	if (err == -EOPNOTSUPP || err == -EINVAL)
		err = stats_by_link(r, ifindex, &reply);
	if (err < 0)
		return err;
	if (!reply.got)
		return -EBADMSG;
	*ret = reply.stats;
	return 0;
}

struct qdisc_list {
	int ifindex, n;
	char kind[RTNL_QDISCS_MAX][16];
};

static int take_qdisc(const struct nlmsghdr *h, void *arg)
{
	struct qdisc_list *list = arg;
	const struct tcmsg *tc = nlmsg_data(h);
	char kind[16] = "";

	if (nlmsg_datalen(h) < (int)sizeof(*tc))
		return -EBADMSG;
	if (tc->tcm_ifindex != list->ifindex)
		return 0; /* the kernel dumps all devices whatever one asks */
	copy_string(kind, sizeof(kind), nlmsg_find_attr((struct nlmsghdr *)h, sizeof(*tc), TCA_KIND));
	for (int i = 0; i < list->n; i++)
		if (!strcmp(list->kind[i], kind))
			return 0;
	if (list->n < RTNL_QDISCS_MAX && kind[0])
		memcpy(list->kind[list->n++], kind, sizeof(kind));
	return 0;
}

int rtnl_qdiscs(struct rtnl *r, int ifindex, char ret[RTNL_QDISCS_MAX][16])
{
	struct qdisc_list list;
	int err = -EAGAIN;

	for (int i = 0; err == -EAGAIN && i < DUMP_TRIES; i++) {
		struct tcmsg *tc;
		struct nl_msg *msg = rtnl_request_new(RTM_GETQDISC, NLM_F_DUMP, sizeof(*tc), &tc);

		if (!msg)
			return -ENOMEM;
		tc->tcm_ifindex = ifindex;
		list = (struct qdisc_list){ .ifindex = ifindex };
		err = rtnl_request(r, msg, take_qdisc, &list);
	}
	if (err < 0)
		return err;
	memcpy(ret, list.kind, sizeof(list.kind));
	return list.n;
}
