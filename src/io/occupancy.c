// SPDX-License-Identifier: GPL-2.0-or-later
/* occupancy: see occupancy.h. */
#include "io/occupancy.h"

#include <errno.h>
#include <linux/net_tstamp.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "io/rtnl-request.h"
#include "io/xdpsock.h"

#define DUMP_TRIES 3
#define XDP_SOCKETS_MAX 1024

bool occupancy_realtime(const struct procroot *root)
{
	char text[512];
	uint64_t v;

	if (procroot_u64(root, "sys/kernel/realtime", &v) == 0)
		return v == 1;
	return procroot_string(root, "proc/version", text, sizeof(text)) > 0 && strstr(text, "PREEMPT_RT");
}

/* The entry of a device, made when it is new; NULL: no memory. */
static struct occupancy_found *entry(struct occupancy_scan *s, int ifindex)
{
	struct occupancy_found *v;

	for (size_t i = s->n; i-- > 0;) /* dumps name a device many times in a row */
		if (s->v[i].ifindex == ifindex)
			return &s->v[i];
	if (s->n == s->size) {
		size_t size = s->size ? s->size * 2 : 16;

		v = reallocarray(s->v, size, sizeof(*v));
		if (!v)
			return NULL;
		s->v = v;
		s->size = size;
	}
	v = &s->v[s->n++];
	*v = (struct occupancy_found){ .ifindex = ifindex };
	return v;
}

static int take_qdisc(const struct nlmsghdr *h, void *arg)
{
	const struct tcmsg *tc = nlmsg_data(h);
	struct occupancy_found *e;
	char kind[16] = "";
	struct nlattr *a;
	int what;

	if (h->nlmsg_type != RTM_NEWQDISC || nlmsg_datalen(h) < (int)sizeof(*tc))
		return 0;
	a = nlmsg_find_attr((struct nlmsghdr *)h, sizeof(*tc), TCA_KIND);
	if (a)
		nla_strlcpy(kind, a, sizeof(kind));
	what = occupancy_of_qdisc(kind);
	if (what < 0)
		return 0;
	e = entry(arg, tc->tcm_ifindex);
	if (!e)
		return -ENOMEM;
	e->found |= 1U << what;
	return 0;
}

static int scan_qdiscs(struct rtnl *r, struct occupancy_scan *s)
{
	int err = -EAGAIN;

	for (int i = 0; err == -EAGAIN && i < DUMP_TRIES; i++) {
		struct tcmsg *tc;
		struct nl_msg *msg = rtnl_request_new(RTM_GETQDISC, NLM_F_DUMP, sizeof(*tc), &tc);

		s->n = 0;
		err = msg ? rtnl_request(r, msg, take_qdisc, s) : -ENOMEM;
	}
	return err;
}

static int scan_sockets(const struct procroot *root, struct occupancy_scan *s)
{
	struct xdpsock socks[XDP_SOCKETS_MAX];
	int n = xdpsock_count(root);

	s->xdp_hidden = false;
	if (n == 0 || n == -ENOENT)
		return 0; /* the usual case, and cheap */
	n = xdpsock_list(socks, XDP_SOCKETS_MAX);
	s->xdp_hidden = n < 0;
	for (int i = 0; i < n && i < XDP_SOCKETS_MAX; i++) {
		struct occupancy_found *e = entry(s, socks[i].ifindex);

		if (!e)
			return -ENOMEM;
		e->found |= 1U << OCCUPANCY_XDP_SOCKET;
		if (socks[i].queue < 64)
			e->xdp_queues |= 1ULL << socks[i].queue;
	}
	return 0;
}

int occupancy_scan(const struct occupancy_handles *h, nsec_t now, struct occupancy_scan *s)
{
	int r = 0;

	s->n = 0;
	s->taken = now;
	s->realtime = occupancy_realtime(h->root);
	if (h->rtnl)
		r = scan_qdiscs(h->rtnl, s);
	if (r != -ENOMEM)
		r = scan_sockets(h->root, s);
	return r;
}

void occupancy_scan_free(struct occupancy_scan *s)
{
	free(s->v);
	*s = (struct occupancy_scan){ 0 };
}

/* Somebody switched them on; a driver that does not tell has none. The same as TSCONFIG_GET of ethtool's netlink would
 * say, but also before Linux 6.14. */
static bool timestamps_on(int fd, const struct nic_info *nic)
{
	struct hwtstamp_config c = { 0 };
	struct ifreq ifr = { .ifr_ifindex = 0 };

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", nic->name);
	ifr.ifr_data = (char *)&c;
	return ioctl(fd, SIOCGHWTSTAMP, &ifr) == 0 &&
	       (c.tx_type != HWTSTAMP_TX_OFF || c.rx_filter != HWTSTAMP_FILTER_NONE);
}

void occupancy_of(const struct occupancy_handles *h, const struct occupancy_scan *s, const struct nic_info *nic,
		  struct occupancy_found *ret)
{
	struct rtnl_link link;

	*ret = (struct occupancy_found){ .ifindex = nic->ifindex };
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].ifindex == nic->ifindex)
			*ret = s->v[i];
	if (s->realtime)
		ret->found |= 1U << OCCUPANCY_REALTIME;
	if (s->xdp_hidden && h->rtnl && rtnl_link(h->rtnl, nic->ifindex, NULL, &link) == 0 && link.xdp)
		ret->found |= 1U << OCCUPANCY_XDP_SOCKET;
	if (h->ethtool_fd >= 0 && nic->has_device && timestamps_on(h->ethtool_fd, nic))
		ret->found |= 1U << OCCUPANCY_TIMESTAMPS;
}
