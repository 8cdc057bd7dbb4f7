// SPDX-License-Identifier: GPL-2.0-or-later
/* What perf-trace says of the cost of a poll and of a packet, against a direct measurement that knows nothing of perf;
 * and what the default source of polls costs, with and without in one run.
 *
 * Direct: a thread that does nothing but look at the clock sees how long it is kept from it. Frames are queued on a
 * veth while its NAPI is deferred; the timer's poll of n of them, on this CPU, is one gap of a + b * n and the timer's
 * own time, and a timer that does nothing is a gap too. Medians, since a hypervisor takes the CPU away now and then.
 *
 * Both depend on the machine's clock and on who else is there, so what is asserted are orders of magnitude, and with
 * EXACT set the numbers themselves (tests/bench/cost-model --check). With PRINT set it only prints. */
#include <check.h>
#include <signal.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>

#include "io/perf-event.h"
#include "io/perf-sampler.h"
#include "io/perf-trace.h"
#include "io/source-perf.h"
#include "polls.h"

#define SKIP 77
#define TIMEOUT_NS 500000
#define GAP_NS 1500 /* shorter ones are the clock itself, and the hypervisor */
#define REPEAT 60
#define QUANTILE 0.4 /* what a hypervisor adds is on one side only */
#define ATTEMPTS 4
#define ROUNDS 60
#define AGREE 0.25	  /* of the direct measurement */
#define AGREE_ROUGHLY 3.0 /* times it, or a third */
#define PAUSED_MOST 0.7	  /* percent of a core */
#define PAUSED_MOST_ROUGHLY 2.5

static const unsigned sizes[] = { 0, 4, 8, 16, 32, 48 };
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static struct polls_rig rig;

struct direct {
	double a_usecs, b_usecs, timer_usecs;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double quantile(double *v, unsigned n, double q)
{
	qsort(v, n, sizeof(*v), by_value);
	return v[(unsigned)(q * (n - 1))];
}

/* Longest gap between two looks at the clock until then, less what a look takes. */
static double longest_gap(uint64_t until)
{
	uint64_t last = now_ns(), longest = 0, shortest = UINT64_MAX;

	for (;;) {
		uint64_t now = now_ns(), gap = now - last;

		longest = gap > longest ? gap : longest;
		shortest = gap < shortest ? gap : shortest;
		if (now >= until)
			return (double)(longest - shortest);
		last = now;
	}
}

/* Queues n frames, waits for the timer's poll of them, and returns the gap that it made. The NAPI stays deferred for
 * ever (polls_deferral with a large number), so nothing else polls. */
static double deferred(int fd, unsigned n, uint64_t *last)
{
	uint64_t earliest = *last + TIMEOUT_NS * 9 / 10, before, now;

	polls_send(&rig, fd, n);
	before = now_ns();
	for (;; before = now) {
		now = now_ns();
		if (now > earliest && now - before > GAP_NS)
			break;
		if (now > earliest + 4 * TIMEOUT_NS)
			break; /* it went to sleep */
	}
	*last = now;
	return (double)(now - before);
}

/* Of a timer that wakes nobody up. ret: repeat values. */
static void timer_gaps(double *ret, unsigned repeat)
{
	const struct itimerspec once = { { 0, 0 }, { 0, TIMEOUT_NS / 2 } };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	for (unsigned i = 0; i < repeat; i++) {
		ck_assert_int_eq(timerfd_settime(fd, 0, &once, NULL), 0);
		ret[i] = longest_gap(now_ns() + TIMEOUT_NS);
	}
	close(fd);
}

static void measure_directly(struct direct *ret)
{
	double full[SIZES][REPEAT], timer[4 * REPEAT], y[SIZES], mx = 0, my = 0, xx = 0, xy = 0;
	int fd = polls_socket();
	uint64_t last;

	/* half of the timers before, half after the polls, none among them */
	for (unsigned half = 0; half < 2; half++) {
		polls_deferral(&rig, 0, 0);
		usleep(BEHIND_US);
		realtime(true);
		timer_gaps(timer + half * 2 * REPEAT, 2 * REPEAT);
		realtime(false);
		polls_deferral(&rig, 1000000, TIMEOUT_NS);
		realtime(true);
		last = now_ns();
		for (unsigned r = half * REPEAT / 2; r < (half + 1) * REPEAT / 2; r++)
			for (unsigned i = 0; i < SIZES; i++)
				full[i][r] = deferred(fd, sizes[i], &last);
		realtime(false);
	}
	close(fd);
	for (unsigned i = 0; i < SIZES; i++) {
		y[i] = quantile(full[i], REPEAT, QUANTILE);
		mx += sizes[i] / (double)SIZES;
		my += y[i] / SIZES;
	}
	for (unsigned i = 0; i < SIZES; i++) {
		xx += (sizes[i] - mx) * (sizes[i] - mx);
		xy += (sizes[i] - mx) * (y[i] - my);
	}
	ret->timer_usecs = quantile(timer, 4 * REPEAT, QUANTILE) / 1e3;
	ret->b_usecs = xy / xx / 1e3;
	ret->a_usecs = my / 1e3 - ret->b_usecs * mx - ret->timer_usecs;
}

/* The same polls as above from a child, timed by perf. */
static void measure_by_perf(struct perf_trace *t, struct cost_estimate *ret)
{
	static struct sample before, after;
	struct poll_sums sums;
	pid_t pid;

	perf_trace_read(t, &before);
	pid = fork();
	if (!pid) {
		int fd = polls_socket();
		uint64_t last = 0;

		realtime(true);
		for (unsigned i = 0;; i++)
			deferred(fd, sizes[i % SIZES], &last);
	}
	on_cpu(1);
	for (int i = 0; i < 60; i++)
		perf_trace_burst(t, 10000000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	on_cpu(0);
	perf_trace_read(t, &after);
	sums = poll_sums_since(&before.traced, &after.traced);
	ck_assert_msg(cost_estimate(&sums, ret), "%.0f polls", sums.polls);
}

static bool near(double measured, double direct)
{
	if (getenv("EXACT"))
		return measured > direct * (1 - AGREE) && measured < direct * (1 + AGREE);
	return measured > direct / AGREE_ROUGHLY && measured < direct * AGREE_ROUGHLY;
}

START_TEST(costs)
{
	struct perf_trace *t = NULL;
	struct cost_estimate e;
	struct direct d;
	char err[ERR_MAX] = "";
	bool good = false;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return;
	on_cpu(0);
	for (int i = 0; i < ATTEMPTS && !good; i++) {
		measure_directly(&d);
		ck_assert_msg(!perf_trace_open(&rig.root, rig.vb, NULL, 0, &t, err), "%s", err);
		measure_by_perf(t, &e);
		printf("directly: %.2f us a poll, %.3f us a packet (a timer takes %.2f us)\n", d.a_usecs, d.b_usecs,
		       d.timer_usecs);
		printf("by perf:  %.2f us +- %.2f a poll, %.3f us +- %.3f a packet (%.0f polls; records of %.0f ns)\n",
		       e.a_usecs, e.a_error_usecs, e.b_usecs, e.b_error_usecs, e.polls, perf_trace_overhead(t));
		t = perf_trace_close(t);
		good = e.split && near(e.a_usecs, d.a_usecs) && near(e.b_usecs, d.b_usecs);
	}
	if (!getenv("PRINT"))
		ck_assert_msg(good, "they differ too much");
}
END_TEST

enum { CLOSED, PAUSED, SAMPLING, STATES };

/* ns a frame with its poll, one value a round. */
static double timed_frames(int fd)
{
	uint64_t start;

	polls_send(&rig, fd, 100);
	start = now_ns();
	polls_send(&rig, fd, 1000);
	return (double)(now_ns() - start) / 1000;
}

/* Closed, paused, which is what the daemon has while NET_RX counts the same, and sampling, in turn. */
START_TEST(overhead)
{
	double frame[STATES][ROUNDS], reading[ROUNDS], none, read_ns, paused, sampling;
	struct perf_sampler *s = NULL;
	char err[ERR_MAX] = "";
	int fd = polls_socket();
	uint64_t id, start;

	on_cpu(0);
	ck_assert_int_eq(perf_tracepoint_id(TRACEPOINT_NAPI_POLL, &id, err), 0);
	for (int i = 0; i < ROUNDS; i++) {
		realtime(true);
		frame[CLOSED][i] = timed_frames(fd);
		ck_assert_msg(!perf_sampler_open(&rig.root, id, &s, err), "%s", err);
		frame[SAMPLING][i] = timed_frames(fd);
		start = now_ns();
		perf_sampler_read(s);
		reading[i] = (double)(now_ns() - start);
		perf_sampler_pause(s, true);
		frame[PAUSED][i] = timed_frames(fd);
		realtime(false);
		s = perf_sampler_close(s);
	}
	close(fd);
	none = quantile(frame[CLOSED], ROUNDS, 0.25);
	paused = quantile(frame[PAUSED], ROUNDS, 0.25) - none;
	sampling = quantile(frame[SAMPLING], ROUNDS, 0.25) - none;
	read_ns = quantile(reading, ROUNDS, 0.5);
	printf("a frame with its poll takes %.0f ns; %.0f more with the sampler paused, %.0f more while it samples; "
	       "reading takes %.1f us\n",
	       none, paused, sampling, read_ns / 1e3);
	/* 1e5 polls and 10 readings a second, in percent of 1e9 ns */
	paused = (paused * 1e5 + read_ns * 10) / 1e7;
	sampling = (sampling * 1e5 + read_ns * 10) / 1e7;
	printf("at 100 000 polls/s: %.2f %% of a core paused, %.2f %% while it samples\n", paused, sampling);
	if (!getenv("PRINT"))
		ck_assert_double_lt(paused, getenv("EXACT") ? PAUSED_MOST : PAUSED_MOST_ROUGHLY);
}
END_TEST

static void setup(void)
{
	polls_setup(&rig);
}

static void teardown(void)
{
	procroot_close(&rig.root);
}

int main(void)
{
	TCase *t = tcase_create("perf-cost");
	char err[ERR_MAX] = "";
	uint64_t id;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!polls_can_run()) {
		fprintf(stderr, "skipped: needs root, the ip and ethtool commands and veth\n");
		return SKIP;
	}
	if (perf_tracepoint_id(TRACEPOINT_SOFTIRQ_ENTRY, &id, err) < 0) {
		fprintf(stderr, "skipped: %s\n", err);
		return SKIP;
	}
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, costs);
	tcase_add_test(t, overhead);
	return polls_suite("perf-cost", t);
}
