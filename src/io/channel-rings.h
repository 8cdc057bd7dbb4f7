// SPDX-License-Identifier: GPL-2.0-or-later
/* channel-rings: descriptors per ring through ethtool netlink (ethtool -g, -G). Changing them resets most devices. */
#pragma once
#include "core/knob.h"
#include "core/nic.h"
#include "io/genl.h"

/* As coalesce_get(). caps (may be NULL) gets the knobs' bits and maxima; settable too, though some drivers only report
 * their size. */
int rings_get(struct genl *g, const struct nic_info *nic, struct knob_set *ret, struct knob_caps *caps,
	      char err[ERR_MAX]);
/* As coalesce_set(). More than the maximum: -EINVAL. Drivers round as they like: look at *ret_got. */
int rings_set(struct genl *g, const struct nic_info *nic, const struct knob_set *want, struct knob_set *ret_got,
	      char err[ERR_MAX]);
