// SPDX-License-Identifier: GPL-2.0-or-later
/* evidence: reads what only a diagnosis asks for (core/evidence.h): driver counters, features, affinity, power states,
 * sockets. Dear: takes the rtnl lock and some hundred file reads; twice a diagnosis, never in between. */
#pragma once
#include "core/evidence.h"
#include "core/nic.h"
#include "io/procfile.h"

#define EVIDENCE_IDLE_STATES 16

/* What must be kept between two readings. Zeroed: nothing was read yet. */
struct evidence_source {
	bool seen;
	unsigned cpu; /* of which: */
	uint64_t idle_entries[EVIDENCE_IDLE_STATES];
};

/* fd: of ethtool_open(), < 0: none. map: the device's interrupts, NULL unknown. What cannot be read is absent. */
void evidence_read(struct evidence_source *s, const struct procroot *root, int fd, const struct nic_info *nic,
		   const struct nic_map *map, struct evidence *ret);
