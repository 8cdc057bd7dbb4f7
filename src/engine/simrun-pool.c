// SPDX-License-Identifier: GPL-2.0-or-later
/* simrun-pool: see simrun-pool.h. A row is shorter than PIPE_BUF, so that rows of several children never mix. */
#include "engine/simrun-pool.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES_MAX 64

struct message {
	size_t job;
	int error; /* of the job that ends; else 0 */
	struct simrun_row row;
};

_Static_assert(sizeof(struct message) <= PIPE_BUF, "a row must go through a pipe in one piece");

struct child {
	int fd;
	size_t job;
};

static void send_message(int fd, const struct message *m)
{
	if (write(fd, m, sizeof(*m)) != (ssize_t)sizeof(*m))
		_exit(1); /* nobody reads any more */
}

static void emit(void *ctx, const struct simrun_row *row)
{
	const struct child *c = ctx;
	struct message m = { .job = c->job, .row = *row };

	send_message(c->fd, &m);
}

static _Noreturn void child(int fd, const struct simrun_job *jobs, size_t n, unsigned first, unsigned step)
{
	for (size_t i = first; i < n; i += step) {
		struct child c = { fd, i };
		int r = simrun_rows(&jobs[i], emit, &c);
		struct message m = { .job = i, .error = r };

		if (r < 0)
			send_message(fd, &m);
	}
	_exit(0);
}

static int receive_all(int fd, void (*progress)(void *ctx, size_t rows), void *ctx, struct message **ret, size_t *ret_n)
{
	struct message m, *all = NULL;
	size_t n = 0, size = 0;
	int error = 0;

	while (read(fd, &m, sizeof(m)) == (ssize_t)sizeof(m)) {
		if (m.error) {
			error = error ? error : m.error;
			continue;
		}
		if (n == size) {
			struct message *p = realloc(all, (size = size ? 2 * size : 256) * sizeof(*p));

			if (!p) {
				error = -ENOMEM;
				break;
			}
			all = p;
		}
		all[n++] = m;
		if (progress)
			progress(ctx, n);
	}
	*ret = all;
	*ret_n = n;
	return error;
}

static int in_order(const struct message *all, size_t n, size_t n_jobs, struct simrun_rows *ret)
{
	ret->rows = calloc(n ? n : 1, sizeof(*ret->rows));
	ret->n = 0;
	if (!ret->rows)
		return -ENOMEM;
	for (size_t job = 0; job < n_jobs; job++)
		for (size_t i = 0; i < n; i++)
			if (all[i].job == job)
				ret->rows[ret->n++] = all[i].row;
	return 0;
}

int simrun_pool(const struct simrun_job *jobs, size_t n_jobs, unsigned processes,
		void (*progress)(void *ctx, size_t rows), void *ctx, struct simrun_rows *ret)
{
	struct message *all = NULL;
	size_t n = 0;
	int fds[2], r, status;
	pid_t pid[PROCESSES_MAX];
	unsigned started = 0;

	*ret = (struct simrun_rows){ 0 };
	if (pipe(fds) < 0)
		return -errno;
	if (processes < 1)
		processes = 1;
	if (processes > PROCESSES_MAX)
		processes = PROCESSES_MAX;
	for (; started < processes; started++) {
		pid[started] = fork();
		if (pid[started] == 0) {
			close(fds[0]);
			child(fds[1], jobs, n_jobs, started, processes);
		}
		if (pid[started] < 0)
			break;
	}
	r = started < processes ? -errno : 0;
	close(fds[1]);
	if (r == 0)
		r = receive_all(fds[0], progress, ctx, &all, &n);
	close(fds[0]);
	for (unsigned i = 0; i < started; i++)
		if (waitpid(pid[i], &status, 0) == pid[i] && (!WIFEXITED(status) || WEXITSTATUS(status)) && r == 0)
			r = -EIO;
	if (started == processes) {
		int o = in_order(all, n, n_jobs, ret);

		free(all);
		if (r == 0)
			r = o;
	}
	return r;
}
