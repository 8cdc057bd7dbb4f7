// SPDX-License-Identifier: GPL-2.0-or-later
/* irqmap: which interrupts a NIC has and which queue each serves, from what the kernel says (netdev family, given by
 * the caller), the device's vectors in sysfs, and names in /proc/interrupts; each entry with its confidence. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "core/nic.h"
#include "io/irqname.h"
#include "io/procfile.h"

/* One queue as the netdev family knows it (queue-get joined with napi-get). */
struct irqmap_napi {
	enum queue_dir dir;
	unsigned queue;
	uint32_t napi_id; /* 0: not known */
	int irq;	  /* <= 0: the driver did not say */
};

/* Builds the map of one NIC. Reads /sys/class/net, the device's directory and /proc/interrupts below root; rule may be
 * NULL or {0}; napi may be NULL with n_napi 0. Interrupts come in ascending order. A device that is down or has no
 * interrupts gives n_irqs 0 and success. Returns 0; -ENODEV: no such netdev; -ENOBUFS: more than NIC_IRQS_MAX; else
 * what reading failed with; *ret is untouched then.
 * - EXACT: irq of the queue's NAPI. NAME, ORDER, DEVICE: see enum map_confidence.
 * - control: by name, or the one without a role beside those that have one.
 * - shared: foreign actions on the line, or another netdev on the same device unless the name is this netdev's; on a
 *   DEVICE-wide name it is an upper bound only. Vectors of the device for queues that the netdev does not have are
 *   control and shared (somebody else's work). */
int irqmap_build(const struct procroot *root, const struct nic_info *nic, const struct irq_rule *rule,
		 const struct irqmap_napi *napi, size_t n_napi, struct nic_map *ret);
