// SPDX-License-Identifier: GPL-2.0-or-later
/* simload: traffic for the simulated NIC, as rows of simloads.def, scaled to the NIC it runs on. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/knob.h"
#include "core/simprofile.h"

#define SIMLOAD_SOURCES_MAX 12
#define SIMLOAD_PHASES_MAX 8
#define SIMLOAD_CLASSES 2 /* 0 bulk, 1 the delay-sensitive part of a mix */

enum simload_kind {
	SOURCE_CONST,	/* evenly spaced */
	SOURCE_POISSON, /* independent; with sigma: log-normal rate, a new one every modulation_usecs on average */
	SOURCE_TRAIN,	/* back-to-back trains of `burst` packets; spaced evenly (even) or independently */
	SOURCE_CLOSED, /* `flows` clients, one request outstanding each: next one rtt_usecs + think_usecs after delivery
			*/
	SOURCE_TCP,    /* `flows` windows of `window` segments, acknowledged rtt_usecs after delivery */
	SOURCE_INCAST, /* `burst` packets at once, again rtt_usecs after all arrived */
};

struct simload_source {
	unsigned phase;
	double seconds; /* of its phase; 0 = for ever */
	enum simload_kind kind;
	unsigned load_class;
	double kpps, kpps_end; /* offered, 1 000 packets/s at a 1 Gb/s host; a rate that moves to kpps_end */
	bool fixed_rate;       /* kpps is not scaled to the host */
	double of_capacity;    /* instead of kpps: multiple of what the CPU can take */
	unsigned bytes;	       /* without Ethernet's own 24 */
	unsigned fast_bytes;   /* on a fast host, if other */
	bool gro, even;	       /* packets of a flow merge; trains evenly spaced */
	unsigned flows, window, burst;
	bool flows_scale, window_scales; /* with the host's rate */
	double of_ring;			 /* instead of burst: multiple of the ring */
	double period_usecs;		 /* with of_ring: between trains */
	double rtt_usecs, fast_rtt_usecs, think_usecs;
	double sigma, modulation_usecs;
};

struct simload_desc {
	const char *name, *what;
	bool changing; /* several phases, or a rate that moves */
};

enum simload_id {
#define LOAD(id, changing, what) SIMLOAD_##id,
#define SOURCE(...)
#include "core/simloads.def"
#undef LOAD
#undef SOURCE
	SIMLOAD_COUNT
};
extern const struct simload_desc simload_table[SIMLOAD_COUNT];

/* A load made ready for one NIC: rates in packets/us, everything scaled. */
struct simload {
	char name[32];
	bool changing;
	unsigned n_phases, n_sources;
	double phase_usecs[SIMLOAD_PHASES_MAX];
	struct simload_source source[SIMLOAD_SOURCES_MAX]; /* by phase; kpps is in packets/us here: see rate */
};

/* `text`: a name of simloads.def, or "udp:KPPS[,BYTES]" (even), "poisson:KPPS[,BYTES]", "tcp:FLOWS,WINDOW,RTT". Returns
 * 0, -ENOENT, -EINVAL. */
int simload_build(const char *text, const struct sim_profile *p, struct simload *ret);
double simload_period_usecs(const struct simload *l); /* all phases once */
bool simload_is_open(const struct simload_source *s); /* offers the same whatever we do */
