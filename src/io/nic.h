// SPDX-License-Identifier: GPL-2.0-or-later
/* nic: discovery of the interfaces that could carry a policy, and what they are.
 * An interface is the pair of ifindex and name: a rename or a reused number is another one.
 * Driver, speed and queues come from ethtool, the rest from rtnetlink; all of it in the caller's network namespace. */
#pragma once
#include <stddef.h>

#include "core/nic.h"
#include "io/rtnl.h"

struct genl;

/* The handles to ask with, all the caller's. */
struct nic_finder {
	struct rtnl *rtnl;
	struct genl *genl;    /* NULL: speed unknown, queues as rtnetlink counts them */
	int ethtool_fd;	      /* of ethtool_open(); -1: driver and bus unknown */
	const char *sys_root; /* "/sys"; only for kernels whose rtnetlink does not tell the device behind a link */
};

/* Why this link never has interrupts of its own to moderate ("loopback", "stacked on another device"), or NULL when it
 * may. has_device: as in struct nic_info. Veth and tun/tap are kept; so is a port of a bond or bridge. */
const char *nic_excluded(const struct rtnl_link *link, bool has_device);

/* Up to max of those that are not excluded, in order of ifindex; returns how many there are (perhaps more than max).
 * One that vanishes meanwhile is left out. */
int nic_list(const struct nic_finder *f, struct nic_info *ret, size_t max);

/* One interface: by ifindex (name NULL), by name (ifindex 0; alternative names work), or by both, which must agree.
 * -ENODEV when there is none such, -EOPNOTSUPP when it is excluded; err says which. */
int nic_get(const struct nic_finder *f, int ifindex, const char *name, struct nic_info *ret, char err[ERR_MAX]);
