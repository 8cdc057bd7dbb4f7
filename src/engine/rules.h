// SPDX-License-Identifier: GPL-2.0-or-later
/* rules: what holds for one NIC: the policy that fits it and what is known of its driver. */
#pragma once
#include "core/match.h"
#include "core/policy.h"
#include "core/quirk.h"
#include "io/procfile.h"
#include "io/rtnl.h"

struct config;

struct target_rules {
	struct policy policy;
	const struct match *match; /* the one that fits, of the configuration, too; NULL: the fallback's policy */
	struct match_subject subject;
	const struct quirk *quirks; /* the configuration's: it must outlive the rules */
	size_t n_quirks;
};

/* root: "/"; rtnl may be NULL (then the address comes from sysfs). fallback: for NICs that no policy fits. config may
 * be NULL: the fallback and no quirks. */
void rules_find(const struct config *config, const struct procroot *root, struct rtnl *rtnl, const struct nic_info *nic,
		const struct policy *fallback, struct target_rules *ret);
