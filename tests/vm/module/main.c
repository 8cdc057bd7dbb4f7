// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes the pairs, and takes them away. */
#include <linux/debugfs.h>
#include <linux/irq.h>
#include <linux/irqdomain.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "double.h"

static unsigned int nics = 1;
module_param(nics, uint, 0444);
MODULE_PARM_DESC(nics, "pairs of interfaces");
static unsigned int queues = 2;
module_param(queues, uint, 0444);
MODULE_PARM_DESC(queues, "queues of each");
static bool tied;
module_param(tied, bool, 0444);
MODULE_PARM_DESC(tied, "all pairs are one piece of hardware: a setting of one is that of all");

static struct nic *all[NICS_MAX];
static struct platform_device *parent;
static struct dentry *root;

static int make_vectors(struct nic *nic)
{
	int n = 1 + DIRS * QUEUES_MAX, i;

	nic->irq_base = irq_alloc_descs(-1, 0, n, NUMA_NO_NODE);
	if (nic->irq_base < 0)
		return nic->irq_base;
	nic->irq_other = nic->irq_base;
	irq_set_chip_and_handler(nic->irq_other, &dummy_irq_chip, handle_simple_irq);
	irq_clear_status_flags(nic->irq_other, IRQ_NOREQUEST);
	/* transmit first, as with drivers that know them by their order only */
	for (i = 0; i < QUEUES_MAX; i++) {
		vector_init(nic, TX, i, nic->irq_base + 1 + i);
		vector_init(nic, RX, i, nic->irq_base + 1 + QUEUES_MAX + i);
	}
	return 0;
}

static int make_devices(struct nic *nic)
{
	nic->dev = alloc_etherdev_mqs(sizeof(struct nic *), QUEUES_MAX, QUEUES_MAX);
	nic->peer = alloc_etherdev(sizeof(struct peer));
	if (!nic->dev || !nic->peer)
		return -ENOMEM;
	*(struct nic **)netdev_priv(nic->dev) = nic;
	((struct peer *)netdev_priv(nic->peer))->nic = nic;
	snprintf(nic->dev->name, IFNAMSIZ, "dbl%u", nic->number);
	snprintf(nic->peer->name, IFNAMSIZ, "gen%u", nic->number);
	eth_hw_addr_random(nic->dev);
	eth_hw_addr_random(nic->peer);
	nic->dev->netdev_ops = &double_netdev_ops;
	nic->peer->netdev_ops = &peer_netdev_ops;
	nic->dev->ethtool_ops = &nic->ops;
	SET_NETDEV_DEV(nic->dev, &parent->dev);
	netif_set_real_num_tx_queues(nic->dev, nic->queues);
	netif_set_real_num_rx_queues(nic->dev, nic->queues);
	return 0;
}

static void unmake(struct nic *nic)
{
	if (!nic)
		return;
	if (nic->peer && nic->peer->reg_state == NETREG_REGISTERED)
		unregister_netdev(nic->peer);
	if (nic->dev && nic->dev->reg_state == NETREG_REGISTERED)
		unregister_netdev(nic->dev);
	if (nic->peer)
		free_netdev(nic->peer);
	if (nic->dev)
		free_netdev(nic->dev);
	if (nic->irq_base > 0)
		irq_free_descs(nic->irq_base, 1 + DIRS * QUEUES_MAX);
	kfree(nic);
}

static int make(unsigned int number)
{
	struct nic *nic = kzalloc(sizeof(*nic), GFP_KERNEL);
	int err;

	if (!nic)
		return -ENOMEM;
	all[number] = nic;
	nic->number = number;
	nic->queues = queues;
	nic->ring[RX] = nic->ring[TX] = 512;
	nic->regs = tied ? &all[0]->own : &nic->own;
	control_defaults(nic);
	ethtool_build(nic);
	err = make_vectors(nic);
	err = err ? err : make_devices(nic);
	err = err ? err : register_netdev(nic->dev);
	err = err ? err : register_netdev(nic->peer);
	if (err)
		return err;
	netif_carrier_off(nic->dev);
	control_init(nic, root);
	return 0;
}

static void leave(void)
{
	unsigned int i;

	debugfs_remove_recursive(root);
	for (i = NICS_MAX; i--;)
		unmake(all[i]);
	platform_device_unregister(parent);
}

static int __init double_init(void)
{
	unsigned int i;
	int err = 0;

	queues = clamp(queues, 1U, (unsigned int)QUEUES_MAX);
	nics = clamp(nics, 1U, (unsigned int)NICS_MAX);
	parent = platform_device_register_simple("nicdouble", -1, NULL, 0);
	if (IS_ERR(parent))
		return PTR_ERR(parent);
	root = debugfs_create_dir("nicdouble", NULL);
	for (i = 0; i < nics && !err; i++)
		err = make(i);
	if (err)
		leave();
	return err;
}

static void __exit double_exit(void)
{
	leave();
}

module_init(double_init);
module_exit(double_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("NIC double with the manners of any driver");
