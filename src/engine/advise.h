// SPDX-License-Identifier: GPL-2.0-or-later
/* advise: measures a NIC for a while without touching it and says what settings would serve it better, why, and what to
 * expect. The same mechanism choice, model and law as the daemon's. */
#pragma once
#include "core/diagnosis.h"
#include "core/policy.h"
#include "engine/apply.h"
#include "engine/mech.h"
#include "engine/rules.h"
#include "io/backend.h"

struct advice_effect {
	double polls_ps;      /* interrupts or polls per second; < 0 unknown */
	double cpu_ratio;     /* CPU spent on interrupts, of one CPU; < 0 unknown */
	double added_usecs;   /* longest wait that coalescing adds */
	double received_pps;
	double packets_per_poll; /* < 0 unknown */
};

struct advice {
	struct nic_info nic;
	struct nic_caps caps;
	struct quirk_effect quirk;
	struct knob_set current, advised; /* advised: only knobs that should change */
	struct rates rates;
	struct evidence evidence;
	struct nic_map map; /* n_irqs 0: not known */
	struct diagnosis diagnosis;
	double poll_usecs, packet_usecs; /* cost of an interrupt, of a packet, as measured or known of such machines */
	struct decision decision[2];	  /* by enum queue_dir */
	bool decided[2];
	struct advice_effect before, expected; /* expected: by the model, or measured with --probe */
	bool measured;			       /* expected was measured */
	bool tunable;
	char message[ERR_MAX]; /* why nothing can be tuned, or "" */
};

typedef bool (*advise_progress)(void *userdata, double done_ratio); /* false: stop early */

/* What the diagnosis was made of; points into *a. */
void advice_symptoms(const struct advice *a, struct symptoms *ret);
/* Samples every 100 ms for duration_s. Returns 0 or negative errno (-EINTR stopped, -ENODEV gone). */
int advise_run(struct backend *b, const struct nic_info *nic, const struct target_rules *rules, double duration_s,
	       advise_progress progress, void *userdata, struct advice *ret);
/* Applies the advice through `a`, measures for duration_s, puts the originals back and fills expected with what was
 * seen. Returns 0 or negative errno. not_back: "", or why the originals are not back, whatever else went wrong; they
 * stay saved then. */
int advise_probe(struct apply *a, const struct target_rules *rules, double duration_s, advise_progress progress,
		 void *userdata, struct advice *advice, char not_back[ERR_MAX]);
