// SPDX-License-Identifier: GPL-2.0-or-later
/* bus limits: rude clients cost neither ticks nor memory, and leave room for others. */
#include <fcntl.h>
#include <time.h>

#include "buscall.h"

static uint64_t now_usec(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * USEC_PER_SEC + (uint64_t)t.tv_nsec / 1000;
}

static unsigned clients(void)
{
	unsigned n = 0;

	for (size_t i = 0; i < BUS_CLIENTS_MAX; i++)
		n += server->clients[i] != NULL;
	return n;
}

static int open_raw(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%.90s/control", w.dir);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

START_TEST(only_so_many_clients)
{
	int fd[BUS_CLIENTS_MAX + 10];
	char c;

	bus_world_open();
	for (size_t i = 0; i < sizeof(fd) / sizeof(fd[0]); i++) {
		fd[i] = open_raw();
		settle();
	}
	ck_assert_uint_eq(clients(), BUS_CLIENTS_MAX);
	ck_assert_int_eq(read(fd[BUS_CLIENTS_MAX + 9], &c, 1), 0); /* closed at once */
	for (size_t i = 0; i < sizeof(fd) / sizeof(fd[0]); i++)
		close(fd[i]);
	settle();
	ck_assert_uint_eq(clients(), 1); /* the first one still is served */
	ok(manager_call("Reload", ""));
	bus_world_close();
}
END_TEST

/* Those of others do not take the places of root. */
START_TEST(root_finds_room)
{
	bus_world_open();
	for (unsigned i = 0; i < BUS_CLIENTS_OTHERS; i++) {
		open_raw();
		settle();
	}
	for (size_t i = 0; i < BUS_CLIENTS_MAX; i++)
		if (server->clients[i])
			server->clients[i]->peer.uid = 1234;
	settle();
	open_raw();
	settle();
	if (geteuid() == 0)
		ck_assert_uint_gt(clients(), BUS_CLIENTS_OTHERS + 1);
	else
		ck_assert_uint_eq(clients(), BUS_CLIENTS_OTHERS + 1);
	bus_world_close();
}
END_TEST

START_TEST(garbage_is_hung_up_on)
{
	int fd;

	bus_world_open();
	fd = open_raw();
	settle();
	ck_assert_uint_eq(clients(), 2);
	ck_assert_int_gt(write(fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 27), 0);
	settle();
	ck_assert_uint_eq(clients(), 1);
	close(fd);
	bus_world_close();
}
END_TEST

static void send_many(sd_bus *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		sd_bus_message *m = NULL;
		uint64_t cookie;

		ck_assert_int_ge(sd_bus_message_new_method_call(b, &m, BUS_NAME, BUS_PATH,
								"org.freedesktop.DBus.ObjectManager",
								"GetManagedObjects"),
				 0);
		ck_assert_int_ge(sd_bus_send(b, m, &cookie), 0); /* NULL would say that no answer is wanted */
		sd_bus_message_unref(m);
	}
}

static unsigned ticks, calls_before;

static int on_tick(sd_event_source *s, uint64_t usec, void *arg)
{
	(void)s, (void)usec, (void)arg;
	ticks++;
	for (size_t i = 0; i < BUS_CLIENTS_MAX; i++)
		calls_before += server->clients[i] ? server->clients[i]->calls : 0;
	return 0;
}

/* Whatever is due goes before calls that wait, however many. */
START_TEST(ticks_go_before_calls)
{
	sd_event_source *timer = NULL;
	sd_bus *rude;

	bus_world_open();
	rude = connect_client();
	settle();
	sd_bus_detach_event(rude);
	send_many(rude, 500);
	ck_assert_int_ge(sd_event_add_time(event, &timer, CLOCK_MONOTONIC, now_usec(), 0, on_tick, NULL), 0);
	while (!ticks)
		ck_assert_int_ge(sd_event_run(event, 1000), 0);
	ck_assert_uint_le(calls_before, 2);
	sd_event_source_unref(timer);
	sd_bus_close_unref(rude);
	bus_world_close();
}
END_TEST

START_TEST(too_many_calls_have_to_wait)
{
	struct bus_link *l = NULL;
	sd_bus *rude;

	bus_world_open();
	rude = connect_client();
	settle();
	for (size_t i = 0; i < BUS_CLIENTS_MAX; i++)
		if (server->clients[i] && server->clients[i]->bus != client)
			l = server->clients[i];
	ck_assert(l != NULL);
	l->calls = BUS_CALLS;
	l->since_usec = now_usec();
	send_many(rude, 1);
	settle();
	ck_assert(!l->attached);
	ok(manager_call("Reload", "")); /* others are served meanwhile */
	for (uint64_t end = now_usec() + 2 * USEC_PER_SEC; !l->attached && now_usec() < end;)
		sd_event_run(event, 50000);
	ck_assert(l->attached);
	sd_bus_close_unref(rude);
	bus_world_close();
}
END_TEST

/* One that asks and never reads is dropped instead of filling the memory. */
START_TEST(who_does_not_read_is_dropped)
{
	sd_bus *rude;
	unsigned i;

	bus_world_open();
	for (int j = 2; j < 102; j++) {
		char name[16];

		snprintf(name, sizeof(name), "p%d", j);
		world_add(&w, j, name, WORLD_NOTHING, 0);
	}
	ck_assert_int_eq(fleet_sync(&w.fleet), 0);
	bus_ticked(server);
	rude = connect_client();
	settle();
	ck_assert_uint_eq(clients(), 2);
	sd_bus_detach_event(rude); /* reads no more */
	for (i = 0; i < 1000 && clients() == 2; i++) {
		send_many(rude, 1);
		settle();
	}
	ck_assert_uint_eq(clients(), 1);
	sd_bus_close_unref(rude);
	bus_world_close();
}
END_TEST

/* A socket path that is taken or impossible is no reason not to run. */
START_TEST(without_a_place_it_runs_all_the_same)
{
	const struct bus_hooks hooks = { hook_reload, hook_hurry, NULL };

	world_open(&w);
	setenv("RUNTIME_DIRECTORY", "/proc/nowhere", 1);
	setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1);
	ck_assert_int_ge(sd_event_new(&event), 0);
	ck_assert_int_eq(bus_open(&w.fleet, event, &hooks, &server), 0);
	ck_assert_uint_eq(world_said(&w, "no control socket"), 1);
	server = bus_close(server);
	event = sd_event_unref(event);
	world_close(&w);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		only_so_many_clients,
		root_finds_room,
		garbage_is_hung_up_on,
		ticks_go_before_calls,
		too_many_calls_have_to_wait,
		who_does_not_read_is_dropped,
		without_a_place_it_runs_all_the_same,
	};

	return SUITE_RUN("bus limits", tests);
}
