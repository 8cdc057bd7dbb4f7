// SPDX-License-Identifier: GPL-2.0-or-later
/* nic: what a network interface is, as plain data: identity, link, and everything of it that we may change. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/knob.h"

#define NIC_NAME_MAX 16	   /* IFNAMSIZ */
#define NIC_NAPI_MAX 256   /* NAPI instances whose own values are kept */
#define NIC_QUEUES_MAX 128 /* queues that are seen one by one; more are seen only in the sums */

struct nic_info {
	int ifindex;
	char name[NIC_NAME_MAX];
	char driver[32];  /* ethtool -i: driver; "" unknown */
	char bus_info[32]; /* ethtool -i: bus-info; "" unknown */
	char kind[16];	  /* rtnetlink kind ("veth", "tun"); "" for hardware */
	bool has_device;  /* a real or virtual device stands behind it (/sys/class/net/X/device) */
	bool up, carrier; /* IFF_UP, IFF_LOWER_UP */
	uint32_t speed_mbps; /* 0 = unknown */
	unsigned rx_queues, tx_queues; /* in use now (channels: rx + combined, tx + combined), else rtnetlink's count */
};

enum napi_path {
	NAPI_NONE,  /* no NAPI that the kernel could defer */
	NAPI_SYSFS, /* only the device-wide files reach all of them */
	NAPI_GENL,  /* every receive NAPI is visible and takes napi-set */
};

/* What the driver's adaptive moderation chooses from, shortest first; n 0: the kernel (before 6.11) or driver shows
 * none. Never written. */
#define NIC_PROFILE_MAX 5
struct nic_profile {
	unsigned n;
	struct {
		uint32_t usecs, frames, comps;
	} row[NIC_PROFILE_MAX];
};

struct nic_caps {
	struct knob_caps knobs;
	struct nic_profile rx_profile, tx_profile;
	enum napi_path napi_path;
	bool per_queue; /* coalescing of single queues through the ioctl */
};

struct napi_setting {
	uint32_t id;
	uint32_t defer_hard_irqs;
	uint64_t gro_flush_timeout_ns;
};

/* Coalescing of one queue: RX_USECS .. ADAPTIVE_TX of the knob table, by the per-queue ioctl. */
struct queue_setting {
	unsigned queue;
	struct knob_set knobs;
};

/* All settings of one device at one moment: enough to put everything back as it was.
 * device: per device values; for NAPI knobs the device-wide sysfs value.
 * napi, queue: only what the kernel shows one by one. */
struct nic_settings {
	struct knob_set device;
	unsigned n_napi, n_queue;
	struct napi_setting napi[NIC_NAPI_MAX];
	struct queue_setting queue[NIC_QUEUES_MAX];
};

/* How sure a queue -> IRQ entry is; the first that holds. */
enum map_confidence {
	MAP_NONE,   /* not known */
	MAP_DEVICE, /* one interrupt for the whole device */
	MAP_ORDER,  /* same names: told apart by order of interrupt number */
	MAP_NAME,   /* by the name of its action */
	MAP_EXACT,  /* the kernel says so (netdev family) */
};

enum queue_dir { QUEUE_RX, QUEUE_TX };

struct nic_irq {
	unsigned irq;
	int queue;		 /* -1: not for one queue */
	uint8_t rx, tx;		 /* serves receive, transmit */
	bool control;		 /* link change, admin queue, ...: no packets */
	bool shared;		 /* other devices' interrupts are in its count */
	enum map_confidence confidence;
};

#define NIC_IRQS_MAX 512
struct nic_map {
	unsigned n_irqs;
	struct nic_irq irqs[NIC_IRQS_MAX];
	unsigned n_napi;
	uint32_t rx_napi[NIC_QUEUES_MAX]; /* NAPI id of receive queue i, 0 = not known */
};
