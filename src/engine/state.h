// SPDX-License-Identifier: GPL-2.0-or-later
/* state: originals on disk, so that a crash loses nothing. One text file a NIC in the runtime directory, written by
 * rename before the first write to the device, removed after the originals are back. Files of another network namespace
 * are left alone (interface numbers repeat between them). */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "core/nic.h"

struct state_dir {
	int fd;		/* the runtime directory */
	uint64_t netns; /* inode of the own network namespace */
};

/* path: $RUNTIME_DIRECTORY, else /run/ethtuned; made if missing. Returns 0 or negative errno. */
int state_open(struct state_dir *d, const char *path);
void state_close(struct state_dir *d);
const char *state_default_path(void);

/* Takes the lock that a running daemon holds. Returns a file descriptor, -EWOULDBLOCK when another holds it. */
int state_lock(struct state_dir *d);

int state_save(struct state_dir *d, const struct nic_info *nic, const struct nic_settings *s);
/* 0; -ENOENT when nothing is saved for this device (same ifindex and namespace); -EBADMSG when the file is damaged. */
int state_load(struct state_dir *d, int ifindex, char name[NIC_NAME_MAX], struct nic_settings *ret);
int state_remove(struct state_dir *d, int ifindex);
/* Interface numbers that have saved originals here, up to max. Returns their number or negative errno. */
int state_list(struct state_dir *d, int *ret_ifindex, size_t max);

/* The text form; both are pure. Returns the length needed, as snprintf / 0 or -EBADMSG. */
size_t state_format(const struct nic_info *nic, uint64_t netns, const struct nic_settings *s, char *buf, size_t size);
int state_parse(const char *text, int *ret_ifindex, uint64_t *ret_netns, char name[NIC_NAME_MAX],
		struct nic_settings *ret);
