// SPDX-License-Identifier: GPL-2.0-or-later
/* config-files: see config-files.h. */
#include "engine/config-files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define FILE_MAX (1U << 20)

static int by_base(const void *a, const void *b)
{
	const struct config_file *fa = a, *fb = b;
	int r = strcmp(fa->base, fb->base);

	return r ? r : (fa->rank > fb->rank) - (fa->rank < fb->rank);
}

static int add_dir(const char *dir, const char *sub, size_t rank, struct config_file **files, size_t *n)
{
	char *path = NULL;
	struct dirent *e;
	DIR *d;
	int r = 0;

	if (asprintf(&path, "%s/%s", dir, sub) < 0)
		return -ENOMEM;
	d = opendir(path);
	while (d && r == 0 && (e = readdir(d))) {
		size_t len = strlen(e->d_name);
		struct config_file *more;

		if (e->d_name[0] == '.' || len < 6 || strcmp(e->d_name + len - 5, ".conf"))
			continue;
		more = realloc(*files, (*n + 1) * sizeof(**files));
		r = more ? 0 : -ENOMEM;
		if (r < 0)
			break;
		*files = more;
		more[*n] = (struct config_file){ .rank = rank };
		if (asprintf(&more[*n].path, "%s/%s", path, e->d_name) < 0)
			r = -ENOMEM;
		else
			more[*n].base = strrchr(more[*n].path, '/') + 1, ++*n;
	}
	if (d)
		closedir(d);
	free(path);
	return r;
}

int config_files_find(char *const *dirs, size_t n_dirs, const char *sub, struct config_file **ret, size_t *ret_n)
{
	struct config_file *files = NULL;
	size_t n = 0, kept = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n_dirs; i++)
		r = add_dir(dirs[i], sub, i, &files, &n);
	if (r < 0) {
		config_files_free(files, n);
		return r;
	}
	if (n)
		qsort(files, n, sizeof(*files), by_base);
	for (size_t i = 0; i < n; i++)
		if (kept && !strcmp(files[kept - 1].base, files[i].base))
			free(files[i].path);
		else
			files[kept++] = files[i];
	*ret = files;
	*ret_n = kept;
	return 0;
}

void config_files_free(struct config_file *files, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(files[i].path);
	free(files);
}

static int read_all(int fd, char **ret)
{
	size_t n = 0, size = 4096;
	char *text = malloc(size + 1), *more;

	while (text) {
		ssize_t got = read(fd, text + n, size - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 || (got > 0 && n + (size_t)got > FILE_MAX)) {
			free(text);
			return got < 0 ? -errno : -EFBIG;
		}
		n += (size_t)got;
		if (!got) {
			text[n] = 0;
			if (memchr(text, 0, n)) {
				free(text);
				return -EBADMSG;
			}
			*ret = text;
			return 0;
		}
		if (n < size)
			continue;
		more = realloc(text, 2 * size + 1);
		if (!more)
			free(text);
		text = more;
		size *= 2;
	}
	return -ENOMEM;
}

int config_file_read(const char *path, bool regular, char **ret)
{
	int r, fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (regular ? O_NONBLOCK : 0));
	struct stat st;

	if (fd < 0)
		return -errno;
	r = fstat(fd, &st) < 0 ? -errno : 0;
	if (r == 0 && regular && !S_ISREG(st.st_mode) && !(S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3)))
		r = S_ISDIR(st.st_mode) ? -EISDIR : -EBADFD;
	if (r == 0)
		r = read_all(fd, ret);
	close(fd);
	return r;
}
