// SPDX-License-Identifier: GPL-2.0-or-later
/* queues-int: what the parts of queues share. Not for users of it. */
#pragma once
#include "engine/target.h"

#define QUEUES_COUNTED_NS (5 * NSEC_PER_SEC) /* counters older than this are missing */

/* The policy of one queue, with the index of its section, -1: none. */
int queues_policy(const struct target *t, unsigned queue, struct policy *ret);
/* Its values before us. */
void queues_rest(const struct target *t, unsigned queue, struct knob_set *ret);
/* The device's values with those of the queue. */
void queues_current(const struct target *t, unsigned queue, struct knob_set *ret);
/* Does its own lane decide for it? Not when its timer is someone else's, nor where nothing is driven. */
bool queues_leads(const struct target *t, unsigned queue);
/* Starts the lane of a queue that leads, from its present values. */
void queues_lead(struct target *t, unsigned queue);
/* Who leads whom, from the loads. */
void queues_group(struct target *t);
/* Present values of all queues. Returns how many, or negative errno. */
int queues_read(struct target *t);
const struct lane *queues_rx_lane(const struct target *t); /* the device's; NULL: receive is not driven */
void queues_watched(struct target *t);			   /* lanes of queues changed something */
bool queues_counted(const struct target *t, nsec_t now);   /* the driver counts by queue */
