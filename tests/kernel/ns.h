// SPDX-License-Identifier: GPL-2.0-or-later
/* ns: what tests that need a real kernel share: a network namespace of their own with its own sysfs, the tools ip and
 * ethtool, and children without privileges. */
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/nic.h"

#define NS_SKIP 77
#define NS_NOBODY 65534

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
	if (unshare(CLONE_NEWNET | CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("sysfs", "/sys", "sysfs", 0, NULL) < 0)
		ns_skip(strerror(errno));
}

/* Runs a command line; its exit status. */
static inline int ns_run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static inline int ns_run(const char *fmt, ...)
{
	char cmd[512];
	va_list ap;
	int status;

	va_start(ap, fmt);
	vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	status = system(cmd);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline struct nic_info ns_nic(const char *name, bool up)
{
	struct nic_info nic = { .ifindex = (int)if_nametoindex(name), .up = up, .rx_queues = 1, .tx_queues = 1 };

	snprintf(nic.name, sizeof(nic.name), "%s", name);
	return nic;
}

/* What fn returns (a negative errno or a small number) in a child without any capability. */
static inline int ns_unprivileged(int (*fn)(void *arg), void *arg)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (setgid(NS_NOBODY) < 0 || setuid(NS_NOBODY) < 0)
			_exit(255);
		_exit(-fn(arg) & 255);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
		return -EIO;
	return -WEXITSTATUS(status);
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
