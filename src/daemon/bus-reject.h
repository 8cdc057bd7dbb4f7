// SPDX-License-Identifier: GPL-2.0-or-later
/* bus-reject: why not: what else could be set on an interface now, and what speaks against it, in sentences. */
#pragma once
#include "daemon/members.h"

typedef void reject_fn(const char *sentence, void *arg);

/* Calls fn for each alternative that is not taken: intervals as the model prices them, those that measured worse, the
 * mechanisms and the settings that are not used. now: CLOCK_MONOTONIC. */
void reject_explain(const struct member *m, nsec_t now, reject_fn *fn, void *arg);
