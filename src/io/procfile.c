// SPDX-License-Identifier: GPL-2.0-or-later
/* procfile: small files below a replaceable root. Relies on openat and on /proc and /sys having relative links only, so
 * that a copied tree keeps its links inside. */
#include "io/procfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sample.h"

#define FIRST_SIZE 4096U
#define LARGEST_SIZE (64U << 20)

static const char *relative(const char *path)
{
	while (*path == '/')
		path++;
	return *path ? path : ".";
}

int procroot_open(struct procroot *r, const char *path)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	r->fd = fd;
	return 0;
}

void procroot_close(struct procroot *r)
{
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
}

int procfile_open(struct procfile *f, const struct procroot *r, const char *path)
{
	int fd = openat(r->fd, relative(path), O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	*f = (struct procfile){ .fd = fd };
	return 0;
}

static int grow(struct procfile *f)
{
	size_t size = f->size ? f->size * 2 : FIRST_SIZE;
	char *text;

	if (size > LARGEST_SIZE)
		return -EFBIG;
	text = realloc(f->text, size);
	if (!text)
		return -ENOMEM;
	f->text = text;
	f->size = size;
	return 0;
}

int procfile_read(struct procfile *f)
{
	size_t len = 0;

	for (;;) {
		ssize_t n;
		int r;

		if (len + 1 >= f->size) {
			r = grow(f);
			if (r < 0)
				return r;
		}
		n = pread(f->fd, f->text + len, f->size - len - 1, (off_t)len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	f->text[len] = '\0';
	f->len = len;
	return 0;
}

void procfile_close(struct procfile *f)
{
	if (f->fd >= 0)
		close(f->fd);
	free(f->text);
	*f = PROCFILE_CLOSED;
}

int procroot_string(const struct procroot *r, const char *path, char *buf, size_t size)
{
	struct procfile f = PROCFILE_CLOSED;
	int ret = procfile_open(&f, r, path);
	size_t len;

	if (ret < 0)
		return ret;
	ret = procfile_read(&f);
	len = f.len;
	if (ret == 0 && len > 0 && f.text[len - 1] == '\n')
		len--;
	if (ret == 0 && len >= size)
		ret = -ENAMETOOLONG;
	if (ret == 0) {
		memcpy(buf, f.text, len);
		buf[len] = '\0';
		ret = (int)len;
	}
	procfile_close(&f);
	return ret;
}

int procroot_u64(const struct procroot *r, const char *path, uint64_t *ret)
{
	char buf[64];
	int n = procroot_string(r, path, buf, sizeof(buf));

	return n < 0 ? n : units_parse_u64(buf, ret);
}

int procroot_link_name(const struct procroot *r, const char *path, char *buf, size_t size)
{
	char target[4096];
	ssize_t n = readlinkat(r->fd, relative(path), target, sizeof(target) - 1);
	const char *name;
	size_t len;

	if (n < 0)
		return -errno;
	target[n] = '\0';
	name = strrchr(target, '/');
	name = name ? name + 1 : target;
	len = strlen(name);
	if (len >= size)
		return -ENAMETOOLONG;
	memcpy(buf, name, len + 1);
	return (int)len;
}

bool procroot_exists(const struct procroot *r, const char *path)
{
	return faccessat(r->fd, relative(path), F_OK, 0) == 0;
}

bool procroot_same(const struct procroot *r, const char *a, const char *b)
{
	struct stat sa, sb;

	if (fstatat(r->fd, relative(a), &sa, 0) < 0 || fstatat(r->fd, relative(b), &sb, 0) < 0)
		return false;
	return sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

int procroot_list(const struct procroot *r, const char *path, procroot_name_fn *fn, void *arg)
{
	int fd = openat(r->fd, relative(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *e;
	int ret = 0;
	DIR *dir;

	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (!dir) {
		ret = -errno;
		close(fd);
		return ret;
	}
	while (ret == 0) {
		errno = 0;
		e = readdir(dir);
		if (!e) {
			ret = -errno;
			break;
		}
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			ret = fn(e->d_name, arg);
	}
	closedir(dir);
	return ret;
}

int cpulist_parse(const char *text, uint16_t *ret, size_t max)
{
	size_t n = 0;

	for (const char *p = text; *p && *p != '\n';) {
		unsigned long first, last;
		char *end;

		if (*p < '0' || *p > '9')
			return -EINVAL;
		first = last = strtoul(p, &end, 10);
		if (*end == '-') {
			p = end + 1;
			if (*p < '0' || *p > '9')
				return -EINVAL;
			last = strtoul(p, &end, 10);
		}
		if (first > last || last > UINT16_MAX)
			return -EINVAL;
		for (; first <= last; first++, n++)
			if (n < max)
				ret[n] = (uint16_t)first;
		p = *end == ',' ? end + 1 : end;
		if (*end && *end != ',' && *end != '\n')
			return -EINVAL;
	}
	return (int)n;
}

void counter32_feed(struct counter32 *c, uint32_t raw, bool late, uint64_t max_step, bool *reset)
{
	bool started_anew = false;

	if (!c->seen)
		c->total = late ? 0 : raw;
	else
		c->total += counter_step_u32(c->last, raw, max_step, &started_anew);
	c->seen = true;
	c->last = raw;
	if (started_anew)
		*reset = true;
}

uint64_t counter32_max_step(nsec_t dt, uint64_t per_second)
{
	double step = (double)dt / (double)NSEC_PER_SEC * (double)per_second + (double)per_second / 100.0;

	return step >= (double)UINT32_MAX ? UINT32_MAX : (uint64_t)step;
}
