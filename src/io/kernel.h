// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel: what the parts of the kernel backend share: open sockets, and what is known of each NIC. Private to
 * io/kernel* and io/backend-kernel.c. */
#pragma once
#include "io/backend.h"
#include "io/evidence.h"
#include "io/genl.h"
#include "io/irqname.h"
#include "io/netdev-genl.h"
#include "io/nic.h"
#include "io/perf-sampler.h"
#include "io/perf-trace.h"
#include "io/procfile.h"
#include "io/rtnl.h"
#include "io/source-cpu.h"
#include "io/source-drvstats.h"
#include "io/source-health.h"
#include "io/source-irq.h"
#include "io/source-perf.h"
#include "io/source-pmu.h"
#include "io/source-thread.h"

struct kernel_nic {
	struct kernel_nic *next;
	int ifindex;
	char name[NIC_NAME_MAX];
	enum napi_path napi_path;
	bool probed, per_queue, qstats;
	uint32_t coalesce; /* knobs of the channel that the driver reports */
	uint32_t generation;
	struct irq_rule irq_rule;
	bool mapped;
	struct nic_map map;
	struct irq_source irqs;
	struct drvstats_source drvstats;
	struct health_source health;
	struct evidence_source evidence;
	bool polls_wanted; /* else somebody else's count is enough */
	struct kernel_details *details; /* NULL: nobody asked */
};

/* Sources of kernel-details.c. */
struct kernel_details {
	struct perf_polls *polls;
	struct perf_trace *trace;
	struct pmu_source *pmu;
	struct napi_threads threads;
	char no_polls[ERR_MAX], no_trace[ERR_MAX], no_pmu[ERR_MAX];
};

struct kernel {
	struct backend base;
	struct genl genl;
	struct rtnl *rtnl;
	int ioctl_fd;
	struct nic_finder finder; /* the three above */
	struct procroot root;
	char sysfs[256];
	struct cpu_source *cpus; /* NULL: none */
	uint64_t poll_event;	 /* tracepoint number, 0 = not to be had */
	char no_poll_event[ERR_MAX];
	struct perf_sampler *sampler; /* of the polls of all NICs; NULL: not opened, or no_poll_event says why not */
	nsec_t sampled;		      /* when it was read last */
	nsec_t sampler_retry;	      /* not opened before */
	struct kernel_nic *nics;
};

/* The entry of a NIC, made when it is new; its counters are forgotten when it was renamed. NULL: no memory. */
struct kernel_nic *kernel_nic(struct kernel *k, const struct nic_info *nic);
/* The same, after a probe when there was none yet. 0, -ENOMEM, -ENODEV. */
int kernel_nic_ready(struct kernel *k, const struct nic_info *nic, struct kernel_nic **ret);
/* Looks again at how the NIC can be driven; its map and counters start anew. */
int kernel_nic_probe(struct kernel *k, struct kernel_nic *n, const struct nic_info *nic, struct nic_caps *ret);
int kernel_nic_map(struct kernel *k, struct kernel_nic *n, const struct nic_info *nic);
void kernel_nic_irq_order(struct kernel_nic *n, const char *order); /* see struct backend_ops; nonsense is ignored */
int kernel_nic_sample(struct kernel *k, struct kernel_nic *n, const struct nic_info *nic, struct sample *ret);
void kernel_nic_free(struct kernel *k, struct kernel_nic *n);

/* As in struct backend_ops. */
void kernel_details(struct backend *b, const struct nic_info *nic, bool on);
const char *kernel_why_missing(struct backend *b, const struct nic_info *nic, uint32_t source);
void kernel_details_close(struct kernel_nic *n);
/* Fills what the details bring, after all else. */
void kernel_details_read(struct kernel *k, struct kernel_nic *n, struct sample *ret);

/* Settings: as in struct backend_ops. */
int kernel_read(struct backend *b, const struct nic_info *nic, struct knob_set *ret);
int kernel_write(struct backend *b, const struct nic_info *nic, const struct knob_set *want, struct knob_set *ret_got,
		 char err[ERR_MAX]);
int kernel_read_queues(struct backend *b, const struct nic_info *nic, struct queue_setting *ret, unsigned max);
int kernel_write_queues(struct backend *b, const struct nic_info *nic, const struct queue_setting *want, unsigned n,
			char err[ERR_MAX]);
/* Ids of the instances that serve the receive queues, 0 not known, and all instances. Where the driver links none of
 * them and there is one for each queue: in the order of their ids. Returns how many queues, or negative errno. */
int kernel_queue_napi(struct kernel *k, const struct nic_info *nic, uint32_t of_queue[NIC_QUEUES_MAX],
		      struct napi_info napi[NIC_NAPI_MAX], int *ret_n_napi);
int kernel_save(struct backend *b, const struct nic_info *nic, struct nic_settings *ret);
int kernel_restore(struct backend *b, const struct nic_info *nic, const struct nic_settings *saved, char err[ERR_MAX]);
