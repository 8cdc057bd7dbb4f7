// SPDX-License-Identifier: GPL-2.0-or-later
/* channel-coalesce: interrupt coalescing of a whole device through ethtool netlink (ethtool -c, -C). */
#pragma once
#include "core/knob.h"
#include "core/nic.h"
#include "io/genl.h"

/* Every coalescing knob that the driver has; the others have no bit. -EOPNOTSUPP: the driver has none at all. */
int coalesce_get(struct genl *g, const struct nic_info *nic, struct knob_set *ret, char err[ERR_MAX]);

/* Writes the coalescing knobs of `want` (others are ignored) and reads back into *ret_got, also after a failure, which
 * may have changed something; *ret_got is untouched when even reading fails. A knob that the driver lacks: -EINVAL and
 * nothing changes. Adaptive modes are switched off before, and on after, the values are written. */
int coalesce_set(struct genl *g, const struct nic_info *nic, const struct knob_set *want, struct knob_set *ret_got,
		 char err[ERR_MAX]);

/* Adds what follows from a coalesce_get(): limits are the table's, since drivers do not publish theirs. */
void coalesce_caps(const struct knob_set *got, struct knob_caps *caps);
