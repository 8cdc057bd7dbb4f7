// SPDX-License-Identifier: GPL-2.0-or-later
/* fleet: see fleet.h. */
#include "daemon/fleet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "daemon/log.h"
#include "io/nic.h"

#define FLEET_MAX 256

static struct member *find(const struct fleet *f, int ifindex)
{
	for (struct member *m = f->members; m; m = m->next)
		if (m->target.nic.ifindex == ifindex)
			return m;
	return NULL;
}

static void drop(struct fleet *f, struct member *gone)
{
	for (struct member **p = &f->members; *p; p = &(*p)->next)
		if (*p == gone) {
			*p = gone->next;
			break;
		}
	free(gone);
}

static void tell_state(struct member *m)
{
	const struct target *t = &m->target;

	if (t->state == m->told || t->state == TARGET_NEW)
		return;
	m->told = t->state;
	if (t->state == TARGET_GONE || t->state == TARGET_YIELDED)
		return; /* has a line of its own */
	if (t->state == TARGET_ACTIVE || t->state == TARGET_OBSERVING)
		log_line(LOG_INFO, t->nic.name, "%s (%s), mode %s, cap %.0fus",
			 t->state == TARGET_ACTIVE ? "under control" : "observed only",
			 t->lanes[0].kind == MECH_DEFERRAL ? "software deferral" : "hardware timers",
			 mode_table[t->policy.mode].name, policy_cap_usecs(&t->policy));
	else
		log_line(t->state == TARGET_UNTUNABLE ? LOG_INFO : LOG_WARNING, t->nic.name, "left alone: %s", t->why);
}

static void attach(struct fleet *f, const struct nic_info *nic)
{
	struct member *m = calloc(1, sizeof(*m));
	char err[ERR_MAX] = "";
	int r;

	if (!m) {
		log_line(LOG_ERR, nic->name, "no memory, left alone");
		return;
	}
	m->told = TARGET_NEW;
	r = target_attach(&m->target, f->backend, f->state, nic, &f->policy, &f->facts, f->dry_run, err);
	if (err[0])
		log_line(LOG_WARNING, nic->name, "%s", err);
	if (r < 0) {
		free(m);
		return;
	}
	m->next = f->members;
	f->members = m;
	tell_state(m);
}

int fleet_sync(struct fleet *f)
{
	struct nic_info *nics = calloc(FLEET_MAX, sizeof(*nics));
	int n;

	if (!nics)
		return -ENOMEM;
	n = f->backend->ops->list(f->backend, nics, FLEET_MAX);
	if (n > FLEET_MAX) {
		log_line(LOG_WARNING, NULL, "%d interfaces, only the first %d are looked at", n, FLEET_MAX);
		n = FLEET_MAX;
	}
	for (struct member *m = n < 0 ? NULL : f->members, *next; m; m = next) {
		bool there = false;

		next = m->next;
		for (int i = 0; i < n; i++)
			there |= nics[i].ifindex == m->target.nic.ifindex;
		if (!there)
			fleet_removed(f, m->target.nic.ifindex);
	}
	for (int i = 0; i < n; i++) {
		if (find(f, nics[i].ifindex))
			fleet_changed(f, nics[i].ifindex);
		else
			attach(f, &nics[i]);
	}
	free(nics);
	return n < 0 ? n : 0;
}

void fleet_added(struct fleet *f, int ifindex)
{
	struct nic_info nic;
	char err[ERR_MAX];

	if (find(f, ifindex))
		fleet_changed(f, ifindex);
	else if (nic_get(f->finder, ifindex, NULL, &nic, err) == 0)
		attach(f, &nic);
}

void fleet_changed(struct fleet *f, int ifindex)
{
	struct member *m = find(f, ifindex);
	struct nic_info nic;
	char err[ERR_MAX] = "";
	int r;

	if (!m) {
		fleet_added(f, ifindex);
		return;
	}
	r = nic_get(f->finder, ifindex, NULL, &nic, err);
	if (r == 0 && strcmp(nic.name, m->target.nic.name))
		log_line(LOG_INFO, nic.name, "was %s before", m->target.nic.name);
	if (r == 0)
		r = target_changed(&m->target, &nic, err);
	if (r == -ENODEV)
		fleet_removed(f, ifindex);
	else if (r < 0)
		log_line(LOG_WARNING, m->target.nic.name, "%s", err);
	else
		tell_state(m);
}

static void tell_yielded(const char *name, uint32_t bits)
{
	char text[256] = "";
	size_t n = 0;

	for (int k = 0; k < KNOB_COUNT; k++)
		if ((bits & KNOB_BIT(k)) && n < sizeof(text))
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? ", " : "", knob_table[k].name);
	if (bits)
		log_line(LOG_NOTICE, name, "%s changed by someone else: theirs from now on", text);
}

void fleet_notified(struct fleet *f, int ifindex)
{
	struct member *m = find(f, ifindex);
	uint32_t yielded = 0;

	if (m && target_notified(&m->target, &yielded) == 0)
		tell_yielded(m->target.nic.name, yielded);
}

void fleet_removed(struct fleet *f, int ifindex)
{
	struct member *m = find(f, ifindex);

	if (!m)
		return;
	log_line(LOG_INFO, m->target.nic.name, "is gone");
	if (f->state && m->target.apply.saved)
		state_remove(f->state, ifindex); /* its originals went with it */
	drop(f, m);
}

static void tell_bits(const char *name, uint32_t bits, const struct knob_set *set, const char *text)
{
	char v[24];

	for (int k = 0; k < KNOB_COUNT; k++)
		if (bits & KNOB_BIT(k))
			log_line(LOG_NOTICE, name, "%s: %s (is %s)", knob_table[k].name, text,
				 knob_has(set, k) ? knob_format(k, set->value[k], v, sizeof(v)) : "not readable");
}

static void tell(struct member *m)
{
	const struct report *r = &m->last;
	struct knob_set d;

	if (r->written)
		log_change(r, r->written, "");
	if (r->would_write && knob_set_diff(&r->wanted, &m->said, &d)) {
		log_change(r, r->would_write, "would set ");
		m->said = r->wanted;
	}
	tell_bits(r->nic.name, r->clamped, &r->now_set, "the device took another value than asked");
	tell_bits(r->nic.name, r->dead, &r->now_set, "the device does not take it, no longer tried");
	tell_yielded(r->nic.name, r->yielded);
	/* a change of state tells the reason itself */
	if (r->error && m->target.state == m->told && strcmp(r->message, m->told_error)) {
		log_line(LOG_WARNING, r->nic.name, "cannot be set: %s", r->message);
		memcpy(m->told_error, r->message, ERR_MAX);
	}
	tell_state(m);
}

void fleet_tick(struct fleet *f, nsec_t now)
{
	for (struct member *m = f->members, *next; m; m = next) {
		int r;

		next = m->next;
		r = tick_run(&m->target, now, &m->last);
		tell(m);
		if (r == -ENODEV)
			fleet_removed(f, m->target.nic.ifindex);
	}
}

bool fleet_tunes(const struct fleet *f)
{
	for (const struct member *m = f->members; m; m = m->next)
		if (m->target.n_lanes)
			return true;
	return false;
}

void fleet_status(const struct fleet *f, char *buf, size_t size)
{
	unsigned n = 0, tuned = 0;

	for (const struct member *m = f->members; m; m = m->next) {
		n++;
		tuned += m->target.state == TARGET_ACTIVE;
	}
	snprintf(buf, size, "%u of %u interfaces under control%s", tuned, n, f->dry_run ? " (dry run)" : "");
}

void fleet_dump(const struct fleet *f)
{
	for (const struct member *m = f->members; m; m = m->next) {
		const struct target *t = &m->target;
		char knobs[384], why[384], diag[256];

		knob_set_format(&t->apply.current, knobs, sizeof(knobs));
		diagnosis_explain(&m->last.diagnosis, &m->last.rates, diag, sizeof(diag));
		decision_explain(&m->last.decision[QUEUE_RX], why, sizeof(why));
		log_line(LOG_INFO, t->nic.name, "%s; %s; %s", target_state_names[t->state], knobs,
			 t->n_lanes ? diag : t->why);
		if (t->n_lanes)
			log_line(LOG_INFO, t->nic.name, "%s", why);
	}
}

int fleet_release(struct fleet *f)
{
	int failed = 0;

	while (f->members) {
		struct member *m = f->members;
		bool saved = m->target.apply.saved;
		char err[ERR_MAX];
		int r = target_release(&m->target, err);

		if (r < 0 && r != -ENODEV) {
			failed++;
			log_line(LOG_ERR, m->target.nic.name, "originals could not be put back: %s", err);
		} else if (saved) {
			log_line(LOG_INFO, m->target.nic.name, "originals are back");
		}
		drop(f, m);
	}
	return failed;
}
