// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel-queues: settings of single queues: coalescing through the ioctl, deferral through the queue's NAPI instance.
 * Ids of instances change whenever queues are made anew, so they are looked up each time. */
#include <errno.h>

#include "io/channel-queue.h"
#include "io/kernel.h"
#include "io/netdev-genl.h"

struct instances {
	uint32_t of_queue[NIC_QUEUES_MAX]; /* id by receive queue */
	struct napi_info napi[NIC_NAPI_MAX];
	unsigned n_queues;
	int n;
};

static const struct napi_info *instance(const struct instances *s, unsigned queue)
{
	for (int i = 0; i < s->n && queue < s->n_queues; i++)
		if (s->napi[i].id == s->of_queue[queue])
			return &s->napi[i];
	return NULL;
}

int kernel_queue_napi(struct kernel *k, const struct nic_info *nic, uint32_t of_queue[NIC_QUEUES_MAX],
		      struct napi_info napi[NIC_NAPI_MAX], int *ret_n_napi)
{
	char err[ERR_MAX];
	bool linked = false;
	int n = netdev_rx_queues(&k->genl, nic->ifindex, of_queue, NIC_QUEUES_MAX, err);
	int m = netdev_napi_list(&k->genl, nic->ifindex, napi, NIC_NAPI_MAX, err);

	if (n < 0 || m < 0)
		return n < 0 ? n : m;
	n = n > NIC_QUEUES_MAX ? NIC_QUEUES_MAX : n;
	for (int q = 0; q < n; q++)
		linked |= of_queue[q] != 0;
	/* Instances get their ids one after the other, and those that only send have none. */
	for (int q = 0; q < n && !linked && m == n; q++)
		of_queue[q] = napi[q].id;
	*ret_n_napi = m;
	return n;
}

/* Returns 0 only where each receive queue has an instance of its own. */
static int look_up(struct kernel *k, const struct kernel_nic *n, const struct nic_info *nic, struct instances *ret)
{
	int queues;

	if (n->napi_path != NAPI_GENL)
		return -EOPNOTSUPP;
	queues = kernel_queue_napi(k, nic, ret->of_queue, ret->napi, &ret->n);
	if (queues < 0)
		return queues;
	ret->n_queues = (unsigned)queues;
	for (unsigned q = 0; q < ret->n_queues; q++) {
		if (!instance(ret, q))
			return -EOPNOTSUPP;
		for (unsigned p = 0; p < q; p++)
			if (ret->of_queue[p] == ret->of_queue[q])
				return -EOPNOTSUPP;
	}
	return ret->n_queues ? 0 : -EOPNOTSUPP;
}

static int read_coalesce(struct kernel *k, const struct kernel_nic *n, const struct nic_info *nic,
			 struct queue_setting *ret, unsigned max)
{
	unsigned q = nic->rx_queues > nic->tx_queues ? nic->rx_queues : nic->tx_queues;
	char err[ERR_MAX];

	return n->per_queue ? queue_get(k->ioctl_fd, nic, q < max ? q : max, n->coalesce, ret, err) : -EOPNOTSUPP;
}

int kernel_read_queues(struct backend *b, const struct nic_info *nic, struct queue_setting *ret, unsigned max)
{
	struct kernel *k = (struct kernel *)b;
	struct instances s;
	struct kernel_nic *n;
	int got, r = kernel_nic_ready(k, nic, &n);

	if (r < 0)
		return r;
	got = read_coalesce(k, n, nic, ret, max);
	if (got == -ENODEV)
		return got;
	r = look_up(k, n, nic, &s);
	if (r < 0)
		return r == -ENODEV || got < 0 ? r : got;
	for (unsigned q = 0; q < s.n_queues && q < max; q++) {
		if (got <= (int)q) {
			ret[q] = (struct queue_setting){ .queue = q };
			got = (int)q + 1;
		}
		knob_put(&ret[q].knobs, KNOB_GRO_FLUSH_TIMEOUT, instance(&s, q)->gro_flush_timeout_ns);
		knob_put(&ret[q].knobs, KNOB_NAPI_DEFER_HARD_IRQS, instance(&s, q)->defer_hard_irqs);
	}
	return got;
}

static int write_napi(struct kernel *k, const struct kernel_nic *n, const struct nic_info *nic,
		      const struct queue_setting *want, unsigned n_want, char *err)
{
	struct instances s;
	int r = look_up(k, n, nic, &s);

	if (r < 0)
		return genl_fail(err, r, "NAPI instances of the queues");
	for (unsigned i = 0; i < n_want && r == 0; i++) {
		struct knob_set napi = want[i].knobs;
		const struct napi_info *of = instance(&s, want[i].queue);

		napi.have &= knob_channel_mask(CHANNEL_NAPI);
		if (!napi.have)
			continue;
		r = of ? netdev_napi_set(&k->genl, of->id, &napi, err) : genl_fail(err, -EINVAL, "queue numbers");
		if (r == -ENOENT)
			r = -EAGAIN; /* made anew meanwhile */
	}
	return r;
}

int kernel_write_queues(struct backend *b, const struct nic_info *nic, const struct queue_setting *want, unsigned n,
			char err[ERR_MAX])
{
	struct kernel *k = (struct kernel *)b;
	struct queue_setting coalesce[NIC_QUEUES_MAX];
	unsigned n_coalesce = 0, n_napi = 0;
	struct kernel_nic *kn;
	int r = kernel_nic_ready(k, nic, &kn);

	if (r < 0)
		return r;
	for (unsigned i = 0; i < n && i < NIC_QUEUES_MAX; i++) {
		coalesce[n_coalesce] = want[i];
		coalesce[n_coalesce].knobs.have &= knob_channel_mask(CHANNEL_COALESCE);
		n_coalesce += coalesce[n_coalesce].knobs.have != 0;
		n_napi += (want[i].knobs.have & knob_channel_mask(CHANNEL_NAPI)) != 0;
	}
	r = n_coalesce ? queue_set(k->ioctl_fd, nic, coalesce, n_coalesce, err) : 0;
	if (r == 0 && n_napi)
		r = write_napi(k, kn, nic, want, n, err);
	return r;
}
