// SPDX-License-Identifier: GPL-2.0-or-later
/* channel-sysfs: two files per device. They show the device's defaults: what napi-set gave single instances is not seen
 * here, but lost by a write. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/channel-sysfs.h"
#include "io/genl.h"

static const enum knob knobs[SYSFS_NAPI_FILES] = { KNOB_GRO_FLUSH_TIMEOUT, KNOB_NAPI_DEFER_HARD_IRQS };
const char *const sysfs_napi_file[SYSFS_NAPI_FILES] = { "gro_flush_timeout", "napi_defer_hard_irqs" };

static int open_file(const char *root, const char *name, const char *file, int flags)
{
	char path[512];
	int n = snprintf(path, sizeof(path), "%s/class/net/%s/%s", root, name, file), fd;

	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int read_u64(const char *root, const char *name, const char *file, uint64_t *ret)
{
	char buf[32], *end;
	int fd = open_file(root, name, file, O_RDONLY), rc;
	unsigned long long v;
	ssize_t n;

	if (fd < 0)
		return fd;
	n = read(fd, buf, sizeof(buf) - 1);
	rc = n < 0 ? -errno : 0;
	close(fd);
	if (rc < 0)
		return rc;
	buf[n] = '\0';
	errno = 0;
	v = strtoull(buf, &end, 0);
	if (errno || end == buf || (*end && *end != '\n'))
		return -EBADMSG;
	*ret = v;
	return 0;
}

static int write_u64(const char *root, const char *name, const char *file, uint64_t v)
{
	char buf[32];
	int fd = open_file(root, name, file, O_WRONLY), rc;
	int len = snprintf(buf, sizeof(buf), "%" PRIu64 "\n", v);

	if (fd < 0)
		return fd;
	rc = write(fd, buf, (size_t)len) < 0 ? -errno : 0;
	close(fd);
	return rc;
}

static int check_device(const char *root, const struct nic_info *nic, char *err)
{
	uint64_t ifindex;
	int rc = read_u64(root, nic->name, "ifindex", &ifindex);

	if (!rc && ifindex == (uint64_t)nic->ifindex)
		return 0;
	if (rc && rc != -ENOENT && rc != -ENODEV)
		return genl_fail(err, rc, "%s/class/net/%s", root, nic->name);
	if (if_nametoindex(nic->name) != (unsigned)nic->ifindex)
		return genl_fail(err, -ENODEV, "%s", "");
	return genl_fail(err, -ENXIO, "%s shows another network namespace", root);
}

int sysfs_napi_read(const char *root, const struct nic_info *nic, struct knob_set *ret, char err[ERR_MAX])
{
	struct knob_set got = { .have = 0 };
	int rc = check_device(root, nic, err);

	for (size_t i = 0; !rc && i < SYSFS_NAPI_FILES; i++) {
		uint64_t v;

		rc = read_u64(root, nic->name, sysfs_napi_file[i], &v);
		if (!rc)
			knob_put(&got, knobs[i], v);
		else if (rc == -ENOENT)
			rc = 0; /* kernels before 5.8 have only the timeout */
		else
			genl_fail(err, rc, "%s", sysfs_napi_file[i]);
	}
	if (rc < 0)
		return rc;
	if (!got.have)
		return genl_fail(err, -EOPNOTSUPP, "gro_flush_timeout");
	genl_take_channel(ret, CHANNEL_NAPI, &got);
	return 0;
}

static int write_knob(const char *root, const struct nic_info *nic, size_t file, const struct knob_set *todo, char *err)
{
	int rc;

	if (!knob_has(todo, knobs[file]))
		return 0;
	rc = write_u64(root, nic->name, sysfs_napi_file[file], todo->value[knobs[file]]);
	rc = rc == -ENOENT ? -EOPNOTSUPP : rc;
	return rc < 0 ? genl_fail(err, rc, "%s", sysfs_napi_file[file]) : 0;
}

int sysfs_napi_write(const char *root, const struct nic_info *nic, const struct knob_set *want, char err[ERR_MAX])
{
	struct knob_set now = { .have = 0 }, napi = *want, todo;
	bool raise;
	int rc = sysfs_napi_read(root, nic, &now, err);

	if (rc < 0)
		return rc;
	napi.have &= knob_channel_mask(CHANNEL_NAPI);
	knob_set_diff(&napi, &now, &todo);
	/* A count without a timer does nothing, a timer without a count only holds GRO: either is harmless, but the
	 * pair takes effect, and ends, at one moment if the count is the last to come and the first to go. */
	raise = knob_has(&todo, KNOB_NAPI_DEFER_HARD_IRQS) && knob_has(&now, KNOB_NAPI_DEFER_HARD_IRQS) &&
		todo.value[KNOB_NAPI_DEFER_HARD_IRQS] > now.value[KNOB_NAPI_DEFER_HARD_IRQS];
	rc = write_knob(root, nic, raise ? 0 : 1, &todo, err);
	return rc < 0 ? rc : write_knob(root, nic, raise ? 1 : 0, &todo, err);
}
