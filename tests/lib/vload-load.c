// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The traffic of vload: one function per thread. Relies on the sockets that vload-run.c made.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "vload-threads.h"

#define PAYLOAD_BYTES 64
#define BURST_NS 100000		/* one burst per 100 us from BURST_FROM_PPS on */
#define BURST_FROM_PPS 10000.0
#define SPIN_FROM_PPS 150000.0	/* above it a sleep per burst costs more than it is worth */
#define BATCH 32
#define RR_SEED 88172645463325252ULL

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

static void sleep_until(uint64_t t_ns)
{
	struct timespec ts = { (time_t)(t_ns / NSEC_PER_SEC), (long)(t_ns % NSEC_PER_SEC) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

/*
 * The request/response threads are real-time: behind a spinning sender they would otherwise
 * measure the scheduler's slice. Best effort, rows are still right without.
 */
static void settle_thread(int cpu, bool realtime)
{
	struct sched_param sp = { .sched_priority = 1 };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	if (realtime)
		sched_setscheduler(0, SCHED_FIFO, &sp);
	else
		setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), -20);
}

static unsigned int send_now(int fd, unsigned int n, bool batched)
{
	static const char payload[PAYLOAD_BYTES];
	struct iovec iov = { (void *)(uintptr_t)payload, sizeof(payload) };
	struct mmsghdr msgs[BATCH];
	int rc;

	if (!batched) {
		unsigned int done = 0;

		for (unsigned int i = 0; i < n; i++)
			done += send(fd, payload, sizeof(payload), 0) > 0;
		return done;
	}
	if (n > BATCH)
		n = BATCH;
	memset(msgs, 0, n * sizeof(msgs[0]));
	for (unsigned int i = 0; i < n; i++) {
		msgs[i].msg_hdr.msg_iov = &iov;
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	rc = sendmmsg(fd, msgs, n, 0);
	return rc > 0 ? (unsigned int)rc : 0;
}

void *load_udp_thread(void *arg)
{
	struct load *l = arg;
	double pps = l->phase->udp_pps;
	bool spin = pps >= SPIN_FROM_PPS;
	double period_ns = pps >= BURST_FROM_PPS && !spin ? BURST_NS : (double)NSEC_PER_SEC / pps;
	/* After being kept off the CPU, what is older than 1 ms is given up: sending it all at
	 * once would overflow a 256-entry ring that no real sender at this rate overflows. */
	uint64_t backlog_max = (uint64_t)(pps / 1000) + 1;
	uint64_t start, done = 0;

	settle_thread(0, false);
	start = now_ns();
	while (!atomic_load_explicit(&l->stop_phase, memory_order_relaxed)) {
		uint64_t ticks = (uint64_t)((double)(now_ns() - start) / period_ns);
		uint64_t due = (uint64_t)((double)(ticks + 1) * period_ns * pps / 1e9 + 0.001);
		unsigned int n;

		if (due > done + backlog_max)
			done = due - backlog_max;
		n = due > done ? (unsigned int)(due - done) : 0;
		if (n && spin && n > BATCH)
			n = BATCH;
		if (n) {
			atomic_fetch_add_explicit(&l->tally.sent, send_now(l->udp_fd, n, spin),
						  memory_order_relaxed);
			done += n;
		}
		if (!spin)
			sleep_until(start + (uint64_t)((double)(ticks + 1) * period_ns));
	}
	return NULL;
}

void *load_sink_thread(void *arg)
{
	struct load *l = arg;
	char buf[BATCH][PAYLOAD_BYTES] = { 0 };
	struct iovec iov[BATCH];
	struct mmsghdr msgs[BATCH];

	memset(msgs, 0, sizeof(msgs));
	for (size_t i = 0; i < BATCH; i++) {
		iov[i] = (struct iovec){ buf[i], sizeof(buf[i]) };
		msgs[i].msg_hdr.msg_iov = &iov[i];
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	settle_thread(1, false);
	while (!atomic_load_explicit(&l->quit, memory_order_relaxed)) {
		int n = recvmmsg(l->sink_fd, msgs, BATCH, MSG_WAITFORONE, NULL);

		if (n > 0)
			atomic_fetch_add_explicit(&l->tally.received, (uint64_t)n,
						  memory_order_relaxed);
	}
	return NULL;
}

void *load_rr_server_thread(void *arg)
{
	struct load *l = arg;
	char buf[PAYLOAD_BYTES];

	settle_thread(1, true);
	while (!atomic_load_explicit(&l->quit, memory_order_relaxed)) {
		struct sockaddr_in from;
		socklen_t len = sizeof(from);
		ssize_t n = recvfrom(l->rr_server_fd, buf, sizeof(buf), 0,
				     (struct sockaddr *)&from, &len);

		if (n > 0)
			sendto(l->rr_server_fd, buf, (size_t)n, 0, (struct sockaddr *)&from, len);
	}
	return NULL;
}

/* One exchange; false when no answer came. A late answer to an earlier request is skipped. */
static bool rr_once(int fd, uint64_t seq, uint64_t *rtt_ns)
{
	uint64_t msg[PAYLOAD_BYTES / 8] = { seq }, t0 = now_ns();

	if (send(fd, msg, sizeof(msg), 0) < 0)
		return false;
	for (;;) {
		if (recv(fd, msg, sizeof(msg), 0) < 0)
			return false;
		if (msg[0] == seq)
			break;
	}
	*rtt_ns = now_ns() - t0;
	return true;
}

static uint64_t next_random(uint64_t *x)	/* xorshift64 */
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

void *load_rr_thread(void *arg)
{
	struct load *l = arg;
	bool closed = l->phase->parts & LOAD_RR_CLOSED;
	uint64_t x = RR_SEED, next, seq = now_ns();

	settle_thread(0, true);
	next = now_ns();
	while (!atomic_load_explicit(&l->stop_phase, memory_order_relaxed)) {
		uint64_t rtt;

		if (rr_once(l->rr_fd, ++seq, &rtt)) {
			atomic_fetch_add_explicit(&l->tally.rtt[hist_index(rtt)], 1,
						  memory_order_relaxed);
			atomic_fetch_add_explicit(&l->tally.rr_done, 1, memory_order_relaxed);
		} else {
			atomic_fetch_add_explicit(&l->tally.rr_lost, 1, memory_order_relaxed);
		}
		if (closed)
			continue;
		/* Send to send, uniform in 0.5 .. 1.5 mean gaps: no beat with any timer. */
		next += (uint64_t)((0.5 + (double)(next_random(&x) >> 11) * 0x1p-53) * 1e9 /
				   l->phase->rr_pps);
		if (next > now_ns())
			sleep_until(next);
		else
			next = now_ns();
	}
	return NULL;
}

void *load_tcp_sink_thread(void *arg)
{
	struct load *l = arg;
	char buf[65536];

	settle_thread(1, false);
	while (!atomic_load_explicit(&l->quit, memory_order_relaxed)) {
		struct pollfd pfd = { .fd = l->tcp_listen_fd, .events = POLLIN };
		ssize_t n;
		int fd;

		if (poll(&pfd, 1, 50) <= 0)
			continue;
		fd = accept4(l->tcp_listen_fd, NULL, NULL, SOCK_CLOEXEC);
		while (fd >= 0 && (n = recv(fd, buf, sizeof(buf), 0)) > 0)
			atomic_fetch_add_explicit(&l->tally.tcp_bytes, (uint64_t)n,
						  memory_order_relaxed);
		if (fd >= 0)
			close(fd);
	}
	return NULL;
}

void *load_tcp_thread(void *arg)
{
	struct load *l = arg;
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(PORT_TCP) };
	struct timeval tv = { .tv_usec = 100000 };
	static const char block[65536];
	int fd;

	settle_thread(0, false);
	if (setns(l->tx_ns_fd, CLONE_NEWNET) < 0)
		return NULL;
	inet_pton(AF_INET, l->dst, &to.sin_addr);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return NULL;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
		while (!atomic_load_explicit(&l->stop_phase, memory_order_relaxed))
			send(fd, block, sizeof(block), MSG_NOSIGNAL);
	close(fd);
	return NULL;
}

/*
 * Keeps a CPU from going idle without taking time from anyone: waking from idle costs tens of
 * microseconds in a virtual machine, and then a round trip mostly tells how idle the CPUs are.
 */
static void keep_awake(struct load *l, int cpu)
{
	struct sched_param sp = { 0 };

	settle_thread(cpu, false);
	if (sched_setscheduler(0, SCHED_IDLE, &sp) < 0)
		return;
	while (!atomic_load_explicit(&l->quit, memory_order_relaxed))
		;
}

void *load_spin0_thread(void *arg)
{
	keep_awake(arg, 0);
	return NULL;
}

void *load_spin1_thread(void *arg)
{
	keep_awake(arg, 1);
	return NULL;
}
