// SPDX-License-Identifier: GPL-2.0-or-later
/* remedy: the lines of advice for a class, in their order and without those that do not apply. */
#include <string.h>

#include "core/remedy.h"
#include "suite.h"

static struct nic_info nic = { .name = "eth0", .driver = "abc", .has_device = true };
static struct rates rates = { .have = SAMPLE_LINK | SAMPLE_CPU, .cpus = 4, .idle_cpus = 3, .busiest_cpu = 1 };
static struct diagnosis d;
static struct symptoms s = { .nic = &nic, .rates = &rates };

static const char *line(unsigned i)
{
	static char buf[REMEDY_MAX];

	return remedy(&d, &s, i, buf) ? buf : "-";
}

static void start(enum bottleneck class)
{
	memset(&d, 0, sizeof(d));
	d.class = class;
	s.current = NULL;
	s.caps = NULL;
}

START_TEST(commands_to_spread)
{
	static const struct nic_map map = { .n_irqs = 3,
					    .irqs = { { .irq = 40, .control = true }, { .irq = 41 }, { .irq = 42 } } };
	static struct nic_map many;

	start(BOTTLENECK_ONE_CPU);
	ck_assert_str_eq(line(0), "spread packets of several flows (RPS): "
				  "echo d > /sys/class/net/eth0/queues/rx-0/rps_cpus");
	ck_assert_str_eq(line(1), "let the scheduler place the work (threaded NAPI): "
				  "echo 1 > /sys/class/net/eth0/threaded");
	ck_assert_str_eq(line(2), "-");
	evidence_put(&d.evidence, EVIDENCE_IRQ_MOVABLE, 0);
	evidence_put(&d.evidence, EVIDENCE_RPS, 1);
	evidence_put(&d.evidence, EVIDENCE_THREADED, 1);
	ck_assert_str_eq(line(0), "its interrupt cannot be moved, so affinity does not help");
	ck_assert_str_eq(line(1), "-");
	evidence_put(&d.evidence, EVIDENCE_IRQ_MOVABLE, 1);
	s.map = &map;
	ck_assert_str_eq(line(0), "its interrupts, over all CPUs: i=0; for n in 41 42; do "
				  "echo $((i % 4)) > /proc/irq/$n/smp_affinity_list; i=$((i + 1)); done");
	many.n_irqs = NIC_IRQS_MAX;
	for (unsigned i = 0; i < NIC_IRQS_MAX; i++)
		many.irqs[i].irq = 1000 + i;
	s.map = &many;
	ck_assert_str_eq(line(0), "its 512 interrupts over all CPUs, numbers as in ethtune show eth0: "
				  "echo CPU > /proc/irq/NUMBER/smp_affinity_list");
	s.map = NULL;
}
END_TEST

START_TEST(also_speaks_after_the_class)
{
	start(BOTTLENECK_INTERRUPT);
	ck_assert_str_eq(line(0), "-");
	d.answers = true;
	ck_assert_ptr_nonnull(strstr(line(0), "--probe"));
	d.answers = false;
	d.also = 1U << BOTTLENECK_ONE_CPU;
	ck_assert_ptr_nonnull(strstr(line(0), "rps_cpus"));
}
END_TEST

START_TEST(ring_only_where_it_can_grow)
{
	struct knob_caps caps = { .settable = KNOB_BIT(KNOB_RX_RING), .max[KNOB_RX_RING] = 4096 };
	struct knob_set knobs = { 0 };

	start(BOTTLENECK_RING);
	ck_assert_str_eq(line(0), "counted as missed, fifo or over errors: ip -s -s link show dev eth0");
	strcpy(d.evidence.ring_counter, "rx_out_of_buffer");
	ck_assert_str_eq(line(0), "counted as rx_out_of_buffer: ethtool -S eth0");
	ck_assert_str_eq(line(1), "-");
	knob_put(&knobs, KNOB_RX_RING, 512);
	s.current = &knobs;
	s.caps = &caps;
	ck_assert_str_eq(line(1), "a larger ring (it was 512): ethtool -G eth0 rx 1024");
	rates.rx_pps = 350000; /* of 812k that a link of 10 Gb/s carries: gaps are filled that much faster at worst */
	rates.rx_bytes_ps = 350000.0 * 1514;
	nic.speed_mbps = 10000;
	ck_assert_str_eq(line(1), "a larger ring (it was 512): ethtool -G eth0 rx 4096");
	rates.rx_pps = rates.rx_bytes_ps = 0;
	knobs.value[KNOB_RX_RING] = 4096;
	ck_assert_str_eq(line(1), "-");
	knobs.value[KNOB_RX_RING] = 512;
	d.class = BOTTLENECK_FLOW;
	evidence_put(&d.evidence, EVIDENCE_PAUSE_RECEIVED, 100);
	ck_assert_ptr_nonnull(strstr(line(0), "ethtool -a eth0")); /* what the peer asks for, no ring cures */
}
END_TEST

START_TEST(what_a_packet_costs)
{
	start(BOTTLENECK_PACKET);
	d.packet_usecs = 50;
	ck_assert_ptr_nonnull(strstr(line(0), "50 us a packet"));
	d.packet_usecs = 2.5;
	ck_assert_str_eq(line(0), "where the time goes: perf top -C 1");
	evidence_put(&d.evidence, EVIDENCE_GRO, 0);
	ck_assert_str_eq(line(0), "GRO is off: ethtool -K eth0 gro on");
}
END_TEST

START_TEST(names_are_quoted)
{
	start(BOTTLENECK_SHAPED);
	strcpy(nic.name, "a;reboot");
	ck_assert_str_eq(line(0), "which allowance: ethtool -S 'a;reboot' | grep allowance_exceeded");
	strcpy(nic.name, "eth0");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { commands_to_spread, also_speaks_after_the_class, ring_only_where_it_can_grow,
				       what_a_packet_costs, names_are_quoted };

	return SUITE_RUN("remedy", tests);
}
