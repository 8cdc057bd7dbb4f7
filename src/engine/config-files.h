// SPDX-License-Identifier: GPL-2.0-or-later
/* config-files: finds and reads configuration files as systemd does. Internal to config. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct config_file {
	char *path;
	const char *base; /* in path */
	size_t rank;	  /* of its directory: a lower one masks */
};

/* All DIR/sub/X.conf of the directories, sorted by base name, one of each base name: the one of the earliest directory.
 * Directories that cannot be read are empty. Returns 0 or -ENOMEM. */
int config_files_find(char *const *dirs, size_t n_dirs, const char *sub, struct config_file **ret, size_t *ret_n);
void config_files_free(struct config_file *files, size_t n);

/* The whole file, NUL terminated, to be freed. regular: refuse anything else (a FIFO would block); what is the null
 * device reads as empty all the same. -EBADFD when it is none, -EFBIG beyond 1 MiB, -EBADMSG when
 * it holds NUL (is no text). */
int config_file_read(const char *path, bool regular, char **ret);
