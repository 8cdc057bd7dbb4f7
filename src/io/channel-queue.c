// SPDX-License-Identifier: GPL-2.0-or-later
/* channel-queue: ETHTOOL_PERQUEUE: a bitmap of queues, then one struct ethtool_coalesce per set bit, in order. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "io/channel-queue.h"
#include "io/ethtool-ioctl.h"
#include "io/genl.h"
#include "io/uapi.h"

#define QUEUE_LIMIT MAX_NUM_QUEUE /* queues of the ioctl's bitmap */

static const struct {
	enum knob knob;
	size_t offset; /* in struct ethtool_coalesce; all are u32 */
} fields[] = {
	{ KNOB_RX_USECS, offsetof(struct ethtool_coalesce, rx_coalesce_usecs) },
	{ KNOB_RX_FRAMES, offsetof(struct ethtool_coalesce, rx_max_coalesced_frames) },
	{ KNOB_TX_USECS, offsetof(struct ethtool_coalesce, tx_coalesce_usecs) },
	{ KNOB_TX_FRAMES, offsetof(struct ethtool_coalesce, tx_max_coalesced_frames) },
	{ KNOB_ADAPTIVE_RX, offsetof(struct ethtool_coalesce, use_adaptive_rx_coalesce) },
	{ KNOB_ADAPTIVE_TX, offsetof(struct ethtool_coalesce, use_adaptive_tx_coalesce) },
};

static uint32_t *field(struct ethtool_coalesce *c, size_t i)
{
	return (uint32_t *)((char *)c + fields[i].offset);
}

static struct ethtool_per_queue_op *new_op(uint32_t sub_command, unsigned n)
{
	struct ethtool_per_queue_op *op = calloc(1, sizeof(*op) + n * sizeof(struct ethtool_coalesce));

	if (op) {
		op->cmd = ETHTOOL_PERQUEUE;
		op->sub_command = sub_command;
	}
	return op;
}

static void mark(struct ethtool_per_queue_op *op, unsigned queue)
{
	op->queue_mask[queue / 32] |= 1U << (queue % 32);
}

static struct ethtool_coalesce *entries(struct ethtool_per_queue_op *op)
{
	return (struct ethtool_coalesce *)op->data;
}

bool queue_supported(int fd, const struct nic_info *nic)
{
	struct queue_setting q;

	return queue_get(fd, nic, 1, 0, &q, NULL) == 1;
}

int queue_get(int fd, const struct nic_info *nic, unsigned n, uint32_t readable, struct queue_setting *ret,
	      char err[ERR_MAX])
{
	struct ethtool_per_queue_op *op;
	struct ethtool_coalesce *c;
	unsigned got;
	int rc;

	n = n > QUEUE_LIMIT ? QUEUE_LIMIT : n;
	op = new_op(ETHTOOL_GCOALESCE, n);
	if (!op)
		return genl_fail(err, -ENOMEM, "queue settings");
	for (unsigned q = 0; q < n; q++)
		mark(op, q);
	rc = ethtool_ioctl(fd, nic, op, err);
	c = entries(op);
	/* The kernel stops at a queue that fails, but has copied those before it: each with its command number. */
	for (got = 0; got < n && c[got].cmd == ETHTOOL_GCOALESCE; got++) {
		struct knob_set *s = &ret[got].knobs;

		ret[got].queue = got;
		s->have = 0;
		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
			if (readable & KNOB_BIT(fields[i].knob))
				knob_put(s, fields[i].knob, *field(&c[got], i));
		}
	}
	free(op);
	return rc < 0 && !got ? rc : (int)got;
}

static int overlay(struct ethtool_coalesce *c, const struct knob_set *s, char *err)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (!knob_has(s, fields[i].knob))
			continue;
		if (s->value[fields[i].knob] > UINT32_MAX)
			return genl_fail(err, -ERANGE, "%s", knob_table[fields[i].knob].name);
		*field(c, i) = (uint32_t)s->value[fields[i].knob];
	}
	return 0;
}

int queue_set(int fd, const struct nic_info *nic, const struct queue_setting *want, unsigned n, char err[ERR_MAX])
{
	struct ethtool_per_queue_op *op;
	int rc = 0;

	for (unsigned i = 0; i < n; i++) {
		if (want[i].queue >= QUEUE_LIMIT || (i && want[i].queue <= want[i - 1].queue))
			return genl_fail(err, -EINVAL, "queue numbers");
	}
	if (!n)
		return 0;
	op = new_op(ETHTOOL_GCOALESCE, n);
	if (!op)
		return genl_fail(err, -ENOMEM, "queue settings");
	for (unsigned i = 0; i < n; i++)
		mark(op, want[i].queue);
	/* The driver gets the whole struct, so what we do not name must be what it has. */
	rc = ethtool_ioctl(fd, nic, op, err);
	for (unsigned i = 0; !rc && i < n; i++) {
		entries(op)[i].cmd = ETHTOOL_SCOALESCE;
		rc = overlay(&entries(op)[i], &want[i].knobs, err);
	}
	if (!rc) {
		op->cmd = ETHTOOL_PERQUEUE;
		op->sub_command = ETHTOOL_SCOALESCE;
		rc = ethtool_ioctl(fd, nic, op, err);
	}
	free(op);
	return rc;
}
