// SPDX-License-Identifier: GPL-2.0-or-later
/* source-link: packets, bytes and drops of one device (SAMPLE_LINK, SAMPLE_RING_DROPS), from rtnl_link_stats64. */
#pragma once
#include "core/sample.h"
#include "io/rtnl.h"

/* Fills rx_.../tx_... of *s and sets the bits. ring_drops = rx_missed + rx_fifo + rx_over: loss before the stack, for
 * want of room; it exists only where hardware could count it (nic->has_device). -ENODEV when the device is gone;
 * *s is untouched on failure. */
int source_link_read(struct rtnl *r, const struct nic_info *nic, struct sample *s);
