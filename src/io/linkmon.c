// SPDX-License-Identifier: GPL-2.0-or-later
/* linkmon: see linkmon.h. A table of the links known, kept by ifindex, turns messages into events. */
#include "io/linkmon.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "io/rtnl.h"

#define RECV_SIZE 32768

struct known {
	int ifindex;
	char name[NIC_NAME_MAX];
	unsigned flags;
	uint32_t mtu;
};

struct linkmon {
	struct nl_sock *sk;
	struct rtnl *rtnl;
	struct known *known;
	size_t n, size;
	char *buf;
};

static struct known *find(struct linkmon *m, int ifindex)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->known[i].ifindex == ifindex)
			return &m->known[i];
	return NULL;
}

static int remember(struct linkmon *m, const struct rtnl_link *l)
{
	struct known *k = find(m, l->ifindex);

	if (!k && m->n == m->size) {
		size_t size = m->size ? m->size * 2 : 16;

		k = reallocarray(m->known, size, sizeof(*k));
		if (!k)
			return -ENOMEM;
		m->known = k;
		m->size = size;
		k = NULL;
	}
	if (!k)
		k = &m->known[m->n++];
	*k = (struct known){ .ifindex = l->ifindex, .flags = l->flags, .mtu = l->mtu };
	memcpy(k->name, l->name, sizeof(k->name));
	return 0;
}

/* The table as the kernel has it now. On failure it is empty: then a known link may look new, which is harmless. */
static int seed(struct linkmon *m)
{
	struct rtnl_link *links;
	size_t n;
	int err = rtnl_links(m->rtnl, &links, &n);

	m->n = 0;
	if (err < 0)
		return err;
	for (size_t i = 0; i < n && !err; i++)
		err = remember(m, &links[i]);
	free(links);
	return err;
}

/* Filters and classes are told to the same group as qdiscs, by the thousand a second on some machines: left to the
 * kernel to drop, else they would push out what matters. */
static int only_links_and_qdiscs(int fd)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, offsetof(struct nlmsghdr, nlmsg_type)), /* as big-endian */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htons(RTM_NEWLINK), 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htons(RTM_DELLINK), 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htons(RTM_NEWQDISC), 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htons(RTM_DELQDISC), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog)) < 0 ? -errno : 0;
}

int linkmon_open(struct linkmon **ret)
{
	struct linkmon *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return -ENOMEM;
	m->buf = malloc(RECV_SIZE);
	m->sk = nl_socket_alloc();
	err = m->buf && m->sk ? rtnl_open(&m->rtnl) : -ENOMEM;
	errno = 0;
	if (!err && (nl_connect(m->sk, NETLINK_ROUTE) < 0 || only_links_and_qdiscs(linkmon_fd(m)) < 0 ||
		     nl_socket_add_memberships(m->sk, RTNLGRP_LINK, RTNLGRP_TC, 0) < 0))
		err = errno ? -errno : -EIO;
	if (!err)
		err = seed(m); /* after the subscription, so that nothing falls between */
	if (err < 0) {
		linkmon_close(m);
		return err;
	}
	*ret = m;
	return 0;
}

struct linkmon *linkmon_close(struct linkmon *m)
{
	if (m) {
		if (m->sk)
			nl_socket_free(m->sk);
		rtnl_close(m->rtnl);
		free(m->known);
		free(m->buf);
		free(m);
	}
	return NULL;
}

int linkmon_fd(const struct linkmon *m)
{
	return nl_socket_get_fd(m->sk);
}

static struct linkmon_event event_of(const struct rtnl_link *l, const struct known *k, bool removed)
{
	struct linkmon_event e = { .ifindex = l->ifindex, .flags = l->flags, .mtu = l->mtu };

	memcpy(e.name, l->name, sizeof(e.name));
	e.flags_changed = k ? l->flags ^ k->flags : ~0U;
	e.mtu_changed = k && l->mtu != k->mtu;
	if (removed) {
		e.type = LINKMON_REMOVED;
	} else if (!k) {
		e.type = LINKMON_ADDED;
	} else if (strcmp(k->name, l->name)) {
		e.type = LINKMON_RENAMED;
		memcpy(e.old_name, k->name, sizeof(e.old_name));
	} else {
		e.type = LINKMON_CHANGED;
	}
	return e;
}

/* A link that goes takes its qdiscs along without a word about them. */
static int take_qdisc(const struct nlmsghdr *h, linkmon_fn fn, void *arg)
{
	struct linkmon_event e = { .type = LINKMON_QDISC };
	const struct tcmsg *tc = nlmsg_data(h);
	struct nlattr *a;

	if (nlmsg_datalen(h) < (int)sizeof(*tc))
		return 0;
	e.ifindex = tc->tcm_ifindex;
	a = nlmsg_find_attr((struct nlmsghdr *)h, sizeof(*tc), TCA_KIND);
	if (a)
		nla_strlcpy(e.kind, a, sizeof(e.kind));
	fn(&e, arg);
	return 1;
}

static int take_message(struct linkmon *m, const struct nlmsghdr *h, linkmon_fn fn, void *arg)
{
	bool removed = h->nlmsg_type == RTM_DELLINK;
	struct linkmon_event e;
	struct rtnl_link l;
	struct known *k;
	int err = 0;

	if (h->nlmsg_type == RTM_NEWQDISC || h->nlmsg_type == RTM_DELQDISC)
		return take_qdisc(h, fn, arg);
	if (rtnl_parse_link(h, &l) < 0)
		return 0; /* another family's: a port that leaves its bridge is no device that leaves */
	k = find(m, l.ifindex);
	e = event_of(&l, k, removed);
	if (!removed)
		err = remember(m, &l);
	else if (k)
		*k = m->known[--m->n];
	fn(&e, arg);
	return err < 0 ? err : 1;
}

static void resync(struct linkmon *m, linkmon_fn fn, void *arg)
{
	struct linkmon_event e = { .type = LINKMON_RESYNC };
	ssize_t n;

	/* What still waits is older than the table will be. */
	do {
		n = recv(linkmon_fd(m), m->buf, RECV_SIZE, MSG_DONTWAIT);
	} while (n >= 0 || errno == EINTR || errno == ENOBUFS);
	seed(m);
	fn(&e, arg);
}

int linkmon_read(struct linkmon *m, linkmon_fn fn, void *arg)
{
	int events = 0, err, len;
	ssize_t n;

	for (;;) {
		n = recv(linkmon_fd(m), m->buf, RECV_SIZE, MSG_DONTWAIT | MSG_TRUNC);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return events;
		if (n > RECV_SIZE || (n < 0 && errno == ENOBUFS)) {
			resync(m, fn, arg);
			events++;
			continue;
		}
		if (n < 0)
			return -errno;
		len = (int)n;
		for (struct nlmsghdr *h = (struct nlmsghdr *)m->buf; nlmsg_ok(h, len); h = nlmsg_next(h, &len)) {
			err = take_message(m, h, fn, arg);
			if (err < 0)
				return err;
			events += err;
		}
	}
}
