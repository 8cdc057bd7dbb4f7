// SPDX-License-Identifier: GPL-2.0-or-later
/* bus-int: what the parts of the control API share. Not for users of it. */
#pragma once
#include <sys/socket.h>
#include <systemd/sd-bus.h>

#include "daemon/bus-history.h"
#include "daemon/bus.h"

#define BUS_NAME "org.ethtuned.Ethtuned1"
#define BUS_PATH "/org/ethtuned/Ethtuned1"
#define BUS_NIC_PATH BUS_PATH "/nic"
#define BUS_MANAGER BUS_NAME ".Manager"
#define BUS_NIC BUS_NAME ".Interface"
#define BUS_ERROR BUS_NAME ".Error."

#define BUS_PRIORITY SD_EVENT_PRIORITY_IDLE /* everything else comes first, ticks above all */
#define BUS_CLIENTS_MAX 32		    /* on the private socket ... */
#define BUS_CLIENTS_OTHERS 16		    /* ... of which those that are not root, so that root always finds room */
#define BUS_QUEUED_MAX 128		    /* messages that a client does not fetch */
#define BUS_PENDING_MAX 64		    /* calls that wait for a yes or no */
#define BUS_CALLS 2000			    /* of one connection in a second; then it has to wait */

struct bus_link { /* one connection: the system bus, or a client of the private socket */
	struct bus *owner;
	sd_bus *bus;
	bool system, attached, tired, dead; /* tired: over its calls; dead: to be freed */
	struct ucred peer;		    /* private: who it was when it connected */
	int pidfd;			    /* ... -1 unknown */
	unsigned calls;			    /* since */
	uint64_t since_usec;
};

struct bus_view { /* what of an interface is told when it changes */
	char name[NIC_NAME_MAX], policy[64];
	const char *link, *state, *mode, *mechanism, *control;
	uint32_t speed_mbps, foreign, changes_per_minute;
	double max_latency_usecs;
	uint64_t until_usec; /* CLOCK_REALTIME, 0: no end */
	struct knob_set knobs;
};

struct bus_nic {
	struct bus *bus;
	int ifindex;
	char path[64];
	nsec_t reported; /* `now` of the last report in the history */
	struct bus_view view;
	struct history *history; /* NULL: no decision yet */
};

struct bus {
	struct fleet *fleet;
	sd_event *event;
	struct bus_hooks hooks;
	struct bus_link system;
	sd_event_source *retry, *listen, *chores, *wake;
	char socket_path[108];
	struct bus_link *clients[BUS_CLIENTS_MAX];
	struct bus_nic **nics; /* in order of ifindex */
	size_t n_nics, size;
	unsigned controlled; /* as told last */
	struct bus_pending *pending;
	unsigned n_pending, refused; /* lines about refusals since ... */
	uint64_t refused_since_usec;
	bool told_no_bus, told_no_name;
};

/* bus.c */
void bus_chores(struct bus *b); /* later, when nobody is inside sd-bus: free what is dead, let rest what is tired */
struct bus_link *bus_link_of(struct bus *b, sd_bus *bus);
int bus_link_up(struct bus_link *l); /* objects, filter, event loop: the same on every connection */
void bus_link_down(struct bus_link *l);
typedef void bus_each_fn(struct bus_link *l, void *arg);
void bus_each(struct bus *b, bus_each_fn *fn, void *arg); /* every connection that can be spoken to */

/* bus-private.c, bus-system.c */
int bus_private_open(struct bus *b);
void bus_private_close(struct bus *b);
void bus_system_open(struct bus *b);
void bus_system_close(struct bus *b); /* one that died is tried again later; a second call ends that too */

/* bus-nic.c, bus-manager.c: objects on one connection */
int bus_nic_publish(struct bus_link *l);
int bus_manager_publish(struct bus_link *l);
struct bus_nic *bus_nic_at(const struct bus *b, const char *path); /* NULL: none */
struct member *bus_nic_member(const struct bus_nic *n);
void bus_view_fill(const struct bus *b, const struct member *m, struct bus_view *ret);
void bus_view_emit(struct bus_nic *n, const struct bus_view *before); /* PropertiesChanged of what differs */
int bus_append_knobs(sd_bus_message *m, const struct knob_set *s);    /* a{st} by the JSON keys of the knob table */

/* bus-explain.c */
int bus_append_text(sd_bus_message *m, const char *text); /* s; what is not UTF-8 is replaced */
uint64_t bus_realtime_usec(void);
void bus_signal_changes(struct bus_nic *n, const struct report *r); /* the signal Changed, one for each reason */
int bus_explain_reply(struct bus *b, struct bus_nic *n, sd_bus_message *call, unsigned max);
