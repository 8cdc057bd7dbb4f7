// SPDX-License-Identifier: GPL-2.0-or-later
/* tell: what happened to a NIC, as lines of the log; each thing once. */
#pragma once
#include "daemon/fleet.h"

void tell_state(struct member *m);			 /* only when it is another one than told last */
void tell_yielded(const char *name, uint32_t bits);	 /* knobs that someone else changed */
void tell_report(struct member *m);			 /* all of m->last */
