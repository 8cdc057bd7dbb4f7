// SPDX-License-Identifier: GPL-2.0-or-later
/* http: answers, limits and rude clients, in one thread: the server's loop runs between what the clients do. A timer of
 * the loop stands for the ticks. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-event.h>
#include <time.h>
#include <unistd.h>

#include "../core/suite.h"
#include "daemon/http-listen.h"
#include "daemon/http.h"

#define TICK_USEC 10000

static struct {
	sd_event *event;
	sd_event_source *timer;
	struct http *http;
	char dir[64], where[96];
	unsigned ticks, made;
	size_t page_size;
} s;

static uint64_t usec(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static int on_tick(sd_event_source *source, uint64_t due, void *arg)
{
	(void)due, (void)arg;
	s.ticks++;
	sd_event_source_set_time(source, usec() + TICK_USEC);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

static int find(const char *path, const char *accept)
{
	return !strcmp(path, "/metrics") ? (accept && !strcmp(accept, "b")) : strcmp(path, "/") ? -1 : 2;
}

static int make(void *arg, int page, struct http_page *ret)
{
	(void)arg;
	s.made++;
	ret->len = s.page_size;
	ret->body = malloc(ret->len + 1);
	memset(ret->body, 'a' + page, ret->len);
	ret->type = "text/x";
	return 0;
}

static void begin(void)
{
	const struct http_site site = { find, make, NULL };
	char err[ERR_MAX];
	int fd;

	memset(&s, 0, sizeof(s));
	s.page_size = 10;
	strcpy(s.dir, "/tmp/ethtuned-http-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(s.dir));
	snprintf(s.where, sizeof(s.where), "unix:%s/socket", s.dir);
	ck_assert_int_ge(sd_event_new(&s.event), 0);
	fd = http_listen(s.where, err);
	ck_assert_msg(fd >= 0, "%s", err);
	ck_assert_int_eq(http_open(s.event, fd, &site, &s.http), 0);
	ck_assert_int_ge(sd_event_add_time(s.event, &s.timer, CLOCK_MONOTONIC, 0, 1000, on_tick, NULL), 0);
}

static void end(void)
{
	ck_assert_ptr_null(http_close(s.http));
	http_unlisten(s.where);
	sd_event_source_unref(s.timer);
	sd_event_unref(s.event);
	ck_assert_int_eq(rmdir(s.dir), 0);
}

static void run(unsigned ms)
{
	uint64_t until = usec() + ms * 1000;

	while (usec() < until)
		ck_assert_int_ge(sd_event_run(s.event, 1000), 0);
}

static int dial(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	strcpy(a.sun_path, s.where + 5);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

/* Sends, and reads what comes until the end, for at most 3 s. Returns the number of bytes; closes. */
static size_t ask(int fd, const char *request, char *answer, size_t size)
{
	uint64_t until = usec() + 3000000;
	size_t n = 0;

	if (request)
		ck_assert_int_eq(write(fd, request, strlen(request)), (ssize_t)strlen(request));
	while (usec() < until) {
		ssize_t r = read(fd, answer + n, size - 1 - n);

		if (r == 0 || (r < 0 && errno != EAGAIN))
			break;
		if (r > 0)
			n += (size_t)r;
		else
			sd_event_run(s.event, 1000);
	}
	ck_assert_msg(usec() < until, "no end after %zu bytes", n);
	answer[n] = 0;
	close(fd);
	return n;
}

static char *get(const char *request)
{
	static char answer[4096];

	ask(dial(), request, answer, sizeof(answer));
	return answer;
}

static void abandon(const char *request)
{
	int fd = dial();

	ck_assert_int_eq(write(fd, request, strlen(request)), (ssize_t)strlen(request));
	run(20);
	close(fd);
}

#define STATUS(answer, code) ck_assert_msg(!strncmp(answer, "HTTP/1.1 " code " ", 13), "%s", answer)

START_TEST(answers)
{
	char *a;

	begin();
	a = get("GET /metrics?x=y HTTP/1.1\r\nHost: x\r\n\r\n");
	STATUS(a, "200");
	ck_assert_ptr_nonnull(strstr(a, "\r\nContent-Type: text/x\r\n"));
	ck_assert_ptr_nonnull(strstr(a, "\r\nConnection: close\r\n"));
	ck_assert_ptr_nonnull(strstr(a, "\r\n\r\naaaaaaaaaa"));
	a = get("GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: b\r\n\r\n");
	ck_assert_ptr_nonnull(strstr(a, "\r\n\r\nbbbbbbbbbb"));
	a = get("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
	STATUS(a, "200");
	ck_assert_ptr_nonnull(strstr(a, "\r\nContent-Length: 10\r\n"));
	ck_assert_str_eq(strstr(a, "\r\n\r\n"), "\r\n\r\n");
	a = get("GET / HTTP/1.0\r\n\r\n");
	ck_assert_ptr_nonnull(strstr(a, " 200 OK"));
	STATUS(get("GET /etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n"), "404");
	STATUS(get("GET /metrics/ HTTP/1.1\r\nHost: x\r\n\r\n"), "404");
	a = get("POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
	STATUS(a, "405");
	ck_assert_ptr_nonnull(strstr(a, "\r\nAllow: GET, HEAD\r\n"));
	STATUS(get("DELETE / HTTP/1.1\r\nHost: x\r\n\r\n"), "405");
	abandon("nonsense\r\n\r\n");
	abandon("\r\n\r\n\r\n");
	abandon("\x16\x03\x01\x02\r\n\r\n"); /* TLS */
	abandon("GET / HTTP/1.1\r\nContent-Length: -1\r\nTransfer-Encoding: x\r\n\r\n");
	STATUS(get("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), "200");
	end();
}
END_TEST

START_TEST(a_page_is_made_once_until_it_expires)
{
	static const char request[] = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";

	begin();
	for (int i = 0; i < 50; i++)
		get(request);
	ck_assert_uint_eq(s.made, 1);
	http_expire(s.http);
	get(request);
	ck_assert_uint_eq(s.made, 2);
	end();
}
END_TEST

/* What is being sent stays what it was, also when nobody reads for a while. */
START_TEST(a_slow_reader_gets_one_page)
{
	static char answer[2000000];
	size_t n;
	int fd;

	begin();
	s.page_size = 1000000;
	fd = dial();
	ck_assert_int_gt(write(fd, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 34), 0);
	run(50);
	s.page_size = 20;
	http_expire(s.http);
	get("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
	n = ask(fd, NULL, answer, sizeof(answer));
	ck_assert_uint_gt(n, 1000000);
	ck_assert_uint_eq(strspn(strstr(answer, "\r\n\r\n") + 4, "a"), 1000000);
	end();
}
END_TEST

START_TEST(a_hundred_idle_connections)
{
	int idle[100];

	begin();
	for (int i = 0; i < 100; i++) {
		idle[i] = dial();
		if (i & 1)
			ck_assert_int_eq(write(idle[i], "GET /met", 8), 8);
		run(1);
	}
	STATUS(get("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"), "200");
	for (int i = 0; i < 100; i++)
		close(idle[i]);
	run(50);
	STATUS(get("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"), "200");
	ck_assert_uint_gt(s.ticks, 10);
	end();
}
END_TEST

/* More than there is room for: those wait until the silent ones are ended. */
START_TEST(more_than_the_limit)
{
	int idle[HTTP_CONNECTIONS], n = 0;
	char answer[4096];

	begin();
	for (; n < HTTP_CONNECTIONS; n++) {
		idle[n] = dial();
		run(1);
	}
	idle[0] = (close(idle[0]), dial());
	ck_assert_int_gt(write(idle[0], "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 27), 0);
	run(HTTP_IDLE_S * 1000 + 2000);
	ask(idle[0], NULL, answer, sizeof(answer));
	STATUS(answer, "200");
	for (int i = 1; i < n; i++) {
		ck_assert_msg(read(idle[i], answer, 1) == 0, "%d is open", i);
		close(idle[i]);
	}
	ck_assert_uint_gt(s.ticks, 100); /* of hundreds, as the machine may be busy */
	end();
}
END_TEST

/* A byte now and then keeps the time-out away, but not the end. */
START_TEST(slowloris)
{
	static const char slow[] = "GET /metrics HTTP/1.1\r\nX-Does-Not-End: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy";
	uint64_t start, last, gap = 0;
	size_t i = 0;
	char c;
	int fd;

	begin();
	fd = dial();
	start = last = usec();
	while (i < sizeof(slow) - 1 && write(fd, slow + i, 1) == 1) {
		i++;
		if (usec() - last > gap)
			gap = usec() - last;
		last = usec();
		run(500);
		if (read(fd, &c, 1) >= 0 || errno != EAGAIN)
			break;
	}
	ck_assert_uint_lt(usec() - start, (HTTP_LIFE_S + 5) * UINT64_C(1000000));
	if (gap < (HTTP_IDLE_S - 1) * UINT64_C(1000000)) /* else it was we who were idle, on a busy machine */
		ck_assert_uint_gt(usec() - start, (HTTP_LIFE_S - 2) * UINT64_C(1000000));
	close(fd);
	STATUS(get("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"), "200");
	ck_assert_uint_gt(s.ticks, 100); /* of hundreds, as the machine may be busy */
	end();
}
END_TEST

START_TEST(a_header_of_a_megabyte)
{
	static char chunk[4096];
	char answer[4096] = "";
	size_t sent = 0;
	int fd;

	begin();
	memset(chunk, 'x', sizeof(chunk));
	fd = dial();
	ck_assert_int_eq(write(fd, "GET / HTTP/1.1\r\nX: ", 19), 19);
	for (uint64_t until = usec() + 3000000; sent < 1000000 && usec() < until;) {
		ssize_t r = send(fd, chunk, sizeof(chunk), MSG_NOSIGNAL);

		if (r > 0)
			sent += (size_t)r;
		else if (errno != EAGAIN)
			break;
		else if (read(fd, answer, sizeof(answer) - 1) > 0)
			break;
		sd_event_run(s.event, 1000);
	}
	ck_assert_uint_lt(sent, 1000000); /* not listened to until its end */
	close(fd);
	STATUS(get("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), "200");
	end();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		answers,
		a_page_is_made_once_until_it_expires,
		a_slow_reader_gets_one_page,
		a_hundred_idle_connections,
		more_than_the_limit,
		slowloris,
		a_header_of_a_megabyte,
	};

	return SUITE_RUN("http", tests);
}
