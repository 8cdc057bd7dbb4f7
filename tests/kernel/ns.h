// SPDX-License-Identifier: GPL-2.0-or-later
/* ns: what tests that need a real kernel share: a network namespace of their own with its own sysfs, the tools ip and
 * ethtool, and children without privileges. */
#pragma once
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "child.h"
#include "core/nic.h"
#include "io/netdev-genl.h"

#define NS_SKIP 77

static inline void ns_skip(const char *why)
{
	fprintf(stderr, "skipped: %s\n", why);
	exit(NS_SKIP);
}

/* Moves this process into new namespaces with a sysfs that fits, or ends the test as skipped. */
static inline void ns_enter(void)
{
	if (geteuid() != 0)
		ns_skip("needs root");
	if (unshare(CLONE_NEWNET | CLONE_NEWNS) < 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("sysfs", "/sys", "sysfs", 0, NULL) < 0)
		ns_skip(strerror(errno));
}

static inline struct nic_info ns_nic(const char *name, bool up)
{
	struct nic_info nic = { .ifindex = (int)if_nametoindex(name), .up = up, .rx_queues = 1, .tx_queues = 1 };

	snprintf(nic.name, sizeof(nic.name), "%s", name);
	return nic;
}

/* Ends the test as skipped unless pairs of veth can be made. */
static inline void ns_need_veth(void)
{
	if (ns_run("command -v ip >/dev/null && command -v ethtool >/dev/null"))
		ns_skip("no ip or no ethtool");
	if (ns_run("ip link add va0 type veth peer name vb0 && ip link del va0"))
		ns_skip("no veth in this kernel");
}

/* ... and unless settings of single NAPI instances can be written. */
static inline void ns_need_napi_set(void)
{
	char err[ERR_MAX];
	struct genl g;
	bool can;

	if (genl_open(&g, err) < 0)
		ns_skip(err);
	can = netdev_can_set_napi(&g);
	genl_close(&g);
	if (!can)
		ns_skip("this kernel has no napi-set");
}

static inline int ns_suite(Suite *s)
{
	SRunner *r = srunner_create(s);
	int failed;

	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static inline unsigned long long ns_sysfs(const char *nic, const char *file)
{
	char path[128], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/sys/class/net/%s/%s", nic, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	if (fd >= 0)
		close(fd);
	return strtoull(text, NULL, 0);
}
