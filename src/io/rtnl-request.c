// SPDX-License-Identifier: GPL-2.0-or-later
/* rtnl-request: see rtnl-request.h. libnl builds the messages; the receive loop is our own, because libnl's folds errno
 * into its own numbers (ENODEV and ENOENT become one) and has no time limit. */
#include "io/rtnl-request.h"

#include <errno.h>
#include <netlink/netlink.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "core/units.h"
#include "io/clock.h"

#define RECV_SIZE 65536 /* the kernel fills at most 32 KiB a message in a dump; a link with many VFs is one message */

struct rtnl {
	struct nl_sock *sk;
	bool stale; /* a reply may still be on its way: a dump could even be running */
	char *buf;
};

static int connect_route(struct rtnl *r)
{
	nl_close(r->sk);
	if (nl_connect(r->sk, NETLINK_ROUTE) < 0)
		return errno ? -errno : -EIO;
	nl_socket_disable_auto_ack(r->sk);
	r->stale = false;
	return 0;
}

int rtnl_open(struct rtnl **ret)
{
	struct rtnl *r = calloc(1, sizeof(*r));
	int err = -ENOMEM;

	if (!r)
		return err;
	r->buf = malloc(RECV_SIZE);
	r->sk = nl_socket_alloc();
	if (r->buf && r->sk) {
		errno = 0;
		err = connect_route(r);
	}
	if (err < 0) {
		rtnl_close(r);
		return err;
	}
	*ret = r;
	return 0;
}

struct rtnl *rtnl_close(struct rtnl *r)
{
	if (r) {
		if (r->sk)
			nl_socket_free(r->sk);
		free(r->buf);
		free(r);
	}
	return NULL;
}

static ssize_t receive(struct rtnl *r, nsec_t deadline)
{
	struct pollfd p = { .fd = nl_socket_get_fd(r->sk), .events = POLLIN };
	ssize_t n;

	for (;;) {
		nsec_t now = clock_ns(CLOCK_MONOTONIC);

		n = recv(p.fd, r->buf, RECV_SIZE, MSG_DONTWAIT | MSG_TRUNC);
		if (n >= 0)
			return n > RECV_SIZE ? -EMSGSIZE : n;
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return -errno;
		if (now >= deadline)
			return -ETIMEDOUT;
		if (poll(&p, 1, (int)((deadline - now) / NSEC_PER_MSEC) + 1) < 0 && errno != EINTR)
			return -errno;
	}
}

static int error_of(const struct nlmsghdr *h)
{
	const struct nlmsgerr *e = nlmsg_data(h);

	return nlmsg_datalen(h) < (int)sizeof(*e) ? -EBADMSG : e->error;
}

/* The messages of one datagram. Returns 1 when the reply is complete, 0 when there is more to come, negative errno. */
static int take_replies(struct rtnl *r, int len, unsigned seq, bool *interrupted, rtnl_reply_fn fn, void *arg)
{
	int err;

	for (struct nlmsghdr *h = (struct nlmsghdr *)r->buf; nlmsg_ok(h, len); h = nlmsg_next(h, &len)) {
		if (h->nlmsg_seq != seq)
			continue; /* of a request that was given up */
		if (h->nlmsg_flags & NLM_F_DUMP_INTR)
			*interrupted = true;
		if (h->nlmsg_type == NLMSG_ERROR) {
			err = error_of(h);
			return err < 0 ? err : 1;
		}
		if (h->nlmsg_type == NLMSG_DONE) {
			/* A dump that failed half way says so here. */
			err = nlmsg_datalen(h) >= (int)sizeof(int) ? *(const int *)nlmsg_data(h) : 0;
			return err < 0 ? err : 1;
		}
		err = fn(h, arg);
		if (err < 0) {
			r->stale = true;
			return err;
		}
		if (!(h->nlmsg_flags & NLM_F_MULTI))
			return 1;
	}
	return 0;
}

int rtnl_request(struct rtnl *r, struct nl_msg *msg, rtnl_reply_fn fn, void *arg)
{
	nsec_t deadline = clock_ns(CLOCK_MONOTONIC) + RTNL_TIMEOUT_MS * NSEC_PER_MSEC;
	bool interrupted = false;
	struct nlmsghdr *h;
	ssize_t n;
	int err;

	errno = 0;
	err = r->stale ? connect_route(r) : 0;
	if (err < 0) {
		nlmsg_free(msg);
		return err;
	}
	nl_complete_msg(r->sk, msg);
	h = nlmsg_hdr(msg);
	n = send(nl_socket_get_fd(r->sk), h, h->nlmsg_len, 0);
	err = n < 0 ? -errno : 0;
	while (!err) {
		n = receive(r, deadline);
		if (n < 0) {
			r->stale = true;
			err = (int)n;
		} else {
			err = take_replies(r, (int)n, h->nlmsg_seq, &interrupted, fn, arg);
		}
	}
	nlmsg_free(msg);
	if (err < 0)
		return err;
	return interrupted ? -EAGAIN : 0;
}

struct nl_msg *rtnl_request_new(int type, int flags, size_t head_len, void *ret_head)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, NLM_F_REQUEST | flags);
	void *head = msg ? nlmsg_reserve(msg, head_len, NLMSG_ALIGNTO) : NULL;

	if (!head) {
		nlmsg_free(msg);
		return NULL;
	}
	memset(head, 0, head_len);
	*(void **)ret_head = head;
	return msg;
}
