// SPDX-License-Identifier: GPL-2.0-or-later
/* channel-queue: coalescing of single queues through the ETHTOOL_PERQUEUE ioctl; netlink has no such thing.
 * fd is from ethtool_open(). No notification is sent for these. */
#pragma once
#include <stdbool.h>

#include "core/nic.h"

bool queue_supported(int fd, const struct nic_info *nic);

/* Queues 0 .. n-1 in one call. The struct of the ioctl cannot say what a driver lacks, so only knobs of `readable` get
 * a bit. Returns how many were read (a queue that fails ends the list), -EOPNOTSUPP: no per-queue settings. */
int queue_get(int fd, const struct nic_info *nic, unsigned n, uint32_t readable, struct queue_setting *ret,
	      char err[ERR_MAX]);

/* Writes all n settings in one call; what they do not name keeps its value. want: ascending queue numbers. The kernel
 * puts earlier queues back when a later one is refused. 0 or negative errno. */
int queue_set(int fd, const struct nic_info *nic, const struct queue_setting *want, unsigned n, char err[ERR_MAX]);
