// SPDX-License-Identifier: GPL-2.0-or-later
/* simrun-published: the law from a driver's old default beside the setting that was published as better: CPU of the
 * whole host at the same throughput. */
#pragma once
#include "engine/simrun.h"

struct simrun_published {
	enum simprofile_id profile;
	const char *load;
	unsigned payload; /* bytes of a packet that count as throughput */
	double mbps, after_percent; /* of all CPUs */
};
extern const struct simrun_published simrun_published_table[];
extern const size_t simrun_published_count;

enum simrun_published_verdict {
	SIMRUN_REACHES,	    /* the published CPU, at no less throughput */
	SIMRUN_MODE_LIMITS, /* does not, and nor does the mode's own best fixed interval */
	SIMRUN_FALLS_SHORT, /* does not though it could or must (in the default mode), or sets what the NIC has not */
};

struct simrun_published_row {
	enum mode mode;
	double default_percent;
	double percent, mbps, interval_usecs; /* with the law, last 10 s of 40 */
	double best_percent, best_usecs;		       /* with the mode's best fixed interval */
	double shortest_on_usecs;			       /* ever set; 0 = none */
	enum simrun_published_verdict verdict;
};

/* Returns 0 or -ENOMEM. */
int simrun_published(const struct simrun_published *p, enum mode mode, struct simrun_published_row *ret);
