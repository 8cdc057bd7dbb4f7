// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel-nic: what the kernel backend knows of one NIC: how it can be driven, its interrupts, its counters. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/channel-coalesce.h"
#include "io/channel-napi.h"
#include "io/channel-queue.h"
#include "io/channel-rings.h"
#include "io/irqmap.h"
#include "io/kernel.h"
#include "io/netdev-genl.h"
#include "io/source-link.h"

#define SAMPLER_RETRY_NS (2 * NSEC_PER_SEC)

static void forget_counters(struct kernel_nic *n)
{
	irq_source_close(&n->irqs);
	drvstats_source_close(&n->drvstats);
	n->mapped = false;
	kernel_details_close(n);
	n->polls_wanted = true;
	n->generation++;
}

struct kernel_nic *kernel_nic(struct kernel *k, const struct nic_info *nic)
{
	struct kernel_nic *n;

	for (n = k->nics; n; n = n->next)
		if (n->ifindex == nic->ifindex)
			break;
	if (n && strcmp(n->name, nic->name)) {
		forget_counters(n);
		memcpy(n->name, nic->name, NIC_NAME_MAX);
	}
	if (n)
		return n;
	n = calloc(1, sizeof(*n));
	if (!n)
		return NULL;
	n->ifindex = nic->ifindex;
	n->napi_path = NAPI_SYSFS;
	n->polls_wanted = true;
	memcpy(n->name, nic->name, NIC_NAME_MAX);
	n->next = k->nics;
	k->nics = n;
	return n;
}

void kernel_nic_free(struct kernel *k, struct kernel_nic *n)
{
	for (struct kernel_nic **p = &k->nics; *p; p = &(*p)->next)
		if (*p == n) {
			*p = n->next;
			break;
		}
	forget_counters(n);
	free(n);
}

int kernel_nic_probe(struct kernel *k, struct kernel_nic *n, const struct nic_info *nic, struct nic_caps *ret)
{
	struct nic_caps caps = { 0 };
	struct knob_set got = { 0 };
	struct netdev_qstats qs;
	char err[ERR_MAX];
	int r;

	r = coalesce_get(&k->genl, nic, &got, err);
	if (r == -ENODEV)
		return r;
	if (r == 0)
		coalesce_caps(&got, &caps.knobs);
	n->coalesce = r == 0 ? got.have : 0;
	if (n->coalesce & (KNOB_BIT(KNOB_ADAPTIVE_RX) | KNOB_BIT(KNOB_ADAPTIVE_TX)))
		coalesce_profiles(&k->genl, nic, &caps.rx_profile, &caps.tx_profile, err);
	rings_get(&k->genl, nic, &got, &caps.knobs, err);
	r = napi_path_probe(&k->genl, nic, &n->napi_path, err);
	if (r == -ENODEV)
		return r;
	if (r < 0)
		n->napi_path = NAPI_NONE;
	napi_caps(n->napi_path, &caps.knobs);
	caps.napi_path = n->napi_path;
	caps.per_queue = n->per_queue = queue_supported(k->ioctl_fd, nic);
	n->qstats = netdev_qstats(&k->genl, nic->ifindex, &qs, err) == 0;
	forget_counters(n);
	n->probed = true;
	*ret = caps;
	return 0;
}

int kernel_nic_ready(struct kernel *k, const struct nic_info *nic, struct kernel_nic **ret)
{
	struct kernel_nic *n = kernel_nic(k, nic);
	struct nic_caps caps;
	int r;

	if (!n)
		return -ENOMEM;
	r = n->probed ? 0 : kernel_nic_probe(k, n, nic, &caps);
	if (r == 0)
		*ret = n;
	return r;
}

/* What the netdev family knows of queues, as the map builder wants it. Returns how many. */
static unsigned ask_queues(struct kernel *k, const struct nic_info *nic, uint32_t rx_napi[NIC_QUEUES_MAX],
			   struct irqmap_napi ret[NIC_QUEUES_MAX])
{
	struct napi_info napi[NIC_NAPI_MAX];
	int m = 0, n = kernel_queue_napi(k, nic, rx_napi, napi, &m);

	for (int i = 0; i < n; i++) {
		ret[i] = (struct irqmap_napi){ QUEUE_RX, (unsigned)i, rx_napi[i], 0 };
		for (int j = 0; j < m; j++)
			if (napi[j].id == rx_napi[i])
				ret[i].irq = (int)napi[j].irq;
	}
	return n < 0 ? 0 : (unsigned)n;
}

int kernel_nic_map(struct kernel *k, struct kernel_nic *n, const struct nic_info *nic)
{
	uint32_t rx_napi[NIC_QUEUES_MAX] = { 0 };
	struct irqmap_napi napi[NIC_QUEUES_MAX];
	unsigned n_napi = ask_queues(k, nic, rx_napi, napi);
	int r;

	irq_source_close(&n->irqs);
	n->mapped = false;
	r = irqmap_build(&k->root, nic, &n->irq_rule, napi, n_napi, &n->map);
	if (r < 0)
		return r;
	n->map.n_napi = n_napi;
	memcpy(n->map.rx_napi, rx_napi, sizeof(rx_napi));
	irq_source_open(&n->irqs, &k->root, &n->map);
	n->mapped = true;
	return 0;
}

void kernel_nic_irq_order(struct kernel_nic *n, const char *order)
{
	struct irq_rule rule = n->irq_rule;

	if (irq_rule_words(order, &rule) < 0 || !strcmp(rule.order, n->irq_rule.order))
		return;
	n->irq_rule = rule;
	if (n->mapped)
		n->generation++;
	n->mapped = false; /* built anew when asked for */
}

/* One sampler for all NICs, opened with the first that has a NAPI. What lacks only now is asked for again. */
static void open_sampler(struct kernel *k, nsec_t now)
{
	int r;

	if (k->sampler || !k->poll_event || now < k->sampler_retry)
		return;
	r = perf_sampler_open(&k->root, k->poll_event, &k->sampler, k->no_poll_event);
	if (r == -EMFILE || r == -ENFILE || r == -ENOMEM)
		k->sampler_retry = now + SAMPLER_RETRY_NS;
	else if (r < 0)
		k->poll_event = 0; /* said in no_poll_event */
}

static void read_polls(struct kernel *k, struct kernel_nic *n, const struct nic_info *nic, struct sample *s)
{
	struct poll_counts c;
	int r;

	if (nic->up && n->napi_path != NAPI_NONE)
		open_sampler(k, s->now);
	if (!k->sampler || !n->polls_wanted)
		return;
	perf_sampler_pause(k->sampler, false); /* no NIC may have wanted it until now */
	r = k->sampled != s->now ? perf_sampler_read(k->sampler) : 0;
	if (r == -EPROTO) { /* will not get better */
		k->sampler = perf_sampler_close(k->sampler);
		k->poll_event = 0;
		snprintf(k->no_poll_event, ERR_MAX, "this kernel's napi:napi_poll has an unknown layout");
	}
	if (r < 0)
		return;
	k->sampled = s->now;
	if (!perf_sampler_counts(k->sampler, n->name, &c))
		return;
	s->polls = c.polls;
	s->empty_polls = c.empty;
	s->full_polls = c.full;
	s->polls_by = POLLS_SAMPLED;
	s->have |= SAMPLE_POLLS;
}

static void read_queues(struct kernel *k, struct kernel_nic *n, const struct nic_info *nic, struct sample *s)
{
	char err[ERR_MAX];
	int q;

	if (!n->qstats) {
		if (nic->carrier) /* asking wakes a device that sleeps for lack of a link */
			drvstats_source_read(&n->drvstats, k->ioctl_fd, nic, s->now, s);
		return;
	}
	q = netdev_qstats_rx(&k->genl, n->ifindex, s->queue, NIC_QUEUES_MAX, err);
	if (q <= 0)
		return;
	s->have |= SAMPLE_QUEUES;
	if (s->n_queues < (unsigned)q)
		s->n_queues = (unsigned)q;
}

int kernel_nic_sample(struct kernel *k, struct kernel_nic *n, const struct nic_info *nic, struct sample *ret)
{
	nsec_t now = k->base.ops->now(&k->base);
	int r;

	memset(ret, 0, offsetof(struct sample, cpu));
	ret->now = now;
	r = source_link_read(k->rtnl, nic, ret);
	if (r < 0)
		return r;
	if (!n->mapped)
		kernel_nic_map(k, n, nic);
	if (n->mapped && irq_source_read(&n->irqs, now, ret) == -ESTALE) {
		n->mapped = false; /* built anew next time */
		n->generation++;
	}
	if (!n->details)
		read_polls(k, n, nic, ret);
	read_queues(k, n, nic, ret);
	source_health_read(&n->health, k->rtnl, &k->root, nic, now, ret);
	ret->generation = n->generation;
	if (k->cpus)
		cpu_source_read(k->cpus, now, ret);
	if (n->details)
		kernel_details_read(k, n, ret);
	return 0;
}
