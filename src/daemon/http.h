// SPDX-License-Identifier: GPL-2.0-or-later
/* http: a small server for pages that are the same for everybody, within an sd-event loop. It never waits: whatever a
 * client does, sockets are read and written only when that works at once, and the loop's timers go first.
 *
 * GET and HEAD only, one request a connection. Limits: HTTP_CONNECTIONS at once, HTTP_IDLE_S without a byte,
 * HTTP_LIFE_S in all, HTTP_MEMORY bytes for a request's head. A page is made once and sent to all who ask until it
 * expires, so that a busy client costs little. */
#pragma once
#include <stddef.h>
#include <systemd/sd-event.h>

#include "core/knob.h"

#define HTTP_CONNECTIONS 128
#define HTTP_IDLE_S 5
#define HTTP_LIFE_S 15
#define HTTP_MEMORY 16384 /* a connection's, for what it sends too */
#define HTTP_PAGES_MAX 8

struct http_page {
	char *body; /* from malloc(); belongs to the server from then on */
	size_t len;
	const char *type; /* of its content; a literal */
};

struct http_site {
	/* The number of a page, below HTTP_PAGES_MAX, or -1: there is none. accept may be NULL. */
	int (*find)(const char *path, const char *accept);
	/* Returns 0 or a negative errno. */
	int (*make)(void *arg, int page, struct http_page *ret);
	void *arg;
};

struct http;

/* Serves on a socket that listens. The socket belongs to the server after success. Returns 0 or a negative errno. */
int http_open(sd_event *event, int fd, const struct http_site *site, struct http **ret);
void http_expire(struct http *h); /* pages are made anew from now on; takes NULL */
/* What was begun is cut off. Takes NULL; returns NULL. */
struct http *http_close(struct http *h);
