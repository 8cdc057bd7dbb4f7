// SPDX-License-Identifier: GPL-2.0-or-later
/* ethtool-ioctl: what ethtool netlink lacks: driver name and bus, driver statistics (ethtool -i, -S). */
#pragma once
#include <stdint.h>

#include "core/nic.h"

int ethtool_open(char err[ERR_MAX]); /* a socket for the calls below, or negative errno */

/* One SIOCETHTOOL. The ioctl knows names only, so the name is first checked to be still that of nic->ifindex, else
 * -ENODEV. */
int ethtool_ioctl(int fd, const struct nic_info *nic, void *data, char err[ERR_MAX]);

struct ethtool_identity {
	char driver[32], bus_info[32]; /* "" unknown */
};
int ethtool_identity(int fd, const struct nic_info *nic, struct ethtool_identity *ret, char err[ERR_MAX]);

/* A driver's own counters. Names are fetched once, and again when their number changes: then `generation` grows and
 * indexes found before mean nothing. */
#define DRVSTATS_NAME 32 /* ETH_GSTRING_LEN; not always terminated by the driver, always by us */
struct drvstats {
	unsigned n, generation;
	char (*name)[DRVSTATS_NAME + 1];
	uint64_t *value;
};
/* Starts from a zeroed struct. -EOPNOTSUPP: the driver has none. On failure old values stay. */
int drvstats_read(struct drvstats *s, int fd, const struct nic_info *nic, char err[ERR_MAX]);
int drvstats_find(const struct drvstats *s, const char *name); /* index, or -ENOENT */
void drvstats_free(struct drvstats *s);			       /* leaves a zeroed struct */
