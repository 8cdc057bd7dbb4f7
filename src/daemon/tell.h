// SPDX-License-Identifier: GPL-2.0-or-later
/* tell: what happened to a NIC, as lines of the log; each thing once. */
#pragma once
#include "daemon/log.h"
#include "daemon/members.h"

void tell_state(const struct log *l, struct member *m); /* only when it is another one than told last */
/* Knobs that someone else changed. */
void tell_yielded(const struct log *l, const char *name, uint32_t bits, enum hand hand);
void tell_report(const struct log *l, struct member *m);		  /* all of m->last */
