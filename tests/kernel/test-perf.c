// SPDX-License-Identifier: GPL-2.0-or-later
/* source-perf, source-link, timerfloor against this kernel: polls of a veth in a namespace of our own, one by one.
 * Needs root, ip, ethtool. Names carry the process's id, since the tracepoint sees all namespaces. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "io/perf-event.h"
#include "io/source-link.h"
#include "io/source-perf.h"
#include "io/timerfloor.h"
#include "polls.h"

#define SKIP 77
#define FRAMES 500

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

static int read_polls(struct perf_polls *p, uint64_t *polls, uint64_t *empty)
{
	struct poll_counts c;
	int rc = perf_polls_read(p, &c);

	if (rc == 0) {
		*polls = c.polls;
		*empty = c.empty;
	}
	return rc;
}

START_TEST(each_frame_a_poll)
{
	struct nic_info nic = { .ifindex = (int)if_nametoindex(rig.vb) };
	struct sample a = { 0 }, b = { 0 };
	uint64_t polls, empty;
	struct perf_polls *p = open_polls(&rig.root, rig.vb), *other = open_polls(&rig.root, rig.va);
	struct rtnl *r;

	ck_assert_int_eq(rtnl_open(&r), 0);
	ck_assert_int_eq(source_link_read(r, &nic, &a), 0);
	send_frames(&rig, FRAMES);
	ck_assert_int_eq(source_link_read(r, &nic, &b), 0);
	ck_assert_uint_eq(b.have, SAMPLE_LINK); /* nothing here has a ring of its own to overflow */
	ck_assert_uint_eq(b.rx_packets - a.rx_packets, FRAMES);
	ck_assert_uint_eq(b.rx_bytes - a.rx_bytes, FRAMES * 46); /* veth counts without the Ethernet header */
	ck_assert_uint_eq(b.tx_packets, a.tx_packets);
	nic.has_device = true;
	ck_assert_int_eq(source_link_read(r, &nic, &b), 0);
	ck_assert_uint_eq(b.have, SAMPLE_LINK | SAMPLE_RING_DROPS);
	ck_assert_uint_eq(b.ring_drops, 0);
	rtnl_close(r);

	ck_assert_int_eq(read_polls(p, &polls, &empty), 0);
	/* A burst that ksoftirqd had to take shares a poll, hence the lower bound. */
	ck_assert_uint_ge(polls, FRAMES / 2);
	ck_assert_uint_le(polls, FRAMES);
	ck_assert_uint_eq(empty, 0);
	ck_assert_int_eq(read_polls(other, &polls, &empty), 0);
	ck_assert_uint_eq(polls, 0);
	perf_polls_close(p);
	perf_polls_close(other);
}
END_TEST

START_TEST(deferral_polls_in_vain)
{
	struct perf_polls *p = open_polls(&rig.root, rig.vb);
	uint64_t polls, empty;

	polls_deferral(&rig, 4, 100000);
	for (int i = 0; i < 10; i++)
		send_frames(&rig, 1);
	ck_assert_int_eq(read_polls(p, &polls, &empty), 0);
	ck_assert_uint_eq(polls, 50);
	ck_assert_uint_eq(empty, 40);
	perf_polls_close(p);
}
END_TEST

static void online(const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/online", rig.dir);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq((int)write(fd, text, strlen(text)), (int)strlen(text));
	close(fd);
}

/* CPUs that come and go, by an edited list of them. */
START_TEST(hotplug)
{
	uint64_t polls = 0, empty, before;
	struct procroot fake;
	struct perf_polls *p;
	char err[ERR_MAX];

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return;
	ck_assert_int_eq(sh("mkdir -p %s/sys/devices/system/cpu", rig.dir), 0);
	ck_assert_int_eq(procroot_open(&fake, rig.dir), 0);
	online("0\n");
	p = open_polls(&fake, rig.vb);
	on_cpu(1);
	send_frames(&rig, 10);
	ck_assert_int_eq(read_polls(p, &polls, &empty), 0);
	ck_assert_uint_eq(polls, 0); /* nobody counts there yet */
	online("0-1\n");
	ck_assert_int_eq(read_polls(p, &polls, &empty), 0);
	send_frames(&rig, 10);
	ck_assert_int_eq(read_polls(p, &polls, &empty), 0);
	ck_assert_uint_ge(polls, 5);
	before = polls;
	online("0\n"); /* its count stays in the sum */
	ck_assert_int_eq(read_polls(p, &polls, &empty), 0);
	ck_assert_uint_eq(polls, before);
	send_frames(&rig, 10);
	online("0,1\n");
	ck_assert_int_eq(read_polls(p, &polls, &empty), 0);
	ck_assert_uint_eq(polls, before);
	send_frames(&rig, 10);
	ck_assert_int_eq(read_polls(p, &polls, &empty), 0);
	ck_assert_uint_gt(polls, before);
	online("what?\n");
	ck_assert_int_eq(read_polls(p, &polls, &empty), -EBADMSG);
	perf_polls_close(p);
	ck_assert_int_eq(perf_polls_open(&fake, rig.vb, id, &p, err), -EBADMSG);
	procroot_close(&fake);
	sh("rm -r %s", rig.dir);
}
END_TEST

/* In a child: what open says to one who may not. 0: as expected. */
static int refusal(int want, const char *word, bool seccomp)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };
	struct perf_polls *p = NULL;
	char err[ERR_MAX] = "";
	int status, rc;
	pid_t pid = fork();

	if (!pid) {
		if (seccomp)
			rc = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
		else
			rc = setresuid(65534, 65534, 65534);
		rc = rc ? rc : perf_polls_open(&rig.root, rig.vb, id, &p, err);
		fprintf(stderr, "%d: %s\n", rc, err);
		_exit(rc == want && strstr(err, word) && !p ? 0 : 1);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

START_TEST(refusals)
{
	struct perf_polls *p = NULL;
	char err[ERR_MAX] = "";

	ck_assert_int_eq(refusal(-EACCES, "CAP_PERFMON", false), 0);
	ck_assert_int_eq(refusal(-EPERM, "system call filter", true), 0);
	ck_assert_int_eq(perf_polls_open(&rig.root, rig.vb, 65000, &p, err), -ENOENT);
	ck_assert_int_eq(perf_polls_open(&rig.root, "", id, &p, err), -EINVAL);
	ck_assert_int_eq(perf_polls_open(&rig.root, "a\"b'c", id, &p, err), -EINVAL);
	ck_assert_ptr_null(p);
	perf_polls_close(open_polls(&rig.root, "a\"b"));
	perf_polls_close(open_polls(&rig.root, "a'b"));
}
END_TEST

START_TEST(timers)
{
	struct timespec a, b;
	double usecs = -1;
	int rc;

	prctl(PR_SET_TIMERSLACK, 12345);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	rc = timerfloor_measure(&usecs);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	ck_assert_int_eq(prctl(PR_GET_TIMERSLACK), 12345);
	ck_assert_int_lt((b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec, 5000000);
	if (rc) {
		ck_assert_int_eq(rc, -ETIMEDOUT);
		ck_assert_double_eq(usecs, -1);
		return;
	}
	ck_assert_double_gt(usecs, 0);
	ck_assert_double_lt(usecs, 1000);
	fprintf(stderr, "timers are %.1f us late\n", usecs);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("perf");
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
	tcase_add_test(t, each_frame_a_poll);
	tcase_add_test(t, deferral_polls_in_vain);
	tcase_add_test(t, hotplug);
	tcase_add_test(t, refusals);
	tcase_add_test(t, timers);
	return polls_suite("perf", t);
}
