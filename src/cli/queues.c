// SPDX-License-Identifier: GPL-2.0-or-later
/* queues: see queues.h. One row for each interrupt, then one for each receive queue that has none of its own. */
#include "cli/queues.h"

#include <stdio.h>
#include <string.h>

#include "io/procfile.h"

const char *const map_confidence_names[] = {
	[MAP_NONE] = "none", [MAP_DEVICE] = "device", [MAP_ORDER] = "order", [MAP_NAME] = "name", [MAP_EXACT] = "exact",
};

const char *queue_row_name(const struct queue_row *row, char *buf, size_t size)
{
	const char *what = row->rx && row->tx ? "rx+tx" : row->rx ? "rx" : row->tx ? "tx" : "";

	if (row->control)
		snprintf(buf, size, "control");
	else if (row->queue < 0)
		snprintf(buf, size, "device%s%s", what[0] ? " " : "", what);
	else
		snprintf(buf, size, "%s %d", what[0] ? what : "queue", row->queue);
	return buf;
}

/* Where the interrupt really arrives; older kernels and some controllers only say where it may. */
static void read_cpus(const struct procroot *root, int irq, char *buf, size_t size)
{
	static const char *const files[] = { "effective_affinity_list", "smp_affinity_list" };
	char path[64];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "proc/irq/%d/%s", irq, files[i]);
		if (procroot_string(root, path, buf, size) > 0)
			return;
	}
	buf[0] = 0;
}

static bool in_samples(const struct sample *b, int queue)
{
	return b && queue >= 0 && (unsigned)queue < b->n_queues;
}

/* The only interrupt for sent packets: the device's rate is its own. */
static bool only_transmit(const struct nic_map *map, const struct queue_row *row)
{
	unsigned n = 0;

	for (unsigned i = 0; i < map->n_irqs; i++)
		n += map->irqs[i].tx;
	return row->tx && n == 1;
}

static double queue_interrupts(const struct nic_map *map, const struct queue_row *row, const struct sample *a,
			       const struct sample *b, const struct rates *r)
{
	if (!b || row->control || !(r->have & SAMPLE_IRQS))
		return -1;
	if (row->rx && in_samples(b, row->queue))
		return (double)(b->queue[row->queue].interrupts - a->queue[row->queue].interrupts) / r->dt_s;
	if (row->queue >= 0)
		return only_transmit(map, row) ? r->tx_interrupts_ps : -1;
	return row->rx == row->tx ? r->interrupts_ps : row->rx ? r->rx_interrupts_ps : r->tx_interrupts_ps;
}

static double queue_packets(const struct nic_info *nic, const struct queue_row *row, const struct sample *a,
			    const struct sample *b, const struct rates *r)
{
	if (!b || row->control || (row->tx && !row->rx))
		return -1;
	if ((r->have & SAMPLE_QUEUES) && in_samples(b, row->queue))
		return (double)(b->queue[row->queue].rx_packets - a->queue[row->queue].rx_packets) / r->dt_s;
	if ((r->have & SAMPLE_LINK) && (row->queue < 0 || nic->rx_queues == 1))
		return r->rx_pps;
	return -1;
}

static struct queue_row from_irq(const struct nic_irq *irq, const struct nic_map *map)
{
	struct queue_row row = {
		.queue = irq->queue,
		.rx = irq->rx,
		.tx = irq->tx,
		.control = irq->control,
		.irq = (int)irq->irq,
		.confidence = irq->confidence,
		.shared = irq->shared,
	};

	if (irq->rx && irq->queue >= 0 && irq->queue < NIC_QUEUES_MAX)
		row.napi = map->rx_napi[irq->queue];
	return row;
}

static bool has_receive_row(const struct queue_row *rows, unsigned n, unsigned queue)
{
	for (unsigned i = 0; i < n; i++)
		if (rows[i].rx && rows[i].queue == (int)queue)
			return true;
	return false;
}

unsigned queue_rows(const struct nic_info *nic, const struct nic_map *map, const struct sample *a,
		    const struct sample *b, const struct rates *r, struct queue_row ret[QUEUE_ROWS_MAX])
{
	struct procroot root;
	unsigned n = 0;

	if (procroot_open(&root, "/") < 0)
		root.fd = -1;
	for (unsigned i = 0; i < map->n_irqs; i++) {
		ret[n] = from_irq(&map->irqs[i], map);
		read_cpus(&root, ret[n].irq, ret[n].cpus, sizeof(ret[n].cpus));
		n++;
	}
	procroot_close(&root);
	for (unsigned q = 0; q < nic->rx_queues && q < NIC_QUEUES_MAX; q++)
		if (!has_receive_row(ret, n, q))
			ret[n++] =
				(struct queue_row){ .queue = (int)q, .rx = true, .irq = -1, .napi = map->rx_napi[q] };
	for (unsigned i = 0; i < n; i++) {
		ret[i].interrupts_ps = ret[i].irq < 0 ? -1 : queue_interrupts(map, &ret[i], a, b, r);
		ret[i].packets_ps = queue_packets(nic, &ret[i], a, b, r);
	}
	return n;
}
