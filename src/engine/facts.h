// SPDX-License-Identifier: GPL-2.0-or-later
/* facts: what the machine is, as far as the law wants to know before it has measured anything. */
#pragma once
#include "engine/mech.h"

/* Measures how late short timers are (a few ms) and tells the kind of machine by the processor's own description. */
void machine_facts_read(struct machine_facts *ret);
/* Name of the row of model_priors for this text of /proc/cpuinfo. */
const char *machine_prior_name(const char *cpuinfo);
