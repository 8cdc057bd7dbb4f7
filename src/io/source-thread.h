// SPDX-License-Identifier: GPL-2.0-or-later
/* source-thread: run time of the NAPI threads of one device (SAMPLE_NAPI_THREADS). Threaded NAPI polls in kernel
 * threads: no softirq is counted for it and its CPU time looks like that of a process. */
#pragma once
#include "core/sample.h"
#include "io/procfile.h"

#define NAPI_THREADS_MAX 128

struct napi_threads { /* zero: none known */
	unsigned n;
	struct napi_thread {
		uint32_t pid;
		bool seen;
		uint64_t last_ns;
	} thread[NAPI_THREADS_MAX];
	uint64_t cpu_ns[SAMPLE_CPUS_MAX]; /* by the CPU that each ran on last */
};

/* The threads to follow from now; those that were followed keep their count. */
void napi_threads_set(struct napi_threads *t, const uint32_t *pids, unsigned n);
/* Adds what they ran since the last call, from /proc/PID/schedstat (ns), else stat (ticks of 10 ms). No thread, or none
 * that this process may see (hidepid): no bit. */
void napi_threads_read(struct napi_threads *t, const struct procroot *root, struct sample *ret);
