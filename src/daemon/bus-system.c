// SPDX-License-Identifier: GPL-2.0-or-later
/* bus-system: the system bus. It may come late, go away and come back, or not exist at all. */
#include <errno.h>
#include <string.h>
#include <syslog.h>

#include "daemon/bus-int.h"

#define RETRY_USEC (10 * USEC_PER_SEC)

static int on_name(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct bus *b = userdata;
	const sd_bus_error *e = sd_bus_message_get_error(m);
	uint32_t answer = 0;

	(void)error;
	if (!e && sd_bus_message_read(m, "u", &answer) >= 0 && (answer == 1 || answer == 4)) {
		log_line(&b->fleet->log, LOG_INFO, NULL, "on the system bus as " BUS_NAME);
		b->told_no_name = false;
	} else if (!b->told_no_name) {
		b->told_no_name = true;
		log_line(&b->fleet->log, LOG_NOTICE, NULL, "not on the system bus: %s",
			 e ? e->message : "another has the name " BUS_NAME);
	}
	return 0;
}

static int connect_system(struct bus *b)
{
	int r = sd_bus_open_system_with_description(&b->system.bus, "system");

	if (r < 0)
		return r;
	b->system.owner = b;
	b->system.system = true;
	b->system.pidfd = -1;
	sd_bus_set_exit_on_disconnect(b->system.bus, false);
	r = bus_link_up(&b->system);
	if (r >= 0)
		r = sd_bus_request_name_async(b->system.bus, NULL, BUS_NAME, 0, on_name, b);
	return r;
}

static int on_retry(sd_event_source *s, uint64_t usec, void *arg)
{
	(void)s, (void)usec;
	bus_system_open(arg);
	return 0;
}

static void retry_later(struct bus *b)
{
	if (b->retry) {
		sd_event_source_set_time_relative(b->retry, RETRY_USEC);
		sd_event_source_set_enabled(b->retry, SD_EVENT_ONESHOT);
		return;
	}
	if (sd_event_add_time_relative(b->event, &b->retry, CLOCK_MONOTONIC, RETRY_USEC, USEC_PER_SEC, on_retry, b) >=
	    0)
		sd_event_source_set_priority(b->retry, BUS_PRIORITY);
}

void bus_system_open(struct bus *b)
{
	int r = connect_system(b);

	if (r >= 0) {
		b->told_no_bus = false;
		return;
	}
	bus_link_down(&b->system);
	if (!b->told_no_bus)
		log_line(&b->fleet->log, r == -ENOENT || r == -ECONNREFUSED ? LOG_DEBUG : LOG_NOTICE, NULL,
			 "no system bus: %s", strerror(-r));
	b->told_no_bus = true;
	retry_later(b);
}

void bus_system_close(struct bus *b)
{
	bool again = b->system.dead;

	b->system.owner = b;
	bus_link_down(&b->system);
	b->system = (struct bus_link){ .owner = b };
	if (again)
		retry_later(b);
	else
		b->retry = sd_event_source_unref(b->retry);
}
