// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel-details: the dear sources of the kernel backend, open only while someone asks for details of one NIC. Each of
 * them may be missing for a reason of its own, and then the others go on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/kernel.h"
#include "io/netdev-genl.h"
#include "io/perf-event.h"

#define BURST_NS (10 * NSEC_PER_MSEC)

static void close_all(struct kernel_details *d)
{
	perf_polls_close(d->polls);
	perf_trace_close(d->trace);
	pmu_source_close(d->pmu);
	free(d);
}

void kernel_details_close(struct kernel_nic *n)
{
	if (n->details)
		close_all(n->details);
	n->details = NULL;
}

/* Returns how many threads poll for this NIC. */
static unsigned find_threads(struct kernel *k, int ifindex, struct napi_threads *t)
{
	struct napi_info napi[NIC_NAPI_MAX];
	uint32_t pids[NIC_NAPI_MAX];
	char err[ERR_MAX];
	int n = netdev_napi_list(&k->genl, ifindex, napi, NIC_NAPI_MAX, err);

	for (int i = 0; i < n; i++)
		pids[i] = napi[i].pid;
	napi_threads_set(t, pids, n > 0 ? (unsigned)n : 0);
	return t->n;
}

static void open_perf(struct kernel *k, struct kernel_nic *n, struct kernel_details *d)
{
	unsigned irqs[NIC_IRQS_MAX], n_irqs = 0;
	uint64_t id;

	for (unsigned i = 0; n->mapped && i < n->map.n_irqs; i++)
		if (!n->map.irqs[i].control)
			irqs[n_irqs++] = n->map.irqs[i].irq;
	if (perf_tracepoint_id(TRACEPOINT_NAPI_POLL, &id, d->no_polls) >= 0)
		perf_polls_open(&k->root, n->name, id, &d->polls, d->no_polls);
	if (d->threads.n)
		snprintf(d->no_trace, ERR_MAX, "its NAPI runs in threads");
	else
		perf_trace_open(&k->root, n->name, irqs, n_irqs, &d->trace, d->no_trace);
	pmu_source_open(&k->root, &d->pmu, d->no_pmu);
}

void kernel_details(struct backend *b, const struct nic_info *nic, bool on)
{
	struct kernel *k = (struct kernel *)b;
	struct kernel_nic *n = kernel_nic(k, nic);

	if (!n || on == (n->details != NULL))
		return;
	if (!on) {
		kernel_details_close(n);
		return;
	}
	n->details = calloc(1, sizeof(*n->details));
	if (!n->details)
		return;
	if (!n->mapped)
		kernel_nic_map(k, n, nic);
	find_threads(k, n->ifindex, &n->details->threads);
	open_perf(k, n, n->details);
}

void kernel_details_read(struct kernel *k, struct kernel_nic *n, struct sample *s)
{
	struct kernel_details *d = n->details;
	struct poll_counts c;

	if (d->polls && perf_polls_read(d->polls, &c) == 0) {
		s->polls = c.polls;
		s->empty_polls = c.empty;
		s->full_polls = c.full;
		s->polls_by = POLLS_COUNTED;
		s->have |= SAMPLE_POLLS;
	}
	if (d->pmu)
		pmu_source_read(d->pmu, s);
	napi_threads_read(&d->threads, &k->root, s);
	/* last: it takes its time, and what it costs belongs to the next interval */
	if (d->trace && perf_trace_burst(d->trace, BURST_NS) == 0)
		perf_trace_read(d->trace, s);
}

const char *kernel_why_missing(struct backend *b, const struct nic_info *nic, uint32_t source)
{
	struct kernel_nic *n = kernel_nic((struct kernel *)b, nic);
	const struct kernel_details *d = n ? n->details : NULL;

	if (!d)
		return "nobody asked for it";
	switch (source) {
	case SAMPLE_POLLS: return d->no_polls;
	case SAMPLE_TRACED: return d->no_trace[0] || d->trace ? d->no_trace : "not opened";
	case SAMPLE_PMU: return d->no_pmu;
	case SAMPLE_NAPI_THREADS: return d->threads.n ? "" : "its NAPI does not run in threads";
	}
	return "";
}
