// SPDX-License-Identifier: GPL-2.0-or-later
/* contender-driver: moderation that lives in drivers. Both return true when the setting changed. */
#pragma once
#include "core/contender.h"

void dim_init(struct contender *c);
bool dim_poll(struct contender *c, const struct nicsim_poll *poll);
void buckets_init(struct contender *c);
bool buckets_poll(struct contender *c, const struct nicsim_poll *poll);
