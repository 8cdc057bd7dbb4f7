// SPDX-License-Identifier: GPL-2.0-or-later
/* occupancy, xdpsock, suspend, source-health: messages and files made here, clocks that are handed in. */
#include <errno.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/xdp_diag.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdarg.h>

#include "../core/suite.h"
#include "io/occupancy.h"
#include "io/source-health.h"
#include "io/suspend.h"
#include "io/xdpsock.h"
#include "tree.h"

#define FAKE_FD 4242 /* stands for a driver in memory; this program's ioctl() takes the place of libc's */

static struct {
	int error;
	struct hwtstamp_config config;
	unsigned asked;
} driver;

int ioctl(int fd, unsigned long request, ...)
{
	struct ifreq *ifr;
	va_list ap;

	va_start(ap, request);
	ifr = va_arg(ap, struct ifreq *);
	va_end(ap);
	errno = ENOTTY;
	if (fd != FAKE_FD || request != SIOCGHWTSTAMP)
		return -1;
	driver.asked++;
	errno = strcmp(ifr->ifr_name, "eth0") ? ENODEV : driver.error;
	if (errno)
		return -1;
	memcpy(ifr->ifr_data, &driver.config, sizeof(driver.config));
	return 0;
}

START_TEST(timestamps_by_the_device)
{
	static const struct {
		int error, tx_type, rx_filter;
		bool on;
	} rows[] = {
		{ 0, HWTSTAMP_TX_OFF, HWTSTAMP_FILTER_NONE, false },
		{ 0, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_NONE, true }, /* a PTP server */
		{ 0, HWTSTAMP_TX_OFF, HWTSTAMP_FILTER_ALL, true }, /* a capture */
		{ 0, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_PTP_V2_L2_EVENT, true },
		{ EOPNOTSUPP, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_ALL, false },
		{ ENODEV, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_ALL, false },
	};
	struct nic_info nic = { .ifindex = 7, .name = "eth0", .has_device = true };
	struct occupancy_scan s = { 0 };
	struct occupancy_found found;
	struct procroot none = { -1 };
	struct occupancy_handles h = { NULL, FAKE_FD, &none };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		driver.error = rows[i].error;
		driver.config = (struct hwtstamp_config){ 0, rows[i].tx_type, rows[i].rx_filter };
		occupancy_of(&h, &s, &nic, &found);
		ck_assert_msg(found.found == (rows[i].on ? 1U << OCCUPANCY_TIMESTAMPS : 0), "row %zu", i);
	}
	driver.asked = 0;
	nic.has_device = false; /* a veth has no clock */
	occupancy_of(&h, &s, &nic, &found);
	ck_assert_uint_eq(driver.asked, 0);
}
END_TEST

START_TEST(qdiscs_that_promise_times)
{
	ck_assert_int_eq(occupancy_of_qdisc("taprio"), OCCUPANCY_TAPRIO);
	ck_assert_int_eq(occupancy_of_qdisc("etf"), OCCUPANCY_ETF);
	ck_assert_int_eq(occupancy_of_qdisc("cbs"), OCCUPANCY_CBS);
	ck_assert_int_eq(occupancy_of_qdisc("mqprio"), OCCUPANCY_MQPRIO);
	ck_assert_int_eq(occupancy_of_qdisc("mq"), -1);
	ck_assert_int_eq(occupancy_of_qdisc("fq_codel"), -1);
	ck_assert_int_eq(occupancy_of_qdisc(""), -1);
}
END_TEST

START_TEST(realtime_kernel)
{
	struct tree t;

	tree_open(&t, NULL);
	ck_assert(!occupancy_realtime(&t.root));
	tree_write(&t, "proc/version", "Linux version 6.12.0 (x@y) (gcc) #1 SMP PREEMPT_DYNAMIC Thu\n");
	ck_assert(!occupancy_realtime(&t.root));
	tree_write(&t, "proc/version", "Linux version 6.12.0 (x@y) (gcc) #1 SMP PREEMPT_RT Thu\n");
	ck_assert(occupancy_realtime(&t.root));
	tree_write(&t, "sys/kernel/realtime", "0\n"); /* says it exactly */
	ck_assert(!occupancy_realtime(&t.root));
	tree_write(&t, "sys/kernel/realtime", "1\n");
	tree_remove(&t, "proc/version");
	ck_assert(occupancy_realtime(&t.root));
	tree_close(&t);
}
END_TEST

static struct nl_msg *diag(int type, const struct xdp_diag_info *info, size_t len)
{
	struct xdp_diag_msg m = { .xdiag_family = AF_XDP };
	struct nl_msg *msg = nlmsg_alloc_simple(type, 0);

	ck_assert_int_eq(nlmsg_append(msg, &m, sizeof(m), NLMSG_ALIGNTO), 0);
	if (info)
		ck_assert_int_eq(nla_put(msg, XDP_DIAG_INFO, (int)len, info), 0);
	return msg;
}

START_TEST(socket_messages)
{
	struct xdp_diag_info info = { 7, 3 }, unbound = { 0, 0 };
	struct xdp_diag_stats stats = { .n_rx_full = 5, .n_fill_ring_empty = 40 };
	struct xdpsock s = { .ifindex = -1, .queue = 99 };
	struct nl_msg *msg = diag(SOCK_DIAG_BY_FAMILY, &info, sizeof(info));

	ck_assert(xdpsock_parse(nlmsg_hdr(msg), &s));
	ck_assert_int_eq(s.ifindex, 7);
	ck_assert_uint_eq(s.queue, 3);
	ck_assert(!s.have_starved); /* an older kernel */
	ck_assert_int_eq(nla_put(msg, XDP_DIAG_STATS, sizeof(stats), &stats), 0);
	ck_assert(xdpsock_parse(nlmsg_hdr(msg), &s));
	ck_assert(s.have_starved);
	ck_assert_uint_eq(s.starved, 45);
	nlmsg_free(msg);
	s = (struct xdpsock){ .ifindex = -1, .queue = 99 };
	msg = diag(SOCK_DIAG_BY_FAMILY, &unbound, sizeof(unbound));
	ck_assert(!xdpsock_parse(nlmsg_hdr(msg), &s));
	nlmsg_free(msg);
	msg = diag(SOCK_DIAG_BY_FAMILY, &info, 4); /* cut */
	ck_assert(!xdpsock_parse(nlmsg_hdr(msg), &s));
	nlmsg_free(msg);
	msg = diag(SOCK_DIAG_BY_FAMILY, NULL, 0);
	ck_assert(!xdpsock_parse(nlmsg_hdr(msg), &s));
	nlmsg_free(msg);
	msg = diag(NLMSG_MIN_TYPE + 99, &info, sizeof(info));
	ck_assert(!xdpsock_parse(nlmsg_hdr(msg), &s));
	nlmsg_free(msg);
	ck_assert_int_eq(s.ifindex, -1);
}
END_TEST

START_TEST(socket_count)
{
	struct tree t;

	tree_open(&t, NULL);
	ck_assert_int_eq(xdpsock_count(&t.root), -ENOENT);
	tree_write(&t, "proc/net/protocols",
		   "protocol  size sockets  memory press maxhdr  slab module     cl co\n"
		   "PACKET    1472      4      -1   NI       0   no   kernel      n  n\n");
	ck_assert_int_eq(xdpsock_count(&t.root), -ENOENT);
	tree_write(&t, "proc/net/protocols",
		   "protocol  size sockets  memory press maxhdr  slab module     cl co\n"
		   "PACKET    1472      4      -1   NI       0   no   kernel      n  n\n"
		   "XDP       1088     12      -1   NI       0   no   kernel      n  n\n");
	ck_assert_int_eq(xdpsock_count(&t.root), 12);
	tree_close(&t);
}
END_TEST

START_TEST(a_machine_without_anything)
{
	struct nic_info nic = { .ifindex = 7, .name = "eth0", .has_device = true };
	struct occupancy_scan s = { 0 };
	struct occupancy_found found;
	struct tree t;

	tree_open(&t, NULL);
	ck_assert_int_eq(occupancy_scan(&(struct occupancy_handles){ NULL, -1, &t.root }, 5, &s), 0);
	ck_assert_uint_eq(s.taken, 5);
	occupancy_of(&(struct occupancy_handles){ NULL, -1, &t.root }, &s, &nic, &found);
	ck_assert_int_eq(found.ifindex, 7);
	ck_assert_uint_eq(found.found, 0);
	tree_write(&t, "sys/kernel/realtime", "1\n");
	occupancy_scan(&(struct occupancy_handles){ NULL, -1, &t.root }, 6, &s);
	occupancy_of(&(struct occupancy_handles){ NULL, -1, &t.root }, &s, &nic, &found);
	ck_assert_uint_eq(found.found, 1U << OCCUPANCY_REALTIME);
	occupancy_scan_free(&s);
	tree_close(&t);
}
END_TEST

START_TEST(sleep_is_the_gap_between_the_clocks)
{
	struct suspend s = { 0 };

	ck_assert_uint_eq(suspend_feed(&s, 500 * NSEC_PER_SEC, 100 * NSEC_PER_SEC), 0); /* slept before we began */
	ck_assert_uint_eq(suspend_feed(&s, 501 * NSEC_PER_SEC, 101 * NSEC_PER_SEC), 0);
	ck_assert_uint_eq(suspend_feed(&s, 502 * NSEC_PER_SEC + 40000, 102 * NSEC_PER_SEC), 0); /* a preemption */
	ck_assert_uint_eq(suspend_feed(&s, 563 * NSEC_PER_SEC, 103 * NSEC_PER_SEC), 60 * NSEC_PER_SEC);
	ck_assert_uint_eq(suspend_feed(&s, 564 * NSEC_PER_SEC, 104 * NSEC_PER_SEC), 0); /* told once */
	ck_assert_uint_eq(suspend_feed(&s, 564 * NSEC_PER_SEC, 106 * NSEC_PER_SEC), 0); /* never negative */
	/* short ones add up */
	s = (struct suspend){ 0 };
	suspend_feed(&s, 0, 0);
	ck_assert_uint_eq(suspend_feed(&s, 1600 * NSEC_PER_MSEC, 1000 * NSEC_PER_MSEC), 0);
	ck_assert_uint_eq(suspend_feed(&s, 3200 * NSEC_PER_MSEC, 2000 * NSEC_PER_MSEC), 1200 * NSEC_PER_MSEC);
	s = (struct suspend){ 0 };
	ck_assert_uint_eq(suspend_look(&s), 0);
	ck_assert_uint_eq(suspend_look(&s), 0);
}
END_TEST

START_TEST(stalls_of_transmit_queues)
{
	struct nic_info nic = { .ifindex = 7, .name = "eth0", .tx_queues = 3 };
	struct health_source h = { 0 };
	struct sample s = { 0 };
	struct tree t;

	tree_open(&t, NULL);
	source_health_read(&h, NULL, &t.root, &nic, NSEC_PER_SEC, &s);
	ck_assert_uint_eq(s.have, 0); /* absent, not zero */
	tree_write(&t, "sys/class/net/eth0/ifindex", "7\n");
	tree_write(&t, "sys/class/net/eth0/queues/tx-0/tx_timeout", "2\n");
	tree_write(&t, "sys/class/net/eth0/queues/tx-2/tx_timeout", "5\n");
	source_health_read(&h, NULL, &t.root, &nic, 2 * NSEC_PER_SEC, &s);
	ck_assert_uint_eq(s.have, SAMPLE_TX_TIMEOUTS);
	ck_assert_uint_eq(s.tx_timeouts, 7);
	/* looked at once a second, there in every sample */
	tree_write(&t, "sys/class/net/eth0/queues/tx-2/tx_timeout", "6\n");
	s = (struct sample){ 0 };
	source_health_read(&h, NULL, &t.root, &nic, 2 * NSEC_PER_SEC + 500 * NSEC_PER_MSEC, &s);
	ck_assert_uint_eq(s.tx_timeouts, 7);
	source_health_read(&h, NULL, &t.root, &nic, 3 * NSEC_PER_SEC, &s);
	ck_assert_uint_eq(s.tx_timeouts, 8);
	/* another namespace's sysfs: the name is somebody else's */
	tree_write(&t, "sys/class/net/eth0/ifindex", "8\n");
	s = (struct sample){ 0 };
	source_health_read(&h, NULL, &t.root, &nic, 5 * NSEC_PER_SEC, &s);
	ck_assert_uint_eq(s.have, 0);
	tree_close(&t);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		timestamps_by_the_device,
		qdiscs_that_promise_times,
		realtime_kernel,
		socket_messages,
		socket_count,
		a_machine_without_anything,
		sleep_is_the_gap_between_the_clocks,
		stalls_of_transmit_queues,
	};

	return SUITE_RUN("occupancy", tests);
}
