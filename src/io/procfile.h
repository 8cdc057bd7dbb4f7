// SPDX-License-Identifier: GPL-2.0-or-later
/* procfile: small text files of /proc and /sys below a root that can be exchanged ("/", or a directory tree in tests),
 * and 32-bit counters widened. All functions return 0 (or what is said) or a negative errno as open, read and readlink
 * have it (-ENOENT, -ENODEV: gone); paths are relative to the root, a leading '/' is ignored; outputs are untouched on
 * failure. Nothing is logged. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/units.h"

struct procroot {
	int fd; /* O_PATH directory; owned */
};

int procroot_open(struct procroot *r, const char *path);
void procroot_close(struct procroot *r); /* also of one that failed to open or is {-1} */

/* A file kept open and read again and again from its start. text is valid until the next read or close. */
struct procfile {
	int fd;	    /* -1 = closed */
	char *text; /* NUL terminated after a successful read; owned */
	size_t len, size;
};
#define PROCFILE_CLOSED ((struct procfile){ .fd = -1 })

int procfile_open(struct procfile *f, const struct procroot *r, const char *path);
int procfile_read(struct procfile *f); /* the whole file, however long its lines; -EFBIG beyond 64 MiB */
void procfile_close(struct procfile *f);

/* Once. The text without its last newline; -ENAMETOOLONG when it does not fit. Returns its length. */
int procroot_string(const struct procroot *r, const char *path, char *buf, size_t size);
int procroot_u64(const struct procroot *r, const char *path, uint64_t *ret); /* decimal or 0x; -EINVAL */
/* Last component of what a symbolic link points to. Returns its length. */
int procroot_link_name(const struct procroot *r, const char *path, char *buf, size_t size);
bool procroot_exists(const struct procroot *r, const char *path);
/* Are both paths, links followed, one and the same file? false when either is missing. */
bool procroot_same(const struct procroot *r, const char *a, const char *b);

/* Calls fn for each name in a directory except . and .., in no order; a value other than 0 ends it and is returned. */
typedef int procroot_name_fn(const char *name, void *arg);
int procroot_list(const struct procroot *r, const char *path, procroot_name_fn *fn, void *arg);

/* "0-3,8" -> 0 1 2 3 8. Returns how many CPU numbers (at most max are kept), -EINVAL. */
int cpulist_parse(const char *text, uint16_t *ret, size_t max);

/* A 32-bit counter of the kernel followed in 64 bits. Zero-initialised; total only grows. */
struct counter32 {
	uint64_t total;
	uint32_t last;
	bool seen;
};
/* Takes a new reading. The first one counts as it is, or as nothing when `late` (its owner has been counting without
 * it). A step that is larger than max_step is no wrap but a new start: counts as nothing and sets *reset. */
void counter32_feed(struct counter32 *c, uint32_t raw, bool late, uint64_t max_step, bool *reset);
/* Largest step to believe after dt at up to per_second, with some slack for a first or short interval. */
uint64_t counter32_max_step(nsec_t dt, uint64_t per_second);
