// SPDX-License-Identifier: GPL-2.0-or-later
/* xdpsock: see xdpsock.h. */
#include "io/xdpsock.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/xdp_diag.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define RECV_SIZE 32768
#define TIMEOUT_USEC 500000

bool xdpsock_parse(const struct nlmsghdr *h, struct xdpsock *ret)
{
	struct nlattr *a;
	struct xdp_diag_info info;
	struct xdp_diag_stats stats;

	if (h->nlmsg_type != SOCK_DIAG_BY_FAMILY || nlmsg_datalen(h) < (int)sizeof(struct xdp_diag_msg))
		return false;
	a = nlmsg_find_attr((struct nlmsghdr *)h, sizeof(struct xdp_diag_msg), XDP_DIAG_INFO);
	if (!a || nla_len(a) < (int)sizeof(info))
		return false;
	nla_memcpy(&info, a, sizeof(info));
	if (!info.ifindex)
		return false;
	*ret = (struct xdpsock){ .ifindex = (int)info.ifindex, .queue = info.queue_id };
	a = nlmsg_find_attr((struct nlmsghdr *)h, sizeof(struct xdp_diag_msg), XDP_DIAG_STATS);
	if (a && nla_len(a) >= (int)sizeof(stats)) {
		nla_memcpy(&stats, a, sizeof(stats));
		ret->have_starved = true;
		ret->starved = stats.n_rx_full + stats.n_fill_ring_empty;
	}
	return true;
}

static int ask(int fd)
{
	struct {
		struct nlmsghdr h;
		struct xdp_diag_req r;
	} q = {
		.h = { sizeof(q), SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST | NLM_F_DUMP, 1, 0 },
		.r = { .sdiag_family = AF_XDP, .xdiag_show = XDP_SHOW_INFO | XDP_SHOW_STATS },
	};
	struct timeval tv = { .tv_usec = TIMEOUT_USEC };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	return send(fd, &q, sizeof(q), 0) < 0 ? -errno : 0;
}

/* 1: all there. *n counts those that do not fit too. */
static int take(char *buf, int len, struct xdpsock *ret, size_t max, size_t *n)
{
	for (struct nlmsghdr *h = (struct nlmsghdr *)buf; nlmsg_ok(h, len); h = nlmsg_next(h, &len)) {
		struct xdpsock s;

		if (h->nlmsg_type == NLMSG_DONE)
			return 1;
		if (h->nlmsg_type == NLMSG_ERROR) {
			const struct nlmsgerr *e = nlmsg_data(h);

			/* no module for this family */
			return e->error == -ENOENT || e->error == -EINVAL ? -EOPNOTSUPP : e->error;
		}
		if (!xdpsock_parse(h, &s))
			continue;
		if (*n < max)
			ret[*n] = s;
		++*n;
	}
	return 0;
}

int xdpsock_list(struct xdpsock *ret, size_t max)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG), r;
	char buf[RECV_SIZE] __attribute__((aligned(NLMSG_ALIGNTO)));
	size_t n = 0;

	if (fd < 0)
		return errno == EPROTONOSUPPORT ? -EOPNOTSUPP : -errno;
	r = ask(fd);
	while (r == 0) {
		ssize_t len = recv(fd, buf, sizeof(buf), 0);

		if (len < 0 && errno == EINTR)
			continue;
		r = len < 0 ? -errno : take(buf, (int)len, ret, max, &n);
	}
	close(fd);
	return r < 0 ? r : (int)n;
}

int xdpsock_count(const struct procroot *root)
{
	struct procfile f = PROCFILE_CLOSED;
	int r = procfile_open(&f, root, "proc/net/protocols"), n = -ENOENT;

	if (r == 0)
		r = procfile_read(&f);
	for (char *line = r < 0 ? NULL : f.text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "XDP %*u %d", &n) == 1)
			break;
	}
	procfile_close(&f);
	return r < 0 ? r : n;
}
