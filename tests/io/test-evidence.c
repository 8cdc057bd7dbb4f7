// SPDX-License-Identifier: GPL-2.0-or-later
/* evidence: what is read from files of a machine made here; what is missing is absent. The ioctls: on lo. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../core/suite.h"
#include "io/ethtool-ioctl.h"
#include "io/evidence.h"
#include "tree.h"

static const struct nic_info nic = { .ifindex = 7, .name = "eth0", .rx_queues = 2 };
static const struct nic_map map = { .n_irqs = 3,
				    .irqs = { { .irq = 40, .control = true }, { .irq = 41 }, { .irq = 42 } } };
static struct evidence_source source;
static struct evidence e;
static struct tree t;

static void look(const struct nic_map *m)
{
	evidence_read(&source, &t.root, -1, &nic, m, &e);
}

static double value(enum evidence_id id)
{
	return evidence_or(&e, id, -1);
}

static void start(void)
{
	memset(&source, 0, sizeof(source));
	tree_open(&t, NULL);
}

START_TEST(nothing_there)
{
	start();
	look(NULL);
	look(NULL);
	ck_assert_uint_eq(e.have, 0);
	tree_close(&t);
}
END_TEST

START_TEST(threads_and_steering)
{
	start();
	tree_write(&t, "sys/class/net/eth0/threaded", "1\n");
	tree_write(&t, "sys/class/net/eth0/queues/rx-0/rps_cpus", "00000000,00000000\n");
	look(NULL);
	ck_assert(value(EVIDENCE_THREADED) < 0); /* whose eth0 this is, is not known */
	tree_write(&t, "sys/class/net/eth0/ifindex", "7\n");
	look(NULL);
	ck_assert_double_eq(value(EVIDENCE_THREADED), 1);
	ck_assert_double_eq(value(EVIDENCE_RPS), 0);
	tree_write(&t, "sys/class/net/eth0/queues/rx-1/rps_cpus", "00000000,0000000e\n");
	look(NULL);
	ck_assert_double_eq(value(EVIDENCE_RPS), 1);
	tree_close(&t);
}
END_TEST

START_TEST(interrupts)
{
	char path[128];

	start();
	tree_write(&t, "proc/irq/40/effective_affinity_list", "0\n");
	tree_write(&t, "proc/irq/41/effective_affinity_list", "2\n");
	tree_write(&t, "proc/irq/41/smp_affinity", "4\n");
	tree_write(&t, "proc/irq/42/effective_affinity_list", "2\n");
	look(&map);
	ck_assert_double_eq(value(EVIDENCE_IRQ_LINES), 2);
	ck_assert_double_eq(value(EVIDENCE_IRQ_CPUS), 1);
	ck_assert_double_eq(value(EVIDENCE_IRQ_MOVABLE), 1);
	ck_assert_double_eq(value(EVIDENCE_IRQ_SHARED), 0);
	snprintf(path, sizeof(path), "%s/proc/irq/41/smp_affinity", t.path);
	ck_assert_int_eq(chmod(path, 0444), 0);
	look(&map);
	ck_assert_double_eq(value(EVIDENCE_IRQ_MOVABLE), 0);
	tree_close(&t);
}
END_TEST

START_TEST(idle_states_that_were_entered)
{
	start();
	tree_write(&t, "proc/irq/41/effective_affinity_list", "2\n");
	tree_write(&t, "sys/devices/system/cpu/cpu2/cpuidle/state0/usage", "10\n");
	tree_write(&t, "sys/devices/system/cpu/cpu2/cpuidle/state0/latency", "2\n");
	tree_write(&t, "sys/devices/system/cpu/cpu2/cpuidle/state1/usage", "1000\n");
	tree_write(&t, "sys/devices/system/cpu/cpu2/cpuidle/state1/latency", "133\n");
	look(&map);
	ck_assert(value(EVIDENCE_IDLE_EXIT_USECS) < 0);
	tree_write(&t, "sys/devices/system/cpu/cpu2/cpuidle/state0/usage", "11\n");
	look(&map);
	ck_assert_double_eq(value(EVIDENCE_IDLE_EXIT_USECS), 2); /* the deep one was not */
	tree_write(&t, "sys/devices/system/cpu/cpu2/cpuidle/state1/usage", "1001\n");
	look(&map);
	ck_assert_double_eq(value(EVIDENCE_IDLE_EXIT_USECS), 133);
	tree_write(&t, "sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq", "600000\n");
	tree_write(&t, "sys/devices/system/cpu/cpu2/cpufreq/cpuinfo_max_freq", "2400000\n");
	look(&map);
	ck_assert_double_eq(value(EVIDENCE_CLOCK_RATIO), 0.25);
	tree_close(&t);
}
END_TEST

START_TEST(sockets)
{
	start();
	tree_write(&t, "proc/net/snmp",
		   "Ip: Forwarding DefaultTTL\nIp: 1 64\n"
		   "Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors\n"
		   "Udp: 100 2 3 40 57 6\nUdpLite: InDatagrams\nUdpLite: 0\n");
	look(NULL);
	ck_assert_double_eq(value(EVIDENCE_SOCKET_FULL), 57);
	tree_close(&t);
}
END_TEST

START_TEST(features_of_lo)
{
	const struct nic_info lo = { .ifindex = 1, .name = "lo" };
	char err[ERR_MAX];
	int fd = ethtool_open(err);

	if (fd == -EPROTONOSUPPORT) {
		fprintf(stderr, "not tried: %s\n", err);
		return;
	}
	start();
	evidence_read(&source, &t.root, fd, &lo, NULL, &e);
	ck_assert(value(EVIDENCE_GRO) == 0 || value(EVIDENCE_GRO) == 1);
	close(fd);
	tree_close(&t);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { nothing_there, threads_and_steering, interrupts, idle_states_that_were_entered,
				       sockets,	      features_of_lo };

	return SUITE_RUN("evidence", tests);
}
