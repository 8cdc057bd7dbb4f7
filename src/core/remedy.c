// SPDX-License-Identifier: GPL-2.0-or-later
/* remedy: see remedy.h. One row a line of advice: for which class, under which condition, in which words. */
#include "core/remedy.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/line.h"
#include "core/quote.h"
#include "core/ring.h"

/* A packet costs 0.4 to 3 us, 6 on small cores with a copy in it; beyond this something per packet is wrong. */
#define DEAR_USECS 12
#define MASK_CPUS 32 /* of a plain hexadecimal mask, without its commas */

struct ask {
	const struct diagnosis *d;
	const struct symptoms *s;
	char name[64]; /* quoted */
};

static double known(const struct ask *a, enum evidence_id id, double absent)
{
	return evidence_or(&a->d->evidence, id, absent);
}

/* What the link brings at most while the ring was left alone as long as it takes the mean to fill it; not the largest
 * there is, as a long ring is a long queue. Link's speed unknown: twice the ring. 0: it cannot grow. */
static uint64_t larger_ring(const struct ask *a)
{
	const struct knob_set *k = a->s->current;
	const struct knob_caps *c = a->s->caps;
	const struct rates *r = a->s->rates;
	double mean_bytes = r->rx_pps > 0 ? r->rx_bytes_ps / r->rx_pps : 0, peak;
	uint64_t now, wanted;

	if (!k || !c || !knob_has(k, KNOB_RX_RING) || !(c->settable & KNOB_BIT(KNOB_RX_RING)))
		return 0;
	now = k->value[KNOB_RX_RING];
	peak = fmax(ring_line_pps(a->s->nic->has_device ? a->s->nic->speed_mbps : 0, mean_bytes), r->rx_pps);
	wanted = ring_wanted(peak, 0, ring_gap_usecs(now, r->rx_pps, 0));
	if (wanted < 2 * now)
		wanted = 2 * now;
	if (wanted > c->max[KNOB_RX_RING])
		wanted = c->max[KNOB_RX_RING];
	return wanted > now ? wanted : 0;
}

static bool grow_ring(const struct ask *a, char *buf)
{
	uint64_t to = larger_ring(a);

	if (!to || (a->d->class == BOTTLENECK_FLOW && known(a, EVIDENCE_PAUSE_SENT, 0) <= 0))
		return false;
	snprintf(buf, REMEDY_MAX, "a larger ring (it was %" PRIu64 "): ethtool -G %s rx %" PRIu64,
		 a->s->current->value[KNOB_RX_RING], a->name, to);
	return true;
}

static bool ring_counter(const struct ask *a, char *buf)
{
	const char *name = a->d->evidence.ring_counter;

	snprintf(buf, REMEDY_MAX, "counted as %s: %s %s", name[0] ? name : "missed, fifo or over errors",
		 name[0] ? "ethtool -S" : "ip -s -s link show dev", a->name);
	return true;
}

static bool peers_pause(const struct ask *a, char *buf)
{
	if (known(a, EVIDENCE_PAUSE_RECEIVED, 0) <= 0)
		return false;
	snprintf(buf, REMEDY_MAX, "the peer or the switch is what is slow; what was agreed: ethtool -a %s", a->name);
	return true;
}

static bool find_line(const struct ask *a, char *buf)
{
	snprintf(buf, REMEDY_MAX, "which line it is: watch -d grep -w %s /proc/interrupts; the driver: ethtool -i %s",
		 a->s->nic->bus_info[0] ? a->s->nic->bus_info : a->name, a->name);
	return true;
}

static bool fixed_line(const struct ask *a, char *buf)
{
	if (known(a, EVIDENCE_IRQ_MOVABLE, 1) >= 1)
		return false;
	snprintf(buf, REMEDY_MAX, "its interrupt cannot be moved, so affinity does not help");
	return true;
}

/* One after the other over all CPUs. */
static bool spread_lines(const struct ask *a, char *buf)
{
	const struct nic_map *map = a->s->map;
	struct line l = { buf, REMEDY_MAX, 0 };
	unsigned lines = 0;

	if (known(a, EVIDENCE_IRQ_MOVABLE, 1) < 1 || !map || a->s->rates->cpus < 2)
		return false;
	line_add(&l, "its interrupts, over all CPUs: i=0; for n in");
	for (unsigned i = 0; i < map->n_irqs; i++) {
		if (map->irqs[i].control)
			continue;
		lines++;
		line_add(&l, " %u", map->irqs[i].irq);
	}
	if (lines < 2)
		return false;
	line_add(&l, "; do echo $((i %% %u)) > /proc/irq/$n/smp_affinity_list; i=$((i + 1)); done",
		 a->s->rates->cpus);
	if (l.n >= REMEDY_MAX) /* half a command is none */
		snprintf(buf, REMEDY_MAX,
			 "its %u interrupts over all CPUs, numbers as in ethtune show %s: "
			 "echo CPU > /proc/irq/NUMBER/smp_affinity_list",
			 lines, a->name);
	return true;
}

static bool steer(const struct ask *a, char *buf)
{
	const struct rates *r = a->s->rates;
	uint64_t others;

	if (known(a, EVIDENCE_RPS, 0) >= 1 || r->cpus < 2 || r->cpus > MASK_CPUS || r->busiest_cpu >= MASK_CPUS)
		return false;
	others = ((UINT64_C(1) << r->cpus) - 1) & ~(UINT64_C(1) << r->busiest_cpu);
	snprintf(buf, REMEDY_MAX,
		 "spread packets of several flows (RPS): echo %" PRIx64 " > /sys/class/net/%s/queues/rx-0/rps_cpus",
		 others, a->name);
	return true;
}

static bool threads(const struct ask *a, char *buf)
{
	if (known(a, EVIDENCE_THREADED, 0) >= 1)
		return false;
	snprintf(buf, REMEDY_MAX,
		 "let the scheduler place the work (threaded NAPI): echo 1 > /sys/class/net/%s/threaded", a->name);
	return true;
}

/* Packets take the only CPU from the program that they are for. */
static bool threads_alone(const struct ask *a, char *buf)
{
	if (known(a, EVIDENCE_SOCKET_FULL, 0) < 1 || a->s->rates->cpus != 1 || known(a, EVIDENCE_THREADED, 0) >= 1)
		return false;
	snprintf(buf, REMEDY_MAX,
		 "let programs have their share (threaded NAPI; sends slower): "
		 "echo 1 > /sys/class/net/%s/threaded",
		 a->name);
	return true;
}

static bool may_wait(const struct ask *a, char *buf)
{
	if (!a->d->answers)
		return false;
	snprintf(buf, REMEDY_MAX,
		 "as many small packets go out as come in: whether the load waits for them tells recommend --probe");
	return true;
}

static bool gro_off(const struct ask *a, char *buf)
{
	if (known(a, EVIDENCE_GRO, 1) >= 1)
		return false;
	snprintf(buf, REMEDY_MAX, "GRO is off: ethtool -K %s gro on", a->name);
	return true;
}

static bool checksum_off(const struct ask *a, char *buf)
{
	if (known(a, EVIDENCE_RX_CHECKSUM, 1) >= 1)
		return false;
	snprintf(buf, REMEDY_MAX, "the CPU checks each checksum: ethtool -K %s rx on", a->name);
	return true;
}

static bool dear(const struct ask *a, char *buf)
{
	if (a->d->packet_usecs < DEAR_USECS)
		return false;
	snprintf(buf, REMEDY_MAX,
		 "%.0f us a packet is a lot: buffers larger than the MTU, DMA that is not coherent: "
		 "perf top -C %u",
		 a->d->packet_usecs, a->s->rates->busiest_cpu);
	return true;
}

static bool where_time_goes(const struct ask *a, char *buf)
{
	if (a->d->packet_usecs >= DEAR_USECS)
		return false;
	snprintf(buf, REMEDY_MAX, "where the time goes: perf top -C %u", a->s->rates->busiest_cpu);
	return true;
}

static bool clock_low(const struct ask *a, char *buf)
{
	if (known(a, EVIDENCE_CLOCK_RATIO, 1) > 0.5)
		return false;
	snprintf(buf, REMEDY_MAX, "the clock is at %.0f%%: cpupower frequency-set -g performance",
		 100 * known(a, EVIDENCE_CLOCK_RATIO, 1));
	return true;
}

static bool sleeps(const struct ask *a, char *buf)
{
	double usecs = known(a, EVIDENCE_IDLE_EXIT_USECS, 0);

	if (usecs <= 0)
		return false;
	snprintf(buf, REMEDY_MAX, "waking up takes up to %.0f us; no idle state above 20 us: cpupower idle-set -D 20",
		 usecs);
	return true;
}

static bool more_budget(const struct ask *a, char *buf)
{
	(void)a;
	snprintf(buf, REMEDY_MAX, "sysctl -w net.core.netdev_budget=600 net.core.netdev_budget_usecs=8000");
	return true;
}

static bool allowance(const struct ask *a, char *buf)
{
	snprintf(buf, REMEDY_MAX, "which allowance: ethtool -S %s | grep allowance_exceeded", a->name);
	return true;
}

static bool options(const struct ask *a, char *buf)
{
	char driver[136]; /* each of 31 characters may be a quote */

	if (!a->s->nic->driver[0])
		return false;
	snprintf(buf, REMEDY_MAX, "options of the driver: modinfo -p %s",
		 quote_shell(a->s->nic->driver, driver, sizeof(driver)));
	return true;
}

static const struct {
	enum bottleneck class;
	bool (*say)(const struct ask *a, char *buf); /* false: does not apply */
} rows[] = {
	{ BOTTLENECK_STORM, find_line },
	{ BOTTLENECK_SHAPED, allowance },
	{ BOTTLENECK_FLOW, grow_ring },
	{ BOTTLENECK_FLOW, peers_pause },
	{ BOTTLENECK_RING, ring_counter },
	{ BOTTLENECK_RING, grow_ring },
	{ BOTTLENECK_POWER, clock_low },
	{ BOTTLENECK_POWER, sleeps },
	{ BOTTLENECK_INTERRUPT, may_wait },
	{ BOTTLENECK_INTERRUPT, threads_alone },
	{ BOTTLENECK_PACKET, threads_alone },
	{ BOTTLENECK_ONE_CPU, fixed_line },
	{ BOTTLENECK_ONE_CPU, spread_lines },
	{ BOTTLENECK_ONE_CPU, steer },
	{ BOTTLENECK_ONE_CPU, threads },
	{ BOTTLENECK_PACKET, gro_off },
	{ BOTTLENECK_PACKET, checksum_off },
	{ BOTTLENECK_PACKET, dear },
	{ BOTTLENECK_PACKET, where_time_goes },
	{ BOTTLENECK_BUDGET, more_budget },
	{ BOTTLENECK_HIDDEN, options },
};

bool remedy(const struct diagnosis *d, const struct symptoms *s, unsigned i, char buf[REMEDY_MAX])
{
	struct ask a = { .d = d, .s = s };
	char line[REMEDY_MAX];

	quote_shell(s->nic->name, a.name, sizeof(a.name));
	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		if (rows[row].class != d->class && !(d->also & (1U << rows[row].class)))
			continue;
		if (!rows[row].say(&a, line) || i--)
			continue;
		snprintf(buf, REMEDY_MAX, "%s", line);
		return true;
	}
	return false;
}
