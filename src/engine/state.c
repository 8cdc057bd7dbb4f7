// SPDX-License-Identifier: GPL-2.0-or-later
/* state: see state.h. A file is written beside its place, synced and renamed, so there is never half of one. */
#include "engine/state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_PREFIX "originals-"
#define NEW_SUFFIX ".new" /* beside its place, until it is whole */
#define FILE_SIZE_MAX (256 * 1024)

const char *state_default_path(void)
{
	const char *p = getenv("RUNTIME_DIRECTORY");

	return p && p[0] ? p : "/run/ethtuned";
}

int state_open(struct state_dir *d, const char *path)
{
	struct stat st;
	int fd;

	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return -errno;
	if (stat("/proc/self/ns/net", &st) < 0)
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*d = (struct state_dir){ .fd = fd, .netns = st.st_ino };
	return 0;
}

void state_close(struct state_dir *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}

/* What a crash left half written: only who holds the lock writes. */
static void sweep(struct state_dir *d)
{
	int fd = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((e = readdir(dir))) {
		size_t n = strlen(e->d_name), suffix = strlen(NEW_SUFFIX);

		if (!strncmp(e->d_name, "." FILE_PREFIX, strlen("." FILE_PREFIX)) && n > suffix &&
		    !strcmp(e->d_name + n - suffix, NEW_SUFFIX))
			unlinkat(d->fd, e->d_name, 0);
	}
	closedir(dir);
}

int state_lock(struct state_dir *d)
{
	int r, fd = openat(d->fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		r = -errno;
		close(fd);
		return r;
	}
	sweep(d);
	return fd;
}

/* Interface numbers repeat between network namespaces; one runtime directory may serve several of them. */
static void file_name(const struct state_dir *d, int ifindex, char *buf, size_t size)
{
	snprintf(buf, size, FILE_PREFIX "%" PRIu64 "-%d", d->netns, ifindex);
}

static int write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t w = write(fd, p, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return -errno;
		p += w;
		n -= (size_t)w;
	}
	return fsync(fd) < 0 ? -errno : 0;
}

int state_save(struct state_dir *d, const struct nic_info *nic, const struct nic_settings *s)
{
	char name[64], temp[80], *text;
	size_t n = state_format(nic, d->netns, s, NULL, 0);
	int fd, r;

	text = malloc(n + 1);
	if (!text)
		return -ENOMEM;
	state_format(nic, d->netns, s, text, n + 1);
	file_name(d, nic->ifindex, name, sizeof(name));
	snprintf(temp, sizeof(temp), ".%s" NEW_SUFFIX, name);
	fd = openat(d->fd, temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	r = fd < 0 ? -errno : write_all(fd, text, n);
	if (fd >= 0)
		close(fd);
	if (r == 0 && renameat(d->fd, temp, d->fd, name) < 0)
		r = -errno;
	if (r < 0)
		unlinkat(d->fd, temp, 0);
	else
		fsync(d->fd);
	free(text);
	return r;
}

static int read_file(const struct state_dir *d, const char *name, char **ret)
{
	int fd = openat(d->fd, name, O_RDONLY | O_CLOEXEC), r = 0;
	size_t n = 0;
	char *buf;

	if (fd < 0)
		return -errno;
	buf = malloc(FILE_SIZE_MAX + 1);
	if (!buf)
		r = -ENOMEM;
	while (r == 0 && n < FILE_SIZE_MAX) {
		ssize_t g = read(fd, buf + n, FILE_SIZE_MAX - n);

		if (g == 0)
			break;
		if (g < 0 && errno != EINTR)
			r = -errno;
		if (g > 0)
			n += (size_t)g;
	}
	close(fd);
	if (r < 0) {
		free(buf);
		return r;
	}
	buf[n] = 0;
	*ret = buf;
	return 0;
}

int state_load(struct state_dir *d, int ifindex, char name[NIC_NAME_MAX], struct nic_settings *ret)
{
	char file[64], *text = NULL;
	struct nic_settings *s;
	uint64_t netns;
	int r, found;

	file_name(d, ifindex, file, sizeof(file));
	r = read_file(d, file, &text);
	if (r < 0)
		return r;
	s = malloc(sizeof(*s));
	r = s ? state_parse(text, &found, &netns, name, s) : -ENOMEM;
	if (r == 0 && (found != ifindex || netns != d->netns))
		r = -EBADMSG;
	if (r == 0)
		*ret = *s;
	free(s);
	free(text);
	return r;
}

int state_remove(struct state_dir *d, int ifindex)
{
	char name[64];

	file_name(d, ifindex, name, sizeof(name));
	return unlinkat(d->fd, name, 0) < 0 && errno != ENOENT ? -errno : 0;
}

int state_list(struct state_dir *d, int *ret_ifindex, size_t max)
{
	char prefix[48];
	int n = 0, fd = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!dir) {
		int r = -errno;

		if (fd >= 0)
			close(fd);
		return r;
	}
	snprintf(prefix, sizeof(prefix), FILE_PREFIX "%" PRIu64 "-", d->netns);
	while ((e = readdir(dir)))
		if (!strncmp(e->d_name, prefix, strlen(prefix)) && (size_t)n < max)
			ret_ifindex[n++] = atoi(e->d_name + strlen(prefix));
	closedir(dir);
	return n;
}
