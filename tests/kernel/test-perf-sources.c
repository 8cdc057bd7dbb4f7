// SPDX-License-Identifier: GPL-2.0-or-later
/* The other users of perf against this kernel: the sampler of polls, timing them, the backend that has both, and what
 * libpfm4 encodes. See polls.h. */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <net/if.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "io/backend-kernel.h"
#include "io/perf-event.h"
#include "io/perf-sampler.h"
#include "io/perf-trace.h"
#include "io/source-perf.h"
#include "io/source-pmu.h"
#include "polls.h"

#define SKIP 77
#define FRAMES 500
#define TRIES 5

static struct polls_rig rig;
static uint64_t id;

static void setup(void)
{
	polls_setup(&rig);
}

static void teardown(void)
{
	procroot_close(&rig.root);
}

static struct perf_polls *open_polls(const struct procroot *r, const char *name)
{
	struct perf_polls *p = NULL;
	char err[ERR_MAX] = "";

	ck_assert_msg(!perf_polls_open(r, name, id, &p, err), "%s", err);
	return p;
}

static void open_both(struct perf_sampler **s, struct perf_polls **p)
{
	char err[ERR_MAX] = "";

	*p = open_polls(&rig.root, rig.vb);
	*s = NULL;
	ck_assert_msg(!perf_sampler_open(&rig.root, id, s, err), "%s", err);
}

/* How far the sampler is from the exact count over so many frames, as a part of them. */
static double sampling_error(struct perf_sampler *s, struct perf_polls *p, unsigned frames)
{
	struct poll_counts exact[2], c[2];

	for (unsigned i = 0; i < 2; i++) {
		for (unsigned sent = 0; i && sent < frames; sent += 500) {
			send_frames(&rig, frames < 500 ? frames : 500);
			ck_assert_int_eq(perf_sampler_read(s), 0);
		}
		ck_assert_int_eq(perf_sampler_read(s), 0);
		ck_assert_int_eq(perf_polls_read(p, &exact[i]), 0);
		ck_assert(perf_sampler_counts(s, rig.vb, &c[i]));
	}
	ck_assert_uint_eq(c[1].empty, 0);
	ck_assert_uint_ge(c[1].packets, c[1].polls);
	return fabs((double)(c[1].polls - c[0].polls) - (double)(exact[1].polls - exact[0].polls)) /
	       (double)(exact[1].polls - exact[0].polls);
}

/* The sampler sees the same polls without filters and without asking other CPUs. What polls elsewhere on the machine
 * meanwhile blurs it: some tries. */
START_TEST(sampled)
{
	struct perf_sampler *s;
	struct perf_polls *p;
	struct poll_counts c, before;
	double error = 1;

	open_both(&s, &p);
	for (int i = 0; i < TRIES && error > 0.1; i++)
		error = sampling_error(s, p, 4000);
	ck_assert_double_le(error, 0.1);
	ck_assert(perf_sampler_counts(s, rig.va, &c));
	ck_assert_uint_eq(c.polls, 0);
	ck_assert(perf_sampler_counts(s, rig.vb, &before));
	perf_sampler_pause(s, true);
	send_frames(&rig, 100);
	ck_assert_int_eq(perf_sampler_read(s), 0);
	ck_assert(perf_sampler_counts(s, rig.vb, &c));
	ck_assert_uint_eq(c.polls, before.polls);
	perf_sampler_pause(s, false);
	send_frames(&rig, FRAMES);
	ck_assert_int_eq(perf_sampler_read(s), 0);
	ck_assert(perf_sampler_counts(s, rig.vb, &c));
	ck_assert_uint_gt(c.polls, before.polls);
	perf_sampler_close(s);
	perf_polls_close(p);
}
END_TEST

/* Few polls are followed more closely than by 61 at a time, once their rate is known. */
START_TEST(low_rates_are_sampled_finely)
{
	struct perf_sampler *s;
	struct perf_polls *p;
	bool fine = false;
	double error = 1;

	open_both(&s, &p);
	on_cpu(0);
	for (int i = 0; i < 2 * TRIES && (error > 0.25 || !fine); i++) {
		for (int k = 0; k < 2; k++) {
			ck_assert_int_eq(perf_sampler_read(s), 0);
			usleep(220000);
		}
		send_frames(&rig, 70); /* the kernel ends the old period first */
		fine = perf_sampler_period(s, 0) < 10;
		error = sampling_error(s, p, 31);
		fine &= perf_sampler_period(s, 0) < 10;
	}
	if (fine)
		ck_assert_double_le(error, 0.25);
	else
		fprintf(stderr, "not seen: others poll too much on CPU 0\n");
	perf_sampler_close(s);
	perf_polls_close(p);
}
END_TEST

/* Sends while a burst runs: a child keeps the polls coming. */
START_TEST(timed)
{
	struct perf_trace *t = NULL;
	struct cost_estimate e;
	static struct sample s;
	char err[ERR_MAX] = "";
	pid_t pid;

	ck_assert_msg(!perf_trace_open(&rig.root, rig.vb, NULL, 0, &t, err), "%s", err);
	pid = fork();
	if (!pid)
		for (;;)
			send_frames(&rig, 20000);
	usleep(20000);
	for (int i = 0; i < 20; i++) {
		ck_assert_int_eq(perf_trace_burst(t, 10 * NSEC_PER_MSEC), 0);
		usleep(20000);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	perf_trace_read(t, &s);
	ck_assert_uint_eq(s.have, SAMPLE_TRACED);
	ck_assert_msg(cost_estimate(&s.traced, &e), "%.0f polls", s.traced.polls);
	fprintf(stderr, "%.0f polls of %.3f us, of one packet each; a record takes %.0f ns\n", e.polls, e.poll_usecs,
		perf_trace_overhead(t));
	ck_assert_double_gt(perf_trace_overhead(t), 10);
	ck_assert_double_lt(perf_trace_overhead(t), 5000);
	ck_assert_double_gt(e.poll_usecs, 0.05);
	ck_assert_double_lt(e.poll_usecs, 50);
	perf_trace_close(t);
}
END_TEST

/* A device that is looked at anew is counted again, although its count was given up before. */
START_TEST(counted_again_after_a_probe)
{
	struct nic_info nic = { .ifindex = (int)if_nametoindex(rig.vb), .up = true, .rx_queues = 1, .tx_queues = 1 };
	static struct sample a, b;
	struct nic_caps caps;
	struct backend *be;
	char err[ERR_MAX] = "";

	snprintf(nic.name, sizeof(nic.name), "%s", rig.vb);
	ck_assert_msg(!backend_kernel_open("/", &be, err), "%s", err);
	ck_assert_int_eq(be->ops->caps(be, &nic, &caps), 0);
	ck_assert_int_eq(be->ops->sample(be, &nic, &a), 0);
	ck_assert(a.have & SAMPLE_POLLS);
	ck_assert_int_eq(a.polls_by, POLLS_SAMPLED);
	be->ops->count_polls(be, &nic, false);
	ck_assert_int_eq(be->ops->sample(be, &nic, &a), 0);
	ck_assert(!(a.have & SAMPLE_POLLS));
	ck_assert_int_eq(be->ops->caps(be, &nic, &caps), 0);
	ck_assert_int_eq(be->ops->sample(be, &nic, &a), 0);
	send_frames(&rig, FRAMES);
	ck_assert_int_eq(be->ops->sample(be, &nic, &b), 0);
	ck_assert(b.have & SAMPLE_POLLS);
	ck_assert_uint_gt(b.polls, a.polls);
	be->ops->close(be);
}
END_TEST

/* Descriptors that lack once may be there later. */
START_TEST(sampled_when_descriptors_are_there_again)
{
	struct nic_info nic = { .ifindex = (int)if_nametoindex(rig.vb), .up = true, .rx_queues = 1, .tx_queues = 1 };
	static struct sample s;
	struct nic_caps caps;
	struct backend *be;
	struct rlimit all, none;
	char err[ERR_MAX] = "";
	int next;

	snprintf(nic.name, sizeof(nic.name), "%s", rig.vb);
	ck_assert_msg(!backend_kernel_open("/", &be, err), "%s", err);
	ck_assert_int_eq(be->ops->caps(be, &nic, &caps), 0);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &all), 0);
	none = all;
	next = dup(0);
	ck_assert_int_ge(next, 0);
	close(next);
	none.rlim_cur = (rlim_t)next;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	ck_assert_int_eq(be->ops->sample(be, &nic, &s), 0);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &all), 0);
	ck_assert(!(s.have & SAMPLE_POLLS));
	sleep(3);
	ck_assert_int_eq(be->ops->sample(be, &nic, &s), 0);
	ck_assert(s.have & SAMPLE_POLLS);
	be->ops->close(be);
}
END_TEST

/* A software clock, encoded by libpfm4 and counted on one CPU, runs with the time. Hardware counters either open and
 * count or say why not. */
START_TEST(events_of_libpfm)
{
	struct pmu_source *p = NULL;
	static struct sample s;
	struct perf_event_attr a;
	char err[ERR_MAX] = "";
	uint64_t v[3];
	int fd, rc;

	ck_assert_msg(!pmu_encode("perf::cpu-clock", &a, err), "%s", err);
	fd = perf_event_cpu(&a, 0, -1, NULL);
	ck_assert_int_ge(fd, 0);
	usleep(20000);
	ck_assert_int_eq((int)read(fd, v, sizeof(v)), (int)sizeof(v));
	ck_assert_uint_ge(v[0], 15000000);
	ck_assert_uint_eq(v[1], v[2]); /* not shared */
	close(fd);
	rc = pmu_source_open(&rig.root, &p, err);
	if (rc) {
		ck_assert_int_eq(rc, -ENOENT);
		ck_assert(strstr(err, "no hardware counters"));
		return;
	}
	s.n_cpus = 1;
	usleep(20000);
	pmu_source_read(p, &s);
	ck_assert_uint_eq(s.have, SAMPLE_PMU);
	ck_assert_uint_gt(s.cpu[0].cycles + s.cpu[0].instructions + s.cpu[0].cache_misses, 0);
	pmu_source_close(p);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("perf-sources");
	struct perf_polls *p;
	char err[ERR_MAX] = "";

	if (!polls_can_run()) {
		fprintf(stderr, "skipped: needs root, the ip and ethtool commands and veth\n");
		return SKIP;
	}
	if (procroot_open(&rig.root, "/") || perf_tracepoint_id(TRACEPOINT_NAPI_POLL, &id, err) ||
	    perf_polls_open(&rig.root, "lo", id, &p, err)) {
		fprintf(stderr, "skipped: %s\n", err);
		return SKIP;
	}
	perf_polls_close(p);
	procroot_close(&rig.root);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 20);
	tcase_add_test(t, sampled);
	tcase_add_test(t, low_rates_are_sampled_finely);
	tcase_add_test(t, timed);
	tcase_add_test(t, counted_again_after_a_probe);
	tcase_add_test(t, sampled_when_descriptors_are_there_again);
	tcase_add_test(t, events_of_libpfm);
	return polls_suite("perf-sources", t);
}
