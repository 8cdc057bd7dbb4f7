// SPDX-License-Identifier: GPL-2.0-or-later
/* perf-event: what all users of perf_event_open(2) share: numbers of tracepoints, one event of one CPU, its filter, its
 * ring of records, and errors in words. Tracepoint numbers are read from tracefs and not through libpfm4, which finds
 * them only where debugfs is mounted. */
#pragma once
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sample.h"
#include "io/procfile.h"

enum perf_tracepoint {
	TRACEPOINT_NAPI_POLL,
	TRACEPOINT_SOFTIRQ_ENTRY,
	TRACEPOINT_SOFTIRQ_EXIT,
	TRACEPOINT_IRQ_ENTRY,
	TRACEPOINT_IRQ_EXIT,
	TRACEPOINT_COUNT
};
extern const char *const perf_tracepoint_names[TRACEPOINT_COUNT]; /* "napi:napi_poll" */

/* Number of a tracepoint in this kernel, until the next boot: the credential of its name (napi_poll) below
 * $CREDENTIALS_DIRECTORY, else with the rights of root on tracefs, from a mount of it or, in a mount of our own that
 * nobody sees, with CAP_SYS_ADMIN. Returns 0 or negative errno with the reason in one line. */
int perf_tracepoint_id(enum perf_tracepoint t, uint64_t *ret_id, char err[ERR_MAX]);

/* An event that counts one CPU, -1 or a leader's descriptor as group, and with a filter unless NULL. Returns a
 * descriptor or negative errno: -ENOENT no such event here, -EACCES no capability, -EPERM a system call filter. */
int perf_event_cpu(const struct perf_event_attr *a, unsigned cpu, int group, const char *filter);
/* In words. what: "NAPI polls". Returns rc. */
int perf_event_explain(int rc, const char *what, char err[ERR_MAX]);

/* CPUs that are online, followed through hotplug. */
struct perf_cpus {
	struct procfile file;
	char text[1024]; /* of the file that `online` belongs to; "" to look again */
	bool online[SAMPLE_CPUS_MAX];
};
int perf_cpus_open(struct perf_cpus *c, const struct procroot *root, char err[ERR_MAX]);
void perf_cpus_close(struct perf_cpus *c);
int perf_cpus_look(struct perf_cpus *c); /* 1: other ones than before, 0: the same, or negative errno */

/* "dev_name=="eth0"" and what follows for events of one device; -EINVAL: a name that no filter can hold. */
int perf_filter_device(const char *dev_name, const char *more, char *buf, size_t size);
/* "irq==38 || irq==39". -EINVAL: none, or too many to fit. */
int perf_filter_irqs(const unsigned *irqs, unsigned n, char *buf, size_t size);

/* Records of one CPU, read from memory: no system call, no interrupt of that CPU. */
struct perf_ring {
	struct perf_event_mmap_page *page; /* NULL: closed */
	size_t data_size;		   /* a power of two */
};
int perf_ring_open(struct perf_ring *r, int fd, unsigned data_pages);
void perf_ring_close(struct perf_ring *r);
/* Calls fn for each record since the last call; it may be a copy. */
typedef void perf_record_fn(const struct perf_event_header *h, void *arg);
void perf_ring_drain(struct perf_ring *r, perf_record_fn *fn, void *arg);

/* Fields of a napi:napi_poll record. */
struct perf_napi_poll {
	const char *dev_name;
	int work, budget;
};
/* raw: a tracepoint's data, size bytes. The layout (4 or 8 byte pointers) is told by where the name stands; false: it
 * is another one. */
bool perf_parse_napi_poll(const unsigned char *raw, size_t size, struct perf_napi_poll *ret);
