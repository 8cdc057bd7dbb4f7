// SPDX-License-Identifier: GPL-2.0-or-later
/* channel-coalesce: interrupt coalescing of a whole device through ethtool netlink (ethtool -c, -C). */
#pragma once
#include "core/knob.h"
#include "core/nic.h"
#include "io/genl.h"

/* Every coalescing knob that the driver has; the others lose their bit, knobs of other channels stay in *ret, which
 * must have been initialised. -EOPNOTSUPP: the driver has none at all. */
int coalesce_get(struct genl *g, const struct nic_info *nic, struct knob_set *ret, char err[ERR_MAX]);

/* Profiles of the driver's adaptive moderation, n 0 where there are none; errors as above. */
int coalesce_profiles(struct genl *g, const struct nic_info *nic, struct nic_profile *ret_rx,
		      struct nic_profile *ret_tx, char err[ERR_MAX]);
/* One of them out of its attribute; what is not a row is left out. NULL: none. */
void coalesce_profile_parse(const struct nlattr *nest, struct nic_profile *ret);

/* Writes the coalescing knobs of `want` (others are ignored) and reads back into *ret_got, also after a failure, which
 * may have changed something; *ret_got is untouched when even reading fails, and knobs of other channels in it stay. A
 * knob that the driver lacks: -EINVAL and nothing changes. Adaptive modes are switched off before, and on after, the
 * values are written. */
int coalesce_set(struct genl *g, const struct nic_info *nic, const struct knob_set *want, struct knob_set *ret_got,
		 char err[ERR_MAX]);

/* The messages of coalesce_set(), in order: the knobs of each; 0 = not sent. */
#define COALESCE_STEPS 3
void coalesce_steps(const struct knob_set *want, uint32_t ret[COALESCE_STEPS]);

/* Adds what follows from a coalesce_get(): limits are the table's, since drivers do not publish theirs. */
void coalesce_caps(const struct knob_set *got, struct knob_caps *caps);
