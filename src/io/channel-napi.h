// SPDX-License-Identifier: GPL-2.0-or-later
/* channel-napi: deferral of NAPI instances (gro_flush_timeout, napi_defer_hard_irqs), one by one where the kernel can
 * (napi-set), else for the device (sysfs). root: where sysfs of this network namespace is mounted. */
#pragma once
#include "core/nic.h"
#include "io/genl.h"

/* NAPI_GENL: napi-get shows an instance for each receive queue and napi-set exists. NAPI_NONE: napi-get works, the
 * device is up (nic->up) and has no instance. NAPI_SYSFS otherwise, so also while the device is down: ask again after
 * each change of up/down, features or channels. */
int napi_path_probe(struct genl *g, const struct nic_info *nic, enum napi_path *ret, char err[ERR_MAX]);

/* Both knobs, the largest over the instances; NAPI_NONE or no instance at the moment: no bit and 0. Knobs of other
 * channels stay in *ret, which must have been initialised. */
int napi_read(struct genl *g, const char *root, const struct nic_info *nic, enum napi_path path, struct knob_set *ret,
	      char err[ERR_MAX]);
/* Writes the NAPI knobs of `want` to all instances and reads back into *ret_got as coalesce_set() does.
 * -EOPNOTSUPP: NAPI_NONE; -ENETDOWN: NAPI_GENL but no instance at the moment. Never writes sysfs on NAPI_GENL, since
 * that would overwrite what others set for single instances. */
int napi_write(struct genl *g, const char *root, const struct nic_info *nic, enum napi_path path,
	       const struct knob_set *want, struct knob_set *ret_got, char err[ERR_MAX]);

/* NAPI part of `ret`: n_napi, napi[] and the NAPI knobs of device (sysfs; absent when it cannot be read). Touches
 * nothing else of *ret. */
int napi_save(struct genl *g, const char *root, const struct nic_info *nic, enum napi_path path,
	      struct nic_settings *ret, char err[ERR_MAX]);
/* Puts back what differs: first the device-wide values, then each saved instance. Saved instances that are gone are
 * skipped; on NAPI_GENL, instances that came since get the saved device-wide values, with which they were born. */
int napi_restore(struct genl *g, const char *root, const struct nic_info *nic, enum napi_path path,
		 const struct nic_settings *saved, char err[ERR_MAX]);

/* Adds the NAPI knobs' bits and limits, according to the path. */
void napi_caps(enum napi_path path, struct knob_caps *caps);
