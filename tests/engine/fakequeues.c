// SPDX-License-Identifier: GPL-2.0-or-later
/* fakequeues: the queues of the fake NIC as a backend shows them. */
#include "fakequeues.h"

#include <errno.h>
#include <stdio.h>

/* The device's view of its queues. */
static void show_queues(struct fakenic *f)
{
	for (unsigned q = 0; q < f->n_queues; q++)
		for (int k = 0; k < KNOB_COUNT; k++) {
			const struct knob_set *s = &f->queue[q].knobs;
			bool napi = knob_channel_mask(CHANNEL_NAPI) & KNOB_BIT(k);

			if (knob_has(s, k) && (!q || (napi && s->value[k] > f->knobs.value[k])))
				knob_put(&f->knobs, k, s->value[k]);
		}
}

int fakequeues_read(struct backend *b, const struct nic_info *nic, struct queue_setting *ret, unsigned max)
{
	struct fakenic *f = (struct fakenic *)b;

	(void)nic;
	if (!f->n_queues)
		return -EOPNOTSUPP;
	for (unsigned q = 0; q < f->n_queues && q < max; q++)
		ret[q] = (struct queue_setting){ q, f->queue[q].knobs };
	return (int)f->n_queues;
}

int fakequeues_write(struct backend *b, const struct nic_info *nic, const struct queue_setting *want,
		     unsigned n, char err[ERR_MAX])
{
	struct fakenic *f = (struct fakenic *)b;

	(void)nic;
	f->queue_writes++;
	f->queues_written += n;
	if (f->queue_error) {
		snprintf(err, ERR_MAX, "fake refusal");
		return -f->queue_error;
	}
	for (unsigned i = 0; i < n; i++)
		knob_set_overlay(&f->queue[want[i].queue].knobs, &want[i].knobs);
	show_queues(f);
	return 0;
}

void fakequeues_sample(struct fakenic *f, struct sample *ret)
{
	if (!f->counts_queues)
		return;
	ret->n_queues = f->n_queues;
	for (unsigned q = 0; q < f->n_queues; q++)
		ret->queue[q].interrupts = f->queue[q].interrupts;
	ret->have |= SAMPLE_IRQS;
	if (f->now - f->counted < f->count_every)
		return;
	f->counted = f->now;
	for (unsigned q = 0; q < f->n_queues; q++)
		ret->queue[q].rx_packets = f->queue[q].packets;
	ret->have |= SAMPLE_QUEUES;
}

void fakequeues_restore(struct fakenic *f, const struct nic_settings *saved)
{
	for (unsigned q = 0; q < f->n_queues; q++) {
		struct knob_set *s = &f->queue[q].knobs, device = saved->device;

		device.have &= s->have;
		knob_set_overlay(s, &device);
		for (unsigned i = 0; i < saved->n_queue; i++)
			if (saved->queue[i].queue == q)
				knob_set_overlay(s, &saved->queue[i].knobs);
		for (unsigned i = 0; i < saved->n_napi; i++)
			if (f->napi_id && saved->napi[i].id == f->queue[q].napi_id) {
				knob_put(s, KNOB_GRO_FLUSH_TIMEOUT, saved->napi[i].gro_flush_timeout_ns);
				knob_put(s, KNOB_NAPI_DEFER_HARD_IRQS, saved->napi[i].defer_hard_irqs);
			}
	}
	show_queues(f);
}
