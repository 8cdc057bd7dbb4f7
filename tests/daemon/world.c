// SPDX-License-Identifier: GPL-2.0-or-later
/* world: see world.h. */
#include "world.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#define TICK_NS (100 * NSEC_PER_MSEC)

static struct world *self(struct backend *b)
{
	return (struct world *)b;
}

static nsec_t world_now(struct backend *b)
{
	return self(b)->now;
}

struct port *world_port(struct world *w, int ifindex)
{
	for (unsigned i = 0; i < w->n_ports; i++)
		if (w->port[i].nic.ifindex == ifindex)
			return &w->port[i];
	return NULL;
}

static int world_list(struct backend *b, struct nic_info *ret, size_t max)
{
	struct world *w = self(b);

	for (unsigned i = 0; i < w->n_ports && i < max; i++)
		ret[i] = w->port[i].nic;
	return (int)w->n_ports;
}

static int world_caps(struct backend *b, const struct nic_info *nic, struct nic_caps *ret)
{
	struct port *p = world_port(self(b), nic->ifindex);

	if (!p)
		return -ENODEV;
	*ret = (struct nic_caps){ .knobs = p->hw->caps };
	ret->napi_path = p->hw->caps.settable & KNOB_BIT(KNOB_GRO_FLUSH_TIMEOUT) ? NAPI_SYSFS : NAPI_NONE;
	return 0;
}

static int world_map(struct backend *b, const struct nic_info *nic, struct nic_map *ret)
{
	(void)b, (void)nic;
	memset(ret, 0, sizeof(*ret));
	return 0;
}

static int world_sample(struct backend *b, const struct nic_info *nic, struct sample *ret)
{
	struct port *p = world_port(self(b), nic->ifindex);

	if (!p)
		return -ENODEV;
	memset(ret, 0, sizeof(*ret));
	ret->now = self(b)->now;
	ret->have = SAMPLE_LINK | SAMPLE_POLLS;
	ret->rx_packets = (uint64_t)p->packets;
	ret->rx_bytes = (uint64_t)p->packets * 100;
	ret->polls = (uint64_t)p->polls;
	if (self(b)->poll_cost_usecs > 0) {
		ret->have |= SAMPLE_CPU;
		ret->n_cpus = 1;
		ret->cpu[0].online = true;
		ret->cpu[0].softirq_ns = (uint64_t)self(b)->softirq_ns;
		ret->cpu[0].idle_ns = ret->now - ret->cpu[0].softirq_ns;
	}
	p->samples++;
	return 0;
}

static int world_read(struct backend *b, const struct nic_info *nic, struct knob_set *ret)
{
	struct port *p = world_port(self(b), nic->ifindex);

	if (!p)
		return -ENODEV;
	*ret = p->hw->knobs;
	return 0;
}

static int world_write(struct backend *b, const struct nic_info *nic, const struct knob_set *want, struct knob_set *got,
		       char err[ERR_MAX])
{
	struct port *p = world_port(self(b), nic->ifindex);

	(void)err;
	if (!p)
		return -ENODEV;
	p->hw->writes++;
	knob_set_overlay(&p->hw->knobs, want);
	knob_set_overlay(got, want);
	return 0;
}

static int world_save(struct backend *b, const struct nic_info *nic, struct nic_settings *ret)
{
	memset(ret, 0, sizeof(*ret));
	return world_read(b, nic, &ret->device);
}

static int world_restore(struct backend *b, const struct nic_info *nic, const struct nic_settings *saved,
			 char err[ERR_MAX])
{
	struct port *p = world_port(self(b), nic->ifindex);

	if (!p)
		return -ENODEV;
	if (p->hw->restore_error) {
		snprintf(err, ERR_MAX, "the device is busy");
		return -p->hw->restore_error;
	}
	p->hw->restores++;
	knob_set_overlay(&p->hw->knobs, &saved->device);
	return 0;
}

static void world_forget(struct backend *b, const struct nic_info *nic)
{
	(void)nic;
	self(b)->forgotten++;
}

static const struct backend_ops world_ops = {
	.name = "world",
	.now = world_now,
	.list = world_list,
	.caps = world_caps,
	.map = world_map,
	.sample = world_sample,
	.read = world_read,
	.write = world_write,
	.save = world_save,
	.restore = world_restore,
	.forget = world_forget,
};

static void settable(struct hardware *h, enum knob k, uint64_t value)
{
	h->caps.readable |= KNOB_BIT(k);
	h->caps.settable |= KNOB_BIT(k);
	h->caps.min[k] = knob_table[k].min;
	h->caps.max[k] = knob_table[k].max;
	knob_put(&h->knobs, k, value);
	knob_put(&h->power_on, k, value);
}

struct port *world_add(struct world *w, int ifindex, const char *name, enum world_kind kind, unsigned hw)
{
	struct hardware *h = &w->hw[hw];
	unsigned i = w->n_ports++;

	for (; i > 0 && w->port[i - 1].nic.ifindex > ifindex; i--)
		w->port[i] = w->port[i - 1];
	w->port[i] = (struct port){ .hw = h };
	w->port[i].nic = (struct nic_info){ .ifindex = ifindex, .driver = "fake", .up = true, .carrier = true,
					    .rx_queues = 1, .tx_queues = 1, .speed_mbps = 1000 };
	snprintf(w->port[i].nic.name, NIC_NAME_MAX, "%s", name);
	snprintf(w->port[i].nic.bus_info, sizeof(w->port[i].nic.bus_info), "bus:%u", hw);
	if (!h->knobs.have && kind == WORLD_TIMERS) {
		settable(h, KNOB_RX_USECS, 3);
		settable(h, KNOB_RX_FRAMES, 1);
	} else if (!h->knobs.have && kind == WORLD_DEFERRAL) {
		settable(h, KNOB_GRO_FLUSH_TIMEOUT, 0);
		settable(h, KNOB_NAPI_DEFER_HARD_IRQS, 0);
	}
	return &w->port[i];
}

void world_remove(struct world *w, int ifindex)
{
	struct port *p = world_port(w, ifindex);
	size_t i = (size_t)(p - w->port);

	memmove(p, p + 1, (--w->n_ports - i) * sizeof(*p));
}

/* Returns the polls. */
static double flow(struct port *p, double s)
{
	const struct knob_set *k = &p->hw->knobs;
	double t = knob_has(k, KNOB_RX_USECS)		    ? (double)k->value[KNOB_RX_USECS] :
		   k->value[KNOB_NAPI_DEFER_HARD_IRQS] ? (double)k->value[KNOB_GRO_FLUSH_TIMEOUT] / 1000 :
							    0;
	double polls = p->pps / (1 + p->pps * t / 1e6) * s;

	p->packets += p->pps * s;
	p->polls += polls;
	return polls;
}

void world_run(struct world *w, double seconds)
{
	for (int i = 0; i < seconds * 10; i++) {
		for (unsigned j = 0; j < w->n_ports; j++)
			w->softirq_ns += flow(&w->port[j], (double)TICK_NS / NSEC_PER_SEC) * w->poll_cost_usecs * 1e3;
		w->now += TICK_NS;
		fleet_tick(&w->fleet, w->now);
	}
}

void world_config(struct world *w, const char *text)
{
	FILE *f = fopen(w->fleet.config_file, "w");

	ck_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

unsigned world_said(const struct world *w, const char *text)
{
	unsigned n = 0;

	for (const char *p = w->said; (p = strstr(p, text)); p = strchr(p, '\n'))
		n++;
	return n;
}

void world_hush(struct world *w)
{
	w->said[0] = 0;
}

unsigned world_saved(const struct world *w)
{
	int ifindex[64];

	return (unsigned)state_list(w->fleet.state, ifindex, 64);
}

int world_nic_get(struct world *w, int ifindex, struct nic_info *ret)
{
	struct port *p = world_port(w, ifindex);

	if (!p)
		return -ENODEV;
	*ret = p->nic;
	return 0;
}

void world_occupancy(struct world *w, const struct nic_info *nic, struct occupancy_found *ret)
{
	struct port *p = world_port(w, nic->ifindex);

	*ret = (struct occupancy_found){ .ifindex = nic->ifindex, .found = p ? p->found : 0 };
}

void world_log(struct world *w, const char *netdev, const char *text)
{
	size_t n = strlen(w->said);

	snprintf(w->said + n, sizeof(w->said) - n, "%s: %s\n", netdev ? netdev : "", text);
}

void world_open(struct world *w)
{
	static const struct machine_facts facts = { .prior = { "test", 6, 1.5 } };
	static char config[96];

	memset(w, 0, sizeof(*w));
	strcpy(w->dir, "/tmp/ethtuned-world-XXXXXX");
	ck_assert(mkdtemp(w->dir) != NULL);
	snprintf(config, sizeof(config), "%s/ethtuned.conf", w->dir);
	w->base.ops = &world_ops;
	w->now = 1000 * NSEC_PER_SEC;
	w->finder.ethtool_fd = -1;
	w->fleet = (struct fleet){ .backend = &w->base, .finder = &w->finder, .config_file = config, .facts = facts };
	w->fleet.log.level = LOG_INFO;
	w->fleet.state = calloc(1, sizeof(struct state_dir));
	ck_assert_int_eq(state_open(w->fleet.state, w->dir), 0);
	ck_assert_int_eq(procroot_open(&w->fleet.root, w->dir), 0);
	policy_default(&w->fleet.policy);
	w->fleet.policy.mode = MODE_THROUGHPUT;
	world_config(w, "");
	ck_assert_int_eq(fleet_load(&w->fleet), 0);
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

void world_close(struct world *w)
{
	struct knob_set d;

	ck_assert_int_eq(fleet_release(&w->fleet), 0);
	for (size_t i = 0; i < sizeof(w->hw) / sizeof(w->hw[0]); i++)
		ck_assert_msg(!knob_set_diff(&w->hw[i].power_on, &w->hw[i].knobs, &d), "hardware %zu", i);
	ck_assert_uint_eq(world_saved(w), 0);
	config_free(w->fleet.config);
	procroot_close(&w->fleet.root);
	state_close(w->fleet.state);
	free(w->fleet.state);
	ck_assert_int_eq(nftw(w->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}
