// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The deferral settings in force, from the netdev generic netlink family: per-NAPI settings do
 * not show in sysfs. Plain netlink on purpose: what it reports must not depend on the code
 * under test. Numbers are those of the kernel's include/uapi/linux/netdev.h.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vload-probe.h"

enum {
	NAPI_GET = 11,
	NAPI_IFINDEX = 1,
	NAPI_DEFER_HARD_IRQS = 5,
	NAPI_GRO_FLUSH_TIMEOUT = 6,
};

struct request {
	struct nlmsghdr nlh;
	struct genlmsghdr genl;
	struct nlattr attr;
	char data[16];
};

static int send_request(int fd, uint16_t type, uint16_t flags, uint8_t cmd, uint16_t attr,
			const void *data, size_t len)
{
	struct request r = {
		.nlh = { .nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST | flags },
		.genl = { .cmd = cmd, .version = 1 },
		.attr = { .nla_len = (uint16_t)(NLA_HDRLEN + len), .nla_type = attr },
	};

	memcpy(r.data, data, len);
	r.nlh.nlmsg_len = (uint32_t)(NLMSG_LENGTH(GENL_HDRLEN) + NLA_HDRLEN + NLA_ALIGN(len));
	return send(fd, &r, r.nlh.nlmsg_len, 0) < 0 ? -errno : 0;
}

/* The kernel's "uint" attributes are 4 or 8 bytes long as the value needs. */
static uint64_t attr_uint(const struct nlattr *a)
{
	uint64_t v = 0;
	size_t len = a->nla_len - (size_t)NLA_HDRLEN;

	if (len == 2) {
		uint16_t s;

		memcpy(&s, (const char *)a + NLA_HDRLEN, 2);
		return s;
	}
	if (len == 4) {
		uint32_t u;

		memcpy(&u, (const char *)a + NLA_HDRLEN, 4);
		return u;
	}
	if (len == 8)
		memcpy(&v, (const char *)a + NLA_HDRLEN, 8);
	return v;
}

/* Value of one attribute of a generic netlink message; false when it is not there. */
static bool find_attr(const struct nlmsghdr *nlh, uint16_t type, uint64_t *value)
{
	const char *p = (const char *)nlh + NLMSG_LENGTH(GENL_HDRLEN);
	const char *end = (const char *)nlh + nlh->nlmsg_len;

	while (p + NLA_HDRLEN <= end) {
		const struct nlattr *a = (const struct nlattr *)(const void *)p;

		if (a->nla_len < NLA_HDRLEN || p + a->nla_len > end)
			return false;
		if ((a->nla_type & NLA_TYPE_MASK) == type) {
			*value = attr_uint(a);
			return true;
		}
		p += NLA_ALIGN(a->nla_len);
	}
	return false;
}

static int resolve_family(int fd, uint16_t *family)
{
	union { char bytes[4096]; struct nlmsghdr nlh; } buf;
	uint64_t id;
	ssize_t n;
	int rc = send_request(fd, GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME,
			      "netdev", sizeof("netdev"));

	if (rc)
		return rc;
	n = recv(fd, buf.bytes, sizeof(buf.bytes), 0);
	if (n < (ssize_t)NLMSG_LENGTH(GENL_HDRLEN) || buf.nlh.nlmsg_type == NLMSG_ERROR ||
	    !find_attr(&buf.nlh, CTRL_ATTR_FAMILY_ID, &id))
		return -ENOENT;
	*family = (uint16_t)id;
	return 0;
}

int napi_open(struct napi_reader *r, const char *dev)
{
	struct timeval tv = { .tv_sec = 1 };
	int rc;

	r->ifindex = if_nametoindex(dev);
	r->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (r->fd < 0)
		return -errno;
	setsockopt(r->fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	rc = r->ifindex ? resolve_family(r->fd, &r->family) : -ENODEV;
	if (rc) {
		close(r->fd);
		r->fd = -1;
	}
	return rc;
}

int napi_read(const struct napi_reader *r, uint64_t *timeout_ns, uint64_t *defer)
{
	union { char bytes[8192]; struct nlmsghdr nlh; } buf;
	bool found = false;
	int rc;

	if (r->fd < 0)
		return -ENOENT;
	rc = send_request(r->fd, r->family, NLM_F_DUMP, NAPI_GET, NAPI_IFINDEX, &r->ifindex,
			  sizeof(r->ifindex));
	*timeout_ns = *defer = 0;
	while (!rc) {
		int n = (int)recv(r->fd, buf.bytes, sizeof(buf.bytes), 0);

		if (n < 0)
			return -errno;
		for (struct nlmsghdr *h = &buf.nlh; NLMSG_OK(h, (uint32_t)n); h = NLMSG_NEXT(h, n)) {
			uint64_t t, d;

			if (h->nlmsg_type == NLMSG_DONE)
				return found ? 0 : -ENOENT;
			if (h->nlmsg_type == NLMSG_ERROR)
				return -EOPNOTSUPP;
			if (!find_attr(h, NAPI_GRO_FLUSH_TIMEOUT, &t) ||
			    !find_attr(h, NAPI_DEFER_HARD_IRQS, &d))
				continue;
			found = true;
			*timeout_ns = t > *timeout_ns ? t : *timeout_ns;
			*defer = d > *defer ? d : *defer;
		}
	}
	return rc;
}
