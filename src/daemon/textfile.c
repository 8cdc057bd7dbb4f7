// SPDX-License-Identifier: GPL-2.0-or-later
/* textfile: see textfile.h. */
#include "daemon/textfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			text += n;
			len -= (size_t)n;
		}
	}
	return fchmod(fd, 0644) < 0 ? -errno : 0; /* our umask shuts out those that shall read it */
}

int textfile_write(const char *path, const char *text, size_t len, char err[ERR_MAX])
{
	char next[PATH_MAX];
	int fd, r;

	if ((size_t)snprintf(next, sizeof(next), "%s.%d", path, (int)getpid()) >= sizeof(next)) {
		snprintf(err, ERR_MAX, "%.100s: %s", path, strerror(ENAMETOOLONG));
		return -ENAMETOOLONG;
	}
	unlink(next); /* of one with our number before us */
	fd = open(next, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	r = fd < 0 ? -errno : write_all(fd, text, len);
	if (fd >= 0 && close(fd) < 0 && r == 0)
		r = -errno;
	if (r == 0 && rename(next, path) < 0)
		r = -errno;
	if (r < 0) {
		if (fd >= 0)
			unlink(next);
		snprintf(err, ERR_MAX, "%.100s: %s", path, strerror(-r));
	}
	return r;
}
