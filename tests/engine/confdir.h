// SPDX-License-Identifier: GPL-2.0-or-later
/* confdir: a root directory below /tmp with configuration files, and the messages that reading them brings. */
#pragma once
#include "engine/config.h"

struct confdir {
	char root[64];
	unsigned n_said;
	char said[8192]; /* "LINE: text\n", "LINE: error: text\n"; with_file: "FILE:LINE: ..." below the root */
	bool with_file;
};

void confdir_open(struct confdir *d);
/* Parents are made. text NULL: a link to /dev/null. */
void confdir_write(const struct confdir *d, const char *path, const char *text);
struct config *confdir_load_one(struct confdir *d, const char *path);
struct config *confdir_load(struct confdir *d); /* with what is below root as the system */
void confdir_close(struct confdir *d);		/* removes it */

config_message_fn confdir_message; /* arg: the confdir */
