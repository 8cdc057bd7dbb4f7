// SPDX-License-Identifier: GPL-2.0-or-later
/* world: a machine in memory for tests of the fleet: interfaces, some of them on the same hardware, traffic, what
 * occupies them, and the log. A test program defines nic_get(), occupancy_*() and log_*() by the functions below. */
#pragma once
#include "daemon/fleet.h"
#include "io/nic.h"

#define WORLD_MAX 1200

struct hardware { /* knobs live here */
	struct knob_caps caps;
	struct knob_set knobs, power_on;
	unsigned writes, restores;
	int restore_error; /* errno of putting originals back */
};

struct port {
	struct nic_info nic; /* ifindex 0: none */
	struct hardware *hw;
	double pps, packets, polls;
	unsigned samples;
	uint32_t found; /* what occupies it: bits of enum occupancy */
};

struct world {
	struct backend base;
	nsec_t now;
	double poll_cost_usecs; /* of the one CPU, which all interfaces share; 0: CPU time is not known */
	double softirq_ns;
	struct hardware hw[8];
	unsigned n_ports, forgotten, scans;
	struct port port[WORLD_MAX]; /* in order of ifindex */
	char dir[64];		     /* state and configuration */
	struct nic_finder finder;
	struct fleet fleet;
	char said[16384]; /* the log: "NAME: text\n" */
};

void world_open(struct world *w);
void world_close(struct world *w); /* checks that originals are back where nothing failed */
/* A new interface, up, of this hardware (0..7); timers: rx-usecs, else deferral, else nothing can be set. */
enum world_kind { WORLD_TIMERS, WORLD_DEFERRAL, WORLD_NOTHING };
struct port *world_add(struct world *w, int ifindex, const char *name, enum world_kind kind, unsigned hw);
void world_remove(struct world *w, int ifindex);
struct port *world_port(struct world *w, int ifindex);
/* Lets traffic flow and the fleet tick for so long. */
void world_run(struct world *w, double seconds);
void world_config(struct world *w, const char *text);	   /* writes the file that fleet_load() reads */
unsigned world_said(const struct world *w, const char *text); /* how many lines hold it */
void world_hush(struct world *w);			   /* forgets the log */
unsigned world_saved(const struct world *w);		   /* files with originals */

/* For the definitions in a test. */
int world_nic_get(struct world *w, int ifindex, struct nic_info *ret);
void world_occupancy(struct world *w, const struct nic_info *nic, struct occupancy_found *ret);
void world_log(struct world *w, const char *netdev, const char *text);
