// SPDX-License-Identifier: GPL-2.0-or-later
/* sysfs-watch: see sysfs-watch.h. Watches belong to the files, so a rename of the device does not end them. */
#include "io/sysfs-watch.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "io/channel-sysfs.h"

struct sysfs_watched {
	int wd, ifindex;
};

int sysfs_watch_open(struct sysfs_watch *ret)
{
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (fd < 0)
		return -errno;
	*ret = (struct sysfs_watch){ .fd = fd };
	return 0;
}

void sysfs_watch_close(struct sysfs_watch *w)
{
	if (w->fd > 0)
		close(w->fd);
	free(w->v);
	*w = (struct sysfs_watch){ 0 };
}

static bool watches(const struct sysfs_watch *w, int ifindex)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i].ifindex == ifindex)
			return true;
	return false;
}

static int add_file(struct sysfs_watch *w, const char *path, int ifindex)
{
	int wd;

	if (w->n == w->size) {
		size_t size = w->size ? w->size * 2 : 16;
		struct sysfs_watched *v = reallocarray(w->v, size, sizeof(*v));

		if (!v)
			return -ENOMEM;
		w->v = v;
		w->size = size;
	}
	wd = inotify_add_watch(w->fd, path, IN_MODIFY);
	if (wd < 0)
		return -errno;
	w->v[w->n++] = (struct sysfs_watched){ wd, ifindex };
	return 0;
}

static bool shows(const char *sysfs, const struct nic_info *nic)
{
	char path[512];
	int ifindex = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/class/net/%s/ifindex", sysfs, nic->name);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (fscanf(f, "%d", &ifindex) != 1)
		ifindex = 0;
	fclose(f);
	return ifindex == nic->ifindex;
}

int sysfs_watch_add(struct sysfs_watch *w, const char *sysfs, const struct nic_info *nic)
{
	int r = 0, last = -ENOENT;

	if (watches(w, nic->ifindex))
		return 0;
	if (!shows(sysfs, nic))
		return -ENODEV;
	for (size_t i = 0; i < SYSFS_NAPI_FILES && r != -ENOMEM; i++) {
		char path[512];

		snprintf(path, sizeof(path), "%s/class/net/%s/%s", sysfs, nic->name, sysfs_napi_file[i]);
		r = add_file(w, path, nic->ifindex);
		last = last && r < 0 ? r : 0; /* old kernels have only one of them */
	}
	return last;
}

void sysfs_watch_drop(struct sysfs_watch *w, int ifindex)
{
	for (size_t i = w->n; i-- > 0;)
		if (w->v[i].ifindex == ifindex) {
			inotify_rm_watch(w->fd, w->v[i].wd); /* fails when the file has gone, and the watch with it */
			w->v[i] = w->v[--w->n];
		}
}

static int ifindex_of(const struct sysfs_watch *w, int wd)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i].wd == wd)
			return w->v[i].ifindex;
	return 0;
}

/* Events of one buffer; *last: the device told last. */
static int take(const struct sysfs_watch *w, const char *buf, size_t len, int *last, sysfs_watch_fn fn, void *arg)
{
	struct inotify_event e;
	int n = 0;

	for (size_t i = 0; i + sizeof(e) <= len; i += sizeof(e) + e.len) {
		int ifindex;

		memcpy(&e, buf + i, sizeof(e));
		ifindex = e.mask & IN_MODIFY ? ifindex_of(w, e.wd) : 0;
		if (!ifindex || ifindex == *last)
			continue;
		*last = ifindex;
		fn(ifindex, arg);
		n++;
	}
	return n;
}

int sysfs_watch_read(struct sysfs_watch *w, sysfs_watch_fn fn, void *arg)
{
	int n = 0, last = 0;
	char buf[4096];

	for (;;) {
		ssize_t len = read(w->fd, buf, sizeof(buf));

		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			return errno == EAGAIN ? n : -errno;
		n += take(w, buf, (size_t)len, &last, fn, arg);
	}
}
