/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uapi: the kernel's numbers that distribution headers may lack (the "netdev" generic netlink family).
 * Plain defines with the kernel's names, since they are never renumbered. <linux/netdev.h> must not be included beside
 * this header: it spells the same names as enumerators. Source: Documentation/netlink/specs/netdev.yaml. */
#pragma once
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#define ETHT_NETDEV_FAMILY_NAME "netdev"

#define NETDEV_CMD_DEV_GET 1
#define NETDEV_CMD_QUEUE_GET 10
#define NETDEV_CMD_NAPI_GET 11
#define NETDEV_CMD_QSTATS_GET 12
#define NETDEV_CMD_NAPI_SET 14

/* "uint": 4 or 8 bytes on the wire, told apart by the length */
#define NETDEV_A_NAPI_IFINDEX 1		    /* u32 */
#define NETDEV_A_NAPI_ID 2		    /* u32 */
#define NETDEV_A_NAPI_IRQ 3		    /* u32 */
#define NETDEV_A_NAPI_PID 4		    /* u32 */
#define NETDEV_A_NAPI_DEFER_HARD_IRQS 5	    /* u32 */
#define NETDEV_A_NAPI_GRO_FLUSH_TIMEOUT 6   /* uint, ns */
#define NETDEV_A_NAPI_IRQ_SUSPEND_TIMEOUT 7 /* uint, ns */
#define NETDEV_A_NAPI_THREADED 8	    /* u32: 0, 1, 2 = busy polling thread */

#define NETDEV_A_QUEUE_ID 1	 /* u32 */
#define NETDEV_A_QUEUE_IFINDEX 2 /* u32 */
#define NETDEV_A_QUEUE_TYPE 3	 /* u32: NETDEV_QUEUE_TYPE_* */
#define NETDEV_A_QUEUE_NAPI_ID 4 /* u32 */
#define NETDEV_QUEUE_TYPE_RX 0
#define NETDEV_QUEUE_TYPE_TX 1

#define NETDEV_A_QSTATS_IFINDEX 1    /* u32 */
#define NETDEV_A_QSTATS_QUEUE_TYPE 2 /* u32 */
#define NETDEV_A_QSTATS_QUEUE_ID 3   /* u32 */
#define NETDEV_A_QSTATS_SCOPE 4	     /* uint: 1 = one message a queue */
#define NETDEV_A_QSTATS_RX_PACKETS 8 /* uint, as all counters */
#define NETDEV_A_QSTATS_RX_BYTES 9
#define NETDEV_A_QSTATS_TX_PACKETS 10
#define NETDEV_A_QSTATS_TX_BYTES 11
#define NETDEV_A_QSTATS_RX_ALLOC_FAIL 12
#define NETDEV_A_QSTATS_RX_HW_DROPS 13	       /* all drops by the device */
#define NETDEV_A_QSTATS_RX_HW_DROP_OVERRUNS 14 /* of these: no descriptor was free */
#define NETDEV_QSTATS_SCOPE_QUEUE 1

/* Profiles of adaptive moderation; enumerators of newer headers do not mind. Source: ethtool_netlink_generated.h */
#define ETHT_A_COALESCE_RX_PROFILE 29 /* nest of ETHT_A_PROFILE_IRQ_MODERATION */
#define ETHT_A_COALESCE_TX_PROFILE 30
#define ETHT_A_PROFILE_IRQ_MODERATION 1 /* nest of the next three, u32 each */
#define ETHT_A_IRQ_MODERATION_USEC 1
#define ETHT_A_IRQ_MODERATION_PKTS 2
#define ETHT_A_IRQ_MODERATION_COMPS 3

/* The kernel's own "not supported" that some drivers leak to user space; no libc has a text for it. */
#define ETHT_ENOTSUPP 524
