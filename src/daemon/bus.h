// SPDX-License-Identifier: GPL-2.0-or-later
/* bus: the control API: org.ethtuned.Ethtuned1 on the system bus, when and as long as there is one, and on the private
 * socket `control` in the runtime directory. All of it runs in the daemon's event loop, behind the ticks. */
#pragma once
#include <systemd/sd-event.h>

#include "daemon/fleet.h"

struct bus;

struct bus_hooks {		  /* what only the loop can do */
	int (*reload)(void *arg); /* 0; -EBADMSG: the new configuration has errors, the old one stays */
	void (*hurry)(void *arg); /* a tick soon: something was changed */
	void *arg;
};

/* Never fails for want of a bus or of a place for the socket: that is a line in the log. Returns 0 or -ENOMEM. f, e and
 * what the hooks need must outlive it. */
int bus_open(struct fleet *f, sd_event *e, const struct bus_hooks *hooks, struct bus **ret);
/* After a tick: tells whoever listens what it changed, and of interfaces that came and went. b may be NULL. */
void bus_ticked(struct bus *b);
struct bus *bus_close(struct bus *b); /* returns NULL; takes NULL */
