// SPDX-License-Identifier: GPL-2.0-or-later
/* tree: unpacks a machine's /proc and /sys, described in one text file of tests/fixtures/machines, below /tmp. Its
 * lines: # comment dir PATH link PATH TARGET file PATH TEXT      one line; or without TEXT, and lines that begin with
 * '|' follow Parents are made as needed. Every failure fails the test. */
#pragma once
#include "io/procfile.h"

struct tree {
	char path[64];
	struct procroot root;
};

void tree_open(struct tree *t, const char *name);			   /* NULL: an empty tree */
void tree_write(const struct tree *t, const char *path, const char *text); /* makes or replaces a file */
void tree_remove(const struct tree *t, const char *path);
void tree_close(struct tree *t); /* removes it */
