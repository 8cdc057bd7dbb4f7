// SPDX-License-Identifier: GPL-2.0-or-later
/* channel-link: speed and duplex from ETHTOOL_MSG_LINKMODES_GET. */
#include <errno.h>

#include <netlink/attr.h>

#include "io/channel-link.h"
#include "io/uapi.h"

static int on_linkmodes(uint8_t cmd, struct nlattr **tb, void *arg)
{
	struct link_mode *m = arg;
	uint64_t speed;

	(void)cmd;
	if (tb[ETHTOOL_A_LINKMODES_SPEED]) {
		if (genl_get_uint(tb[ETHTOOL_A_LINKMODES_SPEED], &speed) < 0)
			return -EBADMSG;
		m->speed_mbps = speed == (uint32_t)SPEED_UNKNOWN ? 0 : (uint32_t)speed;
	}
	if (tb[ETHTOOL_A_LINKMODES_DUPLEX] && nla_len(tb[ETHTOOL_A_LINKMODES_DUPLEX]) == 1) {
		uint8_t duplex = nla_get_u8(tb[ETHTOOL_A_LINKMODES_DUPLEX]);

		m->duplex = duplex == DUPLEX_FULL   ? LINK_DUPLEX_FULL
			    : duplex == DUPLEX_HALF ? LINK_DUPLEX_HALF
						    : LINK_DUPLEX_UNKNOWN;
	}
	return 0;
}

int link_mode_get(struct genl *g, const struct nic_info *nic, struct link_mode *ret, char err[ERR_MAX])
{
	struct link_mode m = { .speed_mbps = 0 };
	int rc = genl_ethtool(g, nic, ETHTOOL_MSG_LINKMODES_GET, 0, NULL, on_linkmodes, &m, err);

	if (!rc)
		*ret = m;
	return rc;
}
