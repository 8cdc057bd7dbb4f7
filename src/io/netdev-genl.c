// SPDX-License-Identifier: GPL-2.0-or-later
/* netdev-genl: napi-get, napi-set, queue-get and qstats-get. A device that is down has neither queues nor NAPI
 * instances here, and instances that only send have no id and never show up. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <netlink/attr.h>
#include <netlink/msg.h>

#include "io/netdev-genl.h"
#include "io/uapi.h"

/* All objects of one device; scope 0 = attribute not sent. */
static int dump(struct genl *g, uint8_t cmd, int ifindex_attr, int ifindex, uint32_t scope, genl_reply_fn fn, void *arg,
		char *err)
{
	struct nl_msg *msg;
	int rc = genl_request(g, GENL_NETDEV, cmd, true, &msg);

	if (rc < 0)
		return genl_fail(err, rc, "netdev netlink");
	nla_put_u32(msg, ifindex_attr, (uint32_t)ifindex);
	if (scope)
		nla_put_u32(msg, NETDEV_A_QSTATS_SCOPE, scope);
	return genl_call(g, msg, fn, arg, err);
}

static uint32_t u32_or(struct nlattr *a, uint32_t absent)
{
	uint64_t v;

	return a && genl_get_uint(a, &v) == 0 ? (uint32_t)v : absent;
}

struct napi_dump {
	struct napi_info *napi;
	unsigned n, max;
};

static int on_napi(uint8_t cmd, struct nlattr **tb, void *arg)
{
	struct napi_info i = { .threaded = -1 };
	struct napi_dump *d = arg;

	(void)cmd;
	if (!tb[NETDEV_A_NAPI_ID])
		return -EBADMSG;
	i.id = u32_or(tb[NETDEV_A_NAPI_ID], 0);
	i.irq = u32_or(tb[NETDEV_A_NAPI_IRQ], 0);
	i.pid = u32_or(tb[NETDEV_A_NAPI_PID], 0);
	i.threaded = (int)u32_or(tb[NETDEV_A_NAPI_THREADED], (uint32_t)-1);
	i.has_settings = tb[NETDEV_A_NAPI_DEFER_HARD_IRQS] && tb[NETDEV_A_NAPI_GRO_FLUSH_TIMEOUT];
	if (i.has_settings) {
		i.defer_hard_irqs = u32_or(tb[NETDEV_A_NAPI_DEFER_HARD_IRQS], 0);
		if (genl_get_uint(tb[NETDEV_A_NAPI_GRO_FLUSH_TIMEOUT], &i.gro_flush_timeout_ns) < 0)
			return -EBADMSG;
	}
	if (d->n < d->max)
		d->napi[d->n++] = i;
	return 0;
}

static int by_id(const void *a, const void *b)
{
	uint32_t x = ((const struct napi_info *)a)->id, y = ((const struct napi_info *)b)->id;

	return (x > y) - (x < y);
}

int netdev_napi_list(struct genl *g, int ifindex, struct napi_info *ret, unsigned max, char err[ERR_MAX])
{
	struct napi_dump d = { .napi = ret, .max = max };
	int rc = dump(g, NETDEV_CMD_NAPI_GET, NETDEV_A_NAPI_IFINDEX, ifindex, 0, on_napi, &d, err);

	if (rc < 0)
		return rc;
	qsort(ret, d.n, sizeof(*ret), by_id);
	return (int)d.n;
}

struct queue_dump {
	uint32_t *napi;
	unsigned n, max;
};

static int on_queue(uint8_t cmd, struct nlattr **tb, void *arg)
{
	struct queue_dump *d = arg;
	uint32_t id;

	(void)cmd;
	if (!tb[NETDEV_A_QUEUE_ID] || u32_or(tb[NETDEV_A_QUEUE_TYPE], NETDEV_QUEUE_TYPE_TX) != NETDEV_QUEUE_TYPE_RX)
		return 0;
	id = u32_or(tb[NETDEV_A_QUEUE_ID], 0);
	if (id < d->max)
		d->napi[id] = u32_or(tb[NETDEV_A_QUEUE_NAPI_ID], 0);
	d->n++;
	return 0;
}

int netdev_rx_queues(struct genl *g, int ifindex, uint32_t *ret_napi, unsigned max, char err[ERR_MAX])
{
	struct queue_dump d = { .napi = ret_napi, .max = max };
	int rc = dump(g, NETDEV_CMD_QUEUE_GET, NETDEV_A_QUEUE_IFINDEX, ifindex, 0, on_queue, &d, err);

	return rc < 0 ? rc : (int)d.n;
}

bool netdev_can_set_napi(struct genl *g)
{
	return genl_policy_max(g, GENL_NETDEV, NETDEV_CMD_NAPI_SET) >= NETDEV_A_NAPI_GRO_FLUSH_TIMEOUT;
}

int netdev_napi_set(struct genl *g, uint32_t id, const struct knob_set *want, char err[ERR_MAX])
{
	uint32_t mask = want->have & knob_channel_mask(CHANNEL_NAPI);
	struct nl_msg *msg;
	int rc = genl_request(g, GENL_NETDEV, NETDEV_CMD_NAPI_SET, false, &msg);

	if (rc < 0)
		return genl_fail(err, rc, "netdev netlink");
	nla_put_u32(msg, NETDEV_A_NAPI_ID, id);
	rc = genl_put_knobs(msg, mask, want);
	if (rc < 0) {
		nlmsg_free(msg);
		return genl_fail(err, rc, "napi-set");
	}
	return genl_call_knobs(g, msg, mask, NULL, NULL, err);
}

static bool counter(struct nlattr *a, uint64_t *ret)
{
	return a && genl_get_uint(a, ret) == 0;
}

struct device_stats {
	struct netdev_qstats sum;
	bool seen;
};

static int on_device_stats(uint8_t cmd, struct nlattr **tb, void *arg)
{
	struct device_stats *d = arg;
	struct netdev_qstats *s = &d->sum;

	(void)cmd;
	s->has_rx = counter(tb[NETDEV_A_QSTATS_RX_PACKETS], &s->rx_packets) &&
		    counter(tb[NETDEV_A_QSTATS_RX_BYTES], &s->rx_bytes);
	s->has_tx = counter(tb[NETDEV_A_QSTATS_TX_PACKETS], &s->tx_packets) &&
		    counter(tb[NETDEV_A_QSTATS_TX_BYTES], &s->tx_bytes);
	s->has_hw_drops = counter(tb[NETDEV_A_QSTATS_RX_HW_DROPS], &s->rx_hw_drops);
	s->has_overruns = counter(tb[NETDEV_A_QSTATS_RX_HW_DROP_OVERRUNS], &s->rx_overruns);
	d->seen = true;
	return 0;
}

int netdev_qstats(struct genl *g, int ifindex, struct netdev_qstats *ret, char err[ERR_MAX])
{
	struct device_stats d = { .seen = false };
	int rc = dump(g, NETDEV_CMD_QSTATS_GET, NETDEV_A_QSTATS_IFINDEX, ifindex, 0, on_device_stats, &d, err);

	if (rc < 0)
		return rc;
	if (!d.seen)
		return genl_fail(err, -EOPNOTSUPP, "queue statistics");
	*ret = d.sum;
	return 0;
}

struct queue_stats {
	unsigned n, seen, max;
	struct queue_counters queue[NIC_QUEUES_MAX];
};

static int on_queue_stats(uint8_t cmd, struct nlattr **tb, void *arg)
{
	struct queue_stats *s = arg;
	uint64_t packets, bytes = 0;
	uint32_t id;

	(void)cmd;
	if (u32_or(tb[NETDEV_A_QSTATS_QUEUE_TYPE], NETDEV_QUEUE_TYPE_TX) != NETDEV_QUEUE_TYPE_RX)
		return 0;
	id = u32_or(tb[NETDEV_A_QSTATS_QUEUE_ID], UINT32_MAX);
	if (id >= s->max || !counter(tb[NETDEV_A_QSTATS_RX_PACKETS], &packets))
		return 0;
	counter(tb[NETDEV_A_QSTATS_RX_BYTES], &bytes);
	s->queue[id].rx_packets = packets;
	s->queue[id].rx_bytes = bytes;
	s->seen++;
	if (id >= s->n)
		s->n = id + 1;
	return 0;
}

int netdev_qstats_rx(struct genl *g, int ifindex, struct queue_counters *ret, unsigned max, char err[ERR_MAX])
{
	struct queue_stats s = { .max = max < NIC_QUEUES_MAX ? max : NIC_QUEUES_MAX };
	int rc = dump(g, NETDEV_CMD_QSTATS_GET, NETDEV_A_QSTATS_IFINDEX, ifindex, NETDEV_QSTATS_SCOPE_QUEUE,
		      on_queue_stats, &s, err);

	if (rc < 0)
		return rc;
	/* A queue between others that says nothing is unknown, not zero. */
	if (!s.n || s.seen != s.n)
		return genl_fail(err, -EOPNOTSUPP, "queue statistics");
	for (unsigned q = 0; q < s.n; q++) {
		ret[q].rx_packets = s.queue[q].rx_packets;
		ret[q].rx_bytes = s.queue[q].rx_bytes;
	}
	return (int)s.n;
}
