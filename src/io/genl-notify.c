// SPDX-License-Identifier: GPL-2.0-or-later
/* genl-notify: ethtool's "monitor" multicast group. Drivers that change settings by themselves (link up, reset) and the
 * per-queue ioctl send nothing, so this is a hint to read, never the only source. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/socket.h>

#include "io/genl.h"
#include "io/uapi.h"

#define NOTIFY_BUFFER 32768 /* more than the kernel ever puts into one datagram of the monitor group */

static const struct {
	uint8_t cmd;
	enum genl_event event;
} events[] = {
	{ ETHTOOL_MSG_COALESCE_NTF, GENL_EVENT_COALESCE },   { ETHTOOL_MSG_RINGS_NTF, GENL_EVENT_RINGS },
	{ ETHTOOL_MSG_CHANNELS_NTF, GENL_EVENT_CHANNELS },   { ETHTOOL_MSG_FEATURES_NTF, GENL_EVENT_FEATURES },
	{ ETHTOOL_MSG_LINKMODES_NTF, GENL_EVENT_LINKMODES },
};

int genl_notify_open(const struct genl *g, struct genl_notify *ret, char err[ERR_MAX])
{
	struct nl_sock *sk;

	if (!g->monitor_group)
		return genl_fail(err, -EOPNOTSUPP, "ethtool notifications");
	sk = nl_socket_alloc();
	if (!sk)
		return genl_fail(err, -ENOMEM, "netlink");
	errno = 0;
	if (nl_connect(sk, NETLINK_GENERIC) < 0 || nl_socket_add_memberships(sk, g->monitor_group, 0) < 0) {
		int rc = errno ? -errno : -EIO;

		nl_socket_free(sk);
		return genl_fail(err, rc, "ethtool notifications");
	}
	ret->sk = sk;
	return 0;
}

int genl_notify_fd(const struct genl_notify *n)
{
	return nl_socket_get_fd(n->sk);
}

void genl_notify_close(struct genl_notify *n)
{
	if (n->sk)
		nl_socket_free(n->sk);
	n->sk = NULL;
}

static enum genl_event event_of(uint8_t cmd)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (events[i].cmd == cmd)
			return events[i].event;
	}
	return GENL_EVENT_OTHER;
}

/* Index of the device, or 0 for a message that names none. All ethtool messages have their header as attribute 1. */
static int device_of(struct nlmsghdr *h)
{
	struct nlattr *tb[ETHTOOL_A_COALESCE_HEADER + 1], *dev[ETHTOOL_A_HEADER_MAX + 1];

	if (!genlmsg_valid_hdr(h, 0) || genlmsg_parse(h, 0, tb, ETHTOOL_A_COALESCE_HEADER, NULL) < 0 ||
	    !tb[ETHTOOL_A_COALESCE_HEADER] ||
	    nla_parse_nested(dev, ETHTOOL_A_HEADER_MAX, tb[ETHTOOL_A_COALESCE_HEADER], NULL) < 0 ||
	    !dev[ETHTOOL_A_HEADER_DEV_INDEX])
		return 0;
	return (int)nla_get_u32(dev[ETHTOOL_A_HEADER_DEV_INDEX]);
}

static int read_datagram(void *buf, int len, genl_event_fn fn, void *arg)
{
	int n = 0;

	for (struct nlmsghdr *h = buf; nlmsg_ok(h, len); h = nlmsg_next(h, &len)) {
		int ifindex = h->nlmsg_type >= NLMSG_MIN_TYPE ? device_of(h) : 0;

		if (!ifindex)
			continue;
		fn(ifindex, event_of(genlmsg_hdr(h)->cmd), arg);
		n++;
	}
	return n;
}

int genl_notify_read(struct genl_notify *n, genl_event_fn fn, void *arg)
{
	char buf[NOTIFY_BUFFER] __attribute__((aligned(NLMSG_ALIGNTO)));
	bool lost = false;
	int count = 0;

	for (;;) {
		struct sockaddr_nl from;
		socklen_t size = sizeof(from);
		ssize_t len = recvfrom(genl_notify_fd(n), buf, sizeof(buf), MSG_DONTWAIT | MSG_TRUNC,
				       (struct sockaddr *)&from, &size);

		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0 && errno == ENOBUFS) {
			lost = true;
			continue;
		}
		if (len < 0 && errno != EAGAIN)
			return -errno;
		if (len < 0)
			return lost ? -ENOBUFS : count;
		if (len > (ssize_t)sizeof(buf))
			lost = true; /* truncated */
		else if (from.nl_pid == 0)
			count += read_datagram(buf, (int)len, fn, arg);
	}
}
