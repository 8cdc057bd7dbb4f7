// SPDX-License-Identifier: GPL-2.0-or-later
/* bus-caller: see bus-access.h. A capability in /proc/PID/status is not yet a right of the caller:
 * - in a user namespace of its own everybody has all of them. Only who sees the user ids as we do is in ours.
 * - a caller may send its call and then execute a program that is setuid or has file capabilities. Such an exec changes
 *   the user or clears the ambient set; so the capability must be ambient, or inheritable, which no exec gives, and the
 *   user still the one that called.
 * - the number may be another process's by now. A pidfd of the caller tells. */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "daemon/bus-access.h"

#define STATUS_MAX 16384		     /* groups and masks of CPUs and nodes may be long */
#define NET_ADMIN (UINT64_C(1) << 12) /* CAP_NET_ADMIN of linux/capability.h */

static bool same_user_namespace(const struct procroot *root, pid_t pid)
{
	char path[32], ours[256], theirs[256];

	snprintf(path, sizeof(path), "proc/%d/uid_map", (int)pid);
	return procroot_string(root, "proc/self/uid_map", ours, sizeof(ours)) > 0 &&
	       procroot_string(root, path, theirs, sizeof(theirs)) > 0 && !strcmp(ours, theirs);
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

bool bus_caller_may(const struct procroot *root, pid_t pid, uid_t uid, int pidfd)
{
	char path[32], status[STATUS_MAX];

	if (uid == 0)
		return true;
	if (pid <= 0)
		return false;
	snprintf(path, sizeof(path), "proc/%d/status", (int)pid);
	return procroot_string(root, path, status, sizeof(status)) > 0 && has_net_admin(status, uid) &&
	       same_user_namespace(root, pid) && !has_ended(pidfd);
}
