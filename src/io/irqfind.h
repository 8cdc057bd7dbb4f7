// SPDX-License-Identifier: GPL-2.0-or-later
/* irqfind: the interrupts that belong to a NIC, not yet told apart: its vectors in sysfs, else by the names of their
 * actions in /proc/interrupts. Part of irqmap. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/nic.h"
#include "io/irqname.h"
#include "io/irqtable.h"
#include "io/procfile.h"

struct irq_found {
	unsigned irq;
	uint64_t order; /* of equal names: number in the interrupt controller, else the interrupt's own */
	struct irq_name name;
	bool by_netdev; /* the action has the netdev's name in it */
	bool foreign;	/* others are on the same line */
};

struct irq_findings {
	size_t n;
	bool device_shared; /* other netdevs sit on the same device */
	struct irq_found irqs[NIC_IRQS_MAX];
};

/* 0 (also when there are none), -ENODEV: no such netdev, -ENOBUFS: too many, or what reading failed with. */
int irq_find(const struct procroot *root, const char *netdev, struct irq_findings *ret);
