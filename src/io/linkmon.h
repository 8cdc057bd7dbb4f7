// SPDX-License-Identifier: GPL-2.0-or-later
/* linkmon: what happens to links and their qdiscs from now on (RTNLGRP_LINK and RTNLGRP_TC of the caller's network
 * namespace).
 * Remembers what was seen, so that it can tell new from changed from renamed. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/nic.h"

enum linkmon_type {
	LINKMON_ADDED,
	LINKMON_CHANGED, /* flags, MTU or anything else: the kernel does not say what, so look */
	LINKMON_RENAMED,
	LINKMON_REMOVED, /* unregistered, or moved to another namespace */
	LINKMON_QDISC,	 /* one came, changed or went: ifindex and kind only */
	LINKMON_RESYNC,	 /* notifications were lost: list the links anew; all else is 0 */
};

struct linkmon_event {
	enum linkmon_type type;
	int ifindex;
	char name[NIC_NAME_MAX];
	char old_name[NIC_NAME_MAX]; /* RENAMED only */
	unsigned flags, flags_changed; /* IFF_...; changed since the event before, all bits when ADDED */
	uint32_t mtu;
	bool mtu_changed;
	char kind[16]; /* QDISC only */
};

struct linkmon;
typedef void (*linkmon_fn)(const struct linkmon_event *e, void *arg);

/* Links that exist now are known already and give no ADDED: list them after this. */
int linkmon_open(struct linkmon **ret);
struct linkmon *linkmon_close(struct linkmon *m); /* returns NULL; takes NULL */
int linkmon_fd(const struct linkmon *m);	  /* to poll for reading */
/* Calls fn for everything that waits; never blocks. Returns the number of events, or negative errno. fn must not
 * close m. */
int linkmon_read(struct linkmon *m, linkmon_fn fn, void *arg);
