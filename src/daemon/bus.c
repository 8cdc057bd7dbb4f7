// SPDX-License-Identifier: GPL-2.0-or-later
/* bus: see bus.h. Here is what all connections have in common, and what follows each tick. */
#include "daemon/bus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "daemon/bus-access.h"
#include "io/clock.h"

#define REST_USEC 200000 /* of a connection with too many calls */

/* ---- connections */

struct bus_link *bus_link_of(struct bus *b, sd_bus *bus)
{
	for (size_t i = 0; i < BUS_CLIENTS_MAX; i++)
		if (b->clients[i] && b->clients[i]->bus == bus)
			return b->clients[i];
	return b->system.bus == bus ? &b->system : NULL;
}

void bus_each(struct bus *b, bus_each_fn *fn, void *arg)
{
	if (b->system.bus && !b->system.dead && sd_bus_is_ready(b->system.bus) > 0)
		fn(&b->system, arg);
	for (size_t i = 0; i < BUS_CLIENTS_MAX; i++) {
		struct bus_link *l = b->clients[i];
		uint64_t queued = 0;

		if (!l || l->dead || sd_bus_is_ready(l->bus) <= 0)
			continue;
		if (sd_bus_get_n_queued_write(l->bus, &queued) >= 0 && queued > BUS_QUEUED_MAX) {
			l->dead = true; /* does not read what it gets */
			bus_chores(b);
			continue;
		}
		fn(l, arg);
	}
}

/* Counts the calls of a connection. Everything that arrives comes by here. */
static int on_message(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct bus_link *l = userdata;
	uint64_t now = clock_ns(CLOCK_MONOTONIC) / NSEC_PER_USEC, queued = 0;

	(void)m, (void)error;
	if (now - l->since_usec >= USEC_PER_SEC) {
		l->since_usec = now;
		l->calls = 0;
	}
	if (++l->calls > BUS_CALLS)
		l->tired = true;
	if (!l->system && sd_bus_get_n_queued_write(l->bus, &queued) >= 0 && queued > BUS_QUEUED_MAX)
		l->dead = true;
	if (l->tired || l->dead)
		bus_chores(l->owner);
	return l->dead; /* 1: no answer any more */
}

static int on_gone(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct bus_link *l = userdata;

	(void)m, (void)error;
	l->dead = true;
	bus_chores(l->owner);
	return 0;
}

int bus_link_up(struct bus_link *l)
{
	int r = sd_bus_add_filter(l->bus, NULL, on_message, l);

	if (r >= 0)
		r = sd_bus_match_signal(l->bus, NULL, NULL, "/org/freedesktop/DBus/Local", "org.freedesktop.DBus.Local",
					"Disconnected", on_gone, l);
	if (r >= 0)
		r = sd_bus_add_object_manager(l->bus, NULL, BUS_PATH);
	if (r >= 0)
		r = bus_manager_publish(l);
	if (r >= 0)
		r = bus_nic_publish(l);
	if (r >= 0)
		r = sd_bus_attach_event(l->bus, l->owner->event, BUS_PRIORITY);
	l->attached = r >= 0;
	return r;
}

void bus_link_down(struct bus_link *l)
{
	if (l->bus)
		bus_access_forget(l->owner, l->bus);
	if (l->attached)
		sd_bus_detach_event(l->bus);
	l->attached = false;
	l->bus = sd_bus_close_unref(l->bus);
}

static int on_wake(sd_event_source *s, uint64_t usec, void *arg)
{
	struct bus *b = arg;

	(void)s, (void)usec;
	for (int i = -1; i < BUS_CLIENTS_MAX; i++) {
		struct bus_link *l = i < 0 ? &b->system : b->clients[i];

		if (!l || !l->bus || !l->tired || l->attached)
			continue;
		l->tired = false;
		l->calls = 0;
		l->attached = sd_bus_attach_event(l->bus, b->event, BUS_PRIORITY) >= 0;
		if (!l->attached) {
			l->dead = true;
			bus_chores(b);
		}
	}
	return 0;
}

static void rest(struct bus_link *l)
{
	struct bus *b = l->owner;

	if (!l->attached)
		return;
	sd_bus_detach_event(l->bus);
	l->attached = false;
	sd_event_source_set_time_relative(b->wake, REST_USEC);
	sd_event_source_set_enabled(b->wake, SD_EVENT_ONESHOT);
}

static int on_chores(sd_event_source *s, void *arg)
{
	struct bus *b = arg;

	(void)s;
	for (size_t i = 0; i < BUS_CLIENTS_MAX; i++) {
		struct bus_link *l = b->clients[i];

		if (l && l->dead) {
			b->clients[i] = NULL;
			bus_link_down(l);
			if (l->pidfd >= 0)
				close(l->pidfd);
			free(l);
		} else if (l && l->tired) {
			rest(l);
		}
	}
	if (b->system.dead)
		bus_system_close(b);
	else if (b->system.tired && b->system.bus)
		rest(&b->system);
	return 0;
}

void bus_chores(struct bus *b)
{
	sd_event_source_set_enabled(b->chores, SD_EVENT_ONESHOT);
}

/* ---- interfaces */

static void nic_announce(struct bus_link *l, void *arg)
{
	struct bus_nic *n = arg;

	sd_bus_emit_object_added(l->bus, n->path);
}

static void nic_bury(struct bus_link *l, void *arg)
{
	struct bus_nic *n = arg;

	sd_bus_emit_object_removed(l->bus, n->path);
}

/* At place i of the list. */
static void nic_add(struct bus *b, size_t i, const struct member *m)
{
	struct bus_nic *n;

	if (b->n_nics == b->size) {
		size_t size = b->size ? 2 * b->size : 16;
		struct bus_nic **v = reallocarray(b->nics, size, sizeof(*v));

		if (!v)
			return;
		b->nics = v;
		b->size = size;
	}
	n = calloc(1, sizeof(*n));
	if (!n)
		return; /* the next tick tries again */
	n->bus = b;
	n->ifindex = m->nic.ifindex;
	snprintf(n->path, sizeof(n->path), BUS_NIC_PATH "/%d", n->ifindex);
	bus_view_fill(b, m, &n->view);
	memmove(b->nics + i + 1, b->nics + i, (b->n_nics - i) * sizeof(*b->nics));
	b->nics[i] = n;
	b->n_nics++;
	bus_each(b, nic_announce, n);
}

static void nic_remove(struct bus *b, size_t i)
{
	struct bus_nic *n = b->nics[i];

	bus_each(b, nic_bury, n); /* as long as it can be found: the signal names its interfaces */
	memmove(b->nics + i, b->nics + i + 1, (b->n_nics - i - 1) * sizeof(*b->nics));
	b->n_nics--;
	free(n->history);
	free(n);
}

/* Both lists are in order of ifindex. Returns whether any came or went. */
static bool nics_sync(struct bus *b)
{
	const struct members *s = &b->fleet->members;
	bool changed = false;
	size_t i = 0;

	for (size_t j = 0; j < s->n; j++) {
		while (i < b->n_nics && b->nics[i]->ifindex < s->v[j]->nic.ifindex) {
			nic_remove(b, i);
			changed = true;
		}
		if (i == b->n_nics || b->nics[i]->ifindex != s->v[j]->nic.ifindex) {
			nic_add(b, i, s->v[j]);
			changed = true;
		}
		if (i < b->n_nics && b->nics[i]->ifindex == s->v[j]->nic.ifindex)
			i++;
	}
	while (b->n_nics > i) {
		nic_remove(b, b->n_nics - 1);
		changed = true;
	}
	return changed;
}

static void nic_ticked(struct bus_nic *n, const struct member *m)
{
	struct bus_view before = n->view;

	bus_view_fill(n->bus, m, &n->view);
	bus_view_emit(n, &before);
	if (!m->last.now || m->last.now == n->reported)
		return;
	n->reported = m->last.now;
	if (!n->history)
		n->history = calloc(1, sizeof(*n->history));
	if (n->history)
		history_add(n->history, &m->last, bus_realtime_usec());
	bus_signal_changes(n, &m->last);
}

static void manager_changed(struct bus_link *l, void *arg)
{
	(void)arg;
	sd_bus_emit_properties_changed(l->bus, BUS_PATH, BUS_MANAGER, "Controlled", "Interfaces", NULL);
}

void bus_ticked(struct bus *b)
{
	unsigned controlled = 0;
	bool changed;

	if (!b)
		return;
	changed = nics_sync(b);
	for (size_t i = 0; i < b->n_nics; i++) {
		struct member *m = bus_nic_member(b->nics[i]);

		if (m)
			nic_ticked(b->nics[i], m);
		controlled += m && member_state(m) == TARGET_ACTIVE;
	}
	if (changed || controlled != b->controlled) {
		b->controlled = controlled;
		bus_each(b, manager_changed, NULL);
	}
}

/* ---- all of it */

int bus_open(struct fleet *f, sd_event *e, const struct bus_hooks *hooks, struct bus **ret)
{
	struct bus *b = calloc(1, sizeof(*b));
	int r;

	if (!b)
		return -ENOMEM;
	b->fleet = f;
	b->event = sd_event_ref(e);
	b->hooks = *hooks;
	r = sd_event_add_defer(e, &b->chores, on_chores, b);
	if (r >= 0)
		r = sd_event_source_set_enabled(b->chores, SD_EVENT_OFF);
	if (r >= 0)
		r = sd_event_add_time_relative(e, &b->wake, CLOCK_MONOTONIC, REST_USEC, 10000, on_wake, b);
	if (r >= 0)
		r = bus_private_open(b);
	if (r < 0) {
		bus_close(b);
		return r;
	}
	bus_system_open(b);
	bus_ticked(b);
	*ret = b;
	return 0;
}

struct bus *bus_close(struct bus *b)
{
	if (!b)
		return NULL;
	bus_access_forget(b, NULL);
	for (size_t i = 0; i < BUS_CLIENTS_MAX; i++)
		if (b->clients[i])
			b->clients[i]->dead = true;
	b->system.dead = b->system.bus;
	on_chores(NULL, b);
	bus_system_close(b);
	bus_private_close(b);
	while (b->n_nics)
		nic_remove(b, b->n_nics - 1);
	sd_event_source_unref(b->chores);
	sd_event_source_unref(b->wake);
	sd_event_unref(b->event);
	free(b->nics);
	free(b);
	return NULL;
}
