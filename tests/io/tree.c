// SPDX-License-Identifier: GPL-2.0-or-later
/* tree: see tree.h. One file for a machine, because links and empty directories do not survive every archive. */
#include "tree.h"

#include <check.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void tree_parents(const char *full)
{
	char buf[PATH_MAX];

	snprintf(buf, sizeof(buf), "%s", full);
	for (char *p = strchr(buf + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(buf, 0755);
		*p = '/';
	}
}

static FILE *tree_create(const struct tree *t, const char *path, const char *mode)
{
	char full[PATH_MAX];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", t->path, path);
	tree_parents(full);
	f = fopen(full, mode);
	ck_assert_msg(f != NULL, "%s", full);
	return f;
}

void tree_write(const struct tree *t, const char *path, const char *text)
{
	FILE *f = tree_create(t, path, "w");

	ck_assert(fputs(text, f) >= 0);
	ck_assert_int_eq(fclose(f), 0);
}

void tree_remove(const struct tree *t, const char *path)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s/%s", t->path, path);
	ck_assert_int_eq(unlink(full), 0);
}

static void tree_line(const struct tree *t, char *line, char open_path[PATH_MAX])
{
	char word[8], path[512], rest[512] = "", full[PATH_MAX];

	line[strcspn(line, "\n")] = '\0';
	if (line[0] == '|') {
		FILE *f = tree_create(t, open_path, "a");

		fprintf(f, "%s\n", line + 1);
		fclose(f);
		return;
	}
	if (line[0] == '#' || line[0] == '\0')
		return;
	ck_assert_msg(sscanf(line, "%7s %511s %511[^\n]", word, path, rest) >= 2, "%s", line);
	snprintf(full, sizeof(full), "%s/%s", t->path, path);
	tree_parents(full);
	if (strcmp(word, "dir") == 0) {
		ck_assert_int_eq(mkdir(full, 0755), 0);
	} else if (strcmp(word, "link") == 0) {
		ck_assert_int_eq(symlink(rest, full), 0);
	} else if (strcmp(word, "file") == 0) {
		FILE *f = tree_create(t, path, "w");

		if (rest[0])
			fprintf(f, "%s\n", rest);
		fclose(f);
		snprintf(open_path, PATH_MAX, "%s", path);
	} else {
		ck_abort_msg("not understood: %s", line);
	}
}

void tree_open(struct tree *t, const char *name)
{
	const char *srcdir = getenv("srcdir");
	char line[8192], open_path[PATH_MAX] = "";

	strcpy(t->path, "/tmp/ethtuned-tree-XXXXXX");
	ck_assert(mkdtemp(t->path) != NULL);
	if (name) {
		FILE *f;

		snprintf(line, sizeof(line), "%s/tests/fixtures/machines/%s", srcdir ? srcdir : ".", name);
		f = fopen(line, "r");
		ck_assert_msg(f != NULL, "%s", line);
		while (fgets(line, sizeof(line), f))
			tree_line(t, line, open_path);
		fclose(f);
	}
	ck_assert_int_eq(procroot_open(&t->root, t->path), 0);
}

static int tree_unlink(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

void tree_close(struct tree *t)
{
	procroot_close(&t->root);
	ck_assert_int_eq(nftw(t->path, tree_unlink, 8, FTW_DEPTH | FTW_PHYS), 0);
}
