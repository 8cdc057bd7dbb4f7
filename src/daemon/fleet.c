// SPDX-License-Identifier: GPL-2.0-or-later
/* fleet: see fleet.h. */
#include "daemon/fleet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "daemon/member.h"
#include "daemon/owner.h"
#include "daemon/tell.h"
#include "io/nic.h"

#define FLEET_MAX 4096
#define REVIEW_NS (10 * NSEC_PER_SEC) /* sockets and timestamps come without an event */

static struct member *find(const struct fleet *f, int ifindex)
{
	return members_find(&f->members, ifindex);
}

static void add(struct fleet *f, const struct nic_info *nic)
{
	struct member *m = members_add(&f->members, nic);

	if (!m) {
		log_line(&f->log, LOG_ERR, nic->name, "no memory, left alone");
		return;
	}
	if (member_start(f, m) == -ENODEV)
		members_remove(&f->members, m); /* gone meanwhile */
	else
		tell_state(&f->log, m);
}

/* Calls that take the name say so too while it changes; the number stays. */
static bool really_gone(const struct fleet *f, int ifindex)
{
	struct nic_info nic;
	char err[ERR_MAX];

	return nic_get(f->finder, ifindex, NULL, &nic, err) == -ENODEV;
}

void fleet_configure(struct fleet *f, struct config *c)
{
	struct config *old = f->config;

	f->config = c;
	f->log.level = c->settings.log_level;
	for (size_t i = 0; i < f->members.n; i++)
		if (member_outdated(f, f->members.v[i]))
			member_restart(f, f->members.v[i]);
	owner_elect(f);
	config_free(old);
}

static void config_message(void *arg, enum config_level level, const char *file, unsigned line, const char *text)
{
	int priority = level == CONFIG_ERROR ? LOG_ERR : LOG_WARNING;
	const struct log *l = arg;

	if (line)
		log_line(l, priority, NULL, "%s:%u: %s", file, line, text);
	else
		log_line(l, priority, NULL, "%s: %s", file, text);
}

int fleet_load(struct fleet *f)
{
	struct config *c;
	int r = config_load(NULL, f->config_file, &c, config_message, &f->log);

	if (r < 0)
		return r;
	if (f->config && c->n_errors) {
		config_free(c);
		return -EBADMSG;
	}
	fleet_configure(f, c);
	return 0;
}

/* Both in order of ifindex. Backwards, since a removal moves those behind. */
static void remove_missing(struct fleet *f, const struct nic_info *nics, int n)
{
	int j = n - 1;

	for (size_t i = f->members.n; i-- > 0;) {
		int ifindex = f->members.v[i]->nic.ifindex;

		while (j >= 0 && nics[j].ifindex > ifindex)
			j--;
		if (j < 0 || nics[j].ifindex != ifindex)
			fleet_removed(f, ifindex);
	}
}

int fleet_sync(struct fleet *f)
{
	struct nic_info *nics = calloc(FLEET_MAX, sizeof(*nics));
	int n;

	if (!nics)
		return -ENOMEM;
	n = f->backend->ops->list(f->backend, nics, FLEET_MAX);
	if (n > FLEET_MAX) {
		log_line(&f->log, LOG_WARNING, NULL, "%d interfaces, only the first %d are looked at", n, FLEET_MAX);
		n = FLEET_MAX;
	}
	if (n >= 0)
		remove_missing(f, nics, n);
	for (int i = 0; i < n; i++) {
		if (find(f, nics[i].ifindex))
			fleet_changed(f, nics[i].ifindex);
		else
			add(f, &nics[i]);
	}
	free(nics);
	owner_elect(f);
	return n < 0 ? n : 0;
}

void fleet_added(struct fleet *f, int ifindex)
{
	struct nic_info nic;
	char err[ERR_MAX];

	if (find(f, ifindex)) {
		fleet_changed(f, ifindex);
	} else if (f->members.n < FLEET_MAX && nic_get(f->finder, ifindex, NULL, &nic, err) == 0) {
		add(f, &nic);
		owner_elect(f);
	}
}

static void member_changed(struct fleet *f, struct member *m, const struct nic_info *nic)
{
	char err[ERR_MAX] = "";
	int r = 0;

	if (strcmp(nic->name, m->nic.name))
		log_line(&f->log, LOG_INFO, nic->name, "was %s before", m->nic.name);
	m->nic = *nic;
	if (member_outdated(f, m) || !m->target) {
		member_restart(f, m); /* for what is only remembered that is the way to look again */
		return;
	}
	r = target_changed(m->target, nic, err);
	if (r == -ENODEV) {
		if (really_gone(f, nic->ifindex))
			fleet_removed(f, nic->ifindex);
		return; /* else renamed once more: its notification is on the way */
	}
	if (r < 0)
		log_line(&f->log, LOG_WARNING, nic->name, "%s", err);
	else
		tell_state(&f->log, m);
}

void fleet_changed(struct fleet *f, int ifindex)
{
	struct member *m = find(f, ifindex);
	struct nic_info nic;
	char err[ERR_MAX] = "";
	int r;

	f->review_soon = true;
	if (!m) {
		fleet_added(f, ifindex);
		return;
	}
	r = nic_get(f->finder, ifindex, NULL, &nic, err);
	if (r == -ENODEV) {
		fleet_removed(f, ifindex);
	} else if (r == -EOPNOTSUPP) {
		log_line(&f->log, LOG_INFO, m->nic.name, "%s", err);
		if (member_stop(f, m) == 0)
			members_remove(&f->members, m);
	} else if (r < 0) {
		log_line(&f->log, LOG_WARNING, m->nic.name, "%s", err);
	} else {
		member_changed(f, m, &nic);
	}
	owner_elect(f);
}

/* One that is only remembered has no target to ask. */
static uint32_t knobs_changed(struct fleet *f, struct member *m)
{
	struct knob_set fresh, d = { 0 };

	if (f->backend->ops->read(f->backend, &m->nic, &fresh) < 0)
		return 0;
	if (f->backend->ops->forget)
		f->backend->ops->forget(f->backend, &m->nic);
	knob_set_diff(&fresh, &m->knobs, &d);
	m->knobs = fresh;
	return d.have;
}

void fleet_qdisc(struct fleet *f, const char *kind)
{
	f->review_soon |= occupancy_of_qdisc(kind) >= 0;
}

void fleet_notified(struct fleet *f, int ifindex, enum hand hand)
{
	struct member *m = find(f, ifindex);
	uint32_t yielded = 0;

	if (!m)
		return;
	if (!m->target)
		yielded = knobs_changed(f, m);
	else if (target_notified(m->target, hand, &yielded) < 0)
		return;
	tell_yielded(&f->log, m->nic.name, yielded, hand);
}

void fleet_removed(struct fleet *f, int ifindex)
{
	struct member *m = find(f, ifindex);

	if (!m)
		return;
	/* those that were never tuned come and go by the hundred, with containers */
	log_line(&f->log, m->target ? LOG_INFO : LOG_DEBUG, m->nic.name, "is gone");
	owner_bequeath(f, m);
	if (f->state && m->target && m->target->apply.saved)
		state_remove(f->state, ifindex); /* its originals went with it */
	member_drop_target(f, m);
	members_remove(&f->members, m);
	owner_elect(f);
}

void fleet_resumed(struct fleet *f, nsec_t slept)
{
	char text[32], err[ERR_MAX];

	log_line(&f->log, LOG_INFO, NULL, "the machine slept for %s: all interfaces are read anew",
		 units_format_time(text, sizeof(text), slept / NSEC_PER_SEC * NSEC_PER_SEC));
	f->review_soon = true;
	/* links that went meanwhile, speeds and what drivers forgot; then the engine's own view of it */
	fleet_sync(f);
	for (size_t i = 0; i < f->members.n; i++)
		if (f->members.v[i]->target && target_woken(f->members.v[i]->target, err) < 0)
			log_line(&f->log, LOG_WARNING, f->members.v[i]->nic.name, "%s", err);
}

/* Said once, not for each NIC: the reason is mostly the machine's, and two reasons must not take turns. */
static void tell_no_polls(struct fleet *f, const struct nic_info *nic)
{
	const char *why = f->backend->ops->no_polls ? f->backend->ops->no_polls(f->backend, nic) : "";

	if (!why[0] || f->told_polls[0])
		return;
	snprintf(f->told_polls, ERR_MAX, "%s", why);
	log_line(&f->log, LOG_NOTICE, NULL, "polls are not counted, NET_RX softirqs stand for them: %s", why);
}

/* What cannot be tuned now costs nothing until an event says that it changed. */
static bool is_ticked(const struct member *m)
{
	return m->target && m->target->state != TARGET_UNTUNABLE;
}

void fleet_tick(struct fleet *f, nsec_t t)
{
	if (f->review_soon || t - f->reviewed >= REVIEW_NS)
		fleet_review(f, t);
	for (size_t i = 0; i < f->members.n; i++) {
		struct member *m = f->members.v[i];
		int r;

		control_tick(f, m, t);
		if (!is_ticked(m))
			continue;
		r = tick_run(m->target, t, &m->last);
		member_count(m);
		tell_report(&f->log, m);
		if (r != -ENODEV) {
			tell_no_polls(f, &m->nic);
			continue;
		}
		if (!really_gone(f, m->nic.ifindex)) {
			m->target->state = TARGET_NEW;
			fleet_changed(f, m->nic.ifindex);
			continue;
		}
		fleet_removed(f, m->nic.ifindex);
		i--; /* the next one is here now */
	}
}

bool fleet_tunes(const struct fleet *f)
{
	for (size_t i = 0; i < f->members.n; i++)
		if (is_ticked(f->members.v[i]) && f->members.v[i]->target->state != TARGET_YIELDED)
			return true;
	return false;
}

void fleet_status(const struct fleet *f, char *buf, size_t size)
{
	unsigned tuned = 0;

	for (size_t i = 0; i < f->members.n; i++)
		tuned += member_state(f->members.v[i]) == TARGET_ACTIVE;
	snprintf(buf, size, "%u of %zu interfaces under control%s", tuned, f->members.n,
		 f->dry_run ? " (dry run)" : "");
}

static void dump(const struct fleet *f, const struct member *m)
{
	const struct target *t = m->target;
	bool lanes = t && t->n_lanes;
	char knobs[384], why[384], diag[256];

	knob_set_format(t ? &t->apply.current : &m->knobs, knobs, sizeof(knobs));
	diagnosis_explain(&m->last.diagnosis, &m->last.rates, diag, sizeof(diag));
	decision_explain(&m->last.decision[QUEUE_RX], why, sizeof(why));
	log_line(&f->log, LOG_NOTICE, m->nic.name, "%s; %s; %s", target_state_names[member_state(m)], knobs,
		 lanes ? diag : t ? t->why : m->why);
	if (lanes)
		log_line(&f->log, LOG_NOTICE, m->nic.name, "%s", why);
}

void fleet_dump(const struct fleet *f)
{
	for (size_t i = 0; i < f->members.n; i++)
		dump(f, f->members.v[i]);
}

int fleet_release(struct fleet *f)
{
	int failed = 0;

	for (size_t i = 0; i < f->members.n; i++)
		failed += member_stop(f, f->members.v[i]) < 0;
	members_free(&f->members);
	occupancy_scan_free(&f->scan);
	f->n_targets = 0;
	return failed;
}
