// SPDX-License-Identifier: GPL-2.0-or-later
/* channel-channels: ETHTOOL_MSG_CHANNELS_GET. The kernel leaves out kinds of channels that a device cannot have. */
#include <errno.h>
#include <stddef.h>

#include "io/channel-channels.h"
#include "io/uapi.h"

static const struct {
	int attr;
	size_t offset;
} fields[] = {
	{ ETHTOOL_A_CHANNELS_RX_MAX, offsetof(struct channels, rx_max) },
	{ ETHTOOL_A_CHANNELS_TX_MAX, offsetof(struct channels, tx_max) },
	{ ETHTOOL_A_CHANNELS_OTHER_MAX, offsetof(struct channels, other_max) },
	{ ETHTOOL_A_CHANNELS_COMBINED_MAX, offsetof(struct channels, combined_max) },
	{ ETHTOOL_A_CHANNELS_RX_COUNT, offsetof(struct channels, rx) },
	{ ETHTOOL_A_CHANNELS_TX_COUNT, offsetof(struct channels, tx) },
	{ ETHTOOL_A_CHANNELS_OTHER_COUNT, offsetof(struct channels, other) },
	{ ETHTOOL_A_CHANNELS_COMBINED_COUNT, offsetof(struct channels, combined) },
};

static int on_channels(uint8_t cmd, struct nlattr **tb, void *arg)
{
	(void)cmd;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		uint64_t v;

		if (!tb[fields[i].attr])
			continue;
		if (genl_get_uint(tb[fields[i].attr], &v) < 0)
			return -EBADMSG;
		*(unsigned *)((char *)arg + fields[i].offset) = (unsigned)v;
	}
	return 0;
}

int channels_get(struct genl *g, const struct nic_info *nic, struct channels *ret, char err[ERR_MAX])
{
	struct channels c = { .rx = 0 };
	int rc = genl_ethtool(g, nic, ETHTOOL_MSG_CHANNELS_GET, 0, NULL, on_channels, &c, err);

	if (!rc)
		*ret = c;
	return rc;
}
