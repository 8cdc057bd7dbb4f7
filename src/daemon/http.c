// SPDX-License-Identifier: GPL-2.0-or-later
/* http: see http.h. libmicrohttpd without a thread: its epoll descriptor is one source of ours and its next time-out a
 * timer. It ends connections that are silent; those that send a byte now and then are ended here. */
#include "daemon/http.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "io/clock.h"

#define PRIORITY 10 /* less urgent than all else in the loop, whose sources have 0 */
#define ACCURACY_USEC 10000

struct client {
	int fd; /* -1: free */
	uint64_t since_usec;
};

struct http {
	struct http_site site;
	struct MHD_Daemon *server;
	sd_event *event;
	sd_event_source *io, *timer;
	struct MHD_Response *pages[HTTP_PAGES_MAX]; /* NULL: not made yet */
	struct client clients[HTTP_CONNECTIONS];
};

/* ---- answers */

static enum MHD_Result answer_error(struct MHD_Connection *c, unsigned status, const char *text)
{
	struct MHD_Response *r =
		MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result ok;

	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, "text/plain; charset=utf-8");
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONNECTION, "close");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	ok = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return ok;
}

static struct MHD_Response *page_of(struct http *h, int number)
{
	struct http_page page = { 0 };
	struct MHD_Response *r;

	if (h->pages[number])
		return h->pages[number];
	if (h->site.make(h->site.arg, number, &page) < 0)
		return NULL;
	r = MHD_create_response_from_buffer(page.len, page.body, MHD_RESPMEM_MUST_FREE);
	if (!r) {
		free(page.body);
		return NULL;
	}
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, page.type);
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONNECTION, "close");
	MHD_add_response_header(r, MHD_HTTP_HEADER_VARY, "Accept");
	MHD_add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(r, "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
	return h->pages[number] = r;
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *url, const char *method,
				  const char *version, const char *data, size_t *size, void **state)
{
	struct http *h = arg;
	struct MHD_Response *r;
	int page;

	(void)version, (void)data, (void)size, (void)state;
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return answer_error(c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
	page = h->site.find(url, MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT));
	if (page < 0)
		return answer_error(c, MHD_HTTP_NOT_FOUND, "not here\n");
	r = page_of(h, page);
	if (!r)
		return answer_error(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "no memory\n");
	return MHD_queue_response(c, MHD_HTTP_OK, r);
}

void http_expire(struct http *h)
{
	for (int i = 0; h && i < HTTP_PAGES_MAX; i++) {
		if (h->pages[i])
			MHD_destroy_response(h->pages[i]); /* lives on where it is being sent */
		h->pages[i] = NULL;
	}
}

/* ---- connections */

static void on_connection(void *arg, struct MHD_Connection *c, void **state,
			  enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct http *h = arg;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (*state)
			((struct client *)*state)->fd = -1;
		*state = NULL;
		return;
	}
	for (int i = 0; info && i < HTTP_CONNECTIONS; i++)
		if (h->clients[i].fd < 0) {
			h->clients[i] = (struct client){ info->connect_fd, clock_ns(CLOCK_MONOTONIC) / NSEC_PER_USEC };
			*state = &h->clients[i];
			return;
		}
}

/* Ends those that took too long: the server then sees the end of their stream. Returns when the next one is due, 0:
 * there is none. */
static uint64_t end_old(struct http *h, uint64_t now)
{
	uint64_t next = 0;

	for (int i = 0; i < HTTP_CONNECTIONS; i++) {
		struct client *c = &h->clients[i];
		uint64_t due = c->since_usec + HTTP_LIFE_S * UINT64_C(1000000);

		if (c->fd < 0)
			continue;
		if (now >= due) {
			shutdown(c->fd, SHUT_RDWR);
			c->since_usec = now; /* once more, should it not be gone by then */
			due = now + 1000000;
		}
		if (!next || due < next)
			next = due;
	}
	return next;
}

/* ---- the loop */

static void run(struct http *h)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC) / NSEC_PER_USEC, next = end_old(h, now);
	MHD_UNSIGNED_LONG_LONG wait_ms;

	MHD_run(h->server);
	if (MHD_get_timeout(h->server, &wait_ms) == MHD_YES && (!next || now + wait_ms * 1000 < next))
		next = now + wait_ms * 1000;
	if (next) {
		sd_event_source_set_time(h->timer, next);
		sd_event_source_set_enabled(h->timer, SD_EVENT_ONESHOT);
	} else {
		sd_event_source_set_enabled(h->timer, SD_EVENT_OFF);
	}
}

static int on_io(sd_event_source *s, int fd, uint32_t revents, void *arg)
{
	(void)s, (void)fd, (void)revents;
	run(arg);
	return 0;
}

static int on_timer(sd_event_source *s, uint64_t usec, void *arg)
{
	(void)s, (void)usec;
	run(arg);
	return 0;
}

static int add_sources(struct http *h)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(h->server, MHD_DAEMON_INFO_EPOLL_FD);
	int r = info ? 0 : -EIO;

	if (r == 0)
		r = sd_event_add_io(h->event, &h->io, info->epoll_fd, EPOLLIN, on_io, h);
	if (r >= 0)
		r = sd_event_add_time(h->event, &h->timer, CLOCK_MONOTONIC, UINT64_MAX, ACCURACY_USEC, on_timer, h);
	if (r >= 0)
		r = sd_event_source_set_priority(h->io, PRIORITY);
	if (r >= 0)
		r = sd_event_source_set_priority(h->timer, PRIORITY);
	return r < 0 ? r : 0;
}

int http_open(sd_event *event, int fd, const struct http_site *site, struct http **ret)
{
	struct http *h = calloc(1, sizeof(*h));
	int r;

	if (!h)
		return -ENOMEM;
	h->site = *site;
	h->event = event;
	for (int i = 0; i < HTTP_CONNECTIONS; i++)
		h->clients[i].fd = -1;
	h->server = MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, on_request, h, MHD_OPTION_LISTEN_SOCKET, fd,
				     MHD_OPTION_CONNECTION_LIMIT, HTTP_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
				     HTTP_IDLE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_MEMORY,
				     MHD_OPTION_NOTIFY_CONNECTION, on_connection, h, MHD_OPTION_END);
	if (!h->server) {
		free(h);
		return -EIO;
	}
	r = add_sources(h);
	if (r < 0) {
		MHD_quiesce_daemon(h->server); /* the socket is the caller's still */
		http_close(h);
		return r;
	}
	*ret = h;
	return 0;
}

struct http *http_close(struct http *h)
{
	if (!h)
		return NULL;
	sd_event_source_disable_unref(h->io);
	sd_event_source_disable_unref(h->timer);
	http_expire(h);
	MHD_stop_daemon(h->server);
	free(h);
	return NULL;
}
