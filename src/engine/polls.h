// SPDX-License-Identifier: GPL-2.0-or-later
/* polls: where a NIC's poll count comes from. Counting the device's own polls is exact but costs time at every poll;
 * the machine's NET_RX softirqs cost nothing, and are the same number while no other device is busy. */
#pragma once
#include "core/sample.h"
#include "io/backend.h"

struct poll_source {
	bool own_off;	/* NET_RX has taken the place */
	unsigned agree; /* samples in a row in which both counts were the same */
	unsigned doubt; /* samples in a row with other devices' packets */
};

void poll_source_update(struct poll_source *p, struct backend *b, const struct nic_info *nic, const struct rates *r);
