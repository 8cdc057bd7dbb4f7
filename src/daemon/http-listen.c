// SPDX-License-Identifier: GPL-2.0-or-later
/* http-listen: see http-listen.h. */
#include "daemon/http-listen.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "core/units.h"

#define BACKLOG 64
#define SOCKET_TYPE (SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC)

static int bind_and_listen(int fd, const struct sockaddr *a, socklen_t len)
{
	int r;

	if (bind(fd, a, len) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	r = -errno;
	close(fd);
	return r;
}

static int listen_tcp(const char *where, char err[ERR_MAX])
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
					.ai_socktype = SOCK_STREAM };
	const char *colon = strrchr(where, ':'), *host = where;
	size_t len = colon ? (size_t)(colon - where) : 0;
	uint64_t port;
	struct addrinfo *a;
	char name[128];
	int fd, r, on = 1;

	if (len >= 2 && host[0] == '[' && host[len - 1] == ']') {
		host++;
		len -= 2;
	}
	/* getaddrinfo() takes 99999 for 34463 */
	if (!len || len >= sizeof(name) || units_parse_u64(colon + 1, &port) < 0 || port > 65535) {
		snprintf(err, ERR_MAX, "%s: not ADDRESS:PORT", where);
		return -EINVAL;
	}
	snprintf(name, sizeof(name), "%.*s", (int)len, host);
	r = getaddrinfo(name, colon + 1, &hints, &a);
	if (r) {
		snprintf(err, ERR_MAX, "%s: %s (a name is not looked up)", where, gai_strerror(r));
		return -EINVAL;
	}
	fd = socket(a->ai_family, SOCKET_TYPE, 0);
	r = fd < 0 ? -errno : 0;
	if (r == 0) {
		/* a port whose last connections are not quite over; without it the next try in 10 s will do */
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
		r = bind_and_listen(fd, a->ai_addr, a->ai_addrlen);
	}
	freeaddrinfo(a);
	if (r < 0)
		snprintf(err, ERR_MAX, "%s: %s", where, strerror(-r));
	return r;
}

/* Nobody answers there: a socket that its server did not remove. */
static void remove_stale(const struct sockaddr_un *a, socklen_t len)
{
	struct stat st;
	int fd;

	if (!a->sun_path[0] || lstat(a->sun_path, &st) < 0 || !S_ISSOCK(st.st_mode))
		return;
	fd = socket(AF_UNIX, SOCKET_TYPE, 0);
	if (fd < 0)
		return;
	if (connect(fd, (const struct sockaddr *)a, len) < 0 && errno == ECONNREFUSED)
		unlink(a->sun_path);
	close(fd);
}

static int listen_unix(const char *path, char err[ERR_MAX])
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	size_t len = strlen(path);
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + 1);
	int fd, r;

	if (!len || len >= sizeof(a.sun_path)) {
		snprintf(err, ERR_MAX, "%.100s: too long for a socket", path);
		return -ENAMETOOLONG;
	}
	memcpy(a.sun_path, path, len + 1);
	if (path[0] == '@') { /* abstract: its name has no end but its length */
		a.sun_path[0] = 0;
		size--;
	}
	remove_stale(&a, size);
	fd = socket(AF_UNIX, SOCKET_TYPE, 0);
	r = fd < 0 ? -errno : bind_and_listen(fd, (const struct sockaddr *)&a, size);
	if (r < 0)
		snprintf(err, ERR_MAX, "%s: %s", path, strerror(-r));
	else if (a.sun_path[0] && chmod(path, 0666) < 0) /* reading is open to all; its directory may say otherwise */
		snprintf(err, ERR_MAX, "%s: %s", path, strerror(errno));
	return r;
}

int http_listen(const char *where, char err[ERR_MAX])
{
	err[0] = 0;
	return strncmp(where, "unix:", 5) ? listen_tcp(where, err) : listen_unix(where + 5, err);
}

void http_unlisten(const char *where)
{
	if (!strncmp(where, "unix:/", 6))
		unlink(where + 5);
}

int http_inherited(const char *name, int *ret, int max)
{
	char **names = NULL;
	int n = sd_listen_fds_with_names(1, &names), found = 0;

	for (int i = 0; i < n; i++) {
		int fd = SD_LISTEN_FDS_START + i;
		bool ours = !strcmp(names[i], name) || !strcmp(names[i], "unknown");

		if (ours && found < max && sd_is_socket(fd, AF_UNSPEC, SOCK_STREAM, 1) > 0) {
			fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
			ret[found++] = fd;
		}
		free(names[i]);
	}
	free(names);
	return found;
}
