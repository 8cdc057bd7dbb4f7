// SPDX-License-Identifier: GPL-2.0-or-later
/* genl: requests over libnl. The socket never blocks: each answer is awaited with poll() until a deadline, and what
 * still arrives for a request that was given up is told apart by its sequence number. */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <netlink/attr.h>
#include <netlink/errno.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/socket.h>

#include "io/genl.h"
#include "io/clock.h"
#include "io/uapi.h"

struct call {
	const struct nl_msg *request;
	uint32_t seq;
	genl_reply_fn fn;
	void *arg;
	char *err;
	int fn_rc, rc, bad_attr;
	bool done, disturbed;
};

static const char *const family_names[GENL_FAMILY_COUNT] = {
	[GENL_ETHTOOL] = ETHTOOL_GENL_NAME,
	[GENL_NETDEV] = ETHT_NETDEV_FAMILY_NAME,
};

int genl_fail(char *err, int rc, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (!err)
		return rc;
	va_start(ap, fmt);
	n = vsnprintf(err, ERR_MAX, fmt, ap);
	va_end(ap);
	if (rc && n >= 0 && n < ERR_MAX)
		snprintf(err + n, ERR_MAX - n, "%s%s", n ? ": " : "", strerror(-rc));
	return rc;
}

/* Positive or negative, as it stands in the message; 524 is internal to the kernel but leaks. */
static int kernel_errno(int error)
{
	int rc = error < 0 ? error : -error;

	return rc == -ETHT_ENOTSUPP ? -EOPNOTSUPP : rc;
}

/* The extended ack: attributes behind `skip` bytes of payload. Leaves the kernel's text in err and the blamed attribute
 * in bad_attr. */
static void read_extack(struct call *c, struct nlmsghdr *h, int skip)
{
	struct nlattr *tb[NLMSGERR_ATTR_MAX + 1];
	struct nlmsghdr *req = nlmsg_hdr((struct nl_msg *)c->request);
	uint32_t offset;

	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS) || nlmsg_datalen(h) <= skip ||
	    nla_parse(tb, NLMSGERR_ATTR_MAX, (struct nlattr *)((char *)nlmsg_data(h) + skip), nlmsg_datalen(h) - skip,
		      NULL) < 0)
		return;
	if (tb[NLMSGERR_ATTR_MSG] && c->err)
		snprintf(c->err, ERR_MAX, "%.*s", nla_len(tb[NLMSGERR_ATTR_MSG]),
			 (char *)nla_data(tb[NLMSGERR_ATTR_MSG]));
	if (!tb[NLMSGERR_ATTR_OFFS] || nla_len(tb[NLMSGERR_ATTR_OFFS]) < (int)sizeof(uint32_t))
		return;
	offset = nla_get_u32(tb[NLMSGERR_ATTR_OFFS]);
	if (offset >= NLMSG_HDRLEN + GENL_HDRLEN && offset % NLA_ALIGNTO == 0 &&
	    offset + sizeof(struct nlattr) <= req->nlmsg_len)
		c->bad_attr = nla_type((struct nlattr *)((char *)req + offset));
}

static int finish(struct call *c, struct nlmsghdr *h, int error, int skip)
{
	c->done = true;
	c->rc = kernel_errno(error);
	if (c->rc) {
		genl_fail(c->err, c->rc, "%s", "");
		read_extack(c, h, NLMSG_ALIGN(skip));
	}
	return NL_STOP;
}

static int on_seq(struct nl_msg *msg, void *arg)
{
	const struct call *c = arg;

	return nlmsg_hdr(msg)->nlmsg_seq == c->seq ? NL_OK : NL_SKIP;
}

static int on_reply(struct nl_msg *msg, void *arg)
{
	struct nlattr *tb[GENL_ATTR_MAX];
	struct call *c = arg;
	struct nlmsghdr *h = nlmsg_hdr(msg);

	if (!c->fn || c->fn_rc < 0)
		return NL_OK;
	if (!genlmsg_valid_hdr(h, 0) || genlmsg_parse(h, 0, tb, GENL_ATTR_MAX - 1, NULL) < 0)
		c->fn_rc = genl_fail(c->err, -EBADMSG, "reply");
	else
		c->fn_rc = c->fn(genlmsg_hdr(h)->cmd, tb, c->arg);
	return NL_OK;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	return finish(arg, nlmsg_hdr(msg), 0, 0);
}

/* The end of a dump carries its result. */
static int on_end(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *h = nlmsg_hdr(msg);

	return finish(arg, h, nlmsg_datalen(h) >= (int)sizeof(int) ? *(int *)nlmsg_data(h) : 0, sizeof(int));
}

static int on_disturbed(struct nl_msg *msg, void *arg)
{
	struct call *c = arg;

	(void)msg;
	c->disturbed = true;
	return NL_OK;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *e, void *arg)
{
	struct nlmsghdr *h = (struct nlmsghdr *)((char *)e - NLMSG_HDRLEN);
	int skip = sizeof(*e);

	(void)from;
	if (!(h->nlmsg_flags & NLM_F_CAPPED))
		skip += (int)e->msg.nlmsg_len - NLMSG_HDRLEN;
	return finish(arg, h, e->error, skip);
}

static int receive_until_done(struct genl *g, struct nl_cb *cb, struct call *c)
{
	int64_t deadline = clock_ms() + g->timeout_ms;
	struct pollfd p = { .fd = nl_socket_get_fd(g->sk), .events = POLLIN };

	for (;;) {
		int64_t left;
		int rc;

		errno = 0;
		rc = nl_recvmsgs(g->sk, cb);
		if (c->done)
			break;
		if (rc < 0 && rc != -NLE_AGAIN)
			return genl_fail(c->err, errno ? -errno : -EIO, "netlink receive");
		left = deadline - clock_ms();
		if (left <= 0)
			return genl_fail(c->err, -ETIMEDOUT, "no answer from the kernel in %d ms", g->timeout_ms);
		if (rc == -NLE_AGAIN && poll(&p, 1, (int)left) < 0 && errno != EINTR)
			return genl_fail(c->err, -errno, "poll");
	}
	if (c->rc)
		return c->rc;
	if (c->fn_rc < 0)
		return c->fn_rc;
	return c->disturbed ? genl_fail(c->err, -EAGAIN, "list changed while it was read") : 0;
}

int genl_call(struct genl *g, struct nl_msg *msg, genl_reply_fn fn, void *arg, char err[ERR_MAX])
{
	struct call c = { .request = msg, .fn = fn, .arg = arg, .err = err };
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int rc;

	g->bad_attr = 0;
	if (!cb) {
		nlmsg_free(msg);
		return genl_fail(err, -ENOMEM, "netlink");
	}
	nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, on_seq, &c);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_reply, &c);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, &c);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_end, &c);
	nl_cb_set(cb, NL_CB_DUMP_INTR, NL_CB_CUSTOM, on_disturbed, &c);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, &c);

	nl_complete_msg(g->sk, msg);
	c.seq = nlmsg_hdr(msg)->nlmsg_seq;
	errno = 0;
	rc = nl_send(g->sk, msg);
	if (rc < 0)
		rc = genl_fail(err, errno ? -errno : -EIO, "netlink send");
	else
		rc = receive_until_done(g, cb, &c);
	g->bad_attr = c.bad_attr;
	nl_cb_put(cb);
	nlmsg_free(msg);
	return rc;
}

static int new_message(int type, uint8_t cmd, bool dump, struct nl_msg **ret)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (!msg)
		return -ENOMEM;
	if (!genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, type, 0, dump ? NLM_F_DUMP : 0, cmd, 1)) {
		nlmsg_free(msg);
		return -ENOMEM;
	}
	*ret = msg;
	return 0;
}

int genl_request(const struct genl *g, enum genl_family f, uint8_t cmd, bool dump, struct nl_msg **ret)
{
	return g->family[f] ? new_message(g->family[f], cmd, dump, ret) : -EOPNOTSUPP;
}

struct resolved {
	int id, monitor_group;
};

static int on_family(uint8_t cmd, struct nlattr **tb, void *arg)
{
	struct nlattr *pos, *grp[CTRL_ATTR_MCAST_GRP_MAX + 1];
	struct resolved *r = arg;
	int rem;

	(void)cmd;
	if (!tb[CTRL_ATTR_FAMILY_ID])
		return -EBADMSG;
	r->id = nla_get_u16(tb[CTRL_ATTR_FAMILY_ID]);
	if (!tb[CTRL_ATTR_MCAST_GROUPS])
		return 0;
	nla_for_each_nested(pos, tb[CTRL_ATTR_MCAST_GROUPS], rem)
	{
		if (nla_parse_nested(grp, CTRL_ATTR_MCAST_GRP_MAX, pos, NULL) == 0 && grp[CTRL_ATTR_MCAST_GRP_NAME] &&
		    grp[CTRL_ATTR_MCAST_GRP_ID] &&
		    nla_strcmp(grp[CTRL_ATTR_MCAST_GRP_NAME], ETHTOOL_MCGRP_MONITOR_NAME) == 0)
			r->monitor_group = (int)nla_get_u32(grp[CTRL_ATTR_MCAST_GRP_ID]);
	}
	return 0;
}

static int resolve(struct genl *g, enum genl_family f, char *err)
{
	struct resolved r = { 0, 0 };
	struct nl_msg *msg;
	int rc = new_message(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, false, &msg);

	if (rc < 0)
		return genl_fail(err, rc, "netlink");
	nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, family_names[f]);
	rc = genl_call(g, msg, on_family, &r, err);
	if (rc < 0)
		return rc == -ENOENT ? 0 : rc;
	g->family[f] = r.id;
	if (f == GENL_ETHTOOL)
		g->monitor_group = r.monitor_group;
	return 0;
}

int genl_open(struct genl *ret, char err[ERR_MAX])
{
	struct genl g = { .timeout_ms = GENL_TIMEOUT_MS };
	const int on = 1;
	int rc = 0;

	g.sk = nl_socket_alloc();
	if (!g.sk)
		return genl_fail(err, -ENOMEM, "netlink");
	errno = 0;
	if (nl_connect(g.sk, NETLINK_GENERIC) < 0 || nl_socket_set_nonblocking(g.sk) < 0)
		rc = genl_fail(err, errno ? -errno : -EIO, "generic netlink socket");
	if (!rc) {
		/* Kernels that lack these still answer, only with less to say. */
		setsockopt(nl_socket_get_fd(g.sk), SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
		setsockopt(nl_socket_get_fd(g.sk), SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	}
	for (int f = 0; !rc && f < GENL_FAMILY_COUNT; f++)
		rc = resolve(&g, f, err);
	if (rc < 0) {
		genl_close(&g);
		return rc;
	}
	*ret = g;
	return 0;
}

void genl_close(struct genl *g)
{
	if (g->sk)
		nl_socket_free(g->sk);
	memset(g, 0, sizeof(*g));
}

struct policy {
	int index; /* of the policy for requests, -1 = not yet seen */
	int max;
};

/* First comes which policies the command uses, then attribute by attribute what each of them allows. */
static int on_policy(uint8_t cmd, struct nlattr **tb, void *arg)
{
	struct policy *p = arg;
	struct nlattr *pos, *attr, *use[CTRL_ATTR_POLICY_MAX + 1];
	int rem;

	(void)cmd;
	if (tb[CTRL_ATTR_OP_POLICY]) {
		nla_for_each_nested(pos, tb[CTRL_ATTR_OP_POLICY], rem)
		{
			if (nla_parse_nested(use, CTRL_ATTR_POLICY_MAX, pos, NULL) < 0)
				return -EBADMSG;
			attr = use[CTRL_ATTR_POLICY_DO] ? use[CTRL_ATTR_POLICY_DO] : use[CTRL_ATTR_POLICY_DUMP];
			if (attr)
				p->index = (int)nla_get_u32(attr);
		}
	}
	if (tb[CTRL_ATTR_POLICY]) {
		nla_for_each_nested(pos, tb[CTRL_ATTR_POLICY], rem)
		{
			int rem2;

			if (nla_type(pos) != p->index)
				continue;
			nla_for_each_nested(attr, pos, rem2)
			{
				if (nla_type(attr) > p->max)
					p->max = nla_type(attr);
			}
		}
	}
	return 0;
}

int genl_policy_max(struct genl *g, enum genl_family f, uint8_t cmd)
{
	struct policy p = { .index = -1 };
	struct nl_msg *msg;
	int rc;

	if (!g->family[f])
		return -EOPNOTSUPP;
	rc = new_message(GENL_ID_CTRL, CTRL_CMD_GETPOLICY, true, &msg);
	if (rc < 0)
		return rc;
	nla_put_u16(msg, CTRL_ATTR_FAMILY_ID, g->family[f]);
	nla_put_u32(msg, CTRL_ATTR_OP, cmd);
	rc = genl_call(g, msg, on_policy, &p, NULL);
	if (rc == -ENODATA)
		return 0;
	if (rc == -ENOENT || rc == -EINVAL)
		return -EOPNOTSUPP;
	return rc < 0 ? rc : p.max;
}
