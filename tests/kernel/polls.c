// SPDX-License-Identifier: GPL-2.0-or-later
/* polls: see polls.h. */
#include "polls.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdarg.h>
#include <sys/socket.h>

int sh(const char *fmt, ...)
{
	char cmd[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	return system(cmd);
}

void polls_setup(struct polls_rig *r)
{
	snprintf(r->va, sizeof(r->va), "pa%d", (int)getpid());
	snprintf(r->vb, sizeof(r->vb), "pb%d", (int)getpid());
	snprintf(r->dir, sizeof(r->dir), "/tmp/test-perf-%d", (int)getpid());
	ck_assert_int_eq(unshare(CLONE_NEWNET | CLONE_NEWNS), 0);
	/* Our own view of sysfs, for the deferral files, and no IPv6 chatter in what is counted. */
	ck_assert_int_eq(sh("mount --make-rprivate / && mount -t sysfs none /sys"), 0);
	ck_assert_int_eq(sh("ip link add %s type veth peer name %s", r->va, r->vb), 0);
	sh("sysctl -qw net.ipv6.conf.%s.disable_ipv6=1 net.ipv6.conf.%s.disable_ipv6=1 2>/dev/null", r->va, r->vb);
	ck_assert_int_eq(sh("ethtool -K %s gro on >/dev/null && ethtool -K %s tso off tx-tcp-ecn-segmentation off "
			    "tx-tcp6-segmentation off tx-tcp-mangleid-segmentation off >/dev/null",
			    r->vb, r->va), 0);
	ck_assert_int_eq(sh("ip link set %s up && ip link set %s up", r->va, r->vb), 0);
	usleep(BEHIND_US);
	ck_assert_int_eq(procroot_open(&r->root, "/"), 0);
}

void polls_deferral(const struct polls_rig *r, unsigned defer, unsigned timeout_ns)
{
	ck_assert_int_eq(sh("cd /sys/class/net/%s && echo %u >napi_defer_hard_irqs && echo %u >gro_flush_timeout",
			    r->vb, defer, timeout_ns), 0);
}

void on_cpu(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(set), &set), 0);
}

void realtime(bool on)
{
	const struct sched_param p = { .sched_priority = on ? 1 : 0 };

	ck_assert_int_eq(sched_setscheduler(0, on ? SCHED_FIFO : SCHED_OTHER, &p), 0);
}

int polls_socket(void)
{
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	return fd;
}

void polls_send(const struct polls_rig *r, int fd, unsigned n)
{
	const struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(r->va),
					.sll_halen = 6 };
	unsigned char frame[60] = { 255, 255, 255, 255, 255, 255, 2, 0, 0, 0, 0, 1, 0x88, 0xb5 };

	for (unsigned i = 0; i < n; i++) /* ENOBUFS: the ring is full, a starved NAPI thread for one */
		if (sendto(fd, frame, sizeof(frame), 0, (const struct sockaddr *)&to, sizeof(to)) < 0)
			ck_assert_int_eq(errno, ENOBUFS);
}

void send_frames(const struct polls_rig *r, unsigned n)
{
	int fd = polls_socket();

	polls_send(r, fd, n);
	close(fd);
	usleep(BEHIND_US);
}

bool polls_can_run(void)
{
	pid_t pid = fork();
	int status = -1;

	if (!pid)
		_exit(unshare(CLONE_NEWNET | CLONE_NEWNS) ||
		      sh("ip link add va type veth peer name vb 2>/dev/null && ethtool -i va >/dev/null 2>&1"));
	return waitpid(pid, &status, 0) == pid && status == 0;
}

int polls_suite(const char *name, TCase *t)
{
	Suite *s = suite_create(name);
	SRunner *r;
	int failed;

	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_set_fork_status(r, CK_FORK);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
