// SPDX-License-Identifier: GPL-2.0-or-later
/* loop: the daemon's event loop: ticks, link and ethtool notifications, signals, systemd's watchdog. */
#pragma once
#include "daemon/fleet.h"

struct genl;

/* Signals that the loop handles wait for it from now on. To be called first of all: one that came earlier would end the
 * program with what an earlier run left still in place. */
void loop_hold_signals(void);
/* Runs until TERM or INT, then puts the originals back. Returns the exit code. */
int loop_run(struct fleet *f, const struct genl *g);
