// SPDX-License-Identifier: GPL-2.0-or-later
/* channel-napi: NAPI deferral through napi-set or sysfs. Instances get new ids, and the device-wide values, whenever
 * queues are made anew (up, features, channels), so ids are never kept between calls but in saved settings. */
#include <errno.h>

#include "io/channel-napi.h"
#include "io/channel-sysfs.h"
#include "io/netdev-genl.h"

#define NAPI_KNOBS (KNOB_BIT(KNOB_GRO_FLUSH_TIMEOUT) | KNOB_BIT(KNOB_NAPI_DEFER_HARD_IRQS))

int napi_path_probe(struct genl *g, const struct nic_info *nic, enum napi_path *ret, char err[ERR_MAX])
{
	struct napi_info napi[NIC_NAPI_MAX];
	uint32_t unused[1];
	bool settable;
	int queues, n = netdev_napi_list(g, nic->ifindex, napi, NIC_NAPI_MAX, err);

	if (n == -EOPNOTSUPP) {
		*ret = NAPI_SYSFS;
		return 0;
	}
	if (n < 0)
		return n;
	if (!n) {
		*ret = nic->up ? NAPI_NONE : NAPI_SYSFS;
		return 0;
	}
	queues = netdev_rx_queues(g, nic->ifindex, unused, 1, err);
	if (queues == -ENODEV)
		return queues;
	if (queues < 0)
		queues = (int)nic->rx_queues;
	settable = n >= queues && netdev_can_set_napi(g);
	for (int i = 0; i < n; i++)
		settable = settable && napi[i].has_settings;
	*ret = settable ? NAPI_GENL : NAPI_SYSFS;
	return 0;
}

static struct knob_set settings_of(uint32_t defer_hard_irqs, uint64_t gro_flush_timeout_ns)
{
	struct knob_set s = { .have = 0 };

	knob_put(&s, KNOB_NAPI_DEFER_HARD_IRQS, defer_hard_irqs);
	knob_put(&s, KNOB_GRO_FLUSH_TIMEOUT, gro_flush_timeout_ns);
	return s;
}

static void largest(const struct napi_info *napi, int n, struct knob_set *ret)
{
	uint32_t defer = 0;
	uint64_t timeout = 0;

	for (int i = 0; i < n; i++) {
		defer = napi[i].defer_hard_irqs > defer ? napi[i].defer_hard_irqs : defer;
		timeout = napi[i].gro_flush_timeout_ns > timeout ? napi[i].gro_flush_timeout_ns : timeout;
	}
	*ret = n ? settings_of(defer, timeout) : (struct knob_set){ .have = 0 };
}

int napi_read(struct genl *g, const char *root, const struct nic_info *nic, enum napi_path path, struct knob_set *ret,
	      char err[ERR_MAX])
{
	struct napi_info napi[NIC_NAPI_MAX];
	struct knob_set got = { .have = 0 };
	int n;

	switch (path) {
	case NAPI_NONE: break;
	case NAPI_SYSFS: return sysfs_napi_read(root, nic, ret, err);
	case NAPI_GENL:
		n = netdev_napi_list(g, nic->ifindex, napi, NIC_NAPI_MAX, err);
		if (n < 0)
			return n;
		largest(napi, n, &got);
		break;
	}
	genl_take_channel(ret, CHANNEL_NAPI, &got);
	return 0;
}

static int set_one(struct genl *g, const struct napi_info *napi, const struct knob_set *want, char *err)
{
	struct knob_set now = settings_of(napi->defer_hard_irqs, napi->gro_flush_timeout_ns), todo;

	return knob_set_diff(want, &now, &todo) ? netdev_napi_set(g, napi->id, &todo, err) : 0;
}

/* -EAGAIN: some were replaced by new ones meanwhile. */
static int set_all(struct genl *g, const struct nic_info *nic, const struct knob_set *want, char *err)
{
	struct napi_info napi[NIC_NAPI_MAX];
	int n = netdev_napi_list(g, nic->ifindex, napi, NIC_NAPI_MAX, err), rc = 0;

	if (n < 0)
		return n;
	if (!n)
		return genl_fail(err, -ENETDOWN, "no NAPI instance");
	for (int i = 0; i < n; i++) {
		int one = set_one(g, &napi[i], want, err);

		if (one < 0 && one != -ENOENT)
			return one;
		if (one < 0)
			rc = genl_fail(err, -EAGAIN, "NAPI instances changed");
	}
	return rc;
}

int napi_write(struct genl *g, const char *root, const struct nic_info *nic, enum napi_path path,
	       const struct knob_set *want, struct knob_set *ret_got, char err[ERR_MAX])
{
	struct knob_set napi = *want;
	int rc = 0, rc_read;

	napi.have &= NAPI_KNOBS;
	switch (path) {
	case NAPI_NONE: return genl_fail(err, -EOPNOTSUPP, "no NAPI instance");
	case NAPI_SYSFS: rc = sysfs_napi_write(root, nic, &napi, err); break;
	case NAPI_GENL:
		rc = set_all(g, nic, &napi, err);
		if (rc == -EAGAIN)
			rc = set_all(g, nic, &napi, err);
		break;
	}
	rc_read = napi_read(g, root, nic, path, ret_got, rc ? NULL : err);
	return rc ? rc : rc_read;
}

int napi_save(struct genl *g, const char *root, const struct nic_info *nic, enum napi_path path,
	      struct nic_settings *ret, char err[ERR_MAX])
{
	struct napi_info napi[NIC_NAPI_MAX];
	struct knob_set device = { .have = 0 };
	int n = 0, rc = sysfs_napi_read(root, nic, &device, err);

	if (rc == -ENODEV || (rc < 0 && path == NAPI_SYSFS))
		return rc;
	if (path != NAPI_NONE)
		n = netdev_napi_list(g, nic->ifindex, napi, NIC_NAPI_MAX, err);
	if (n < 0 && path == NAPI_GENL)
		return n;
	ret->device.have &= ~NAPI_KNOBS;
	knob_set_overlay(&ret->device, &device);
	ret->n_napi = 0;
	/* Also on NAPI_SYSFS: its writes reach the instances that can be seen, too. */
	for (int i = 0; i < n; i++) {
		struct napi_setting *s = &ret->napi[ret->n_napi];

		if (!napi[i].has_settings)
			continue;
		s->id = napi[i].id;
		s->defer_hard_irqs = napi[i].defer_hard_irqs;
		s->gro_flush_timeout_ns = napi[i].gro_flush_timeout_ns;
		ret->n_napi++;
	}
	return 0;
}

static int restore_device(const char *root, const struct nic_info *nic, enum napi_path path,
			  const struct knob_set *device, char *err)
{
	int rc;

	if (!device->have)
		return 0;
	rc = sysfs_napi_write(root, nic, device, err);
	/* Who may not write here has not changed it either, unless it is his only way. */
	if (path != NAPI_SYSFS && (rc == -EACCES || rc == -EPERM || rc == -EROFS || rc == -ENXIO))
		return 0;
	return rc;
}

/* What an instance shall have: its own saved values, else those with which it was born. */
static struct knob_set saved_of(const struct nic_settings *saved, const struct knob_set *born, uint32_t id)
{
	for (unsigned i = 0; i < saved->n_napi; i++) {
		if (saved->napi[i].id == id)
			return settings_of(saved->napi[i].defer_hard_irqs, saved->napi[i].gro_flush_timeout_ns);
	}
	return *born;
}

int napi_restore(struct genl *g, const char *root, const struct nic_info *nic, enum napi_path path,
		 const struct nic_settings *saved, char err[ERR_MAX])
{
	struct napi_info napi[NIC_NAPI_MAX];
	struct knob_set device = saved->device;
	int n, rc;

	device.have &= NAPI_KNOBS;
	rc = restore_device(root, nic, path, &device, err);
	if (rc < 0 || (path != NAPI_GENL && !saved->n_napi))
		return rc;
	if (path != NAPI_GENL)
		device.have = 0; /* new instances were only reached by sysfs, which is done */
	/* After the device-wide values, since writing those overwrites the instances. */
	n = netdev_napi_list(g, nic->ifindex, napi, NIC_NAPI_MAX, err);
	for (int i = 0; i < n; i++) {
		struct knob_set want = saved_of(saved, &device, napi[i].id);
		int one = set_one(g, &napi[i], &want, rc ? NULL : err);

		if (one < 0 && one != -ENOENT && !rc)
			rc = one;
	}
	return n < 0 ? n : rc;
}

void napi_caps(enum napi_path path, struct knob_caps *caps)
{
	uint32_t have = path == NAPI_NONE ? 0 : NAPI_KNOBS;

	for (int k = 0; k < KNOB_COUNT; k++) {
		if (!(have & KNOB_BIT(k)))
			continue;
		caps->min[k] = knob_table[k].min;
		caps->max[k] = knob_table[k].max;
		caps->step[k] = 0;
	}
	caps->readable |= have;
	caps->settable |= have;
}
