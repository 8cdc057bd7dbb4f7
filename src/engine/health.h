// SPDX-License-Identifier: GPL-2.0-or-later
/* health: signs that a device suffers, and samples that say nothing. Counts only; who asks acts on it. */
#pragma once
#include "core/report.h"
#include "core/sample.h"

enum trouble { TROUBLE_WRITES, TROUBLE_CARRIER, TROUBLE_TX_TIMEOUT, TROUBLE_RESET, TROUBLE_COUNT };

struct health {
	unsigned count[TROUBLE_COUNT]; /* since `since` */
	nsec_t since[TROUBLE_COUNT];
	unsigned carrier_losses; /* told by notification, not yet counted */
	bool admin;		 /* set up or down on purpose since the last look */
	nsec_t forgive_until;	 /* the carrier comes and goes on purpose */
};

/* n more of them. Returns whether that is too many. */
bool health_note(struct health *h, enum trouble what, unsigned n, nsec_t now);
/* The device's own counters between two samples, and losses told. Returns what there is too much of, or
 * TROUBLE_COUNT. */
enum trouble health_look(struct health *h, const struct sample *a, const struct sample *b, nsec_t now);
const char *health_text(enum trouble what); /* "3 carrier losses in a minute" */
/* Is the interval between two samples good for a judgement? Fills *ret as far as possible. Returns SKIP_NONE or why
 * not. link_mbps 0: unknown. */
enum skip_reason health_rates(const struct sample *a, const struct sample *b, double link_mbps, struct rates *ret);
