// SPDX-License-Identifier: GPL-2.0-or-later
/* queues: the map queue -> NAPI -> IRQ -> CPU as rows, with rates where they are known. */
#pragma once
#include "core/nic.h"
#include "core/sample.h"

struct queue_row {
	int queue;	      /* -1: the whole device */
	bool rx, tx, control; /* what the interrupt serves */
	uint32_t napi;	      /* 0 unknown */
	int irq;	      /* -1 unknown */
	char cpus[32];	      /* list of CPUs it arrives at; "" unknown */
	enum map_confidence confidence;
	bool shared;
	double interrupts_ps, packets_ps; /* < 0 unknown */
};

#define QUEUE_ROWS_MAX (NIC_IRQS_MAX + NIC_QUEUES_MAX)

/* a, b: two samples of which r are the rates, or NULL for no rates. Returns the number of rows. */
unsigned queue_rows(const struct nic_info *nic, const struct nic_map *map, const struct sample *a,
		    const struct sample *b, const struct rates *r, struct queue_row ret[QUEUE_ROWS_MAX]);
extern const char *const map_confidence_names[];
/* "rx 0", "rx+tx 3", "device", "control". Returns buf. */
const char *queue_row_name(const struct queue_row *row, char *buf, size_t size);
