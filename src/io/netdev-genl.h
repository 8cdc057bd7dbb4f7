// SPDX-License-Identifier: GPL-2.0-or-later
/* netdev-genl: NAPI instances, queues and queue statistics from the "netdev" generic netlink family (Linux 6.8 and
 * later; setting: 6.13). -EOPNOTSUPP where the kernel lacks it, -ENODEV: no such device. */
#pragma once
#include "core/nic.h"
#include "core/sample.h"
#include "io/genl.h"

struct napi_info {
	uint32_t id;
	uint32_t irq;	   /* 0: not known */
	uint32_t pid;	   /* of its kernel thread, 0: none */
	bool has_settings; /* the kernel shows the next two */
	uint32_t defer_hard_irqs;
	uint64_t gro_flush_timeout_ns;
	int threaded; /* -1: not known, 0 no, 1 yes, 2 busy polling */
};

/* NAPI instances of a device, ascending ids. None while it is down, nor those that only send. Returns how many were
 * stored (at most max). */
int netdev_napi_list(struct genl *g, int ifindex, struct napi_info *ret, unsigned max, char err[ERR_MAX]);
/* NAPI id of each receive queue (0: driver does not say), at most max. Returns how many receive queues there are. */
int netdev_rx_queues(struct genl *g, int ifindex, uint32_t *ret_napi, unsigned max, char err[ERR_MAX]);
bool netdev_can_set_napi(struct genl *g);

/* Sets the knobs GRO_FLUSH_TIMEOUT and NAPI_DEFER_HARD_IRQS that `want` has. -ENOENT: the id is gone.
 * Needs CAP_NET_ADMIN in the initial user namespace. */
int netdev_napi_set(struct genl *g, uint32_t id, const struct knob_set *want, char err[ERR_MAX]);

/* Since the device was created; a field without its flag is absent. */
struct netdev_qstats {
	bool has_rx, has_tx, has_hw_drops, has_overruns;
	uint64_t rx_packets, rx_bytes, tx_packets, tx_bytes;
	uint64_t rx_hw_drops, rx_overruns; /* all drops by hardware; of these: no descriptor was free */
};
/* Sums of the device. -EOPNOTSUPP: driver has none (also when the dump is empty). */
int netdev_qstats(struct genl *g, int ifindex, struct netdev_qstats *ret, char err[ERR_MAX]);
/* Receive packets and bytes of each queue into ret[queue]; its `interrupts` is left alone. Returns highest queue + 1,
 * at most max; -EOPNOTSUPP as above. */
int netdev_qstats_rx(struct genl *g, int ifindex, struct queue_counters *ret, unsigned max, char err[ERR_MAX]);
