// SPDX-License-Identifier: GPL-2.0-or-later
/* Every way of missing rights or features for counters: ethtune under load comes to the same class in all of them, and
 * names the source that it had to take. A veth in a namespace of our own, with a child that sends. Needs root, ip,
 * ethtool; $ETHTUNE is the program (default: ethtune in PATH). */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "io/perf-event.h"
#include "polls.h"

#define SKIP 77
#define TRIES 3
#define NOBODY 65534
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

static struct polls_rig rig;
static pid_t sender;

/* Some 20 000 packets/s, each a poll of its own. */
static void start_load(void)
{
	sender = fork();
	ck_assert_int_ge(sender, 0);
	if (sender)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	on_cpu(0);
	realtime(true);
	for (int fd = polls_socket();; usleep(300))
		polls_send(&rig, fd, 15);
}

static void setup(void)
{
	polls_setup(&rig);
	start_load();
	usleep(200000);
}

static void teardown(void)
{
	kill(sender, SIGKILL);
	waitpid(sender, NULL, 0);
	procroot_close(&rig.root);
}

/* ---- conditions: each in the child that becomes ethtune; 0 or what went wrong */

static int as_root(void)
{
	return 0;
}

static int as_nobody(void)
{
	return setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY);
}

/* nobody, but for one capability that execve keeps. */
static int nobody_with(unsigned cap)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	if (prctl(PR_SET_KEEPCAPS, 1) || as_nobody())
		return 1;
	data[cap / 32].effective = data[cap / 32].permitted = data[cap / 32].inheritable = 1U << cap % 32;
	return syscall(SYS_capset, &head, data) || prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0);
}

static int perfmon_only(void)
{
	return nobody_with(CAP_PERFMON);
}

/* As under systemd: the number of the tracepoint is passed on by who may read it. */
static int perfmon_and_credential(void)
{
	char err[ERR_MAX], path[96];
	uint64_t id;
	FILE *f;

	if (perf_tracepoint_id(TRACEPOINT_NAPI_POLL, &id, err) < 0)
		return 1;
	mkdir(rig.dir, 0755);
	snprintf(path, sizeof(path), "%s/napi_poll", rig.dir);
	f = fopen(path, "w");
	if (!f || fprintf(f, "%llu\n", (unsigned long long)id) < 0 || fclose(f) || chmod(path, 0444))
		return 1;
	setenv("CREDENTIALS_DIRECTORY", rig.dir, 1);
	return perfmon_only();
}

static int drop_cap(unsigned cap)
{
	return prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
}

/* Neither a mount of it nor the right to make one. */
static int no_tracefs(void)
{
	while (umount2("/sys/kernel/tracing", MNT_DETACH) == 0)
		;
	while (umount2("/sys/kernel/debug", MNT_DETACH) == 0)
		;
	sh("sed -n 's/^[^ ]* \\([^ ]*\\) tracefs .*/\\1/p' /proc/self/mounts | xargs -r umount -l");
	return drop_cap(CAP_SYS_ADMIN);
}

static int no_debugfs(void)
{
	sh("sed -n 's/^[^ ]* \\([^ ]*\\) debugfs .*/\\1/p' /proc/self/mounts | xargs -r umount -l");
	return 0;
}

static int seccomp(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

/* Not a right that is missing, but softirqs that are. */
static int threaded(void)
{
	return sh("echo 1 >/sys/class/net/%s/threaded", rig.vb) ? SKIP : 0;
}

static int bind_text(const char *text, const char *over)
{
	char path[96];
	FILE *f;

	mkdir(rig.dir, 0755);
	snprintf(path, sizeof(path), "%s/fake", rig.dir);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		return 1;
	return unshare(CLONE_NEWNS) || mount(path, over, NULL, MS_BIND, NULL);
}

/* 64 bit registers of a kernel that says it is PREEMPT_RT; where the file is missing it cannot be faked. */
static int realtime_kernel(void)
{
	if (access("/sys/kernel/realtime", F_OK))
		return SKIP;
	return bind_text("1\n", "/sys/kernel/realtime");
}

/* /proc/stat of a kernel that does account interrupts: 30 % of each CPU, as long as ethtune runs. `exact`: or one that
 * has the column and never moves it. */
static void write_stat(int fd, unsigned long tick, bool exact)
{
	char text[1024];
	int n = 0;

	for (int cpu = 0; cpu < 2; cpu++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "cpu%d %lu 0 %lu %lu 0 %lu %lu 0 0 0\n", cpu,
			      1000 + tick / 5, 1000 + tick / 5, 1000 + tick * 3 / 10, exact ? 100 + tick / 10 : 0,
			      exact ? 100 + tick / 5 : 100 + tick / 100);
	n += snprintf(text + n, sizeof(text) - (size_t)n, "intr %lu\nctxt 1\n", 300000 + tick * 1000);
	if (pwrite(fd, text, (size_t)n, 0) != n)
		_exit(1);
}

static int fake_stat(bool exact)
{
	char path[96];
	pid_t parent = getpid();
	int fd;

	if (bind_text("cpu0 1 1 1 1 1 1 1 1 1 1\n", "/proc/stat"))
		return 1;
	snprintf(path, sizeof(path), "%s/fake", rig.dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return 1;
	write_stat(fd, 0, exact);
	if (fork())
		return 0;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned long tick = 1; kill(parent, 0) == 0; tick++) {
		usleep(10000);
		write_stat(fd, tick, exact);
	}
	_exit(0);
}

static int irqtime_on(void)
{
	return fake_stat(true);
}

static int irqtime_off(void)
{
	return fake_stat(false) || drop_cap(CAP_SYS_ADMIN) || drop_cap(CAP_PERFMON) || seccomp();
}

/* ---- */

/* Runs ethtune in that condition; its one JSON object. */
static json_object *ethtune(int (*condition)(void), const char *command)
{
	const char *program = getenv("ETHTUNE") ? getenv("ETHTUNE") : "ethtune";
	static char text[1 << 18];
	size_t n = 0;
	ssize_t got;
	int fd[2], status;
	pid_t pid;

	ck_assert_int_eq(pipe(fd), 0);
	pid = fork();
	if (!pid) {
		dup2(fd[1], 1);
		close(fd[0]);
		close(fd[1]);
		status = condition();
		if (status)
			_exit(status == SKIP ? SKIP : 99);
		/* recommend only: options it shares with show */
		if (!strcmp(command, "recommend"))
			execlp(program, program, command, "--json", "--duration", "2s", rig.vb, NULL);
		execlp(program, program, command, "--json", rig.vb, NULL);
		_exit(98);
	}
	close(fd[1]);
	while (n < sizeof(text) - 1 && (got = read(fd[0], text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)got;
	close(fd[0]);
	text[n] = '\0';
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	if (WEXITSTATUS(status) == SKIP && !n)
		return NULL;
	ck_assert_msg(n > 2, "%s: exit code %d", command, WEXITSTATUS(status));
	return json_tokener_parse(text);
}

/* "a.b.c" of an object, "" when it is null or not there; "nics" stands for its first. */
static const char *at(json_object *o, const char *path)
{
	char copy[96];

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *p = strtok(copy, "."); p && o; p = strtok(NULL, ".")) {
		o = json_object_object_get(o, p);
		if (json_object_is_type(o, json_type_array))
			o = json_object_array_get_idx(o, 0);
	}
	return o ? json_object_get_string(o) : "";
}

static const struct {
	const char *name;
	int (*condition)(void);
	const char *polls, *cpu, *cpu_or; /* sources */
	const char *missing, *why;	  /* what show must say is missing, and a word of the reason; NULL: nothing */
} cases[] = {
	{ "root", as_root, "counted", "traced", NULL, NULL, NULL },
	{ "unprivileged user", as_nobody, "net_rx", "ticks", "idle", "polls", "root or CAP_DAC_READ_SEARCH|tracefs" },
	{ "CAP_PERFMON only", perfmon_only, "net_rx", "ticks", "idle", "polls", "tracefs" },
	{ "CAP_PERFMON and the credential", perfmon_and_credential, "counted", "ticks", "idle", "traced", "tracefs" },
	{ "no tracefs", no_tracefs, "net_rx", "ticks", "idle", "polls", "tracefs" },
	{ "no debugfs", no_debugfs, "counted", "traced", NULL, NULL, NULL },
	{ "seccomp", seccomp, "net_rx", "ticks", "idle", "polls", "system call filter" },
	{ "PREEMPT_RT", realtime_kernel, "counted", "ticks", "idle", "traced", "PREEMPT_RT" },
	{ "threaded NAPI", threaded, "counted", "ticks", "idle", "traced", "threads" },
	{ "exact interrupt time", irqtime_on, "counted", "irq-time", NULL, NULL, NULL },
	{ "no exact interrupt time, no perf", irqtime_off, "net_rx", "ticks", NULL, "polls", "system call filter" },
};

static bool one_of(const char *text, const char *words)
{
	char copy[128];

	snprintf(copy, sizeof(copy), "%s", words);
	for (char *w = strtok(copy, "|"); w; w = strtok(NULL, "|"))
		if (strstr(text, w))
			return true;
	return false;
}

START_TEST(same_class)
{
	json_object *o = ethtune(cases[_i].condition, "show");
	bool same = false;
	char path[64];

	if (!o) {
		fprintf(stderr, "%s: cannot be had here\n", cases[_i].name);
		return;
	}
	fprintf(stderr, "%s: polls %s, CPU time %s", cases[_i].name, at(o, "rates.polls_source"),
		at(o, "packet_cpu.source"));
	ck_assert_str_eq(at(o, "rates.polls_source"), cases[_i].polls);
	if (!cases[_i].cpu_or || strcmp(at(o, "packet_cpu.source"), cases[_i].cpu_or))
		ck_assert_str_eq(at(o, "packet_cpu.source"), cases[_i].cpu);
	if (cases[_i].condition == threaded)
		ck_assert_double_gt(strtod(at(o, "packet_cpu.napi_threads_ratio"), NULL), 0.01);
	if (cases[_i].missing) {
		snprintf(path, sizeof(path), "missing.%s", cases[_i].missing);
		fprintf(stderr, " (%s)", at(o, path));
		ck_assert_msg(one_of(at(o, path), cases[_i].why), "%s", at(o, path));
	}
	json_object_put(o);
	/* on a busy machine the sender may not run for a while; a thread gathers packets by itself, and another class
	 * is right then */
	for (int i = 0; i < TRIES && !same; i++) {
		o = ethtune(cases[_i].condition, "recommend");
		fprintf(stderr, ": %s", at(o, "nics.diagnosis.summary"));
		same = !strcmp(at(o, "nics.diagnosis.bottleneck"), "interrupt-bound") ||
		       cases[_i].condition == threaded;
		json_object_put(o);
	}
	fprintf(stderr, "\n");
	ck_assert(same);
	sh("rm -rf %s", rig.dir);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("perf-rights");
	char err[ERR_MAX] = "";
	uint64_t id;

	if (!polls_can_run()) {
		fprintf(stderr, "skipped: needs root, the ip and ethtool commands and veth\n");
		return SKIP;
	}
	if (perf_tracepoint_id(TRACEPOINT_NAPI_POLL, &id, err) < 0) {
		fprintf(stderr, "skipped: %s\n", err);
		return SKIP;
	}
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 30);
	tcase_add_loop_test(t, same_class, 0, sizeof(cases) / sizeof(cases[0]));
	return polls_suite("perf-rights", t);
}
