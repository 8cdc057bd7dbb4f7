// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * napictl: shows and sets the deferral settings of single NAPI instances, which sysfs does not show.
 * Plain netlink on purpose: what tests compare with must not depend on the code under test.
 * Numbers are those of the kernel's include/uapi/linux/netdev.h.
 *
 *   napictl DEV                     a line "id defer_hard_irqs gro_flush_timeout_ns" each, by id
 *   napictl DEV set NTH DEFER NS    the NTH (from 0) of that list
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { NAPI_GET = 11, NAPI_SET = 14 };
enum { NAPI_IFINDEX = 1, NAPI_ID = 2, NAPI_DEFER_HARD_IRQS = 5, NAPI_GRO_FLUSH_TIMEOUT = 6 };
#define NAPIS_MAX 64

struct napi {
	uint64_t id, defer, timeout_ns;
};

struct request {
	struct nlmsghdr nlh;
	struct genlmsghdr genl;
	char data[128];
};

union reply {
	char bytes[16384];
	struct nlmsghdr nlh;
};

static void begin(struct request *r, uint16_t type, uint16_t flags, uint8_t cmd)
{
	memset(r, 0, sizeof(*r));
	r->nlh.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	r->nlh.nlmsg_type = type;
	r->nlh.nlmsg_flags = NLM_F_REQUEST | flags;
	r->genl.cmd = cmd;
	r->genl.version = 1;
}

static void put(struct request *r, uint16_t type, const void *data, size_t len)
{
	struct nlattr a = { .nla_len = (uint16_t)(NLA_HDRLEN + len), .nla_type = type };

	memcpy((char *)r + r->nlh.nlmsg_len, &a, sizeof(a));
	memcpy((char *)r + r->nlh.nlmsg_len + NLA_HDRLEN, data, len);
	r->nlh.nlmsg_len += (uint32_t)(NLA_HDRLEN + NLA_ALIGN(len));
}

/* Sends and takes the first answer. Its size, or negative errno, that of an error message too. */
static int ask(int fd, const struct request *r, union reply *answer)
{
	int n;

	if (send(fd, r, r->nlh.nlmsg_len, 0) < 0)
		return -errno;
	n = (int)recv(fd, answer->bytes, sizeof(answer->bytes), 0);
	if (n < 0)
		return -errno;
	if (n >= (int)NLMSG_LENGTH(sizeof(int)) && answer->nlh.nlmsg_type == NLMSG_ERROR) {
		int error;

		memcpy(&error, NLMSG_DATA(&answer->nlh), sizeof(error));
		return error < 0 ? error : n;
	}
	return n;
}

/* The kernel's "uint" attributes are 4 or 8 bytes long as the value needs. */
static bool get(const struct nlmsghdr *nlh, uint16_t type, uint64_t *ret)
{
	const char *p = (const char *)nlh + NLMSG_LENGTH(GENL_HDRLEN), *end = (const char *)nlh + nlh->nlmsg_len;
	struct nlattr a;

	for (; p + NLA_HDRLEN <= end; p += NLA_ALIGN(a.nla_len)) {
		memcpy(&a, p, sizeof(a));
		if (a.nla_len < NLA_HDRLEN || p + a.nla_len > end)
			return false;
		if ((a.nla_type & NLA_TYPE_MASK) != type)
			continue;
		*ret = 0;
		memcpy(ret, p + NLA_HDRLEN, a.nla_len - NLA_HDRLEN < 8 ? (size_t)(a.nla_len - NLA_HDRLEN) : 8);
		return true;
	}
	return false;
}

static int family_id(int fd, uint16_t *ret)
{
	struct request r;
	union reply answer;
	uint64_t id;
	int n;

	begin(&r, GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY);
	put(&r, CTRL_ATTR_FAMILY_NAME, "netdev", sizeof("netdev"));
	n = ask(fd, &r, &answer);
	if (n < 0 || !get(&answer.nlh, CTRL_ATTR_FAMILY_ID, &id))
		return n < 0 ? n : -ENOENT;
	*ret = (uint16_t)id;
	return 0;
}

static int by_id(const void *a, const void *b)
{
	const struct napi *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* Their number, or negative errno. */
static int list(int fd, uint16_t family, uint32_t ifindex, struct napi *napis)
{
	struct request r;
	union reply answer;
	int count = 0, n;

	begin(&r, family, NLM_F_DUMP, NAPI_GET);
	put(&r, NAPI_IFINDEX, &ifindex, sizeof(ifindex));
	for (n = ask(fd, &r, &answer); n > 0; n = (int)recv(fd, answer.bytes, sizeof(answer.bytes), 0))
		for (struct nlmsghdr *h = &answer.nlh; NLMSG_OK(h, (uint32_t)n); h = NLMSG_NEXT(h, n)) {
			struct napi *p = &napis[count];

			if (h->nlmsg_type == NLMSG_DONE) {
				qsort(napis, (size_t)count, sizeof(*napis), by_id);
				return count;
			}
			if (count < NAPIS_MAX && get(h, NAPI_ID, &p->id) && get(h, NAPI_DEFER_HARD_IRQS, &p->defer) &&
			    get(h, NAPI_GRO_FLUSH_TIMEOUT, &p->timeout_ns))
				count++;
		}
	return n < 0 ? n : -EIO;
}

static int set(int fd, uint16_t family, const struct napi *n)
{
	uint32_t id = (uint32_t)n->id, defer = (uint32_t)n->defer;
	struct request r;
	union reply answer;
	int rc;

	begin(&r, family, NLM_F_ACK, NAPI_SET);
	put(&r, NAPI_ID, &id, sizeof(id));
	put(&r, NAPI_DEFER_HARD_IRQS, &defer, sizeof(defer));
	put(&r, NAPI_GRO_FLUSH_TIMEOUT, &n->timeout_ns, sizeof(n->timeout_ns));
	rc = ask(fd, &r, &answer);
	return rc < 0 ? rc : 0;
}

static int run(int fd, int argc, char **argv)
{
	uint32_t ifindex = if_nametoindex(argv[1]);
	struct napi napis[NAPIS_MAX + 1];
	uint16_t family;
	int n = ifindex ? family_id(fd, &family) : -ENODEV;

	if (n == 0)
		n = list(fd, family, ifindex, napis);
	if (n < 0)
		return n;
	if (argc == 6) {
		int nth = atoi(argv[3]);

		if (nth < 0 || nth >= n)
			return -ENOENT;
		napis[nth].defer = strtoull(argv[4], NULL, 10);
		napis[nth].timeout_ns = strtoull(argv[5], NULL, 10);
		return set(fd, family, &napis[nth]);
	}
	for (int i = 0; i < n; i++)
		printf("%llu %llu %llu\n", (unsigned long long)napis[i].id, (unsigned long long)napis[i].defer,
		       (unsigned long long)napis[i].timeout_ns);
	return 0;
}

int main(int argc, char **argv)
{
	struct timeval tv = { .tv_sec = 2 };
	int fd, rc;

	if (argc != 2 && !(argc == 6 && !strcmp(argv[2], "set"))) {
		fputs("usage: napictl DEV [set NTH DEFER TIMEOUT_NS]\n", stderr);
		return 2;
	}
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)) < 0) {
		perror("napictl");
		return 1;
	}
	rc = run(fd, argc, argv);
	close(fd);
	if (rc < 0)
		fprintf(stderr, "napictl: %s: %s\n", argv[1], strerror(-rc));
	return rc < 0;
}
