// SPDX-License-Identifier: GPL-2.0-or-later
/* remedy: what can be done about a bottleneck besides an interval, as commands to type. Nobody here runs them. */
#pragma once
#include "core/diagnosis.h"

#define REMEDY_MAX 320

/* Line i (from 0) for the class and those beside it: "what it does: command", or a sentence. Returns false when there
 * is no such line. Names are quoted for a shell. */
bool remedy(const struct diagnosis *d, const struct symptoms *s, unsigned i, char buf[REMEDY_MAX]);
