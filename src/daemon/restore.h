// SPDX-License-Identifier: GPL-2.0-or-later
/* restore: `ethtuned --restore`: puts back what a daemon that died left behind. */
#pragma once
#include "engine/state.h"
#include "io/backend.h"

struct nic_finder;
struct log;

/* All that is saved. Returns the exit code: 0 all are back (or there were none), 1 something is not. */
int restore_all(struct backend *b, const struct nic_finder *f, struct state_dir *d, const struct log *log);
