// SPDX-License-Identifier: GPL-2.0-or-later
/* http-listen: where it listens and what it removes. textfile: what readers see. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../core/suite.h"
#include "daemon/http-listen.h"
#include "daemon/textfile.h"

START_TEST(where_to_listen)
{
	static const char *const bad[] = { "nonsense", "localhost:9817", "127.0.0.1:99999", "127.0.0.1:", ":80",
					   "256.1.1.1:1", "unix:" };
	char err[ERR_MAX], long_path[256] = "unix:/";
	int fd, again;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_msg(http_listen(bad[i], err) < 0, "%s", bad[i]);
		ck_assert_msg(err[0], "%s", bad[i]);
	}
	memset(long_path + 6, 'x', 200);
	ck_assert_int_eq(http_listen(long_path, err), -ENAMETOOLONG);
	fd = http_listen("127.0.0.1:0", err);
	ck_assert_msg(fd >= 0, "%s", err);
	ck_assert_int_ne(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
	close(fd);
	fd = http_listen("unix:@ethtuned-test-http", err);
	ck_assert_msg(fd >= 0, "%s", err);
	again = http_listen("unix:@ethtuned-test-http", err);
	ck_assert_int_eq(again, -EADDRINUSE);
	close(fd);
}
END_TEST

START_TEST(socket_of_a_dead_server_is_replaced)
{
	char err[ERR_MAX], dir[] = "/tmp/ethtuned-listen-XXXXXX", path[64], where[80];
	struct stat st;
	int fd, next;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/socket", dir);
	snprintf(where, sizeof(where), "unix:%s", path);
	fd = http_listen(where, err);
	ck_assert_msg(fd >= 0, "%s", err);
	ck_assert_int_eq(http_listen(where, err), -EADDRINUSE); /* it lives */
	close(fd);						/* ... not any more, but its file is there */
	next = http_listen(where, err);
	ck_assert_msg(next >= 0, "%s", err);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0666);
	close(next);
	http_unlisten(where);
	ck_assert_int_lt(stat(path, &st), 0);
	/* no socket: not ours to remove */
	ck_assert_int_eq(textfile_write(path, "x", 1, err), 0);
	ck_assert_int_eq(http_listen(where, err), -EADDRINUSE);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(rmdir(dir), 0);
}
END_TEST

START_TEST(text_file_is_whole_and_readable)
{
	char dir[] = "/tmp/ethtuned-textfile-XXXXXX", path[64], text[16], err[ERR_MAX];
	struct stat st;
	FILE *f;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/x.prom", dir);
	umask(077);
	ck_assert_int_eq(textfile_write(path, "first\n", 6, err), 0);
	ck_assert_int_eq(textfile_write(path, "2\n", 2, err), 0);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0644);
	f = fopen(path, "r");
	ck_assert_uint_eq(fread(text, 1, sizeof(text), f), 2);
	fclose(f);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkdir(path, 0700), 0); /* cannot be replaced by a file */
	ck_assert_int_lt(textfile_write(path, "x", 1, err), 0);
	ck_assert_ptr_nonnull(strstr(err, path));
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert_int_eq(rmdir(dir), 0); /* nothing else is left in it */
	ck_assert_int_eq(textfile_write(path, "x", 1, err), -ENOENT);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		where_to_listen,
		socket_of_a_dead_server_is_replaced,
		text_file_is_whole_and_readable,
	};

	return SUITE_RUN("http-listen", tests);
}
