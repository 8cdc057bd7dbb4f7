// SPDX-License-Identifier: GPL-2.0-or-later
/* perf-event: see perf-event.h. */
#include "io/perf-event.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/nic.h"
#include "core/units.h"

/* Files below events/ of tracefs; the part behind the slash is the name of the credential. */
static const char *const id_files[TRACEPOINT_COUNT] = {
	[TRACEPOINT_NAPI_POLL] = "napi/napi_poll",
	[TRACEPOINT_SOFTIRQ_ENTRY] = "irq/softirq_entry",
	[TRACEPOINT_SOFTIRQ_EXIT] = "irq/softirq_exit",
	[TRACEPOINT_IRQ_ENTRY] = "irq/irq_handler_entry",
	[TRACEPOINT_IRQ_EXIT] = "irq/irq_handler_exit",
};

const char *const perf_tracepoint_names[TRACEPOINT_COUNT] = {
	[TRACEPOINT_NAPI_POLL] = "napi:napi_poll",
	[TRACEPOINT_SOFTIRQ_ENTRY] = "irq:softirq_entry",
	[TRACEPOINT_SOFTIRQ_EXIT] = "irq:softirq_exit",
	[TRACEPOINT_IRQ_ENTRY] = "irq:irq_handler_entry",
	[TRACEPOINT_IRQ_EXIT] = "irq:irq_handler_exit",
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
static bool passed_id(const char *credential, uint64_t *ret_id)
{
	const char *path = getenv("CREDENTIALS_DIRECTORY");
	int dir = path ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	uint64_t id = 0;

	if (dir < 0)
		return false;
	if (read_id(dir, credential, &id) < 0)
		id = 0;
	close(dir);
	if (id)
		*ret_id = id;
	return id;
}

int perf_tracepoint_id(enum perf_tracepoint t, uint64_t *ret_id, char err[ERR_MAX])
{
	int dir, rc, rc_mounted;
	char file[64];

	if (passed_id(strchr(id_files[t], '/') + 1, ret_id))
		return 0;
	snprintf(file, sizeof(file), "events/%s/id", id_files[t]);
	dir = mounted_tracefs();
	rc = dir < 0 ? dir : read_id(dir, file, ret_id);
	if (dir >= 0)
		close(dir);
	if (!rc)
		return 0;
	rc_mounted = rc;
	/* Not mounted, or mounted without what we look for (a container's mask). */
	dir = private_tracefs();
	rc = dir < 0 ? dir : read_id(dir, file, ret_id);
	if (dir >= 0)
		close(dir);
	if (!rc)
		return 0;
	if (dir >= 0 && rc == -ENOENT)
		snprintf(err, ERR_MAX, "no tracepoint %s in this kernel", perf_tracepoint_names[t]);
	else if (rc_mounted == -EACCES || rc_mounted == -EPERM)
		snprintf(err, ERR_MAX, "no right to read tracefs (needs root or CAP_DAC_READ_SEARCH)");
	else if (rc == -EPERM || rc == -EACCES)
		snprintf(err, ERR_MAX, "tracefs is not mounted, and no right to look into one (needs CAP_SYS_ADMIN)");
	else
		snprintf(err, ERR_MAX, "no usable tracefs: %s", strerror(-rc));
	return rc_mounted == -ENOENT ? rc : rc_mounted;
}

int perf_cpus_open(struct perf_cpus *c, const struct procroot *root, char err[ERR_MAX])
{
	int rc;

	*c = (struct perf_cpus){ .file = PROCFILE_CLOSED };
	rc = procfile_open(&c->file, root, "sys/devices/system/cpu/online");
	if (rc < 0)
		snprintf(err, ERR_MAX, "cannot tell which CPUs are online: %s", strerror(-rc));
	return rc;
}

void perf_cpus_close(struct perf_cpus *c)
{
	procfile_close(&c->file);
}

int perf_cpus_look(struct perf_cpus *c)
{
	uint16_t cpus[SAMPLE_CPUS_MAX];
	int rc = procfile_read(&c->file), n;

	if (rc < 0)
		return rc;
	if (!strcmp(c->file.text, c->text))
		return 0;
	n = cpulist_parse(c->file.text, cpus, SAMPLE_CPUS_MAX);
	if (n <= 0)
		return -EBADMSG;
	memset(c->online, 0, sizeof(c->online));
	for (int i = 0; i < n && i < SAMPLE_CPUS_MAX; i++)
		if (cpus[i] < SAMPLE_CPUS_MAX)
			c->online[cpus[i]] = true;
	snprintf(c->text, sizeof(c->text), "%s", c->file.text);
	return 1;
}

static const struct {
	int error;
	const char *why;
} open_errors[] = {
	{ EACCES, "no right to count them (needs CAP_PERFMON; CAP_SYS_ADMIN if perf_event_paranoid > 2)" },
	{ EPERM, "perf_event_open is forbidden by a system call filter" },
	{ ENOSYS, "this kernel has no perf events" },
	{ ENOENT, "this kernel or processor has no such event" },
	{ EOPNOTSUPP, "this processor has no such event" },
	{ EMFILE, "too few file descriptors" },
	{ ENFILE, "the system has no file descriptors left" },
};

int perf_event_explain(int rc, const char *what, char err[ERR_MAX])
{
	for (size_t i = 0; i < sizeof(open_errors) / sizeof(open_errors[0]); i++) {
		if (open_errors[i].error == -rc) {
			snprintf(err, ERR_MAX, "%s: %s", what, open_errors[i].why);
			return rc;
		}
	}
	snprintf(err, ERR_MAX, "%s: %s", what, strerror(-rc));
	return rc;
}

int perf_event_cpu(const struct perf_event_attr *a, unsigned cpu, int group, const char *filter)
{
	int fd = (int)syscall(SYS_perf_event_open, a, -1, cpu, group, PERF_FLAG_FD_CLOEXEC), err;

	if (fd < 0) /* EINVAL: so says the kernel of a number that no tracepoint has */
		return errno == EINVAL && a->type == PERF_TYPE_TRACEPOINT ? -ENOENT : -errno;
	if (filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) < 0) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

/* The kernel's filters know both quotes, but no escapes. */
int perf_filter_device(const char *dev, const char *more, char *buf, size_t size)
{
	char quote = strchr(dev, '"') ? '\'' : '"';

	if (!*dev || strchr(dev, quote) || strlen(dev) >= NIC_NAME_MAX)
		return -EINVAL;
	return snprintf(buf, size, "dev_name==%c%s%c%s", quote, dev, quote, more) < (int)size ? 0 : -EINVAL;
}

int perf_filter_irqs(const unsigned *irqs, unsigned n, char *buf, size_t size)
{
	size_t at = 0;

	for (unsigned i = 0; i < n && at < size; i++)
		at += (size_t)snprintf(buf + at, size - at, "%sirq==%u", i ? " || " : "", irqs[i]);
	return n && at < size ? 0 : -EINVAL;
}

int perf_ring_open(struct perf_ring *r, int fd, unsigned data_pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, page * (1 + data_pages), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	*r = (struct perf_ring){ p, page * data_pages };
	return 0;
}

void perf_ring_close(struct perf_ring *r)
{
	if (r->page)
		munmap(r->page, r->data_size + (size_t)sysconf(_SC_PAGESIZE));
	r->page = NULL;
}

void perf_ring_drain(struct perf_ring *r, perf_record_fn *fn, void *arg)
{
	const unsigned char *data = (const unsigned char *)r->page + sysconf(_SC_PAGESIZE);
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE), tail = r->page->data_tail;
	_Alignas(8) unsigned char copy[512];

	while (head - tail >= sizeof(struct perf_event_header)) {
		size_t at = tail & (r->data_size - 1), size, first;
		/* 8 byte aligned, so the head of a record is never cut */
		const struct perf_event_header *h = (const void *)(data + at);

		size = h->size;
		if (size < sizeof(*h) || size > head - tail)
			break;
		first = r->data_size - at < size ? r->data_size - at : size;
		if (first < size && size <= sizeof(copy)) {
			memcpy(copy, data + at, first);
			memcpy(copy + first, data, size - first);
			h = (const void *)copy;
		}
		if (first == size || size <= sizeof(copy))
			fn(h, arg);
		tail += size;
	}
	__atomic_store_n(&r->page->data_tail, head, __ATOMIC_RELEASE);
}

static uint32_t u32_at(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

bool perf_parse_napi_poll(const unsigned char *raw, size_t size, struct perf_napi_poll *ret)
{
	/* 8 bytes common to all, a pointer, where the name is, work, budget, and there the name begins */
	for (size_t pointer = 8; pointer >= 4; pointer -= 4) {
		size_t at = 8 + pointer, end = at + 3 * sizeof(uint32_t), name;

		if (size <= end)
			continue;
		name = u32_at(raw + at) & 0xffff;
		if (name != end || !memchr(raw + name, '\0', size - name))
			continue;
		*ret = (struct perf_napi_poll){ (const char *)raw + name, (int)u32_at(raw + at + 4),
						(int)u32_at(raw + at + 8) };
		return true;
	}
	return false;
}
