// SPDX-License-Identifier: GPL-2.0-or-later
/* busworld: the control API over a machine in memory, server and client in one process and one event loop. */
#pragma once
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "answers.h"
#include "daemon/bus-int.h"

static sd_event *event;
static struct bus *server;
static sd_bus *client;
static unsigned reloads, hurries;
static int reload_result;

static int hook_reload(void *arg)
{
	(void)arg;
	reloads++;
	return reload_result;
}

static void hook_hurry(void *arg)
{
	(void)arg;
	hurries++;
}

/* Lets everything that is ready run. */
static inline void settle(void)
{
	int r;

	for (int quiet = 0; quiet < 2; quiet += r == 0) {
		r = sd_event_run(event, 2000);
		ck_assert_int_ge(r, 0);
	}
}

static inline sd_bus *connect_client(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	sd_bus *b = NULL;

	snprintf(a.sun_path, sizeof(a.sun_path), "%.90s/control", w.dir);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	ck_assert_int_ge(sd_bus_new(&b), 0);
	ck_assert_int_ge(sd_bus_set_fd(b, fd, fd), 0);
	ck_assert_int_ge(sd_bus_start(b), 0);
	ck_assert_int_ge(sd_bus_attach_event(b, event, 0), 0);
	return b;
}

static inline void bus_world_open(void)
{
	const struct bus_hooks hooks = { hook_reload, hook_hurry, NULL };

	world_open(&w);
	reloads = hurries = 0;
	setenv("RUNTIME_DIRECTORY", w.dir, 1);
	setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1);
	ck_assert_int_ge(sd_event_new(&event), 0);
	ck_assert_int_eq(bus_open(&w.fleet, event, &hooks, &server), 0);
	client = connect_client();
	settle();
}

static inline void bus_world_close(void)
{
	client = sd_bus_flush_close_unref(client);
	server = bus_close(server);
	event = sd_event_unref(event);
	world_close(&w);
}

/* Simulated time: as loop.c does it. */
static inline void bus_world_run(double seconds)
{
	for (int i = 0; i < seconds * 10; i++) {
		world_run(&w, 0.1);
		bus_ticked(server);
		settle();
	}
}
