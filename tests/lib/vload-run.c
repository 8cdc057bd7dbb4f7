// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sockets and threads of a vload run. Relies on a socket keeping the namespace it was made in,
 * so that the threads need not enter any.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vload-threads.h"

#define RR_TIMEOUT_US 20000	/* a lost request must not stop the probe for long */

int ns_enter(const char *name, char err[static VLOAD_ERR_MAX])
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET) < 0) {
		int e = errno;

		snprintf(err, VLOAD_ERR_MAX, "namespace %s: %s", name, strerror(e));
		if (fd >= 0)
			close(fd);
		return -e;
	}
	return fd;
}

/* A socket in the calling thread's namespace: connected to dst, or bound when dst is NULL. */
static int make_socket(int type, const char *dst, uint16_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct timeval tv = { .tv_usec = dst ? RR_TIMEOUT_US : 50000 };
	int one = 1, bytes = 4 << 20;
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (type == SOCK_DGRAM)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	if (dst && inet_pton(AF_INET, dst, &a.sin_addr) != 1) {
		close(fd);
		return -EINVAL;
	}
	if ((dst ? connect(fd, (struct sockaddr *)&a, sizeof(a))
		 : bind(fd, (struct sockaddr *)&a, sizeof(a))) < 0 ||
	    (type == SOCK_STREAM && listen(fd, 4) < 0)) {
		int e = errno;

		close(fd);
		return -e;
	}
	return fd;
}

static int start_thread(pthread_t *threads, size_t *n, void *(*fn)(void *), struct load *l,
			char err[static VLOAD_ERR_MAX])
{
	int rc = pthread_create(&threads[*n], NULL, fn, l);

	if (rc) {
		snprintf(err, VLOAD_ERR_MAX, "pthread_create: %s", strerror(rc));
		return -rc;
	}
	(*n)++;
	return 0;
}

int load_open(struct load *l, const struct options *o, char err[static VLOAD_ERR_MAX])
{
	int rc, fd;

	l->dst = o->dst;
	fd = ns_enter(o->rx_ns, err);
	if (fd < 0)
		return fd;
	close(fd);
	l->sink_fd = make_socket(SOCK_DGRAM, NULL, PORT_SINK);
	l->rr_server_fd = make_socket(SOCK_DGRAM, NULL, PORT_RR);
	l->tcp_listen_fd = make_socket(SOCK_STREAM, NULL, PORT_TCP);
	l->tx_ns_fd = ns_enter(o->tx_ns, err);
	if (l->tx_ns_fd < 0)
		return l->tx_ns_fd;
	l->udp_fd = make_socket(SOCK_DGRAM, o->dst, PORT_SINK);
	l->rr_fd = make_socket(SOCK_DGRAM, o->dst, PORT_RR);
	if (l->sink_fd < 0 || l->rr_server_fd < 0 || l->tcp_listen_fd < 0 || l->udp_fd < 0 ||
	    l->rr_fd < 0) {
		snprintf(err, VLOAD_ERR_MAX, "sockets: sink %d server %d tcp %d udp %d rr %d",
			 l->sink_fd, l->rr_server_fd, l->tcp_listen_fd, l->udp_fd, l->rr_fd);
		return -EIO;
	}
	rc = start_thread(l->servers, &l->n_servers, load_sink_thread, l, err);
	if (!rc)
		rc = start_thread(l->servers, &l->n_servers, load_rr_server_thread, l, err);
	if (!rc)
		rc = start_thread(l->servers, &l->n_servers, load_tcp_sink_thread, l, err);
	if (!rc && o->awake)
		rc = start_thread(l->servers, &l->n_servers, load_spin0_thread, l, err);
	if (!rc && o->awake)
		rc = start_thread(l->servers, &l->n_servers, load_spin1_thread, l, err);
	return rc;
}

int load_start(struct load *l, const struct phase *p, char err[static VLOAD_ERR_MAX])
{
	int rc = 0;

	l->phase = p;
	atomic_store(&l->stop_phase, false);
	if (p->parts & LOAD_UDP)
		rc = start_thread(l->clients, &l->n_clients, load_udp_thread, l, err);
	if (!rc && (p->parts & (LOAD_RR | LOAD_RR_CLOSED)))
		rc = start_thread(l->clients, &l->n_clients, load_rr_thread, l, err);
	if (!rc && (p->parts & LOAD_TCP))
		rc = start_thread(l->clients, &l->n_clients, load_tcp_thread, l, err);
	return rc;
}

void load_stop(struct load *l)
{
	atomic_store(&l->stop_phase, true);
	while (l->n_clients)
		pthread_join(l->clients[--l->n_clients], NULL);
}

void load_close(struct load *l)
{
	load_stop(l);
	atomic_store(&l->quit, true);
	while (l->n_servers)
		pthread_join(l->servers[--l->n_servers], NULL);
}
