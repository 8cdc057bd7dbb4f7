// SPDX-License-Identifier: GPL-2.0-or-later
/* bus-private: the socket `control` in the runtime directory: each connection is a bus of two, without a bus daemon. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

#include "daemon/bus-int.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

/* Bus libraries say Hello first, also where nobody gives out names. */
static int on_hello(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	(void)userdata, (void)error;
	return sd_bus_reply_method_return(m, "s", ":1.1");
}

static const sd_bus_vtable hello_vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD("Hello", "", "s", on_hello, SD_BUS_VTABLE_UNPRIVILEGED | SD_BUS_VTABLE_HIDDEN),
	SD_BUS_VTABLE_END,
};

/* fd is the bus's from then on, also after a failure. */
static int serve(struct bus_link *l, int fd)
{
	sd_id128_t id;
	int r = sd_id128_randomize(&id);

	if (r >= 0)
		r = sd_bus_new(&l->bus);
	if (r >= 0)
		r = sd_bus_set_fd(l->bus, fd, fd);
	if (r < 0) {
		close(fd);
		return r;
	}
	r = sd_bus_set_server(l->bus, 1, id);
	if (r >= 0)
		r = sd_bus_set_sender(l->bus, BUS_NAME);
	if (r >= 0)
		r = sd_bus_add_object_vtable(l->bus, NULL, "/org/freedesktop/DBus", "org.freedesktop.DBus",
					     hello_vtable, l);
	if (r >= 0)
		r = sd_bus_start(l->bus);
	if (r >= 0)
		r = bus_link_up(l);
	return r;
}

/* A free place, unless there are too many already, all together or of its kind. */
static struct bus_link **place(struct bus *b, uid_t uid)
{
	struct bus_link **free_place = NULL;
	unsigned others = 0;

	for (size_t i = 0; i < BUS_CLIENTS_MAX; i++) {
		if (b->clients[i])
			others += b->clients[i]->peer.uid != 0;
		else if (!free_place)
			free_place = &b->clients[i];
	}
	return uid == 0 || others < BUS_CLIENTS_OTHERS ? free_place : NULL;
}

static void welcome(struct bus *b, int fd)
{
	struct bus_link *l, **at;
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || !(at = place(b, peer.uid)) ||
	    !(l = calloc(1, sizeof(*l)))) {
		close(fd);
		return;
	}
	l->owner = b;
	l->peer = peer;
	size = sizeof(l->pidfd);
	if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &l->pidfd, &size) < 0)
		l->pidfd = -1; /* an older kernel */
	*at = l;
	if (serve(l, fd) < 0) {
		l->dead = true;
		bus_chores(b);
	}
}

static int on_connect(sd_event_source *s, int fd, uint32_t revents, void *arg)
{
	int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)s, (void)revents;
	if (client >= 0)
		welcome(arg, client);
	return 0;
}

/* Whoever may enter the directory may connect and read; changes ask for more. */
static int listen_at(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd, r;

	if (strlen(path) >= sizeof(a.sun_path))
		return -ENAMETOOLONG;
	strcpy(a.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	unlink(path); /* of one that was killed; the lock of the saved settings says that it does not run */
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0 && chmod(path, 0666) == 0 && listen(fd, 16) == 0)
		return fd;
	r = -errno;
	close(fd);
	return r;
}

int bus_private_open(struct bus *b)
{
	int fd, r;

	if (!b->fleet->state)
		return 0; /* a dry run leaves no traces, and there may be a daemon at work beside it */
	snprintf(b->socket_path, sizeof(b->socket_path), "%s/control", state_default_path());
	fd = listen_at(b->socket_path);
	if (fd < 0) {
		log_line(&b->fleet->log, LOG_WARNING, NULL, "%s: no control socket: %s", b->socket_path, strerror(-fd));
		b->socket_path[0] = 0;
		return 0;
	}
	r = sd_event_add_io(b->event, &b->listen, fd, EPOLLIN, on_connect, b);
	if (r >= 0)
		r = sd_event_source_set_io_fd_own(b->listen, true);
	else
		close(fd);
	if (r >= 0)
		r = sd_event_source_set_priority(b->listen, BUS_PRIORITY);
	return r;
}

void bus_private_close(struct bus *b)
{
	if (b->listen && b->socket_path[0])
		unlink(b->socket_path);
	b->listen = sd_event_source_unref(b->listen);
}
