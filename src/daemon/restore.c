// SPDX-License-Identifier: GPL-2.0-or-later
/* restore: see restore.h. */
#include "daemon/restore.h"

#include <errno.h>
#include <string.h>
#include <syslog.h>

#include "daemon/log.h"
#include "engine/apply.h"
#include "io/nic.h"

#define RESTORE_MAX 1024

/* 0 also when nothing is saved. */
static int restore_one(struct backend *b, struct state_dir *d, const struct nic_info *nic, char err[ERR_MAX])
{
	char name[NIC_NAME_MAX] = "";
	struct apply a;
	int r;

	err[0] = 0;
	apply_init(&a, b, d, false);
	r = state_load(d, nic->ifindex, name, &a.original);
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	a.saved = true;
	return apply_restore(&a, nic, 0, err);
}

static int restore_index(struct backend *b, const struct nic_finder *f, struct state_dir *d, const struct log *log,
			 int ifindex)
{
	char name[NIC_NAME_MAX] = "", err[ERR_MAX] = "";
	struct nic_settings saved;
	struct nic_info nic;
	int r = state_load(d, ifindex, name, &saved);

	if (r < 0) {
		log_line(log, LOG_ERR, NULL, "saved originals of interface %d cannot be read: %s", ifindex,
			 strerror(-r));
		return r;
	}
	r = nic_get(f, ifindex, NULL, &nic, err);
	if (r == -ENODEV) {
		log_line(log, LOG_INFO, name, "is gone, nothing to put back");
		return state_remove(d, ifindex);
	}
	if (r == 0)
		r = restore_one(b, d, &nic, err);
	if (r < 0)
		log_line(log, LOG_ERR, name, "originals could not be put back: %s", err[0] ? err : strerror(-r));
	else
		log_line(log, LOG_INFO, nic.name, "originals are back");
	return r;
}

int restore_all(struct backend *b, const struct nic_finder *f, struct state_dir *d, const struct log *log)
{
	int ifindex[RESTORE_MAX], n = state_list(d, ifindex, RESTORE_MAX), failed = 0;

	if (n < 0) {
		log_line(log, LOG_ERR, NULL, "saved originals cannot be listed: %s", strerror(-n));
		return 1;
	}
	for (int i = 0; i < n; i++)
		failed |= restore_index(b, f, d, log, ifindex[i]) < 0;
	return failed;
}
