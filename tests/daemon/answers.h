// SPDX-License-Identifier: GPL-2.0-or-later
/* answers: what the daemon asks the kernel and tells the log is answered by these functions, in place of those of the
 * libraries, for one test program that includes this. */
#pragma once
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>

#include "../core/suite.h"
#include "daemon/manners.h"
#include "daemon/member.h"
#include "world.h"

static struct world w;

int nic_get(const struct nic_finder *f, int ifindex, const char *name, struct nic_info *ret, char err[ERR_MAX])
{
	(void)f, (void)name;
	err[0] = 0;
	return world_nic_get(&w, ifindex, ret);
}

int occupancy_scan(const struct occupancy_handles *h, nsec_t now, struct occupancy_scan *s)
{
	(void)h;
	w.scans++;
	s->taken = now;
	return 0;
}

void occupancy_scan_free(struct occupancy_scan *s)
{
	(void)s;
}

void occupancy_of(const struct occupancy_handles *h, const struct occupancy_scan *s, const struct nic_info *nic,
		  struct occupancy_found *ret)
{
	(void)h, (void)s;
	world_occupancy(&w, nic, ret);
}

void log_line(const struct log *l, int priority, const char *netdev, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (priority > l->level)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	world_log(&w, netdev, text);
}

void log_change(const struct log *l, const struct report *r, uint32_t bits, const char *verb)
{
	(void)l, (void)bits, (void)verb;
	world_log(&w, r->nic.name, "changed");
}

void log_queues(const struct log *l, const struct report *r, const char *verb)
{
	log_line(l, LOG_INFO, r->nic.name, "%s%s", verb, r->queues);
}

static inline uint64_t knob(int ifindex, enum knob k)
{
	return world_port(&w, ifindex)->hw->knobs.value[k];
}

static inline struct port *busy(int ifindex, const char *name, enum world_kind kind, unsigned hw)
{
	struct port *p = world_add(&w, ifindex, name, kind, hw);

	p->pps = 50000;
	return p;
}
