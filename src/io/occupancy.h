// SPDX-License-Identifier: GPL-2.0-or-later
/* occupancy: who else lives on a device and would suffer from longer waits: packet schedulers that promise times,
 * AF_XDP sockets, hardware timestamps, a real-time kernel. Finds, does not judge. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/nic.h"
#include "core/units.h"
#include "io/procfile.h"
#include "io/rtnl.h"

enum occupancy {
	OCCUPANCY_TAPRIO, /* qdiscs, at whatever depth */
	OCCUPANCY_ETF,
	OCCUPANCY_CBS,
	OCCUPANCY_MQPRIO,
	OCCUPANCY_XDP_SOCKET, /* bound to it */
	OCCUPANCY_TIMESTAMPS, /* of received or sent packets, by the device */
	OCCUPANCY_REALTIME,   /* PREEMPT_RT: of the machine */
	OCCUPANCY_COUNT
};

struct occupancy_found {
	int ifindex;
	uint32_t found;	     /* bits of enum occupancy */
	uint64_t xdp_queues; /* queues below 64 with an AF_XDP socket; 0 also when the kernel does not tell which */
};

/* One look at all devices, so that many of them cost one dump. Zero = nothing seen yet. */
struct occupancy_scan {
	nsec_t taken;	  /* when, by the caller's clock; 0: never */
	bool realtime;
	bool xdp_hidden; /* AF_XDP sockets exist, but the kernel does not tell where: where an XDP program runs, then */
	size_t n, size;
	struct occupancy_found *v; /* of devices with anything; owned */
};

/* All the caller's. rtnl may be NULL: no qdiscs then. ethtool_fd -1: no timestamps. root: "/". */
struct occupancy_handles {
	struct rtnl *rtnl;
	int ethtool_fd;
	const struct procroot *root;
};

/* Replaces what *s has. Sources that fail are absent; returns -ENOMEM, else 0. */
int occupancy_scan(const struct occupancy_handles *h, nsec_t now, struct occupancy_scan *s);
void occupancy_scan_free(struct occupancy_scan *s);
/* What the scan found on one device, and its timestamps as they are now. */
void occupancy_of(const struct occupancy_handles *h, const struct occupancy_scan *s, const struct nic_info *nic,
		  struct occupancy_found *ret);

/* Pieces, for tests. kind: of a qdisc; -1: one that does not mind. */
int occupancy_of_qdisc(const char *kind);
bool occupancy_realtime(const struct procroot *root);
