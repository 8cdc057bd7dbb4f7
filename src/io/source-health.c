// SPDX-License-Identifier: GPL-2.0-or-later
/* source-health: see source-health.h. */
#include "io/source-health.h"

#include <stdio.h>

#define LOOK_NS NSEC_PER_SEC
#define QUEUES_MAX 64 /* a stall of one queue nearly always stalls others */

/* sysfs may be mounted from another network namespace, where the name is another device's. */
static bool sysfs_is_ours(const struct procroot *root, const struct nic_info *nic)
{
	char path[64];
	uint64_t v;

	snprintf(path, sizeof(path), "sys/class/net/%s/ifindex", nic->name);
	return procroot_u64(root, path, &v) == 0 && v == (uint64_t)nic->ifindex;
}

static bool read_timeouts(const struct procroot *root, const struct nic_info *nic, uint64_t *ret)
{
	unsigned n = nic->tx_queues < QUEUES_MAX ? nic->tx_queues : QUEUES_MAX, seen = 0;
	uint64_t sum = 0, v;
	char path[96];

	if (!sysfs_is_ours(root, nic))
		return false;
	for (unsigned q = 0; q < n; q++) {
		snprintf(path, sizeof(path), "sys/class/net/%s/queues/tx-%u/tx_timeout", nic->name, q);
		if (procroot_u64(root, path, &v) < 0)
			continue;
		sum += v;
		seen++;
	}
	if (seen)
		*ret = sum;
	return seen;
}

void source_health_read(struct health_source *h, struct rtnl *r, const struct procroot *root,
			const struct nic_info *nic, nsec_t now, struct sample *s)
{
	struct rtnl_link link;

	if (!h->looked || now - h->looked >= LOOK_NS) {
		h->looked = now;
		h->have = 0;
		if (r && rtnl_link(r, nic->ifindex, NULL, &link) == 0 && link.carrier_known) {
			h->have |= SAMPLE_CARRIER;
			h->carrier_changes = link.carrier_changes;
		}
		if (read_timeouts(root, nic, &h->tx_timeouts))
			h->have |= SAMPLE_TX_TIMEOUTS;
	}
	s->have |= h->have;
	if (h->have & SAMPLE_CARRIER)
		s->carrier_changes = h->carrier_changes;
	if (h->have & SAMPLE_TX_TIMEOUTS)
		s->tx_timeouts = h->tx_timeouts;
}
