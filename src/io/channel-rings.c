// SPDX-License-Identifier: GPL-2.0-or-later
/* channel-rings: ETHTOOL_MSG_RINGS_GET and _SET. A ring size is there if its maximum is. */
#include <errno.h>

#include <netlink/attr.h>

#include "io/channel-rings.h"
#include "io/uapi.h"

struct rings {
	struct knob_set now;
	struct knob_set max;
};

static const struct {
	enum knob knob;
	int max_attr;
} limits[] = {
	{ KNOB_RX_RING, ETHTOOL_A_RINGS_RX_MAX },
	{ KNOB_TX_RING, ETHTOOL_A_RINGS_TX_MAX },
};

static int on_rings(uint8_t cmd, struct nlattr **tb, void *arg)
{
	struct rings *r = arg;

	(void)cmd;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		uint64_t max;

		if (!tb[limits[i].max_attr])
			continue;
		if (genl_get_uint(tb[limits[i].max_attr], &max) < 0)
			return -EBADMSG;
		knob_put(&r->max, limits[i].knob, max);
	}
	return genl_get_knobs(tb, CHANNEL_RINGS, &r->now);
}

int rings_get(struct genl *g, const struct nic_info *nic, struct knob_set *ret, struct knob_caps *caps,
	      char err[ERR_MAX])
{
	struct rings r = { .now.have = 0 };
	int rc = genl_ethtool(g, nic, ETHTOOL_MSG_RINGS_GET, 0, NULL, on_rings, &r, err);

	if (rc < 0)
		return rc;
	genl_take_channel(ret, CHANNEL_RINGS, &r.now);
	for (int k = 0; caps && k < KNOB_COUNT; k++) {
		if (!knob_has(&r.now, k))
			continue;
		caps->readable |= KNOB_BIT(k);
		caps->settable |= KNOB_BIT(k);
		caps->min[k] = knob_table[k].min;
		caps->max[k] = knob_has(&r.max, k) ? r.max.value[k] : knob_table[k].max;
		caps->step[k] = 0;
	}
	return 0;
}

int rings_set(struct genl *g, const struct nic_info *nic, const struct knob_set *want, struct knob_set *ret_got,
	      char err[ERR_MAX])
{
	uint32_t mask = want->have & knob_channel_mask(CHANNEL_RINGS);
	int rc = 0, rc_read;

	if (mask)
		rc = genl_ethtool(g, nic, ETHTOOL_MSG_RINGS_SET, mask, want, NULL, NULL, err);
	rc_read = rings_get(g, nic, ret_got, NULL, rc ? NULL : err);
	return rc ? rc : rc_read;
}
