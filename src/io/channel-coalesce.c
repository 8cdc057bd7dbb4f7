// SPDX-License-Identifier: GPL-2.0-or-later
/* channel-coalesce: ETHTOOL_MSG_COALESCE_GET and _SET. The kernel leaves out what a driver does not support, so absence
 * is the capability; presence does not promise that every value is taken. */
#include <errno.h>

#include <netlink/attr.h>

#include "io/channel-coalesce.h"
#include "io/uapi.h"

#define ADAPTIVE (KNOB_BIT(KNOB_ADAPTIVE_RX) | KNOB_BIT(KNOB_ADAPTIVE_TX))

static int on_coalesce(uint8_t cmd, struct nlattr **tb, void *arg)
{
	(void)cmd;
	return genl_get_knobs(tb, CHANNEL_COALESCE, arg);
}

int coalesce_get(struct genl *g, const struct nic_info *nic, struct knob_set *ret, char err[ERR_MAX])
{
	struct knob_set got = { .have = 0 };
	int rc = genl_ethtool(g, nic, ETHTOOL_MSG_COALESCE_GET, 0, NULL, on_coalesce, &got, err);

	if (!rc)
		genl_take_channel(ret, CHANNEL_COALESCE, &got);
	return rc;
}

void coalesce_profile_parse(const struct nlattr *nest, struct nic_profile *ret)
{
	struct nic_profile p = { 0 };
	struct nlattr *row, *tb[ETHT_A_IRQ_MODERATION_COMPS + 1];
	int left;

	if (nest)
		nla_for_each_nested(row, (struct nlattr *)nest, left)
		{
			uint64_t v[ETHT_A_IRQ_MODERATION_COMPS + 1] = { 0 };

			if (nla_type(row) != ETHT_A_PROFILE_IRQ_MODERATION || p.n == NIC_PROFILE_MAX ||
			    nla_parse_nested(tb, ETHT_A_IRQ_MODERATION_COMPS, row, NULL) < 0 ||
			    !tb[ETHT_A_IRQ_MODERATION_USEC])
				continue;
			for (int i = 1; i <= ETHT_A_IRQ_MODERATION_COMPS; i++)
				if (tb[i])
					genl_get_uint(tb[i], &v[i]);
			p.row[p.n].usecs = (uint32_t)v[ETHT_A_IRQ_MODERATION_USEC];
			p.row[p.n].frames = (uint32_t)v[ETHT_A_IRQ_MODERATION_PKTS];
			p.row[p.n++].comps = (uint32_t)v[ETHT_A_IRQ_MODERATION_COMPS];
		}
	*ret = p;
}

struct profiles {
	struct nic_profile rx, tx;
};

static int on_profiles(uint8_t cmd, struct nlattr **tb, void *arg)
{
	struct profiles *p = arg;

	(void)cmd;
	coalesce_profile_parse(tb[ETHT_A_COALESCE_RX_PROFILE], &p->rx);
	coalesce_profile_parse(tb[ETHT_A_COALESCE_TX_PROFILE], &p->tx);
	return 0;
}

int coalesce_profiles(struct genl *g, const struct nic_info *nic, struct nic_profile *ret_rx,
		      struct nic_profile *ret_tx, char err[ERR_MAX])
{
	struct profiles p = { .rx.n = 0 };
	int rc = genl_ethtool(g, nic, ETHTOOL_MSG_COALESCE_GET, 0, NULL, on_profiles, &p, err);

	if (rc < 0)
		return rc;
	*ret_rx = p.rx;
	*ret_tx = p.tx;
	return 0;
}

void coalesce_steps(const struct knob_set *want, uint32_t ret[COALESCE_STEPS])
{
	uint32_t all = want->have & knob_channel_mask(CHANNEL_COALESCE), off = 0;

	for (int k = 0; k < KNOB_COUNT; k++) {
		if ((all & ADAPTIVE & KNOB_BIT(k)) && !want->value[k])
			off |= KNOB_BIT(k);
	}
	/* Drivers refuse values while they moderate by themselves, and some kernels call the driver twice for a message
	 * that has both: so off, values, on. A mode that stays as it is costs nothing, the driver is not called. */
	ret[0] = off;
	ret[1] = all & ~ADAPTIVE;
	ret[2] = all & ADAPTIVE & ~off;
}

int coalesce_set(struct genl *g, const struct nic_info *nic, const struct knob_set *want, struct knob_set *ret_got,
		 char err[ERR_MAX])
{
	uint32_t step[COALESCE_STEPS];
	int rc = 0, rc_read;

	coalesce_steps(want, step);
	for (int i = 0; i < COALESCE_STEPS && !rc; i++) {
		if (step[i])
			rc = genl_ethtool(g, nic, ETHTOOL_MSG_COALESCE_SET, step[i], want, NULL, NULL, err);
	}
	rc_read = coalesce_get(g, nic, ret_got, rc ? NULL : err);
	return rc ? rc : rc_read;
}

void coalesce_caps(const struct knob_set *got, struct knob_caps *caps)
{
	uint32_t have = got->have & knob_channel_mask(CHANNEL_COALESCE);

	for (int k = 0; k < KNOB_COUNT; k++) {
		if (!(have & KNOB_BIT(k)))
			continue;
		caps->min[k] = knob_table[k].min;
		caps->max[k] = knob_table[k].max;
		caps->step[k] = 0;
	}
	caps->readable |= have;
	caps->settable |= have;
}
