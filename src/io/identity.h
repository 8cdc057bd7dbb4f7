// SPDX-License-Identifier: GPL-2.0-or-later
/* identity: what the [match] of a policy or quirk is compared with, for one interface: out of sysfs, udev's database
 * and what is known of it already. What cannot be found stays unknown; nothing fails. */
#pragma once
#include "core/match.h"
#include "core/nic.h"
#include "io/procfile.h"
#include "io/rtnl.h"

/* root: "/" or a copy of its sys, proc and run/udev. link: the same interface by rtnetlink, which knows the address
 * also where the sysfs that is mounted belongs to another network namespace; NULL: from sysfs. */
void identity_read(const struct procroot *root, const struct nic_info *nic, const struct rtnl_link *link,
		   struct match_subject *ret);
