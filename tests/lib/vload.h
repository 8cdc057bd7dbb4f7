// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vload: traffic between two network namespaces of this machine, and what became of it.
 * Shared by vload.c (options, phases), vload-run.c (sockets), vload-load.c (threads),
 * vload-probe.c (kernel counters), vload-napi.c (settings in force) and vload-report.c (rows).
 *
 * Layout of a run: everything that sends on CPU 0 (veth runs the receiver's NAPI on the sender's
 * CPU), everything that receives on CPU 1, so that the two sides' CPU time can be told apart.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VLOAD_ERR_MAX 200
#define VLOAD_PHASES_MAX 32
#define VLOAD_CPUS_MAX 256
#define NSEC_PER_SEC 1000000000ULL

/* Log-linear histogram of nanoseconds, 64 steps per octave: below 1.6 % error, up to 17 s. */
#define HIST_SUB_BITS 6
#define HIST_SUB (1u << HIST_SUB_BITS)
#define HIST_MAX_EXP 33
#define HIST_BUCKETS ((HIST_MAX_EXP - HIST_SUB_BITS) * HIST_SUB + 2 * HIST_SUB)

/* What a phase generates; a row of the load table gives a combination. */
enum load_part {
	LOAD_UDP = 1 << 0,	/* paced one-way UDP */
	LOAD_RR = 1 << 1,	/* request/response, 1 outstanding, random gaps */
	LOAD_RR_CLOSED = 1 << 2,	/* the same without a gap */
	LOAD_TCP = 1 << 3,	/* one bulk stream */
};

struct phase {
	char name[40];		/* as given, without the seconds */
	unsigned int parts;	/* enum load_part */
	double udp_pps;
	double rr_pps;		/* mean rate that the gaps give */
	double seconds;
};

struct options {
	const char *tx_ns, *rx_ns;
	const char *rx_dev, *tx_dev;	/* the receiving device and its peer */
	const char *dst;		/* IPv4 address in rx_ns */
	double interval_s, skip_s;
	bool json, no_perf, summary_only;
	bool awake;			/* CPUs never idle, CPU columns void */
	size_t n_phases;
	struct phase phases[VLOAD_PHASES_MAX];
};

/* Written by the load threads, read by the reporter: relaxed atomics are enough. */
struct tally {
	atomic_uint_fast64_t sent, received, rr_done, rr_lost, tcp_bytes;
	atomic_uint_fast32_t rtt[HIST_BUCKETS];
};

struct load {
	const struct phase *phase;
	int udp_fd, sink_fd, rr_fd, rr_server_fd, tcp_listen_fd;
	int tx_ns_fd;
	const char *dst;
	struct tally tally;
	atomic_bool stop_phase, quit;
	pthread_t servers[5], clients[3];
	size_t n_servers, n_clients;
};

uint64_t now_ns(void);
unsigned int hist_index(uint64_t ns);

/* Negative errno with text in err; 0 when ready. */
int load_open(struct load *l, const struct options *o, char err[static VLOAD_ERR_MAX]);
int load_start(struct load *l, const struct phase *p, char err[static VLOAD_ERR_MAX]);
void load_stop(struct load *l);
void load_close(struct load *l);
int ns_enter(const char *name, char err[static VLOAD_ERR_MAX]);	/* fd of the namespace entered */
