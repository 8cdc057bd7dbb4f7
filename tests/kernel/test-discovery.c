// SPDX-License-Identifier: GPL-2.0-or-later
/* nic, linkmon: discovery and notifications with real links, in network namespaces of this process. Needs root, ip. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/ethtool-ioctl.h"
#include "io/genl.h"
#include "io/linkmon.h"
#include "io/nic.h"

#define SKIP 77

static struct nic_finder finder;
static struct genl genl;

__attribute__((format(printf, 1, 2))) static int sh(const char *fmt, ...)
{
	char cmd[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	return system(cmd);
}

/* Each test runs in a process and a namespace of its own. */
static void setup(void)
{
	char err[ERR_MAX];

	ck_assert_int_eq(unshare(CLONE_NEWNET), 0);
	finder = (struct nic_finder){ .genl = &genl, .sys_root = "/sys" };
	ck_assert_int_eq(rtnl_open(&finder.rtnl), 0);
	ck_assert_msg(!genl_open(&genl, err), "%s", err);
	finder.ethtool_fd = ethtool_open(err);
	ck_assert_msg(finder.ethtool_fd >= 0, "%s", err);
}

static void teardown(void)
{
	rtnl_close(finder.rtnl);
	genl_close(&genl);
	close(finder.ethtool_fd);
}

START_TEST(list)
{
	struct nic_info nics[8];

	ck_assert_int_eq(nic_list(&finder, nics, 8), 0); /* only lo */
	ck_assert_int_eq(sh("ip link add va type veth peer name vb numrxqueues 4 && ip link set va up"), 0);
	ck_assert_int_eq(sh("ip link set vb up && ip tuntap add tp mode tap"), 0);
	/* What cannot be tuned, as far as this kernel has it. */
	sh("(ip link add br type bridge; ip link set va master br; ip link add mv link vb type macvlan;"
	   " ip link add du type dummy; ip link add if type ifb; ip link add vl link vb type vlan id 5;"
	   " ip link add gr type gretap local 192.0.2.1 remote 192.0.2.2; ip link add bo type bond) 2>/dev/null");
	ck_assert_int_eq(nic_list(&finder, nics, 8), 3);
	ck_assert_int_lt(nics[0].ifindex, nics[1].ifindex);
	ck_assert_int_lt(nics[1].ifindex, nics[2].ifindex);
	for (int i = 0; i < 3; i++) {
		bool tap = !strcmp(nics[i].name, "tp");

		ck_assert_int_eq((int)if_nametoindex(nics[i].name), nics[i].ifindex);
		ck_assert_str_eq(nics[i].kind, tap ? "tun" : "veth");
		ck_assert_str_eq(nics[i].driver, tap ? "tun" : "veth");
		ck_assert(!nics[i].has_device);
		ck_assert(nics[i].up == !tap && nics[i].carrier == !tap);
		ck_assert_uint_ge(nics[i].rx_queues, 1);
		if (!tap)
			ck_assert_uint_eq(nics[i].speed_mbps, 10000);
	}
	memset(nics, 0, sizeof(nics));
	ck_assert_int_eq(nic_list(&finder, nics, 1), 3); /* more than there is room for */
	ck_assert_int_ne(nics[0].ifindex, 0);
	ck_assert_int_eq(nics[1].ifindex, 0);
}
END_TEST

START_TEST(get)
{
	struct nic_info nic = { .ifindex = 42 };
	char err[ERR_MAX] = "";
	int ifindex;

	ck_assert_int_eq(sh("ip link add va type veth peer name vb"), 0);
	ifindex = (int)if_nametoindex("va");
	ck_assert_int_eq(nic_get(&finder, 0, "none", &nic, err), -ENODEV);
	ck_assert_str_eq(err, "no such device");
	ck_assert_int_eq(nic_get(&finder, 0, "lo", &nic, err), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(err, "loopback"));
	ck_assert_int_eq(nic_get(&finder, ifindex, "vb", &nic, err), -ENODEV);
	ck_assert_ptr_nonnull(strstr(err, "is now va"));
	ck_assert_int_eq(nic.ifindex, 42);
	ck_assert_int_eq(nic_get(&finder, ifindex, "va", &nic, err), 0);
	ck_assert_int_eq(nic_get(&finder, 0, "va", &nic, err), 0);
	ck_assert_int_eq(nic.ifindex, ifindex);
	ck_assert(!nic.up && !nic.carrier && !nic.speed_mbps);
	ck_assert_int_eq(sh("ip link property add dev va altname a-name-that-is-quite-long"), 0);
	ck_assert_int_eq(nic_get(&finder, 0, "a-name-that-is-quite-long", &nic, err), 0);
	ck_assert_str_eq(nic.name, "va");
	ck_assert_int_eq(sh("ip link set va name vx"), 0);
	ck_assert_int_eq(nic_get(&finder, ifindex, "va", &nic, err), -ENODEV);
	ck_assert_int_eq(nic_get(&finder, ifindex, NULL, &nic, err), 0);
	ck_assert_str_eq(nic.name, "vx");
}
END_TEST

START_TEST(qdiscs)
{
	char kinds[RTNL_QDISCS_MAX][16];
	int ifindex, n;
	bool found = false;

	ck_assert_int_eq(sh("ip link add va numtxqueues 2 type veth peer name vb && ip link set va up"), 0);
	if (sh("tc qdisc add dev va root pfifo limit 10 2>/dev/null"))
		return; /* this kernel or machine has no tc to compare with */
	ifindex = (int)if_nametoindex("va");
	n = rtnl_qdiscs(finder.rtnl, ifindex, kinds);
	for (int i = 0; i < n; i++)
		found |= !strcmp(kinds[i], "pfifo");
	ck_assert(found);
	n = rtnl_qdiscs(finder.rtnl, (int)if_nametoindex("vb"), kinds);
	for (int i = 0; i < n; i++)
		ck_assert_str_ne(kinds[i], "pfifo");
}
END_TEST

struct log {
	unsigned n;
	struct linkmon_event e[256];
};

static void note(const struct linkmon_event *e, void *arg)
{
	struct log *log = arg;

	if (log->n < 256)
		log->e[log->n++] = *e;
}

/* The events that are there now; those of a type and name among them. */
static unsigned events(struct linkmon *m, struct log *log)
{
	log->n = 0;
	ck_assert_int_ge(linkmon_read(m, note, log), 0);
	return log->n;
}

static const struct linkmon_event *event(const struct log *log, enum linkmon_type type, const char *name)
{
	for (unsigned i = 0; i < log->n; i++)
		if (log->e[i].type == type && !strcmp(log->e[i].name, name))
			return &log->e[i];
	return NULL;
}

/* A qdisc that comes, is replaced and goes; what hangs below it is none. */
START_TEST(qdisc_notifications)
{
	struct linkmon *m;
	struct log log;

	ck_assert_int_eq(sh("ip link add va numtxqueues 2 type veth peer name vb && ip link set va up"), 0);
	ck_assert_int_eq(linkmon_open(&m), 0);
	if (sh("tc qdisc add dev va root handle 1: htb 2>/dev/null")) {
		linkmon_close(m);
		return; /* no tc, or no such qdisc */
	}
	ck_assert_uint_ge(events(m, &log), 1); /* the one that was replaced is told too */
	ck_assert_int_eq(log.e[log.n - 1].type, LINKMON_QDISC);
	ck_assert_str_eq(log.e[log.n - 1].kind, "htb");
	ck_assert_int_eq(log.e[log.n - 1].ifindex, (int)if_nametoindex("va"));
	ck_assert_int_eq(sh("tc class add dev va parent 1: classid 1:1 htb rate 1mbit"), 0);
	ck_assert_uint_eq(events(m, &log), 0);
	ck_assert_int_eq(sh("tc qdisc del dev va root"), 0);
	ck_assert_uint_ge(events(m, &log), 1);
	ck_assert_int_eq(log.e[0].type, LINKMON_QDISC);
	/* links are told as ever */
	ck_assert_int_eq(sh("ip link set va down"), 0);
	events(m, &log);
	ck_assert_ptr_nonnull(event(&log, LINKMON_CHANGED, "va"));
	linkmon_close(m);
}
END_TEST

START_TEST(notifications)
{
	const struct linkmon_event *e;
	struct linkmon *m;
	struct log log;
	int ifindex;

	ck_assert_int_eq(sh("ip link add va type veth peer name vb"), 0);
	ck_assert_int_eq(linkmon_open(&m), 0);
	ck_assert_uint_eq(events(m, &log), 0);
	ifindex = (int)if_nametoindex("va");
	ck_assert_int_eq(sh("ip link set va up mtu 1400"), 0);
	events(m, &log);
	ck_assert_ptr_null(event(&log, LINKMON_ADDED, "va")); /* it was known */
	e = event(&log, LINKMON_CHANGED, "va");
	ck_assert_ptr_nonnull(e);
	ck_assert_int_eq(e->ifindex, ifindex);
	ck_assert(log.e[log.n - 1].flags & IFF_UP);
	ck_assert_int_eq(sh("ip link set va down && ip link set va name vx"), 0);
	events(m, &log);
	e = event(&log, LINKMON_RENAMED, "vx");
	ck_assert_ptr_nonnull(e);
	ck_assert_str_eq(e->old_name, "va");
	ck_assert_int_eq(e->ifindex, ifindex);
	ck_assert_int_eq(sh("ip tuntap add tp mode tap"), 0);
	events(m, &log);
	ck_assert_ptr_nonnull(event(&log, LINKMON_ADDED, "tp"));
	ck_assert_int_eq(sh("ip link del vx"), 0);
	events(m, &log);
	ck_assert_ptr_nonnull(event(&log, LINKMON_REMOVED, "vx"));
	ck_assert_ptr_nonnull(event(&log, LINKMON_REMOVED, "vb"));
	ck_assert_int_eq(sh("ip link add vx type veth peer name vb"), 0);
	events(m, &log);
	ck_assert_ptr_nonnull(event(&log, LINKMON_ADDED, "vx"));
	linkmon_close(m);
}
END_TEST

START_TEST(flags_and_mtu)
{
	bool up = false, mtu = false;
	struct linkmon *m;
	struct log log;

	ck_assert_int_eq(sh("ip link add va type veth peer name vb"), 0);
	ck_assert_int_eq(linkmon_open(&m), 0);
	ck_assert_int_eq(sh("ip link set va mtu 1400 && ip link set va up"), 0);
	events(m, &log);
	for (unsigned i = 0; i < log.n; i++) {
		up |= log.e[i].flags_changed & log.e[i].flags & IFF_UP;
		mtu |= log.e[i].mtu_changed && log.e[i].mtu == 1400;
	}
	ck_assert(up && mtu);
	linkmon_close(m);
}
END_TEST

/* A port that leaves its bridge makes an RTM_DELLINK, but the device stays. */
START_TEST(bridge_port)
{
	struct linkmon *m;
	struct log log;

	ck_assert_int_eq(sh("ip link add va type veth peer name vb"), 0);
	if (sh("ip link add br type bridge 2>/dev/null"))
		return; /* no bridge in this kernel */
	ck_assert_int_eq(sh("ip link set va master br"), 0);
	ck_assert_int_eq(linkmon_open(&m), 0);
	ck_assert_int_eq(sh("ip link set va nomaster"), 0);
	ck_assert_uint_gt(events(m, &log), 0);
	ck_assert_ptr_null(event(&log, LINKMON_REMOVED, "va"));
	linkmon_close(m);
}
END_TEST

START_TEST(to_another_namespace)
{
	struct linkmon *m;
	struct log log;
	int ready[2];
	char c;
	pid_t pid;

	ck_assert_int_eq(sh("ip link add va type veth peer name vb"), 0);
	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		c = unshare(CLONE_NEWNET) ? 'n' : 'y';
		if (write(ready[1], &c, 1) == 1)
			pause();
		_exit(0);
	}
	ck_assert_int_eq(linkmon_open(&m), 0);
	ck_assert_int_eq((int)read(ready[0], &c, 1), 1);
	ck_assert_int_eq(sh("ip link set vb netns %d", (int)pid), 0);
	events(m, &log);
	ck_assert_ptr_nonnull(event(&log, LINKMON_REMOVED, "vb"));
	ck_assert_ptr_null(event(&log, LINKMON_REMOVED, "va"));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	linkmon_close(m);
}
END_TEST

START_TEST(overrun)
{
	struct pollfd p = { .events = POLLIN };
	struct linkmon *m;
	struct log log;
	int small = 1;

	ck_assert_int_eq(sh("ip link add va type veth peer name vb"), 0);
	ck_assert_int_eq(linkmon_open(&m), 0);
	p.fd = linkmon_fd(m);
	ck_assert_int_eq(setsockopt(p.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	ck_assert_int_eq(sh("for i in 1 2 3 4 5 6 7 8; do ip link set va up; ip link set va down; done"), 0);
	ck_assert_int_eq(sh("ip link del va && ip link add vc type veth peer name vd"), 0);
	events(m, &log);
	ck_assert_ptr_nonnull(event(&log, LINKMON_RESYNC, ""));
	/* From here on it is as if opened anew. */
	ck_assert_int_eq(poll(&p, 1, 0), 0);
	small = 1 << 20;
	ck_assert_int_eq(setsockopt(p.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	ck_assert_int_eq(sh("ip link set vc up"), 0);
	events(m, &log);
	ck_assert_ptr_nonnull(event(&log, LINKMON_CHANGED, "vc"));
	ck_assert_ptr_null(event(&log, LINKMON_ADDED, "vc"));
	linkmon_close(m);
}
END_TEST

/* In a child, so that this process stays where it is. */
static bool can_run(void)
{
	pid_t pid = fork();
	int status = -1;

	if (!pid)
		_exit(unshare(CLONE_NEWNET) || sh("ip link add va type veth peer name vb 2>/dev/null"));
	return waitpid(pid, &status, 0) == pid && status == 0;
}

int main(void)
{
	Suite *s = suite_create("discovery");
	TCase *t = tcase_create("discovery");
	SRunner *sr;
	int failed;

	if (!can_run()) {
		fprintf(stderr, "skipped: needs root, the ip command and veth\n");
		return SKIP;
	}
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 20);
	tcase_add_test(t, list);
	tcase_add_test(t, get);
	tcase_add_test(t, qdiscs);
	tcase_add_test(t, notifications);
	tcase_add_test(t, qdisc_notifications);
	tcase_add_test(t, flags_and_mtu);
	tcase_add_test(t, bridge_port);
	tcase_add_test(t, to_another_namespace);
	tcase_add_test(t, overrun);
	suite_add_tcase(s, t);
	sr = srunner_create(s);
	srunner_set_fork_status(sr, CK_FORK); /* a namespace for each */
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
