// SPDX-License-Identifier: GPL-2.0-or-later
/* vload's observations: samples of everything counted, and rows made of their differences. */
#pragma once

#include "vload.h"

struct napi_reader {
	int fd;			/* -1: no such family */
	uint16_t family;
	uint32_t ifindex;
};

/* Kernel side: device counters, idle time, poll counters. */
struct probe {
	const char *rx_dev, *tx_dev;
	int rx_netdev_fd, tx_netdev_fd;	/* /proc/net/dev of each namespace */
	int stat_fd;
	int polls_fd[VLOAD_CPUS_MAX], empty_fd[VLOAD_CPUS_MAX];
	size_t n_cpus;			/* 0: polls are not counted, see reason */
	char reason[VLOAD_ERR_MAX];
	struct napi_reader napi;
};

/* A running total of everything; rows are differences of two samples. */
struct sample {
	uint64_t t_ns, sent, received, rr_done, rr_lost, tcp_bytes;
	uint64_t rx_packets, tx_dropped, polls, empty_polls;
	uint64_t timeout_ns, defer;	/* greatest over the device's NAPIs */
	bool settings_known;
	uint64_t idle_ticks[2];		/* USER_HZ, CPU 0 and 1 */
	uint32_t rtt[HIST_BUCKETS];
};

int probe_open(struct probe *p, const struct options *o, char err[static VLOAD_ERR_MAX]);
void probe_close(struct probe *p);
int probe_read(const struct probe *p, struct sample *s);

/* In the calling thread's namespace. */
int napi_open(struct napi_reader *r, const char *dev);
int napi_read(const struct napi_reader *r, uint64_t *timeout_ns, uint64_t *defer);

void sample_tally(struct sample *s, struct tally *t);
void report_header(const struct options *o);
void report_row(const struct options *o, const struct probe *p, const struct phase *ph,
		const char *kind, const struct sample *a, const struct sample *b);
