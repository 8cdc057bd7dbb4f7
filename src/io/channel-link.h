// SPDX-License-Identifier: GPL-2.0-or-later
/* channel-link: speed and duplex of a link through ethtool netlink. Read only. */
#pragma once
#include "core/nic.h"
#include "io/genl.h"

enum link_duplex { LINK_DUPLEX_UNKNOWN, LINK_DUPLEX_HALF, LINK_DUPLEX_FULL };

struct link_mode {
	uint32_t speed_mbps; /* 0 = unknown (no link, or the driver does not say) */
	enum link_duplex duplex;
};

int link_mode_get(struct genl *g, const struct nic_info *nic, struct link_mode *ret, char err[ERR_MAX]);
