// SPDX-License-Identifier: GPL-2.0-or-later
/* The operations of ethtool, as many as the manners leave. */
#include "double.h"

static struct nic *nic_of(struct net_device *dev)
{
	return *(struct nic **)netdev_priv(dev);
}

static void to_ethtool(const u32 value[KNOBS], struct ethtool_coalesce *ec)
{
	ec->rx_coalesce_usecs = value[RX_USECS];
	ec->rx_max_coalesced_frames = value[RX_FRAMES];
	ec->tx_coalesce_usecs = value[TX_USECS];
	ec->tx_max_coalesced_frames = value[TX_FRAMES];
	ec->use_adaptive_rx_coalesce = value[ADAPTIVE_RX];
	ec->use_adaptive_tx_coalesce = value[ADAPTIVE_TX];
}

static void from_ethtool(const struct ethtool_coalesce *ec, u32 value[KNOBS])
{
	value[RX_USECS] = ec->rx_coalesce_usecs;
	value[RX_FRAMES] = ec->rx_max_coalesced_frames;
	value[TX_USECS] = ec->tx_coalesce_usecs;
	value[TX_FRAMES] = ec->tx_max_coalesced_frames;
	value[ADAPTIVE_RX] = !!ec->use_adaptive_rx_coalesce;
	value[ADAPTIVE_TX] = !!ec->use_adaptive_tx_coalesce;
}

static int get_queue(struct nic *nic, int queue, struct ethtool_coalesce *ec)
{
	u32 value[KNOBS];
	int rc = coalesce_get(nic, queue, value);

	if (!rc)
		to_ethtool(value, ec);
	return rc;
}

static int set_queue(struct nic *nic, int queue, const struct ethtool_coalesce *ec, struct netlink_ext_ack *extack)
{
	u32 value[KNOBS];

	from_ethtool(ec, value);
	return coalesce_set(nic, queue, value, extack);
}

static int get_coalesce(struct net_device *dev, struct ethtool_coalesce *ec, struct kernel_ethtool_coalesce *kec,
			struct netlink_ext_ack *extack)
{
	return get_queue(nic_of(dev), -1, ec);
}

static int set_coalesce(struct net_device *dev, struct ethtool_coalesce *ec, struct kernel_ethtool_coalesce *kec,
			struct netlink_ext_ack *extack)
{
	return set_queue(nic_of(dev), -1, ec, extack);
}

static int get_per_queue(struct net_device *dev, u32 queue, struct ethtool_coalesce *ec)
{
	return queue < QUEUES_MAX ? get_queue(nic_of(dev), queue, ec) : -EINVAL;
}

static int set_per_queue(struct net_device *dev, u32 queue, struct ethtool_coalesce *ec)
{
	return queue < QUEUES_MAX ? set_queue(nic_of(dev), queue, ec, NULL) : -EINVAL;
}

static void get_ringparam(struct net_device *dev, struct ethtool_ringparam *ring,
			  struct kernel_ethtool_ringparam *kring, struct netlink_ext_ack *extack)
{
	const struct nic *nic = nic_of(dev);

	ring->rx_max_pending = ring->tx_max_pending = nic->manners.ring_max;
	ring->rx_pending = nic->ring[RX];
	ring->tx_pending = nic->ring[TX];
}

static int set_ringparam(struct net_device *dev, struct ethtool_ringparam *ring,
			 struct kernel_ethtool_ringparam *kring, struct netlink_ext_ack *extack)
{
	struct nic *nic = nic_of(dev);
	unsigned int want[DIRS] = { ring->rx_pending, ring->tx_pending };

	if (want[RX] < nic->manners.ring_min || want[TX] < nic->manners.ring_min)
		return -EINVAL;
	return nic_restart(nic, nic->queues, want);
}

static void get_channels(struct net_device *dev, struct ethtool_channels *ch)
{
	ch->max_combined = QUEUES_MAX;
	ch->combined_count = nic_of(dev)->queues;
}

static int set_channels(struct net_device *dev, struct ethtool_channels *ch)
{
	struct nic *nic = nic_of(dev);
	unsigned int ring[DIRS] = { nic->ring[RX], nic->ring[TX] };

	if (nic->manners.channels_busy && netif_running(dev))
		return -EBUSY;
	return nic_restart(nic, ch->combined_count, ring);
}

static void get_drvinfo(struct net_device *dev, struct ethtool_drvinfo *info)
{
	const struct nic *nic = nic_of(dev);

	strscpy(info->driver, nic->names.driver, sizeof(info->driver));
	snprintf(info->bus_info, sizeof(info->bus_info), "nicdouble.%u",
		 nic->regs == &nic->own ? nic->number : 0); /* ports of one device have its address */
}

static int get_sset_count(struct net_device *dev, int set)
{
	return set == ETH_SS_STATS ? 2 + DIRS * (int)nic_of(dev)->queues : -EOPNOTSUPP;
}

static void put_name(const struct nic *nic, const char *pattern, unsigned int queue, u8 **data)
{
	char buf[NAME_LEN];

	ethtool_sprintf(data, "%.31s", nic_name(nic, pattern, queue, buf));
}

static void get_strings(struct net_device *dev, u32 set, u8 *data)
{
	const struct nic *nic = nic_of(dev);
	unsigned int q;

	if (set != ETH_SS_STATS)
		return;
	put_name(nic, nic->names.stat_drop, 0, &data);
	put_name(nic, nic->names.stat_irq, 0, &data);
	for (q = 0; q < nic->queues; q++) {
		put_name(nic, nic->names.stat_rx, q, &data);
		put_name(nic, nic->names.stat_tx, q, &data);
	}
}

static void get_stats(struct net_device *dev, struct ethtool_stats *stats, u64 *data)
{
	const struct nic *nic = nic_of(dev);
	unsigned int q;

	data[0] = data[1] = 0;
	for (q = 0; q < nic->queues; q++) {
		data[0] += nic->vector[RX][q].drops;
		data[1] += nic->vector[RX][q].irqs + nic->vector[TX][q].irqs;
		data[2 + 2 * q] = nic->vector[RX][q].packets;
		data[3 + 2 * q] = nic->vector[TX][q].packets;
	}
}

static int get_ksettings(struct net_device *dev, struct ethtool_link_ksettings *ks)
{
	ks->base.speed = SPEED_1000;
	ks->base.duplex = DUPLEX_FULL;
	return 0;
}

static u32 supported(u32 has)
{
	static const u32 bits[KNOBS] = {
		ETHTOOL_COALESCE_RX_USECS,	  ETHTOOL_COALESCE_RX_MAX_FRAMES,
		ETHTOOL_COALESCE_TX_USECS,	  ETHTOOL_COALESCE_TX_MAX_FRAMES,
		ETHTOOL_COALESCE_USE_ADAPTIVE_RX, ETHTOOL_COALESCE_USE_ADAPTIVE_TX,
	};
	u32 ret = 0;
	unsigned int k;

	for (k = 0; k < KNOBS; k++)
		ret |= has & BIT(k) ? bits[k] : 0;
	return ret;
}

void ethtool_build(struct nic *nic)
{
	const struct manners *m = &nic->manners;

	nic->ops = (struct ethtool_ops){
		.get_drvinfo = get_drvinfo,
		.get_link = ethtool_op_get_link,
		.get_link_ksettings = get_ksettings,
		.get_sset_count = get_sset_count,
		.get_strings = get_strings,
		.get_ethtool_stats = get_stats,
		.get_channels = get_channels,
		.set_channels = set_channels,
		.supported_coalesce_params = supported(m->has),
		.get_coalesce = m->has ? get_coalesce : NULL,
		.set_coalesce = m->has ? set_coalesce : NULL,
		.get_per_queue_coalesce = m->has && m->per_queue ? get_per_queue : NULL,
		.set_per_queue_coalesce = m->has && m->per_queue ? set_per_queue : NULL,
		.get_ringparam = m->ring_max ? get_ringparam : NULL,
		.set_ringparam = m->ring_max && !m->ring_fixed ? set_ringparam : NULL,
	};
}
