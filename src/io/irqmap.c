// SPDX-License-Identifier: GPL-2.0-or-later
/* irqmap: tells the interrupts of a NIC apart. The kernel's own word comes first, then names, then order; what remains
 * serves the whole device. */
#include "io/irqmap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io/irqfind.h"

struct map_work {
	const struct nic_info *nic;
	struct irq_findings found;
	enum map_confidence confidence[NIC_IRQS_MAX]; /* of found.irqs[i] */
	bool elsewhere[NIC_IRQS_MAX];		      /* serves queues that are not this netdev's */
	struct nic_map map;
};

static bool has_queue(enum irq_role role)
{
	return role == IRQ_ROLE_RX || role == IRQ_ROLE_TX || role == IRQ_ROLE_RXTX;
}

static unsigned max_queues(const struct nic_info *nic)
{
	return nic->rx_queues > nic->tx_queues ? nic->rx_queues : nic->tx_queues;
}

static unsigned queues_of(const struct nic_info *nic, enum irq_role role)
{
	if (role == IRQ_ROLE_RX)
		return nic->rx_queues;
	return role == IRQ_ROLE_TX ? nic->tx_queues : max_queues(nic);
}

static struct nic_irq *find_irq(struct nic_map *map, unsigned irq)
{
	for (unsigned i = 0; i < map->n_irqs; i++)
		if (map->irqs[i].irq == irq)
			return &map->irqs[i];
	return NULL;
}

static int add_irq(struct nic_map *map, const struct nic_irq *irq)
{
	if (map->n_irqs == NIC_IRQS_MAX)
		return -ENOBUFS;
	map->irqs[map->n_irqs++] = *irq;
	return 0;
}

/* One NAPI may serve a receive and a transmit queue (the receive queue's number is kept), or several of each. */
static int add_exact(struct nic_map *map, const struct irqmap_napi *napi, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool rx = napi[i].dir == QUEUE_RX;
		struct nic_irq fresh, *e;
		int r;

		if (rx && napi[i].napi_id && napi[i].queue < NIC_QUEUES_MAX) {
			map->rx_napi[napi[i].queue] = napi[i].napi_id;
			if (map->n_napi <= napi[i].queue)
				map->n_napi = napi[i].queue + 1;
		}
		if (napi[i].irq <= 0)
			continue;
		e = find_irq(map, (unsigned)napi[i].irq);
		if (!e) {
			fresh = (struct nic_irq){ .irq = (unsigned)napi[i].irq,
						  .queue = (int)napi[i].queue,
						  .rx = rx,
						  .tx = !rx,
						  .confidence = MAP_EXACT };
			r = add_irq(map, &fresh);
			if (r < 0)
				return r;
			continue;
		}
		if ((rx && e->rx) || (!rx && e->tx && !e->rx))
			e->queue = e->queue == (int)napi[i].queue ? e->queue : -1;
		else if (rx)
			e->queue = (int)napi[i].queue;
		e->rx |= rx;
		e->tx |= !rx;
	}
	return 0;
}

static int by_order(const void *a, const void *b)
{
	const struct irq_found *x = a, *y = b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return x->irq < y->irq ? -1 : x->irq > y->irq;
}

/* Interrupts without a recognised name: beside some with one they are for control; else the rule knows; else each of
 * them serves the device. */
static void tell_unknown_apart(struct map_work *w, const struct irq_rule *rule)
{
	struct irq_name names[NIC_IRQS_MAX];
	size_t index[NIC_IRQS_MAX], n = 0, n_with_queue = 0;

	for (size_t i = 0; i < w->found.n; i++) {
		if (w->found.irqs[i].name.role == IRQ_ROLE_UNKNOWN)
			index[n++] = i;
		n_with_queue += has_queue(w->found.irqs[i].name.role);
	}
	if (n == 0)
		return;
	if (n_with_queue > 0 || w->map.n_irqs > 0) {
		for (size_t k = 0; k < n; k++)
			w->found.irqs[index[k]].name = (struct irq_name){ IRQ_ROLE_CONTROL, -1 };
		return;
	}
	if (n > 1 && rule && irq_rule_apply(rule, w->nic->rx_queues, w->nic->tx_queues, names, n) == 0) {
		for (size_t k = 0; k < n; k++) {
			w->found.irqs[index[k]].name = names[k];
			w->confidence[index[k]] = MAP_ORDER;
		}
		return;
	}
	for (size_t k = 0; k < n; k++) {
		w->found.irqs[index[k]].name = (struct irq_name){ IRQ_ROLE_RXTX, -1 };
		w->confidence[index[k]] = MAP_DEVICE;
	}
}

static bool ranked_together(const struct map_work *w, size_t i, enum irq_role role, bool numbered)
{
	const struct irq_name *name = &w->found.irqs[i].name;

	return w->confidence[i] == MAP_NAME && name->role == role && (name->number >= 0) == numbered;
}

/* The number in the name is a vector's: the queue is its rank among those of the same role. */
static void rank_vectors(struct map_work *w, enum irq_role role)
{
	int rank[NIC_IRQS_MAX] = { 0 };

	for (size_t i = 0; i < w->found.n; i++)
		for (size_t k = 0; k < w->found.n && ranked_together(w, i, role, true); k++)
			rank[i] += ranked_together(w, k, role, true) &&
				   w->found.irqs[k].name.number < w->found.irqs[i].name.number;
	for (size_t i = 0; i < w->found.n; i++)
		if (ranked_together(w, i, role, true))
			w->found.irqs[i].name.number = rank[i];
}

/* A role without a number: with one queue it is that queue's; several are told apart by order. */
static void rank_unnumbered(struct map_work *w, enum irq_role role)
{
	unsigned queues = queues_of(w->nic, role);
	size_t index[NIC_IRQS_MAX], n = 0;

	for (size_t i = 0; i < w->found.n; i++)
		if (ranked_together(w, i, role, false))
			index[n++] = i;
	for (size_t k = 0; k < n; k++) {
		bool told = n == 1 ? queues == 1 : queues == 0 || k < queues;

		w->found.irqs[index[k]].name.number = told ? (int)k : -1;
		if (n > 1)
			w->confidence[index[k]] = MAP_ORDER;
	}
}

/* Two interrupts of the same name for the same queue belong to two ports: which is whose is not known. */
static void drop_duplicates(struct map_work *w)
{
	bool twice[NIC_IRQS_MAX] = { false };

	for (size_t i = 0; i < w->found.n; i++)
		for (size_t k = 0; k < w->found.n; k++) {
			const struct irq_name *a = &w->found.irqs[i].name, *b = &w->found.irqs[k].name;

			if (i != k && has_queue(a->role) && a->role == b->role && a->number >= 0 &&
			    a->number == b->number)
				twice[i] = true;
		}
	for (size_t i = 0; i < w->found.n; i++)
		if (twice[i]) {
			w->found.irqs[i].name.number = -1;
			w->confidence[i] = MAP_DEVICE;
		}
}

static void classify(struct map_work *w, const struct irq_rule *rule)
{
	static const enum irq_role roles[] = { IRQ_ROLE_RX, IRQ_ROLE_TX, IRQ_ROLE_RXTX };

	qsort(w->found.irqs, w->found.n, sizeof(w->found.irqs[0]), by_order);
	for (size_t i = 0; i < w->found.n; i++)
		w->confidence[i] = MAP_NAME;
	tell_unknown_apart(w, rule);
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		if (rule && rule->number_is_vector)
			rank_vectors(w, roles[i]);
		rank_unnumbered(w, roles[i]);
	}
	drop_duplicates(w);
	for (size_t i = 0; i < w->found.n; i++) {
		const struct irq_found *f = &w->found.irqs[i];
		unsigned queues = max_queues(w->nic);

		/* vectors named after the device may be for other users of it, beyond this netdev's queues */
		w->elsewhere[i] = !f->by_netdev && has_queue(f->name.role) && queues > 0 && f->name.number >= 0 &&
				  (unsigned)f->name.number >= queues;
	}
}

static int merge(struct map_work *w)
{
	for (size_t i = 0; i < w->found.n; i++) {
		const struct irq_found *f = &w->found.irqs[i];
		bool control = f->name.role == IRQ_ROLE_CONTROL || w->elsewhere[i];
		bool shared = f->foreign || w->elsewhere[i] || (w->found.device_shared && !f->by_netdev);
		struct nic_irq *e = find_irq(&w->map, f->irq), fresh;
		int r;

		if (e) {
			e->shared = shared;
			e->rx |= f->name.role == IRQ_ROLE_RXTX;
			e->tx |= f->name.role == IRQ_ROLE_RXTX;
			continue;
		}
		fresh = (struct nic_irq){
			.irq = f->irq,
			.queue = control ? -1 : f->name.number,
			.rx = !control && (f->name.role == IRQ_ROLE_RX || f->name.role == IRQ_ROLE_RXTX),
			.tx = !control && (f->name.role == IRQ_ROLE_TX || f->name.role == IRQ_ROLE_RXTX),
			.control = control,
			.shared = shared,
			.confidence = w->confidence[i],
		};
		r = add_irq(&w->map, &fresh);
		if (r < 0)
			return r;
	}
	return 0;
}

static int by_irq(const void *a, const void *b)
{
	const struct nic_irq *x = a, *y = b;

	return x->irq < y->irq ? -1 : x->irq > y->irq;
}

int irqmap_build(const struct procroot *root, const struct nic_info *nic, const struct irq_rule *rule,
		 const struct irqmap_napi *napi, size_t n_napi, struct nic_map *ret)
{
	struct map_work *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return -ENOMEM;
	w->nic = nic;
	r = irq_find(root, nic->name, &w->found);
	if (r == 0)
		r = add_exact(&w->map, napi, n_napi);
	if (r == 0) {
		classify(w, rule);
		r = merge(w);
	}
	if (r == 0) {
		qsort(w->map.irqs, w->map.n_irqs, sizeof(w->map.irqs[0]), by_irq);
		*ret = w->map;
	}
	free(w);
	return r;
}
