// SPDX-License-Identifier: GPL-2.0-or-later
/* confdir: see confdir.h. */
#include "confdir.h"

#include <check.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void confdir_open(struct confdir *d)
{
	*d = (struct confdir){ .root = "/tmp/test-config-XXXXXX" };
	ck_assert_ptr_nonnull(mkdtemp(d->root));
}

void confdir_write(const struct confdir *d, const char *path, const char *text)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", d->root, path);
	for (char *p = full + strlen(d->root) + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(full, 0755);
		*p = '/';
	}
	unlink(full);
	if (!text) {
		ck_assert_int_eq(symlink("/dev/null", full), 0);
		return;
	}
	f = fopen(full, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

void confdir_message(void *arg, enum config_level level, const char *file, unsigned line, const char *text)
{
	struct confdir *d = arg;
	size_t n = strlen(d->said);

	if (!strncmp(file, d->root, strlen(d->root)))
		file += strlen(d->root) + 1;
	d->n_said++;
	snprintf(d->said + n, sizeof(d->said) - n, "%s%s%u: %s%s\n", d->with_file ? file : "", d->with_file ? ":" : "",
		 line, level == CONFIG_ERROR ? "error: " : "", text);
}

struct config *confdir_load_one(struct confdir *d, const char *path)
{
	struct config *c = NULL;
	char full[512];

	snprintf(full, sizeof(full), "%s/%s", d->root, path);
	ck_assert_int_eq(config_load_one(full, &c, confdir_message, d), 0);
	return c;
}

struct config *confdir_load(struct confdir *d)
{
	struct config *c = NULL;

	ck_assert_int_eq(config_load(d->root, NULL, &c, confdir_message, d), 0);
	return c;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void confdir_close(struct confdir *d)
{
	nftw(d->root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
