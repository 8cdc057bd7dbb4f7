// SPDX-License-Identifier: GPL-2.0-or-later
/* fleet: all NICs under control: comes and goes with them, ticks each, tells the log what happened. */
#pragma once
#include "core/policy.h"
#include "daemon/log.h"
#include "daemon/members.h"
#include "engine/config.h"
#include "io/backend.h"
#include "io/occupancy.h"
#include "io/procfile.h"

struct nic_finder;
struct sysfs_watch;

struct fleet {
	struct backend *backend;
	const struct nic_finder *finder;
	struct state_dir *state;
	struct log log;		/* its level is the configuration's */
	struct policy policy;	/* for NICs that no policy of the configuration fits */
	struct config *config;
	const char *config_file; /* NULL: the usual places */
	struct procroot root;	/* "/" */
	struct machine_facts facts;
	bool dry_run;
	struct members members;
	unsigned n_targets;	/* members with a target */
	struct sysfs_watch *watch; /* of the deferral files of members with a target; NULL: not watched */
	struct occupancy_scan scan;
	nsec_t reviewed;	/* when everybody was last asked whether they are occupied */
	bool review_soon;
	char told_polls[ERR_MAX]; /* why polls are not counted, as the log knows it */
};

/* Reads the configuration; messages go to the log. At the start whatever can be read holds; later a configuration with
 * errors is not taken: -EBADMSG, and the old one stays. */
int fleet_load(struct fleet *f);
/* Another configuration: NICs whose policy and quirks stay the same are not touched, the others start over with their
 * originals back. The old one is freed. */
void fleet_configure(struct fleet *f, struct config *c);
/* Attaches every NIC that exists; those that vanished since the last call are dropped. 0 or negative errno. */
int fleet_sync(struct fleet *f);
void fleet_added(struct fleet *f, int ifindex);	  /* new, or visible again */
void fleet_changed(struct fleet *f, int ifindex); /* up/down, name, speed, queues, features */
/* Someone wrote coalescing, rings or deferral; perhaps it was us. */
void fleet_notified(struct fleet *f, int ifindex, enum hand hand);
/* A qdisc of this kind came, changed or went somewhere. */
void fleet_qdisc(struct fleet *f, const char *kind);
void fleet_removed(struct fleet *f, int ifindex);
void fleet_resumed(struct fleet *f, nsec_t slept); /* from suspend: drivers may have forgotten their settings */
void fleet_tick(struct fleet *f, nsec_t now);
bool fleet_tunes(const struct fleet *f); /* anything at all under control */
void fleet_dump(const struct fleet *f);	 /* the full state, to the log */
void fleet_status(const struct fleet *f, char *buf, size_t size); /* one line for systemd */
/* Originals back, all forgotten. Returns how many could not be restored. */
int fleet_release(struct fleet *f);
