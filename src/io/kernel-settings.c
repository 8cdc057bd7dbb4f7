// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel-settings: reads, writes, saves and restores a NIC's settings through the channels. */
#include <errno.h>
#include <string.h>

#include "io/channel-coalesce.h"
#include "io/channel-napi.h"
#include "io/channel-queue.h"
#include "io/channel-rings.h"
#include "io/kernel.h"

/* A channel that the device lacks, or that it does not serve while down, is absent; only its disappearance is news. */
static int read_channels(struct kernel *k, const struct nic_info *nic, struct knob_set *ret)
{
	char err[ERR_MAX];

	*ret = (struct knob_set){ 0 };
	if (coalesce_get(&k->genl, nic, ret, err) == -ENODEV)
		return -ENODEV;
	return rings_get(&k->genl, nic, ret, NULL, err) == -ENODEV ? -ENODEV : 0;
}

int kernel_read(struct backend *b, const struct nic_info *nic, struct knob_set *ret)
{
	struct kernel *k = (struct kernel *)b;
	struct knob_set s, napi = { 0 };
	struct kernel_nic *n;
	char err[ERR_MAX];
	int r = kernel_nic_ready(k, nic, &n);

	if (r == 0)
		r = read_channels(k, nic, &s);
	if (r < 0)
		return r;
	if (napi_read(&k->genl, k->sysfs, nic, n->napi_path, &napi, err) == -ENODEV)
		return -ENODEV;
	knob_set_overlay(&s, &napi);
	*ret = s;
	return 0;
}

int kernel_write(struct backend *b, const struct nic_info *nic, const struct knob_set *want, struct knob_set *ret_got,
		 char err[ERR_MAX])
{
	struct kernel *k = (struct kernel *)b;
	struct kernel_nic *n;
	int r = kernel_nic_ready(k, nic, &n);

	if (r < 0)
		return r;
	*ret_got = (struct knob_set){ 0 }; /* the channels add to it */
	if (want->have & knob_channel_mask(CHANNEL_COALESCE))
		r = coalesce_set(&k->genl, nic, want, ret_got, err);
	if (r == 0 && (want->have & knob_channel_mask(CHANNEL_RINGS)))
		r = rings_set(&k->genl, nic, want, ret_got, err);
	if (r == 0 && (want->have & knob_channel_mask(CHANNEL_NAPI)))
		r = napi_write(&k->genl, k->sysfs, nic, n->napi_path, want, ret_got, err);
	return r;
}

int kernel_save(struct backend *b, const struct nic_info *nic, struct nic_settings *ret)
{
	struct kernel *k = (struct kernel *)b;
	struct kernel_nic *n;
	char err[ERR_MAX];
	int r = kernel_nic_ready(k, nic, &n);

	if (r < 0)
		return r;
	ret->n_napi = ret->n_queue = 0;
	r = read_channels(k, nic, &ret->device);
	if (r < 0)
		return r;
	r = napi_save(&k->genl, k->sysfs, nic, n->napi_path, ret, err);
	if (r == -ENODEV)
		return r;
	if (n->per_queue) {
		unsigned q = nic->rx_queues > nic->tx_queues ? nic->rx_queues : nic->tx_queues;

		r = queue_get(k->ioctl_fd, nic, q < NIC_QUEUES_MAX ? q : NIC_QUEUES_MAX, n->coalesce, ret->queue, err);
		ret->n_queue = r > 0 ? (unsigned)r : 0;
	}
	return 0;
}

/* Queues whose values are not the saved ones, in one request. */
static int restore_queues(struct kernel *k, const struct kernel_nic *n, const struct nic_info *nic,
			  const struct nic_settings *saved, char err[ERR_MAX])
{
	struct queue_setting now[NIC_QUEUES_MAX], todo[NIC_QUEUES_MAX];
	struct knob_set d;
	unsigned n_todo = 0;
	int r;

	if (!n->per_queue || !saved->n_queue)
		return 0;
	r = queue_get(k->ioctl_fd, nic, saved->n_queue, n->coalesce, now, err);
	if (r < 0)
		return r;
	for (int i = 0; i < r && (unsigned)i < saved->n_queue; i++)
		if (knob_set_diff(&saved->queue[i].knobs, &now[i].knobs, &d))
			todo[n_todo++] = saved->queue[i];
	return n_todo ? queue_set(k->ioctl_fd, nic, todo, n_todo, err) : 0;
}

/* What differs, in one request a channel: the kernel fills in the rest from what the driver reports. */
static int restore_device(struct kernel *k, const struct nic_info *nic, const struct nic_settings *saved,
			  char err[ERR_MAX])
{
	struct knob_set now, d, got = { 0 };
	int r = read_channels(k, nic, &now);

	if (r < 0)
		return r;
	knob_set_diff(&saved->device, &now, &d);
	if (d.have & knob_channel_mask(CHANNEL_COALESCE))
		r = coalesce_set(&k->genl, nic, &d, &got, err);
	if (r == 0 && (d.have & knob_channel_mask(CHANNEL_RINGS)))
		r = rings_set(&k->genl, nic, &d, &got, err);
	return r;
}

int kernel_restore(struct backend *b, const struct nic_info *nic, const struct nic_settings *saved, char err[ERR_MAX])
{
	struct kernel *k = (struct kernel *)b;
	struct kernel_nic *n;
	char other[ERR_MAX];
	int r2, r = kernel_nic_ready(k, nic, &n);

	if (r < 0)
		return r;
	r = restore_device(k, nic, saved, err);
	if (r == -ENODEV)
		return r;
	r2 = restore_queues(k, n, nic, saved, r < 0 ? other : err);
	if (r == 0)
		r = r2;
	/* every part is tried, the first failure is told */
	r2 = napi_restore(&k->genl, k->sysfs, nic, n->napi_path, saved, r < 0 ? other : err);
	return r < 0 ? r : r2;
}
