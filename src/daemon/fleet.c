// SPDX-License-Identifier: GPL-2.0-or-later
/* fleet: see fleet.h. */
#include "daemon/fleet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "daemon/log.h"
#include "daemon/tell.h"
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

static void attach(struct fleet *f, const struct nic_info *nic)
{
	struct member *m = calloc(1, sizeof(*m));
	struct target_rules rules;
	char err[ERR_MAX] = "";
	int r;

	if (!m) {
		log_line(LOG_ERR, nic->name, "no memory, left alone");
		return;
	}
	m->told = TARGET_NEW;
	rules_find(f->config, &f->root, f->finder->rtnl, nic, &f->policy, &rules);
	r = target_attach(&m->target, f->backend, f->state, nic, &rules, &f->facts, f->dry_run, err);
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

static int release(struct member *m)
{
	bool saved = m->target.apply.saved;
	char err[ERR_MAX];
	int r = target_release(&m->target, err);

	if (r < 0 && r != -ENODEV)
		log_line(LOG_ERR, m->target.nic.name, "originals could not be put back: %s", err);
	else if (saved)
		log_line(LOG_INFO, m->target.nic.name, "originals are back");
	return r == -ENODEV ? 0 : r;
}

/* Would the new rules treat this NIC as the old ones do? */
static bool same_rules(const struct member *m, const struct target_rules *r)
{
	struct nic_caps caps = m->target.caps;
	struct quirk_effect q;
	struct knob_set rest;

	apply_rest(&m->target.apply, &rest);
	quirk_apply(r->quirks, r->n_quirks, &r->subject, &rest, &caps, &q);
	return policy_equal(&r->policy, &m->target.rules.policy) && !memcmp(&q, &m->target.quirk, sizeof(q));
}

void fleet_configure(struct fleet *f, struct config *c)
{
	struct config *old = f->config;

	f->config = c;
	for (struct member *m = f->members, *next; m; m = next) {
		struct target_rules rules;
		struct nic_info nic = m->target.nic;

		next = m->next;
		rules_find(c, &f->root, f->finder->rtnl, &nic, &f->policy, &rules);
		if (same_rules(m, &rules)) {
			m->target.rules = rules;
			continue;
		}
		if (release(m) == 0) {
			drop(f, m);
			attach(f, &nic);
		}
	}
	config_free(old);
}

static void config_message(void *arg, enum config_level level, const char *file, unsigned line, const char *text)
{
	int priority = level == CONFIG_ERROR ? LOG_ERR : LOG_WARNING;

	(void)arg;
	if (line)
		log_line(priority, NULL, "%s:%u: %s", file, line, text);
	else
		log_line(priority, NULL, "%s: %s", file, text);
}

int fleet_load(struct fleet *f)
{
	struct config *c;
	int r = config_load(NULL, f->config_file, &c, config_message, NULL);

	if (r < 0)
		return r;
	if (f->config && c->n_errors) {
		config_free(c);
		return -EBADMSG;
	}
	fleet_configure(f, c);
	return 0;
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

void fleet_tick(struct fleet *f, nsec_t now)
{
	for (struct member *m = f->members, *next; m; m = next) {
		int r;

		next = m->next;
		r = tick_run(&m->target, now, &m->last);
		tell_report(m);
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
		failed += release(f->members) < 0;
		drop(f, f->members);
	}
	return failed;
}
