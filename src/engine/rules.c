// SPDX-License-Identifier: GPL-2.0-or-later
/* rules: see rules.h. */
#include "engine/rules.h"

#include <string.h>

#include "engine/config.h"
#include "io/identity.h"

void rules_find(const struct config *config, const struct procroot *root, struct rtnl *rtnl, const struct nic_info *nic,
		const struct policy *fallback, struct target_rules *ret)
{
	const struct config_policy *found = NULL;
	struct rtnl_link link;
	bool known = rtnl && rtnl_link(rtnl, nic->ifindex, NULL, &link) == 0;

	memset(ret, 0, sizeof(*ret));
	identity_read(root, nic, known ? &link : NULL, &ret->subject);
	if (config) {
		found = config_policy_for(config, &ret->subject);
		ret->quirks = config->quirks;
		ret->n_quirks = config->n_quirks;
	}
	ret->match = found ? &found->match : NULL;
	ret->policy = found ? found->policy : *fallback;
}
