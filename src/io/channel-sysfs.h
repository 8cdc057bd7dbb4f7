// SPDX-License-Identifier: GPL-2.0-or-later
/* channel-sysfs: device-wide gro_flush_timeout and napi_defer_hard_irqs in /sys/class/net/NAME.
 * A write overwrites the value of every NAPI instance of the device. sysfs shows the network namespace of whoever
 * mounted it, so each call compares its ifindex with the NIC's: -ENXIO when it shows another network namespace,
 * -ENODEV when the device is gone. */
#pragma once
#include "core/nic.h"

#define SYSFS_NAPI_FILES 2
extern const char *const sysfs_napi_file[SYSFS_NAPI_FILES]; /* in the device's directory */

/* root: where sysfs is mounted, "/sys". Both knobs, or what this kernel has of them; other channels' stay in *ret. */
int sysfs_napi_read(const char *root, const struct nic_info *nic, struct knob_set *ret, char err[ERR_MAX]);
/* Writes those of the two that `want` has and that differ, in the order that never holds packets without a timer.
 * -EACCES, -EPERM: root and CAP_NET_ADMIN are needed; -EROFS. No read-back. */
int sysfs_napi_write(const char *root, const struct nic_info *nic, const struct knob_set *want, char err[ERR_MAX]);
