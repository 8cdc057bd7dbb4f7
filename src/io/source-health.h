// SPDX-License-Identifier: GPL-2.0-or-later
/* source-health: signs of trouble of one device (SAMPLE_CARRIER, SAMPLE_TX_TIMEOUTS): ups and downs of its carrier from
 * rtnetlink, stalls of its transmit queues from sysfs. Both change seldom, so they are looked at only now and then and
 * reported as they were in between. */
#pragma once
#include "core/sample.h"
#include "io/procfile.h"
#include "io/rtnl.h"

struct health_source { /* zero = never looked */
	nsec_t looked;
	uint32_t have;
	uint64_t carrier_changes, tx_timeouts;
};

/* Fills carrier_changes and tx_timeouts of *s and sets the bits. rtnl may be NULL: no carrier. */
void source_health_read(struct health_source *h, struct rtnl *r, const struct procroot *root,
			const struct nic_info *nic, nsec_t now, struct sample *s);
