// SPDX-License-Identifier: GPL-2.0-or-later
/* evidence: see evidence.h. One function a place; each leaves out what it does not find. */
#include "io/evidence.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "io/ethtool-ioctl.h"
#include "io/uapi.h"
#include "io/xdpsock.h"

#define XSK_MAX 256
#define CPUS_MAX 512
#define UDP_RCVBUF_COLUMN 5 /* InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors */

static void read_driver(int fd, const struct nic_info *nic, struct evidence *e)
{
	struct drvstats stats = { 0 };
	uint64_t most = 0;
	char err[ERR_MAX];

	if (drvstats_read(&stats, fd, nic, err) < 0)
		return;
	for (unsigned i = 0; i < stats.n; i++) {
		int id = evidence_by_counter(stats.name[i]);

		if (id >= 0)
			evidence_put(e, id, evidence_or(e, id, 0) + (double)stats.value[i]);
		if (id == EVIDENCE_RING_FULL && stats.value[i] > most) {
			most = stats.value[i];
			snprintf(e->ring_counter, sizeof(e->ring_counter), "%s", stats.name[i]);
		}
	}
	drvstats_free(&stats);
}

static void read_features(int fd, const struct nic_info *nic, struct evidence *e)
{
	static const struct {
		uint32_t cmd;
		enum evidence_id id;
	} features[] = { { ETHTOOL_GGRO, EVIDENCE_GRO }, { ETHTOOL_GRXCSUM, EVIDENCE_RX_CHECKSUM } };
	char err[ERR_MAX];

	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
		struct ethtool_value v = { .cmd = features[i].cmd };

		if (ethtool_ioctl(fd, nic, &v, err) == 0)
			evidence_put(e, features[i].id, v.data ? 1 : 0);
	}
}

/* sysfs may be mounted from another network namespace, where the name is another device's. */
static void read_sysfs(const struct procroot *root, const struct nic_info *nic, struct evidence *e)
{
	char path[96], text[256];
	uint64_t v;
	bool found = false, any = false;

	snprintf(path, sizeof(path), "sys/class/net/%s/ifindex", nic->name);
	if (procroot_u64(root, path, &v) < 0 || v != (uint64_t)nic->ifindex)
		return;
	snprintf(path, sizeof(path), "sys/class/net/%s/threaded", nic->name);
	if (procroot_u64(root, path, &v) == 0)
		evidence_put(e, EVIDENCE_THREADED, v ? 1 : 0);
	for (unsigned q = 0; q < nic->rx_queues && q < NIC_QUEUES_MAX; q++) {
		snprintf(path, sizeof(path), "sys/class/net/%s/queues/rx-%u/rps_cpus", nic->name, q);
		if (procroot_string(root, path, text, sizeof(text)) < 0)
			continue;
		found = true;
		any |= strpbrk(text, "123456789abcdef") != NULL;
	}
	if (found)
		evidence_put(e, EVIDENCE_RPS, any);
}

/* The second line of two that begin with "Udp:" has the values. Of the whole network namespace. */
static void read_sockets(const struct procroot *root, struct evidence *e)
{
	struct procfile f = PROCFILE_CLOSED;
	unsigned long v[UDP_RCVBUF_COLUMN];
	const char *p;

	if (procfile_open(&f, root, "proc/net/snmp") == 0 && procfile_read(&f) == 0) {
		p = strstr(f.text, "\nUdp: ");
		p = p ? strstr(p + 1, "\nUdp: ") : NULL;
		if (p && sscanf(p, " Udp: %lu %lu %lu %lu %lu", &v[0], &v[1], &v[2], &v[3], &v[4]) == UDP_RCVBUF_COLUMN)
			evidence_put(e, EVIDENCE_SOCKET_FULL, (double)v[UDP_RCVBUF_COLUMN - 1]);
	}
	procfile_close(&f);
}

/* The kernel takes the right to write away where the controller cannot route this interrupt. */
static bool movable(const struct procroot *root, unsigned irq)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "proc/irq/%u/smp_affinity", irq);
	return fstatat(root->fd, path, &st, 0) == 0 && (st.st_mode & S_IWUSR);
}

static int goes_to(const struct procroot *root, unsigned irq)
{
	char path[64], text[512];
	uint16_t cpu;

	snprintf(path, sizeof(path), "proc/irq/%u/effective_affinity_list", irq);
	if (procroot_string(root, path, text, sizeof(text)) < 0)
		return -1;
	return cpulist_parse(text, &cpu, 1) >= 1 ? cpu : -1;
}

/* Returns a CPU that takes interrupts of the device, 0 when that is not known. */
static unsigned read_interrupts(const struct procroot *root, const struct nic_map *map, struct evidence *e)
{
	unsigned lines = 0, cpus = 0, first = 0;
	bool seen[CPUS_MAX] = { false }, may_move = false, shared = false;

	for (unsigned i = 0; map && i < map->n_irqs; i++) {
		const struct nic_irq *irq = &map->irqs[i];
		int cpu;

		if (irq->control)
			continue;
		lines++;
		shared |= irq->shared;
		may_move |= movable(root, irq->irq);
		cpu = goes_to(root, irq->irq);
		if (cpu < 0 || cpu >= CPUS_MAX || seen[cpu])
			continue;
		seen[cpu] = true;
		first = cpus++ ? first : (unsigned)cpu;
	}
	if (!lines)
		return 0;
	evidence_put(e, EVIDENCE_IRQ_LINES, lines);
	evidence_put(e, EVIDENCE_IRQ_MOVABLE, may_move);
	evidence_put(e, EVIDENCE_IRQ_SHARED, shared);
	if (cpus)
		evidence_put(e, EVIDENCE_IRQ_CPUS, cpus);
	return first;
}

/* The deepest state that was entered since the reading before. */
static void read_idle(struct evidence_source *s, const struct procroot *root, unsigned cpu, struct evidence *e)
{
	bool first = !s->seen || s->cpu != cpu, any = false;
	uint64_t entries, latency, deepest = 0;
	char path[96];

	for (unsigned i = 0; i < EVIDENCE_IDLE_STATES; i++) {
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/cpuidle/state%u/usage", cpu, i);
		if (procroot_u64(root, path, &entries) < 0)
			break;
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/cpuidle/state%u/latency", cpu, i);
		any = true;
		if (entries > s->idle_entries[i] && procroot_u64(root, path, &latency) == 0 && latency > deepest)
			deepest = latency;
		s->idle_entries[i] = entries;
	}
	s->seen = true;
	s->cpu = cpu;
	if (any && !first)
		evidence_put(e, EVIDENCE_IDLE_EXIT_USECS, (double)deepest);
}

static void read_clock(const struct procroot *root, unsigned cpu, struct evidence *e)
{
	char path[96];
	uint64_t now, most;

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", cpu);
	if (procroot_u64(root, path, &now) < 0)
		return;
	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/cpufreq/cpuinfo_max_freq", cpu);
	if (procroot_u64(root, path, &most) == 0 && most)
		evidence_put(e, EVIDENCE_CLOCK_RATIO, (double)now / (double)most);
}

static void read_xsk(const struct nic_info *nic, struct evidence *e)
{
	struct xdpsock socks[XSK_MAX];
	int n = xdpsock_list(socks, XSK_MAX);
	double sum = 0;
	bool known = false;

	for (int i = 0; i < n && i < XSK_MAX; i++)
		if (socks[i].ifindex == nic->ifindex && socks[i].have_starved) {
			sum += (double)socks[i].starved;
			known = true;
		}
	if (known)
		evidence_put(e, EVIDENCE_XSK_STARVED, evidence_or(e, EVIDENCE_XSK_STARVED, 0) + sum);
}

void evidence_read(struct evidence_source *s, const struct procroot *root, int fd, const struct nic_info *nic,
		   const struct nic_map *map, struct evidence *ret)
{
	struct evidence e = { 0 };
	unsigned cpu;

	if (fd >= 0) {
		read_driver(fd, nic, &e);
		read_features(fd, nic, &e);
	}
	read_sysfs(root, nic, &e);
	read_sockets(root, &e);
	cpu = read_interrupts(root, map, &e);
	read_idle(s, root, cpu, &e);
	read_clock(root, cpu, &e);
	read_xsk(nic, &e);
	*ret = e;
}
