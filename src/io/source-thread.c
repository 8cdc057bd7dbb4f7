// SPDX-License-Identifier: GPL-2.0-or-later
/* source-thread: see source-thread.h. */
#include "io/source-thread.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Fields of /proc/PID/stat counted behind the name, which may hold anything: the first is the state. */
enum { STAT_UTIME = 11, STAT_STIME = 12, STAT_PROCESSOR = 36 };

void napi_threads_set(struct napi_threads *t, const uint32_t *pids, unsigned n)
{
	struct napi_thread old[NAPI_THREADS_MAX];
	unsigned n_old = t->n;

	memcpy(old, t->thread, sizeof(old));
	t->n = 0;
	for (unsigned i = 0; i < n && t->n < NAPI_THREADS_MAX; i++) {
		struct napi_thread *now = &t->thread[t->n];

		if (!pids[i])
			continue;
		*now = (struct napi_thread){ .pid = pids[i] };
		for (unsigned j = 0; j < n_old; j++)
			if (old[j].pid == pids[i])
				*now = old[j];
		t->n++;
	}
}

static int read_thread(const struct procroot *root, uint32_t pid, uint64_t *ret_ns, unsigned *ret_cpu)
{
	uint64_t v[STAT_PROCESSOR + 1] = { 0 }, tick = NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);
	char path[64], text[512], *p;
	int r;

	snprintf(path, sizeof(path), "proc/%" PRIu32 "/stat", pid);
	r = procroot_string(root, path, text, sizeof(text));
	if (r < 0)
		return r;
	p = strrchr(text, ')');
	if (!p || strlen(p) < 4)
		return -EINVAL;
	p += 3; /* ") S" */
	for (unsigned i = 1; i <= STAT_PROCESSOR; i++)
		v[i] = strtoull(p, &p, 10);
	*ret_cpu = (unsigned)v[STAT_PROCESSOR];
	*ret_ns = (v[STAT_UTIME] + v[STAT_STIME]) * tick;
	snprintf(path, sizeof(path), "proc/%" PRIu32 "/schedstat", pid);
	if (procroot_string(root, path, text, sizeof(text)) > 0)
		*ret_ns = strtoull(text, NULL, 10);
	return 0;
}

void napi_threads_read(struct napi_threads *t, const struct procroot *root, struct sample *ret)
{
	bool any = false;

	for (unsigned i = 0; i < t->n; i++) {
		struct napi_thread *n = &t->thread[i];
		uint64_t ns;
		unsigned cpu;

		if (read_thread(root, n->pid, &ns, &cpu) < 0 || cpu >= SAMPLE_CPUS_MAX)
			continue;
		if (n->seen && ns > n->last_ns)
			t->cpu_ns[cpu] += ns - n->last_ns;
		n->seen = any = true;
		n->last_ns = ns;
	}
	if (!any)
		return;
	for (unsigned i = 0; i < SAMPLE_CPUS_MAX && i < ret->n_cpus; i++)
		ret->cpu[i].napi_thread_ns = t->cpu_ns[i];
	ret->have |= SAMPLE_NAPI_THREADS;
}
