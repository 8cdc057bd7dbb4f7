// SPDX-License-Identifier: GPL-2.0-or-later
/* rtnl: what rtnetlink says about links, their counters and their qdiscs, in the network namespace of the caller.
 * Nothing is cached and nothing is ever changed. Every request ends within RTNL_TIMEOUT_MS (-ETIMEDOUT). */
#pragma once
#include <linux/if_link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/nic.h"

#define RTNL_TIMEOUT_MS 1000
#define RTNL_QDISCS_MAX 16

struct nlmsghdr;
struct rtnl; /* one socket; not for two threads at once */

/* One RTM_NEWLINK. Strings are "" and numbers 0 where the kernel did not say. */
struct rtnl_link {
	int ifindex;
	char name[NIC_NAME_MAX];
	char kind[16];		/* IFLA_INFO_KIND */
	char parent[32];	/* IFLA_PARENT_DEV_NAME: the device behind it ("0000:00:03.0", "virtio2") */
	bool parent_known;	/* this kernel would tell the parent if there were one (Linux 5.14) */
	unsigned flags;		/* IFF_... */
	unsigned short arphrd;	/* ARPHRD_... */
	uint8_t operstate;	/* IF_OPER_... */
	uint32_t mtu;
	unsigned rx_queues, tx_queues;
	int link;		/* IFLA_LINK: the device below, or a veth's peer */
	bool link_foreign;	/* `link` counts in another namespace (IFLA_LINK_NETNSID) */
	int master;		/* IFLA_MASTER: bridge, bond, ... it belongs to */
	bool xdp;		/* an XDP program is attached */
	bool carrier_known;	/* the kernel counts: */
	uint32_t carrier_changes; /* ups and downs of the carrier */
	unsigned char address_len, address[32];
};

int rtnl_open(struct rtnl **ret);
struct rtnl *rtnl_close(struct rtnl *r); /* returns NULL; takes NULL */

/* All links in order of ifindex. The caller frees *ret. */
int rtnl_links(struct rtnl *r, struct rtnl_link **ret, size_t *ret_n);
/* One link: by name if ifindex is 0, which may also be an alternative name. -ENODEV when there is none. */
int rtnl_link(struct rtnl *r, int ifindex, const char *name, struct rtnl_link *ret);
/* Counters of one link. Those newer than the kernel are 0; the ones up to tx_compressed always exist. -ENODEV. */
int rtnl_stats(struct rtnl *r, int ifindex, struct rtnl_link_stats64 *ret);
/* Names of the different kinds of qdisc on one link at whatever depth ("mq", "taprio", "etf"), each once; a name
 * beyond RTNL_QDISCS_MAX is left out. Returns how many. Note that a link that is gone has none (0). */
int rtnl_qdiscs(struct rtnl *r, int ifindex, char ret[RTNL_QDISCS_MAX][16]);

/* An RTM_NEWLINK or RTM_DELLINK message as a link. -EINVAL when it is none, or one of another family: bridges tell
 * about their ports with the same types of message. */
int rtnl_parse_link(const struct nlmsghdr *h, struct rtnl_link *ret);
