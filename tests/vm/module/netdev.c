// SPDX-License-Identifier: GPL-2.0-or-later
/* Both interfaces of a pair as the network stack sees them. */
#include <linux/interrupt.h>
#include <linux/rtnetlink.h>

#include "double.h"

/* "%d-rx-%q" -> "dbl0-rx-1" */
const char *nic_name(const struct nic *nic, const char *pattern, unsigned int queue, char buf[NAME_LEN])
{
	size_t n = 0;

	buf[0] = '\0';
	for (; *pattern && n < NAME_LEN - 1; pattern++) {
		if (pattern[0] == '%' && pattern[1] == 'd')
			n += scnprintf(buf + n, NAME_LEN - n, "%s", nic->dev->name), pattern++;
		else if (pattern[0] == '%' && pattern[1] == 'q')
			n += scnprintf(buf + n, NAME_LEN - n, "%u", queue), pattern++;
		else
			n += scnprintf(buf + n, NAME_LEN - n, "%c", *pattern);
	}
	return buf;
}

static irqreturn_t other(int irq, void *data)
{
	return IRQ_HANDLED;
}

static void close_vectors(struct nic *nic, unsigned int n)
{
	while (n--)
		vector_close(&nic->vector[n % DIRS][n / DIRS]);
	if (nic->other_name[0])
		free_irq(nic->irq_other, nic);
}

static int open_vectors(struct nic *nic)
{
	unsigned int n;
	int err = 0;

	nic_name(nic, nic->names.irq_other, 0, nic->other_name);
	if (nic->other_name[0])
		err = request_irq(nic->irq_other, other, 0, nic->other_name, nic);
	if (err)
		return err;
	for (n = 0; n < DIRS * nic->queues; n++) {
		err = vector_open(&nic->vector[n % DIRS][n / DIRS]);
		if (err) {
			close_vectors(nic, n);
			return err;
		}
	}
	return 0;
}

static int double_open(struct net_device *dev)
{
	struct nic *nic = *(struct nic **)netdev_priv(dev);
	int err = open_vectors(nic);

	if (err)
		return err;
	coalesce_defaults(nic, nic->manners.lost_on_up);
	netif_tx_start_all_queues(dev);
	netif_carrier_on(dev);
	netif_carrier_on(nic->peer);
	return 0;
}

static int double_stop(struct net_device *dev)
{
	struct nic *nic = *(struct nic **)netdev_priv(dev);

	netif_tx_disable(dev);
	netif_carrier_off(dev);
	netif_carrier_off(nic->peer);
	synchronize_net(); /* the generator looks at netif_running() under RCU */
	close_vectors(nic, DIRS * nic->queues);
	return 0;
}

int nic_restart(struct nic *nic, unsigned int queues, const unsigned int ring[DIRS])
{
	bool running = netif_running(nic->dev);
	int err;

	if (running) {
		clear_bit(__LINK_STATE_START, &nic->dev->state);
		double_stop(nic->dev);
	}
	nic->queues = queues;
	memcpy(nic->ring, ring, sizeof(nic->ring));
	err = netif_set_real_num_queues(nic->dev, queues, queues);
	if (running) {
		set_bit(__LINK_STATE_START, &nic->dev->state);
		err = err ? err : double_open(nic->dev);
	}
	coalesce_defaults(nic, nic->manners.lost_on_ring);
	return err;
}

static void deliver(struct nic *nic, struct sk_buff *skb)
{
	struct peer *p = netdev_priv(nic->peer);
	struct sk_buff *copy = netif_running(nic->peer) ? skb_clone(skb, GFP_ATOMIC) : NULL;

	if (!copy)
		return;
	skb_orphan(copy);
	skb_scrub_packet(copy, true);
	p->rx_packets++;
	p->rx_bytes += copy->len;
	copy->protocol = eth_type_trans(copy, nic->peer);
	netif_rx(copy);
}

static netdev_tx_t double_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct nic *nic = *(struct nic **)netdev_priv(dev);
	unsigned int queue = skb_get_queue_mapping(skb);

	if (queue >= nic->queues) {
		dev_kfree_skb_any(skb);
		return NETDEV_TX_OK;
	}
	deliver(nic, skb);
	if (vector_put(&nic->vector[TX][queue], skb) >= nic->ring[TX]) {
		netif_stop_subqueue(dev, queue);
		smp_mb(); /* against a poll that has just emptied the ring */
		if (skb_queue_len(&nic->vector[TX][queue].fifo) < nic->ring[TX] / 2)
			netif_wake_subqueue(dev, queue);
	}
	return NETDEV_TX_OK;
}

static netdev_tx_t peer_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct peer *p = netdev_priv(dev);
	struct nic *nic = p->nic;

	p->tx_packets++;
	p->tx_bytes += skb->len;
	skb_orphan(skb);
	skb_scrub_packet(skb, true);
	if (netif_running(nic->dev))
		vector_put(&nic->vector[RX][skb_get_hash(skb) % nic->queues], skb);
	else
		dev_kfree_skb_any(skb);
	return NETDEV_TX_OK;
}

static void double_stats(struct net_device *dev, struct rtnl_link_stats64 *s)
{
	struct nic *nic = *(struct nic **)netdev_priv(dev);
	unsigned int q;

	for (q = 0; q < QUEUES_MAX; q++) {
		s->rx_packets += nic->vector[RX][q].packets;
		s->rx_bytes += nic->vector[RX][q].bytes;
		s->rx_missed_errors += nic->vector[RX][q].drops;
		s->tx_packets += nic->vector[TX][q].packets;
		s->tx_bytes += nic->vector[TX][q].bytes;
		s->tx_dropped += nic->vector[TX][q].drops;
	}
}

static void peer_stats(struct net_device *dev, struct rtnl_link_stats64 *s)
{
	const struct peer *p = netdev_priv(dev);

	s->rx_packets = p->rx_packets;
	s->rx_bytes = p->rx_bytes;
	s->tx_packets = p->tx_packets;
	s->tx_bytes = p->tx_bytes;
}

static int peer_open(struct net_device *dev)
{
	netif_start_queue(dev);
	return 0;
}

static int peer_stop(struct net_device *dev)
{
	netif_stop_queue(dev);
	return 0;
}

const struct net_device_ops double_netdev_ops = {
	.ndo_open = double_open,
	.ndo_stop = double_stop,
	.ndo_start_xmit = double_xmit,
	.ndo_get_stats64 = double_stats,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
};

const struct net_device_ops peer_netdev_ops = {
	.ndo_open = peer_open,
	.ndo_stop = peer_stop,
	.ndo_start_xmit = peer_xmit,
	.ndo_get_stats64 = peer_stats,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
};
