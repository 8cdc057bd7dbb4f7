// SPDX-License-Identifier: GPL-2.0-or-later
/* sysfs-watch: writes to the deferral files of devices, which netlink tells nobody of. Anybody's: our own too. Values
 * that napi-set gives to single instances do not pass here. */
#pragma once
#include <stddef.h>

#include "core/nic.h"

struct sysfs_watch {
	int fd;
	size_t n, size;
	struct sysfs_watched *v; /* owned */
};
typedef void (*sysfs_watch_fn)(int ifindex, void *arg);

int sysfs_watch_open(struct sysfs_watch *ret);
void sysfs_watch_close(struct sysfs_watch *w); /* also of a zeroed one */
/* From now on, under whatever name it takes. sysfs: where it is mounted, "/sys"; may be another network namespace's:
 * -ENODEV. A device without such files is -ENOENT; one that is watched already, 0. */
int sysfs_watch_add(struct sysfs_watch *w, const char *sysfs, const struct nic_info *nic);
void sysfs_watch_drop(struct sysfs_watch *w, int ifindex);
/* Calls fn for every device written to since the last call, once for many writes in a row; never blocks. fn must not
 * add or drop. Number of calls, or negative errno. */
int sysfs_watch_read(struct sysfs_watch *w, sysfs_watch_fn fn, void *arg);
