// SPDX-License-Identifier: GPL-2.0-or-later
/* irqfind: sysfs is asked first: it lists a PCI function's vectors whatever their names, and names are frozen when the
 * interface goes up, before udev may rename it. Platform devices have no such list; there names must do. */
#include "io/irqfind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OTHERS_MAX 64
#define DEVICE_MAX 64

struct other {
	char name[NIC_NAME_MAX];
	bool same_device;
};

struct finder {
	const struct procroot *root;
	const char *netdev;
	char device[DEVICE_MAX]; /* last component of its path; "" none */
	bool by_msi;		 /* vectors come from msi_irqs: numbers in the controller are in the device's order */
	size_t n_vectors;	 /* 0: go by names */
	unsigned vectors[NIC_IRQS_MAX];
	size_t n_others;
	struct other others[OTHERS_MAX];
	struct irq_findings *ret;
};

static void net_path(char *buf, size_t size, const char *netdev, const char *what)
{
	snprintf(buf, size, "sys/class/net/%s/%s", netdev, what);
}

static int add_vector(const char *name, void *arg)
{
	struct finder *f = arg;
	uint64_t irq;

	if (units_parse_u64(name, &irq) < 0 || irq > INT32_MAX)
		return 0;
	if (f->n_vectors == NIC_IRQS_MAX)
		return -ENOBUFS;
	f->vectors[f->n_vectors++] = (unsigned)irq;
	return 0;
}

static bool is_pci(const struct finder *f, const char *subsystem)
{
	char path[128], bus[16];

	net_path(path, sizeof(path), f->netdev, subsystem);
	return procroot_link_name(f->root, path, bus, sizeof(bus)) >= 0 && strcmp(bus, "pci") == 0;
}

/* The vectors of the device, or of the PCI function right above it (a device on a bus of its own, as virtual ones are).
 * Never of a bridge above a PCI function. */
static int find_vectors(struct finder *f)
{
	static const struct {
		const char *msi_irqs, *irq;
	} places[] = { { "device/msi_irqs", "device/irq" }, { "device/../msi_irqs", "device/../irq" } };
	size_t n_places = !is_pci(f, "device/subsystem") && is_pci(f, "device/../subsystem") ? 2 : 1;
	char path[128];
	uint64_t irq;

	for (size_t i = 0; i < n_places; i++) {
		int r;

		net_path(path, sizeof(path), f->netdev, places[i].msi_irqs);
		r = procroot_list(f->root, path, add_vector, f);
		if (r < 0 && r != -ENOENT)
			return r;
		f->by_msi = f->n_vectors > 0;
		if (f->by_msi)
			return 0;
		net_path(path, sizeof(path), f->netdev, places[i].irq);
		if (procroot_u64(f->root, path, &irq) == 0 && irq > 0 && irq <= INT32_MAX) {
			f->vectors[f->n_vectors++] = (unsigned)irq;
			return 0;
		}
	}
	return 0;
}

/* Keeps the netdevs that could be taken for ours: on the same device, or with a name that begins like ours. */
static int add_other(const char *name, void *arg)
{
	struct finder *f = arg;
	char ours[64], theirs[64];
	struct other o = { .same_device = false };

	if (strcmp(name, f->netdev) == 0 || strlen(name) >= sizeof(o.name))
		return 0;
	memcpy(o.name, name, strlen(name) + 1);
	net_path(ours, sizeof(ours), f->netdev, "device");
	net_path(theirs, sizeof(theirs), o.name, "device");
	o.same_device = procroot_same(f->root, ours, theirs);
	if (o.same_device)
		f->ret->device_shared = true;
	if (!o.same_device && strncmp(name, f->netdev, strlen(f->netdev)) != 0)
		return 0;
	if (f->n_others < OTHERS_MAX)
		f->others[f->n_others++] = o;
	return 0;
}

static const struct other *owned_by_other(const struct finder *f, const char *action)
{
	for (size_t i = 0; i < f->n_others; i++)
		if (irq_name_owner(action, f->others[i].name))
			return &f->others[i];
	return NULL;
}

/* Whose name is in the action: the netdev's or the device's; NULL: neither. */
static const char *owner_of(const struct finder *f, const char *action)
{
	const struct other *o = owned_by_other(f, action);

	if (irq_name_owner(action, f->netdev) && !(o && strlen(o->name) > strlen(f->netdev)))
		return f->netdev;
	if (o && o->same_device)
		return NULL;
	return irq_name_owner(action, f->device) ? f->device : NULL;
}

static bool is_vector(const struct finder *f, unsigned irq)
{
	for (size_t i = 0; i < f->n_vectors; i++)
		if (f->vectors[i] == irq)
			return true;
	return false;
}

static uint64_t order_of(const struct finder *f, unsigned irq)
{
	char path[64];
	uint64_t hwirq;

	snprintf(path, sizeof(path), "sys/kernel/irq/%u/hwirq", irq);
	if (f->by_msi && procroot_u64(f->root, path, &hwirq) == 0)
		return hwirq;
	return irq;
}

static int add_row(const struct irqtable_row *row, void *arg)
{
	struct finder *f = arg;
	char action[IRQ_ACTION_MAX], chosen[IRQ_ACTION_MAX] = "";
	const char *owner = NULL;
	size_t pos = 0, n_actions = 0, n_ours = 0;
	struct irq_found *found;

	if (row->actions_len == 0 || (f->n_vectors > 0 && !is_vector(f, row->irq)))
		return 0;
	while (irqtable_next_action(row->actions, row->actions_len, &pos, action)) {
		const char *o = owner_of(f, action);
		const struct other *other = o ? NULL : owned_by_other(f, action);

		n_actions++;
		n_ours += o != NULL;
		if (n_actions == 1 && other && other->same_device && pos >= row->actions_len)
			return 0; /* a vector of our device's that is another netdev's */
		if (n_actions == 1 || (o && !owner)) {
			memcpy(chosen, action, sizeof(chosen));
			owner = o;
		}
	}
	if (n_ours == 0 && f->n_vectors == 0)
		return 0;
	if (f->ret->n == NIC_IRQS_MAX)
		return -ENOBUFS;
	found = &f->ret->irqs[f->ret->n++];
	found->irq = row->irq;
	found->name = irq_name_parse(chosen, owner);
	found->order = found->name.number < 0 ? order_of(f, row->irq) : row->irq;
	found->by_netdev = owner == f->netdev;
	found->foreign = n_actions > (n_ours ? n_ours : 1);
	return 0;
}

static int find(struct finder *f)
{
	struct procfile table = PROCFILE_CLOSED;
	char path[64];
	int r;

	net_path(path, sizeof(path), f->netdev, "device");
	r = procroot_link_name(f->root, path, f->device, sizeof(f->device));
	if (r == -ENOENT)
		return 0; /* nothing but software behind it */
	if (r < 0)
		return r;
	r = find_vectors(f);
	if (r < 0)
		return r;
	r = procroot_list(f->root, "sys/class/net", add_other, f);
	if (r < 0)
		return r;
	r = procfile_open(&table, f->root, "proc/interrupts");
	if (r < 0)
		return r;
	r = procfile_read(&table);
	if (r == 0)
		r = irqtable_parse(table.text, add_row, f);
	procfile_close(&table);
	return r;
}

int irq_find(const struct procroot *root, const char *netdev, struct irq_findings *ret)
{
	struct finder *f;
	char path[64];
	int r;

	net_path(path, sizeof(path), netdev, ".");
	if (strlen(netdev) >= NIC_NAME_MAX || !procroot_exists(root, path))
		return -ENODEV;
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->root = root;
	f->netdev = netdev;
	f->ret = ret;
	ret->n = 0;
	ret->device_shared = false;
	r = find(f);
	free(f);
	return r;
}
