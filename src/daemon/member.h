// SPDX-License-Identifier: GPL-2.0-or-later
/* member: one interface of the fleet: whether and by which rules it is tuned, and when that is to be thought over. */
#pragma once
#include "daemon/fleet.h"

#define TARGETS_MAX 256 /* interfaces tuned at once; more are left alone */

/* Judges the interface anew and begins; m must be in the fleet without a target. What others of the same hardware hold
 * goes back first. Negative errno: it cannot be read, -ENODEV: it is gone. */
int member_start(struct fleet *f, struct member *m);
/* Originals back, target gone. When they could not be put back, the target stays and the error is returned. */
int member_stop(struct fleet *f, struct member *m);
/* Both; then tells the state, when it is another one. */
void member_restart(struct fleet *f, struct member *m);
/* Would it be treated otherwise now than it is? Where not, rules that mean the same are taken over quietly. */
bool member_outdated(struct fleet *f, struct member *m);
/* Nothing of it is needed any more: the backend's part too. Writes nothing. */
void member_drop_target(struct fleet *f, struct member *m);

/* Looks for what occupies devices, unless the last look is fresh. */
void fleet_look_around(struct fleet *f, nsec_t now);
/* Those whose reasons to be left alone came or went start over. */
void fleet_review(struct fleet *f, nsec_t now);
