// SPDX-License-Identifier: GPL-2.0-or-later
/* backend-kernel: see backend-kernel.h. Opens the sockets and hands the work to kernel-nic.c and kernel-settings.c. */
#include "io/backend-kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "io/clock.h"
#include "io/ethtool-ioctl.h"
#include "io/kernel.h"
#include "io/nic.h"
#include "io/perf-event.h"

static nsec_t kernel_now(struct backend *b)
{
	(void)b;
	return clock_ns(CLOCK_MONOTONIC);
}

static int kernel_list(struct backend *b, struct nic_info *ret, size_t max)
{
	struct kernel *k = (struct kernel *)b;

	return nic_list(&k->finder, ret, max);
}

static int kernel_caps(struct backend *b, const struct nic_info *nic, struct nic_caps *ret)
{
	struct kernel *k = (struct kernel *)b;
	struct kernel_nic *n = kernel_nic(k, nic);

	return n ? kernel_nic_probe(k, n, nic, ret) : -ENOMEM;
}

static int kernel_map(struct backend *b, const struct nic_info *nic, struct nic_map *ret)
{
	struct kernel *k = (struct kernel *)b;
	struct kernel_nic *n = kernel_nic(k, nic);
	int r;

	if (!n)
		return -ENOMEM;
	r = n->mapped ? 0 : kernel_nic_map(k, n, nic);
	if (r == 0)
		*ret = n->map;
	return r;
}

static int kernel_sample(struct backend *b, const struct nic_info *nic, struct sample *ret)
{
	struct kernel *k = (struct kernel *)b;
	struct kernel_nic *n = kernel_nic(k, nic);
	int r = n ? kernel_nic_sample(k, n, nic, ret) : -ENOMEM;

	if (r == -ENODEV)
		kernel_nic_free(k, n);
	return r;
}

static int kernel_evidence(struct backend *b, const struct nic_info *nic, struct evidence *ret)
{
	struct kernel *k = (struct kernel *)b;
	struct kernel_nic *n = kernel_nic(k, nic);

	if (!n)
		return -ENOMEM;
	evidence_read(&n->evidence, &k->root, k->ioctl_fd, nic, n->mapped ? &n->map : NULL, ret);
	return 0;
}

/* The sampler runs while any NIC wants it. */
static void kernel_count_polls(struct backend *b, const struct nic_info *nic, bool on)
{
	struct kernel *k = (struct kernel *)b;
	struct kernel_nic *n = kernel_nic(k, nic);
	bool any = false;

	if (n)
		n->polls_wanted = on;
	for (n = k->nics; n; n = n->next)
		any |= n->polls_wanted;
	if (k->sampler)
		perf_sampler_pause(k->sampler, !any);
}

static void kernel_irq_order(struct backend *b, const struct nic_info *nic, const char *order)
{
	struct kernel_nic *n = kernel_nic((struct kernel *)b, nic);

	if (n)
		kernel_nic_irq_order(n, order);
}

static void kernel_forget(struct backend *b, const struct nic_info *nic)
{
	struct kernel *k = (struct kernel *)b;

	for (struct kernel_nic *n = k->nics; n; n = n->next)
		if (n->ifindex == nic->ifindex) {
			kernel_nic_free(k, n);
			return;
		}
}

static void kernel_close(struct backend *b)
{
	struct kernel *k = (struct kernel *)b;

	while (k->nics)
		kernel_nic_free(k, k->nics);
	if (k->cpus)
		cpu_source_close(k->cpus);
	free(k->cpus);
	perf_sampler_close(k->sampler);
	genl_close(&k->genl);
	rtnl_close(k->rtnl);
	if (k->ioctl_fd >= 0)
		close(k->ioctl_fd);
	procroot_close(&k->root);
	free(k);
}

static const struct backend_ops kernel_ops = {
	.name = "kernel",
	.now = kernel_now,
	.list = kernel_list,
	.caps = kernel_caps,
	.map = kernel_map,
	.sample = kernel_sample,
	.read = kernel_read,
	.write = kernel_write,
	.save = kernel_save,
	.restore = kernel_restore,
	.read_queues = kernel_read_queues,
	.write_queues = kernel_write_queues,
	.count_polls = kernel_count_polls,
	.no_polls = backend_kernel_no_polls,
	.irq_order = kernel_irq_order,
	.details = kernel_details,
	.why_missing = kernel_why_missing,
	.evidence = kernel_evidence,
	.forget = kernel_forget,
	.close = kernel_close,
};

/* Sources that may be missing: their readers then leave out their bit. */
static int open_sources(struct kernel *k)
{
	k->cpus = malloc(sizeof(*k->cpus));
	if (!k->cpus)
		return -ENOMEM;
	if (cpu_source_open(k->cpus, &k->root) < 0) {
		free(k->cpus);
		k->cpus = NULL;
	}
	if (perf_tracepoint_id(TRACEPOINT_NAPI_POLL, &k->poll_event, k->no_poll_event) < 0)
		k->poll_event = 0;
	return 0;
}

int backend_kernel_open(const char *root, struct backend **ret, char err[ERR_MAX])
{
	struct kernel *k = calloc(1, sizeof(*k));
	int r;

	if (!k)
		return -ENOMEM;
	k->base.ops = &kernel_ops;
	k->ioctl_fd = -1;
	r = procroot_open(&k->root, root);
	if (r < 0) {
		snprintf(err, ERR_MAX, "%s: %s", root, strerror(-r));
		free(k);
		return r;
	}
	snprintf(k->sysfs, sizeof(k->sysfs), "%s/sys", strcmp(root, "/") ? root : "");
	r = genl_open(&k->genl, err);
	if (r == 0 && (r = rtnl_open(&k->rtnl)) < 0)
		snprintf(err, ERR_MAX, "rtnetlink: %s", strerror(-r));
	if (r == 0) {
		k->ioctl_fd = ethtool_open(err);
		r = k->ioctl_fd < 0 ? k->ioctl_fd : open_sources(k);
		k->finder = (struct nic_finder){ k->rtnl, &k->genl, k->ioctl_fd, k->sysfs };
	}
	if (r < 0) {
		kernel_close(&k->base);
		return r;
	}
	*ret = &k->base;
	return 0;
}

struct genl *backend_kernel_genl(struct backend *b)
{
	return &((struct kernel *)b)->genl;
}

const struct nic_finder *backend_kernel_finder(struct backend *b)
{
	return &((struct kernel *)b)->finder;
}

const char *backend_kernel_no_polls(struct backend *b, const struct nic_info *nic)
{
	struct kernel *k = (struct kernel *)b;

	(void)nic;
	return k->sampler ? "" : k->no_poll_event;
}
