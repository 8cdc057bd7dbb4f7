// SPDX-License-Identifier: GPL-2.0-or-later
/* polls: what tests of perf share: a veth in a namespace of our own whose every frame is a poll. Names carry the
 * process's id, since the tracepoint sees all namespaces. Needs root, ip, ethtool. */
#pragma once
#include <check.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/nic.h"
#include "io/procfile.h"

#define BEHIND_US 50000 /* until every deferred poll is over */

struct polls_rig {
	char va[NIC_NAME_MAX], vb[NIC_NAME_MAX], dir[64];
	struct procroot root;
};

__attribute__((format(printf, 1, 2))) int sh(const char *fmt, ...);
void polls_setup(struct polls_rig *r);
void polls_deferral(const struct polls_rig *r, unsigned defer, unsigned timeout_ns);
void on_cpu(unsigned cpu);
/* Alone on the CPU but for interrupts: other processes would be measured too. Not for long. */
void realtime(bool on);
int polls_socket(void);
/* One after the other. Frames of a protocol that nobody wants; the receiving end polls on the sender's CPU. */
void polls_send(const struct polls_rig *r, int fd, unsigned n);
void send_frames(const struct polls_rig *r, unsigned n);
/* Everything but the thing to be tested. */
bool polls_can_run(void);
/* Runs it, each test in a process of its own, which has a namespace of its own. The exit status for main(). */
int polls_suite(const char *name, TCase *t);
