// SPDX-License-Identifier: GPL-2.0-or-later
/* bus-caller: see bus-access.h. A capability in /proc/PID/status is not yet a right of the caller:
 * - in a user namespace of its own everybody has all of them. Only who sees the user ids as we do is in ours.
 * - a caller may send its call and then execute a program that is setuid or has file capabilities. Such an exec changes
 *   the user or clears the ambient set; so the capability must be ambient, or inheritable, which no exec gives, and the
 *   user still the one that called.
 * - the number may be another process's by now. A pidfd of the caller tells. */
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/bus-access.h"

#define NET_ADMIN (UINT64_C(1) << 12) /* CAP_NET_ADMIN of linux/capability.h */

static bool read_small(const char *root, const char *who, const char *what, char *buf, size_t size)
{
	char path[128];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/proc/%s/%s", root, who, what);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, buf, size - 1);
	close(fd);
	buf[n < 0 ? 0 : n] = 0;
	return n > 0;
}

static bool same_user_namespace(const char *root, const char *pid)
{
	char ours[256], theirs[256];

	return read_small(root, "self", "uid_map", ours, sizeof(ours)) &&
	       read_small(root, pid, "uid_map", theirs, sizeof(theirs)) && !strcmp(ours, theirs);
}

static uint64_t set_of(const char *status, const char *key)
{
	const char *line = strstr(status, key);
	uint64_t bits = 0;

	return line && sscanf(line + strlen(key), "%" SCNx64, &bits) == 1 ? bits : 0;
}

static bool has_net_admin(const char *status, uid_t uid)
{
	const char *line = strstr(status, "\nUid:");
	unsigned real, effective;

	if (!line || sscanf(line, "\nUid: %u %u", &real, &effective) != 2 || real != uid || effective != uid)
		return false;
	return set_of(status, "\nCapEff:") & NET_ADMIN &&
	       (set_of(status, "\nCapAmb:") | set_of(status, "\nCapInh:")) & NET_ADMIN;
}

/* A pidfd is readable once its process has ended. */
static bool has_ended(int pidfd)
{
	struct pollfd p = { pidfd, POLLIN, 0 };

	return pidfd >= 0 && poll(&p, 1, 0) != 0;
}

bool bus_caller_may(const char *root, pid_t pid, uid_t uid, int pidfd)
{
	char who[16], status[4096];

	if (uid == 0)
		return true;
	if (pid <= 0)
		return false;
	snprintf(who, sizeof(who), "%d", (int)pid);
	return read_small(root, who, "status", status, sizeof(status)) && has_net_admin(status, uid) &&
	       same_user_namespace(root, who) && !has_ended(pidfd);
}
