// SPDX-License-Identifier: GPL-2.0-or-later
/* source-irq: interrupt counts of one NIC. Files /sys/kernel/irq/N/per_cpu_count are kept open; /proc/interrupts where
 * they are missing (or cut at a page for very many CPUs). Counts are 32 bits per CPU in the kernel; wraps are undone.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/nic.h"
#include "core/sample.h"
#include "io/procfile.h"

struct irq_counter {
	struct nic_irq what;
	struct procfile file;  /* closed when the table is used */
	struct counter32 *cpu; /* by CPU number, n_cpus of them; in irq_source.cells */
	uint64_t total;	       /* only grows */
	bool seen;	       /* in this reading */
};

/* Owned by the caller; zero = closed. */
struct irq_source {
	unsigned n_irqs, n_cpus, n_possible;
	struct irq_counter *irqs;
	struct counter32 *cells;
	uint16_t *possible; /* CPU number of the i-th value of per_cpu_count */
	struct procfile table;
	bool use_table, primed;
	nsec_t last;
};

/* Opens what the map names; control interrupts are followed as well, but not counted. -ENOENT: there is no source of
 * counts at all. The map is copied, root need not live on. */
int irq_source_open(struct irq_source *s, const struct procroot *root, const struct nic_map *map);

/* Sets SAMPLE_IRQS and interrupts, rx_interrupts, tx_interrupts (one that serves both is in both; control in none) and
 * queue[q].interrupts for queues with an interrupt of their own, raising n_queues when it is smaller.
 * A count that started anew sets SAMPLE_IRQS in ret->reset. An empty map: no bit, 0. -ESTALE: an interrupt of the map
 * is gone, the map must be built anew; the bit is cleared, nothing else written. */
int irq_source_read(struct irq_source *s, nsec_t now, struct sample *ret);
void irq_source_close(struct irq_source *s);
