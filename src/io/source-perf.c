// SPDX-License-Identifier: GPL-2.0-or-later
/* source-perf: see source-perf.h. Per online CPU one group of two counting events on the same tracepoint, told apart by
 * their filters, so that one read gives both. */
#include "io/source-perf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/perf_event.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/sample.h"
#include "core/units.h"

#define ID_FILE "events/napi/napi_poll/id"
#define CREDENTIAL "napi_poll" /* holds the same */
#define ONLINE_FILE "sys/devices/system/cpu/online"

struct cpu_events {
	int polls_fd, empty_fd; /* leader and member of the group; -1: the CPU is not online */
	uint64_t polls, empty;	/* as last read */
};

struct perf_polls {
	uint64_t id;
	char filter_polls[64], filter_empty[80];
	uint64_t gone_polls, gone_empty; /* of CPUs that went offline */
	struct procfile online_file;
	char online[1024]; /* its text that the events belong to; "" to look again */
	unsigned n_cpus;
	struct cpu_events cpu[SAMPLE_CPUS_MAX];
};

/* A tracefs that nobody else sees: the mount is attached nowhere and ends with its descriptor. */
static int private_tracefs(void)
{
	int fs, mnt = -1, err = 0;

	fs = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	if (fs < 0)
		return -errno;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		err = -errno;
	if (!err) {
		mnt = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC,
				   MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
		if (mnt < 0)
			err = -errno;
	}
	close(fs);
	return err ? err : mnt;
}

/* Directory of tracefs where it is mounted; below debugfs only if it is nowhere else, since that mounts it. */
static int mounted_tracefs(void)
{
	static const struct {
		const char *type, *below;
	} places[] = { { "tracefs", "" }, { "debugfs", "/tracing" } };
	int fd = -ENOENT;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && fd < 0; i++) {
		FILE *f = setmntent("/proc/self/mounts", "re");
		char path[512], buf[4096];
		struct mntent m;

		while (f && fd < 0 && getmntent_r(f, &m, buf, sizeof(buf))) {
			if (strcmp(m.mnt_type, places[i].type) ||
			    snprintf(path, sizeof(path), "%s%s", m.mnt_dir, places[i].below) >= (int)sizeof(path))
				continue;
			fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
			if (fd < 0)
				fd = -errno;
		}
		if (f)
			endmntent(f);
	}
	return fd;
}

static int read_id(int dir, const char *file, uint64_t *ret_id)
{
	int fd = openat(dir, file, O_RDONLY | O_CLOEXEC);
	char text[32];
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return -EIO;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return units_parse_u64(text, ret_id);
}

/* What systemd read for us while it was root, see LoadCredential= of the unit. 0 stands for nothing. */
static bool passed_id(uint64_t *ret_id)
{
	const char *path = getenv("CREDENTIALS_DIRECTORY");
	int dir = path ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	uint64_t id = 0;

	if (dir < 0)
		return false;
	if (read_id(dir, CREDENTIAL, &id) < 0)
		id = 0;
	close(dir);
	if (id)
		*ret_id = id;
	return id;
}

int perf_polls_id(uint64_t *ret_id, char err[ERR_MAX])
{
	int dir, rc, rc_mounted;

	if (passed_id(ret_id))
		return 0;
	dir = mounted_tracefs();
	rc = dir < 0 ? dir : read_id(dir, ID_FILE, ret_id);
	if (dir >= 0)
		close(dir);
	if (!rc)
		return 0;
	rc_mounted = rc;
	/* Not mounted, or mounted without what we look for (a container's mask). */
	dir = private_tracefs();
	rc = dir < 0 ? dir : read_id(dir, ID_FILE, ret_id);
	if (dir >= 0)
		close(dir);
	if (!rc)
		return 0;
	if (dir >= 0 && rc == -ENOENT)
		snprintf(err, ERR_MAX, "no tracepoint napi:napi_poll in this kernel");
	else if (rc_mounted == -EACCES || rc_mounted == -EPERM)
		snprintf(err, ERR_MAX, "no right to read tracefs (needs root or CAP_DAC_READ_SEARCH)");
	else if (rc == -EPERM || rc == -EACCES)
		snprintf(err, ERR_MAX, "tracefs is not mounted, and no right to look into one (needs CAP_SYS_ADMIN)");
	else
		snprintf(err, ERR_MAX, "no usable tracefs: %s", strerror(-rc));
	return rc_mounted == -ENOENT ? rc : rc_mounted;
}

static const struct {
	int error;
	const char *why;
} open_errors[] = {
	{ EACCES, "no right to count tracepoints (needs CAP_PERFMON; CAP_SYS_ADMIN if perf_event_paranoid > 2)" },
	{ EPERM, "perf_event_open is forbidden by a system call filter" },
	{ ENOSYS, "this kernel has no perf events" },
	{ ENOENT, "no such tracepoint in this kernel" },
	{ EMFILE, "too few file descriptors (two per CPU are needed)" },
	{ ENFILE, "the system has no file descriptors left" },
};

static int open_event(uint64_t id, unsigned cpu, int group, const char *filter)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(a),
		.config = id,
		.read_format = PERF_FORMAT_GROUP,
		.disabled = group < 0, /* the member follows its leader */
	};
	int fd = (int)syscall(SYS_perf_event_open, &a, -1, cpu, group, PERF_FLAG_FD_CLOEXEC);
	int err;

	if (fd < 0)
		return errno == EINVAL ? -ENOENT : -errno; /* so says the kernel of a number that no tracepoint has */
	if (ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) < 0) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

static void close_cpu(struct cpu_events *c)
{
	if (c->empty_fd >= 0)
		close(c->empty_fd);
	if (c->polls_fd >= 0)
		close(c->polls_fd);
	*c = (struct cpu_events){ .polls_fd = -1, .empty_fd = -1 };
}

static int open_cpu(struct perf_polls *p, unsigned cpu)
{
	struct cpu_events *c = &p->cpu[cpu];
	int err = 0;

	c->polls_fd = open_event(p->id, cpu, -1, p->filter_polls);
	if (c->polls_fd < 0) {
		err = c->polls_fd;
	} else {
		c->empty_fd = open_event(p->id, cpu, c->polls_fd, p->filter_empty);
		if (c->empty_fd < 0)
			err = c->empty_fd;
		else if (ioctl(c->polls_fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) < 0)
			err = -errno;
	}
	if (err)
		close_cpu(c);
	return err;
}

static int read_cpu(struct cpu_events *c)
{
	struct {
		uint64_t n, polls, empty;
	} v;

	if (read(c->polls_fd, &v, sizeof(v)) != (ssize_t)sizeof(v))
		return -EIO;
	c->polls = v.polls;
	c->empty = v.empty;
	return 0;
}

static void retire_cpu(struct perf_polls *p, unsigned cpu)
{
	struct cpu_events *c = &p->cpu[cpu];

	read_cpu(c); /* the last count outlives the CPU; if not, the one before does */
	p->gone_polls += c->polls;
	p->gone_empty += c->empty;
	close_cpu(c);
}

/* Events for the CPUs that are online now. Cheap when nothing changed. */
static int follow_cpus(struct perf_polls *p)
{
	bool online[SAMPLE_CPUS_MAX] = { false };
	uint16_t cpus[SAMPLE_CPUS_MAX];
	int n, err;

	err = procfile_read(&p->online_file);
	if (err < 0)
		return err;
	if (!strcmp(p->online_file.text, p->online))
		return 0;
	n = cpulist_parse(p->online_file.text, cpus, SAMPLE_CPUS_MAX);
	if (n <= 0)
		return -EBADMSG;
	for (int i = 0; i < n && i < SAMPLE_CPUS_MAX; i++)
		if (cpus[i] < SAMPLE_CPUS_MAX)
			online[cpus[i]] = true;
	for (unsigned i = 0; i < SAMPLE_CPUS_MAX; i++) {
		if (!online[i] && p->cpu[i].polls_fd >= 0)
			retire_cpu(p, i);
		if (!online[i] || p->cpu[i].polls_fd >= 0)
			continue;
		err = open_cpu(p, i);
		if (err && err != -ENODEV) /* that one is offline again already: the next look sees it */
			return err;
		p->n_cpus = p->n_cpus > i ? p->n_cpus : i + 1;
	}
	snprintf(p->online, sizeof(p->online), "%s", p->online_file.text);
	return 0;
}

/* The kernel's filters know both quotes, but no escapes. */
static int make_filters(struct perf_polls *p, const char *dev)
{
	char quote = strchr(dev, '"') ? '\'' : '"';

	if (!*dev || strchr(dev, quote) || strlen(dev) >= NIC_NAME_MAX)
		return -EINVAL;
	snprintf(p->filter_polls, sizeof(p->filter_polls), "dev_name==%c%s%c", quote, dev, quote);
	snprintf(p->filter_empty, sizeof(p->filter_empty), "%s && work==0", p->filter_polls);
	return 0;
}

static int explain(int rc, char err[ERR_MAX])
{
	for (size_t i = 0; i < sizeof(open_errors) / sizeof(open_errors[0]); i++) {
		if (open_errors[i].error == -rc) {
			snprintf(err, ERR_MAX, "%s", open_errors[i].why);
			return rc;
		}
	}
	snprintf(err, ERR_MAX, "cannot count NAPI polls: %s", strerror(-rc));
	return rc;
}

int perf_polls_open(const struct procroot *root, const char *dev_name, uint64_t id, struct perf_polls **ret,
		    char err[ERR_MAX])
{
	struct perf_polls *p = calloc(1, sizeof(*p));
	int rc;

	if (!p)
		return explain(-ENOMEM, err);
	p->id = id;
	for (unsigned i = 0; i < SAMPLE_CPUS_MAX; i++)
		p->cpu[i].polls_fd = p->cpu[i].empty_fd = -1;
	p->online_file = PROCFILE_CLOSED;
	rc = procfile_open(&p->online_file, root, ONLINE_FILE);
	if (rc < 0) {
		snprintf(err, ERR_MAX, "cannot tell which CPUs are online: %s", strerror(-rc));
	} else {
		rc = make_filters(p, dev_name);
		if (!rc)
			rc = follow_cpus(p);
		if (rc)
			explain(rc, err);
	}
	if (rc) {
		perf_polls_close(p);
		return rc;
	}
	*ret = p;
	return 0;
}

void perf_polls_pause(struct perf_polls *p, bool pause)
{
	unsigned long request = pause ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE;

	for (unsigned i = 0; i < p->n_cpus; i++)
		if (p->cpu[i].polls_fd >= 0)
			ioctl(p->cpu[i].polls_fd, request, PERF_IOC_FLAG_GROUP);
}

struct perf_polls *perf_polls_close(struct perf_polls *p)
{
	if (p) {
		for (unsigned i = 0; i < SAMPLE_CPUS_MAX; i++)
			close_cpu(&p->cpu[i]);
		procfile_close(&p->online_file);
		free(p);
	}
	return NULL;
}

int perf_polls_read(struct perf_polls *p, uint64_t *ret_polls, uint64_t *ret_empty)
{
	uint64_t polls, empty;
	int err = follow_cpus(p);

	if (err)
		return err;
	polls = p->gone_polls;
	empty = p->gone_empty;
	for (unsigned i = 0; i < p->n_cpus; i++) {
		struct cpu_events *c = &p->cpu[i];

		if (c->polls_fd < 0)
			continue;
		if (read_cpu(c) < 0) {
			/* The CPU was away and is back: its events are dead. Keep their last count, take new ones. */
			polls += c->polls;
			empty += c->empty;
			retire_cpu(p, i);
			p->online[0] = '\0';
			continue;
		}
		polls += c->polls;
		empty += c->empty;
	}
	*ret_polls = polls;
	*ret_empty = empty;
	return 0;
}
