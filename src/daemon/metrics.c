// SPDX-License-Identifier: GPL-2.0-or-later
/* metrics: see metrics.h. */
#include "daemon/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "daemon/http-listen.h"
#include "daemon/http.h"
#include "daemon/metrics-collect.h"
#include "daemon/textfile.h"
#include "io/clock.h"

#define SOCKET_NAME "metrics" /* FileDescriptorName= of a socket unit */
#define SOCKETS_MAX 4
#define TEXTFILE_NS (10 * NSEC_PER_SEC) /* scraped every 15 s and more */
#define RETRY_NS (10 * NSEC_PER_SEC)

enum { PAGE_METRICS, PAGE_ROOT = PAGE_METRICS + METRICS_FORMAT_COUNT };

struct metrics {
	struct metrics_self self;
	sd_event *event;
	const struct fleet *fleet;
	struct http *servers[SOCKETS_MAX];
	bool inherited; /* they are systemd's, whatever `listen` says */
	char listen[sizeof(((struct config_settings *)0)->listen)];
	char textfile[sizeof(((struct config_settings *)0)->textfile)];
	nsec_t retry, written;
	char told_listen[ERR_MAX], told_textfile[ERR_MAX];
	nsec_t step; /* that was to come before the next tick */
};

static nsec_t now(const struct metrics *m)
{
	return m->fleet->backend->ops->now(m->fleet->backend);
}

/* ---- pages */

static int find_page(const char *path, const char *accept)
{
	if (!strcmp(path, "/metrics"))
		return PAGE_METRICS + (int)metrics_accept(accept);
	return strcmp(path, "/") ? -1 : PAGE_ROOT;
}

static int make_page(void *arg, int page, struct http_page *ret)
{
	const struct metrics *m = arg;
	struct metrics_buf buf;
	int r;

	if (page == PAGE_ROOT)
		r = metrics_page(m->fleet, &buf);
	else
		r = metrics_collect(&m->self, m->fleet, (enum metrics_format)(page - PAGE_METRICS), now(m), &buf);
	if (r < 0)
		return r;
	*ret = (struct http_page){ buf.text, buf.len,
				   page == PAGE_ROOT ? "text/html; charset=utf-8"
						     : metrics_content_types[page - PAGE_METRICS] };
	return 0;
}

/* ---- sockets */

/* The same trouble once only. */
static void tell(const struct metrics *m, char told[ERR_MAX], const char *what, const char *err)
{
	if (!strcmp(told, err))
		return;
	snprintf(told, ERR_MAX, "%s", err);
	log_line(&m->fleet->log, LOG_WARNING, NULL, "%s: %s", what, err);
}

static void serve(struct metrics *m, int fd, int slot, const char *where)
{
	const struct http_site site = { find_page, make_page, m };
	int r = http_open(m->event, fd, &site, &m->servers[slot]);

	if (r == 0) {
		m->told_listen[0] = 0;
		log_line(&m->fleet->log, LOG_DEBUG, NULL, "metrics are served on %s", where);
		return;
	}
	close(fd);
	tell(m, m->told_listen, "metrics are not served", strerror(-r));
}

/* Somebody wrote it and may wonder. */
static void tell_unused(struct metrics *m, const char *where)
{
	struct config_settings defaults;

	config_settings_default(&defaults);
	memcpy(m->listen, where, strlen(where) + 1);
	if (strcmp(where, defaults.listen))
		log_line(&m->fleet->log, LOG_NOTICE, NULL,
			 "metrics are served on the socket that systemd passes, not where `listen` says");
}

static void serve_configured(struct metrics *m)
{
	const char *where = m->fleet->config ? m->fleet->config->settings.listen : "";
	char err[ERR_MAX] = "";
	int fd;

	if (!strcmp(where, m->listen) && (m->servers[0] || !where[0] || now(m) < m->retry))
		return;
	if (m->inherited && !strcmp(where, m->listen))
		return; /* what systemd passes is not tried again */
	if (m->inherited) {
		tell_unused(m, where);
		return;
	}
	if (m->servers[0]) {
		m->servers[0] = http_close(m->servers[0]);
		http_unlisten(m->listen);
	}
	memcpy(m->listen, where, strlen(where) + 1);
	m->retry = now(m) + RETRY_NS;
	if (!where[0])
		return;
	fd = http_listen(where, err);
	if (err[0])
		tell(m, m->told_listen, fd < 0 ? "metrics are not served" : "metrics", err);
	if (fd >= 0)
		serve(m, fd, 0, where);
}

/* ---- the text file */

static void write_textfile(struct metrics *m, nsec_t t)
{
	const char *path = m->fleet->config ? m->fleet->config->settings.textfile : "";
	struct metrics_buf buf;
	char err[ERR_MAX];

	if (strcmp(path, m->textfile)) {
		if (m->textfile[0])
			unlink(m->textfile);
		memcpy(m->textfile, path, strlen(path) + 1);
		m->written = 0;
	}
	if (!path[0] || (m->written && t - m->written < TEXTFILE_NS))
		return;
	m->written = t;
	if (metrics_collect(&m->self, m->fleet, METRICS_TEXT, t, &buf) < 0)
		return;
	if (textfile_write(path, buf.text, buf.len, err) < 0)
		tell(m, m->told_textfile, "metrics are not written", err);
	else
		m->told_textfile[0] = 0;
	metrics_buf_free(&buf);
}

/* ---- ticks */

static void note_tick(struct metrics_self *s, double seconds)
{
	unsigned i = 0;

	while (i < METRICS_TICK_BUCKETS && seconds > metrics_tick_bounds[i])
		i++;
	s->tick_counts[i]++;
	s->tick_seconds += seconds;
}

/* All samples have the CPUs of the machine: the first will do. */
static void note_cpus(struct metrics *m)
{
	const struct members *all = &m->fleet->members;

	for (size_t i = 0; i < all->n; i++) {
		const struct target *t = all->v[i]->target;

		/* nor one that is not sampled any more */
		if (!t || !t->have_previous || !(t->samples[t->flip].have & SAMPLE_CPU) ||
		    t->samples[t->flip].now <= m->self.cpus.counted)
			continue;
		cpu_shares_count(&m->self.cpus, &t->samples[t->flip ^ 1], &t->samples[t->flip]);
		return;
	}
}

void metrics_ticked(struct metrics *m, nsec_t due, nsec_t began, nsec_t step)
{
	nsec_t ended;

	if (!m)
		return;
	ended = now(m);
	note_tick(&m->self, (double)(ended - began) / NSEC_PER_SEC);
	if (m->step && began > due)
		m->self.missed += (began - due) / m->step;
	m->step = step;
	note_cpus(m);
	for (int i = 0; i < SOCKETS_MAX; i++)
		http_expire(m->servers[i]);
	serve_configured(m);
	write_textfile(m, ended);
}

struct metrics *metrics_open(sd_event *event, const struct fleet *f)
{
	struct metrics *m = calloc(1, sizeof(*m));
	int fds[SOCKETS_MAX], n;

	if (!m)
		return NULL;
	m->event = event;
	m->fleet = f;
	m->self.started = (double)(clock_ns(CLOCK_REALTIME) / NSEC_PER_MSEC) / 1000;
	n = http_inherited(SOCKET_NAME, fds, SOCKETS_MAX);
	m->inherited = n > 0;
	for (int i = 0; i < n; i++)
		serve(m, fds[i], i, "a socket of systemd");
	serve_configured(m);
	return m;
}

void metrics_close(struct metrics *m)
{
	if (!m)
		return;
	for (int i = 0; i < SOCKETS_MAX; i++)
		http_close(m->servers[i]);
	if (!m->inherited && m->servers[0])
		http_unlisten(m->listen);
	if (m->textfile[0])
		unlink(m->textfile);
	free(m);
}
