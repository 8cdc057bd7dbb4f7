// SPDX-License-Identifier: GPL-2.0-or-later
/* textfile: a file that others read at any time: it is always whole, old or new. */
#pragma once
#include <stddef.h>

#include "core/knob.h"

/* Writes PATH.PID beside it, readable by all, and renames. Not synced: what it holds is worth nothing after a crash of
 * the machine, and syncing takes as long as the disk likes. Returns 0, or a negative errno with one line in err. */
int textfile_write(const char *path, const char *text, size_t len, char err[ERR_MAX]);
