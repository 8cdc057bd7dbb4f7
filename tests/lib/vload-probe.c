// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the kernel counted during a vload run: device counters of both namespaces, idle time of
 * the two CPUs, and polls of the receiving device by the napi:napi_poll tracepoint.
 * Relies on /proc/thread-self/net/dev staying with the namespace it was opened in, and on
 * perf_event_open(2) working where tracefs is not mounted (only the tracepoint's id is read there).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vload-probe.h"

#define NAPI_POLL_ID "events/napi/napi_poll/id"

static int read_number(const char *path, long *value)
{
	FILE *f = fopen(path, "re");
	int n;

	if (!f)
		return -errno;
	n = fscanf(f, "%ld", value);
	fclose(f);
	return n == 1 ? 0 : -EINVAL;
}

/* In a child with its own mounts, so that nothing of ours is ever seen or left by others. */
static int id_from_private_mount(long *id)
{
	char dir[] = "/tmp/vload-XXXXXX";
	int fds[2], status = 0;
	pid_t pid;

	if (!mkdtemp(dir) || pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0) {
		char path[128];
		long v = 0;

		snprintf(path, sizeof(path), "%s/" NAPI_POLL_ID, dir);
		if (unshare(CLONE_NEWNS) < 0 ||
		    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		    mount("tracefs", dir, "tracefs", 0, NULL) < 0 || read_number(path, &v) < 0 ||
		    write(fds[1], &v, sizeof(v)) != (ssize_t)sizeof(v))
			_exit(errno ? errno : 1);
		_exit(0);
	}
	close(fds[1]);
	if (pid > 0)
		waitpid(pid, &status, 0);
	if (read(fds[0], id, sizeof(*id)) != (ssize_t)sizeof(*id))
		*id = -(long)(pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EIO);
	close(fds[0]);
	rmdir(dir);
	return *id < 0 ? (int)*id : 0;
}

static int napi_poll_id(long *id)
{
	if (read_number("/sys/kernel/tracing/" NAPI_POLL_ID, id) == 0 ||
	    read_number("/sys/kernel/debug/tracing/" NAPI_POLL_ID, id) == 0)
		return 0;
	return id_from_private_mount(id);
}

static int open_counter(long id, int cpu, const char *filter)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = (uint64_t)id,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) < 0) {
		int e = errno;

		close(fd);
		return -e;
	}
	return fd < 0 ? -errno : fd;
}

static void close_counters(struct probe *p)
{
	for (size_t i = 0; i < p->n_cpus; i++) {
		close(p->polls_fd[i]);
		if (p->empty_fd[i] >= 0)
			close(p->empty_fd[i]);
	}
	p->n_cpus = 0;
}

/* Leaves n_cpus at 0 and says why where polls cannot be counted: rows then have null. */
static void open_counters(struct probe *p)
{
	char all[64], empty[80];
	long id, n = sysconf(_SC_NPROCESSORS_CONF);
	int rc = napi_poll_id(&id);

	if (rc < 0) {
		snprintf(p->reason, sizeof(p->reason), "tracefs: %s", strerror(-rc));
		return;
	}
	snprintf(all, sizeof(all), "dev_name==\"%s\"", p->rx_dev);
	snprintf(empty, sizeof(empty), "dev_name==\"%s\" && work==0", p->rx_dev);
	for (int cpu = 0; cpu < n && p->n_cpus < VLOAD_CPUS_MAX; cpu++) {
		int fd = open_counter(id, cpu, all);

		if (fd == -ENODEV)
			continue;	/* CPU offline */
		if (fd >= 0) {
			p->polls_fd[p->n_cpus] = fd;
			p->empty_fd[p->n_cpus++] = rc = open_counter(id, cpu, empty);
		}
		if (fd < 0 || rc < 0) {
			snprintf(p->reason, sizeof(p->reason), "perf_event_open: %s",
				 strerror(fd < 0 ? -fd : -rc));
			close_counters(p);
			return;
		}
	}
}

static int open_netdev(const char *ns, char err[static VLOAD_ERR_MAX])
{
	int fd, ns_fd = ns_enter(ns, err);

	if (ns_fd < 0)
		return ns_fd;
	close(ns_fd);
	fd = open("/proc/thread-self/net/dev", O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		snprintf(err, VLOAD_ERR_MAX, "/proc/thread-self/net/dev: %s", strerror(errno));
		return -errno;
	}
	return fd;
}

int probe_open(struct probe *p, const struct options *o, char err[static VLOAD_ERR_MAX])
{
	p->rx_dev = o->rx_dev;
	p->tx_dev = o->tx_dev;
	p->stat_fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	p->tx_netdev_fd = open_netdev(o->tx_ns, err);
	if (p->tx_netdev_fd < 0)
		return p->tx_netdev_fd;
	p->rx_netdev_fd = open_netdev(o->rx_ns, err);
	if (p->rx_netdev_fd < 0)
		return p->rx_netdev_fd;
	napi_open(&p->napi, p->rx_dev);
	if (o->no_perf)
		snprintf(p->reason, sizeof(p->reason), "switched off");
	else
		open_counters(p);
	return 0;
}

void probe_close(struct probe *p)
{
	close_counters(p);
	close(p->rx_netdev_fd);
	close(p->tx_netdev_fd);
	close(p->stat_fd);
	close(p->napi.fd);
}

static ssize_t read_text(int fd, char *buf, size_t size)
{
	ssize_t n = pread(fd, buf, size - 1, 0);

	if (n >= 0)
		buf[n] = '\0';
	return n;
}

/* One line of /proc/net/dev: 8 receive columns, then 8 transmit ones; the 4th is "drop". */
static int netdev_counts(int fd, const char *dev, uint64_t *rx_packets, uint64_t *tx_dropped)
{
	char buf[8192], key[32], *line;

	if (read_text(fd, buf, sizeof(buf)) < 0)
		return -errno;
	snprintf(key, sizeof(key), "%s:", dev);
	line = strstr(buf, key);
	if (!line)
		return -ENODEV;
	if (sscanf(line + strlen(key), "%*u %" SCNu64 " %*u %*u %*u %*u %*u %*u %*u %*u %*u %" SCNu64,
		   rx_packets, tx_dropped) != 2)
		return -EINVAL;
	return 0;
}

/* idle + iowait: under NO_HZ taken from clocks at each idle entry, not from ticks. */
static int idle_ticks(int fd, unsigned int cpu, uint64_t *ticks)
{
	char buf[4096], key[16], *line;
	uint64_t idle, iowait;

	if (read_text(fd, buf, sizeof(buf)) < 0)
		return -errno;
	snprintf(key, sizeof(key), "cpu%u ", cpu);
	line = strstr(buf, key);
	if (!line || sscanf(line + strlen(key), "%*u %*u %*u %" SCNu64 " %" SCNu64, &idle,
			    &iowait) != 2)
		return -ENOENT;
	*ticks = idle + iowait;
	return 0;
}

static uint64_t sum_counters(const int *fds, size_t n)
{
	uint64_t sum = 0, v;

	for (size_t i = 0; i < n; i++)
		if (read(fds[i], &v, sizeof(v)) == (ssize_t)sizeof(v))
			sum += v;
	return sum;
}

int probe_read(const struct probe *p, struct sample *s)
{
	uint64_t ignored;
	int rc;

	s->t_ns = now_ns();
	rc = netdev_counts(p->rx_netdev_fd, p->rx_dev, &s->rx_packets, &ignored);
	if (!rc)
		rc = netdev_counts(p->tx_netdev_fd, p->tx_dev, &ignored, &s->tx_dropped);
	for (unsigned int cpu = 0; cpu < 2 && !rc; cpu++)
		if (idle_ticks(p->stat_fd, cpu, &s->idle_ticks[cpu]) < 0)
			s->idle_ticks[cpu] = 0;	/* one CPU only: its row says so */
	s->settings_known = napi_read(&p->napi, &s->timeout_ns, &s->defer) == 0;
	s->polls = sum_counters(p->polls_fd, p->n_cpus);
	s->empty_polls = sum_counters(p->empty_fd, p->n_cpus);
	return rc;
}
