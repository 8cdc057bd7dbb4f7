// SPDX-License-Identifier: GPL-2.0-or-later
/* channel-channels: how many queues a device uses (ethtool -l). Read only. */
#pragma once
#include "core/nic.h"
#include "io/genl.h"

struct channels {
	unsigned rx, tx, other, combined;
	unsigned rx_max, tx_max, other_max, combined_max;
};

/* -EOPNOTSUPP: the driver does not say; then rtnetlink's queue counts are what there is. */
int channels_get(struct genl *g, const struct nic_info *nic, struct channels *ret, char err[ERR_MAX]);
/* Queues in use: combined ones count on both sides. */
static inline unsigned channels_rx_queues(const struct channels *c)
{
	return c->rx + c->combined;
}
static inline unsigned channels_tx_queues(const struct channels *c)
{
	return c->tx + c->combined;
}
