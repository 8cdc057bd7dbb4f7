/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The NIC double: a pair of interfaces, dblN and genN. A frame sent on genN arrives at dblN through a ring, a real
 * interrupt and a real NAPI, throttled as ethtool -C says; one sent on dblN comes out of genN, and its completion
 * goes the same way. What is odd about drivers can be chosen at run time: manners.def, names.def. */
#pragma once
#include <linux/ethtool.h>
#include <linux/etherdevice.h>
#include <linux/hrtimer.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>

#define QUEUES_MAX 8
#define NICS_MAX 2
#define NAME_LEN 64
#define LOG_LEN 512

enum knob { RX_USECS, RX_FRAMES, TX_USECS, TX_FRAMES, ADAPTIVE_RX, ADAPTIVE_TX, KNOBS };
enum dir { RX, TX, DIRS };

struct manners {
#define MANNER(name, value, what) u32 name;
#include "manners.def"
#undef MANNER
};

struct names {
#define NAME(name, value, what) char name[NAME_LEN];
#include "names.def"
#undef NAME
};

/* The registers: values[] by knob for each queue; with `tied` both interfaces have those of the first. */
struct regs {
	u32 queue[QUEUES_MAX][KNOBS];
	u32 before[QUEUES_MAX][KNOBS]; /* for manner stale */
};

/* One interrupt with its NAPI: receives frames, or completes those sent. */
struct vector {
	struct nic *nic;
	unsigned int queue;
	enum dir dir;
	int irq;
	char name[NAME_LEN];
	struct napi_struct napi;
	struct sk_buff_head fifo; /* its lock guards what follows */
	struct hrtimer timer;
	ktime_t last;		/* interrupt or end of poll, see delay_mode */
	bool masked, closing;
	u64 packets, bytes, drops, irqs;
};

/* One request as it arrived: queue -1 is the device. */
struct request {
	int queue, result;
	u32 value[KNOBS];
};

struct nic {
	struct net_device *dev, *peer;
	unsigned int number, queues, ring[DIRS];
	struct manners manners;
	struct names names;
	struct regs own, *regs;
	struct ethtool_ops ops;
	struct vector vector[DIRS][QUEUES_MAX];
	int irq_base, irq_other;
	char other_name[NAME_LEN];
	u64 requests;
	struct request log[LOG_LEN];
	struct dentry *dir;
};

struct peer {
	struct nic *nic;
	u64 rx_packets, rx_bytes, tx_packets, tx_bytes;
};

/* vector.c */
int vector_init(struct nic *nic, enum dir dir, unsigned int queue, int irq);
int vector_open(struct vector *v);
void vector_close(struct vector *v);
/* Takes the frame, or drops and counts it when the ring is full. Returns how many wait now. */
unsigned int vector_put(struct vector *v, struct sk_buff *skb);

/* netdev.c */
extern const struct net_device_ops double_netdev_ops, peer_netdev_ops;
int nic_restart(struct nic *nic, unsigned int queues, const unsigned int ring[DIRS]); /* under RTNL */
const char *nic_name(const struct nic *nic, const char *pattern, unsigned int queue, char buf[NAME_LEN]);

/* coalesce.c */
void coalesce_defaults(struct nic *nic, u32 knobs);
int coalesce_get(struct nic *nic, int queue, u32 value[KNOBS]);
int coalesce_set(struct nic *nic, int queue, const u32 value[KNOBS], struct netlink_ext_ack *extack);

/* ethtool.c: operations as the manners want them; under RTNL. control.c */
void ethtool_build(struct nic *nic);
void control_defaults(struct nic *nic);
void control_init(struct nic *nic, struct dentry *root);
