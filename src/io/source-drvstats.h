// SPDX-License-Identifier: GPL-2.0-or-later
/* source-drvstats: packets of each receive queue out of a driver's own statistics (ethtool -S), for drivers that the
 * netdev family knows no queue counters of. Names differ, shapes do not much: see the table in the .c. The ioctl takes
 * the rtnl lock and may sweep hardware registers, so it is done once a second at most. */
#pragma once
#include <stdbool.h>

#include "core/sample.h"
#include "io/ethtool-ioctl.h"

#define DRVSTATS_PERIOD_NS NSEC_PER_SEC

/* Owned by the caller; zero = nothing known yet. */
struct drvstats_source {
	struct drvstats stats;
	bool absent;	     /* the driver has none, or none by queue */
	nsec_t last;	     /* when they were read */
	unsigned generation; /* of the names that `index` belongs to */
	unsigned n_queues;
	int index[NIC_QUEUES_MAX]; /* of the counter of queue i; -1: none */
};

/* The queue whose received packets a counter of this name holds, or -1. */
int drvstats_rx_queue(const char *name);

/* Sets SAMPLE_QUEUES and queue[i].rx_packets when they were read just now; else leaves *ret alone, so that two samples
 * that both have them are a second apart or more. fd: of ethtool_open(). */
void drvstats_source_read(struct drvstats_source *s, int fd, const struct nic_info *nic, nsec_t now,
			  struct sample *ret);
void drvstats_source_close(struct drvstats_source *s);
