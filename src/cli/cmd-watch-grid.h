// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd-watch-grid: the table of `watch` as lines of text that fit a terminal. Prints nothing. */
#pragma once
#include <json-c/json.h>
#include <stddef.h>

#define GRID_LINE 512

struct grid {
	size_t n;
	char (*line)[GRID_LINE]; /* line[0] is the head */
};

/* width 0: as wide as it gets. Columns that do not fit are left out, the least important first; lines are cut. One
 * interface alone is followed by its diagnosis and its decision. Returns 0 or -ENOMEM. */
int grid_make(struct grid *g, json_object *nics, unsigned width);
void grid_free(struct grid *g);
