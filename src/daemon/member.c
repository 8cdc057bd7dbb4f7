// SPDX-License-Identifier: GPL-2.0-or-later
/* member: see member.h. */
#include "daemon/member.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "daemon/manners.h"
#include "daemon/owner.h"
#include "daemon/tell.h"
#include "io/nic.h"
#include "io/sysfs-watch.h"

#define SCAN_FRESH_NS (50 * NSEC_PER_MSEC) /* many devices that come at once are one look */

static struct occupancy_handles handles(const struct fleet *f)
{
	return (struct occupancy_handles){ f->finder->rtnl, f->finder->ethtool_fd, &f->root };
}

void fleet_look_around(struct fleet *f, nsec_t now)
{
	struct occupancy_handles h = handles(f);

	if (!f->scan.taken || now - f->scan.taken >= SCAN_FRESH_NS)
		occupancy_scan(&h, now, &f->scan);
}

/* Fills in what holds for m now: rules, reasons, owner. *ret are the rules with the policy that is left. `kept`:
 * reasons that stand as long as the member does. */
static void judge(struct fleet *f, struct member *m, uint32_t kept, struct target_rules *ret)
{
	struct occupancy_handles h = handles(f);
	struct occupancy_found found;
	struct nic_caps caps = { 0 };
	struct knob_set none = { 0 };
	struct member *owner;
	uint32_t all;

	rules_find(f->config, &f->root, f->finder->rtnl, &m->nic, &f->policy, ret);
	control_policy(&m->control, &ret->policy);
	m->named = ret->match && manners_named(ret->match);
	quirk_apply(ret->quirks, ret->n_quirks, &ret->subject, &none, &caps, &m->quirk);
	occupancy_of(&h, &f->scan, &m->nic, &found);
	m->found = found.found | kept;
	m->xdp_queues = found.xdp_queues;
	m->wants = mode_table[ret->policy.mode].tunes;
	m->shared = m->quirk.shared == QUIRK_YES && m->nic.bus_info[0];
	owner = owner_of(f, m);
	m->owner = owner == m ? 0 : owner->nic.ifindex;
	all = m->found | owner_found(f, m) | (m->owner ? MANNERS_BIT(MANNERS_SHARED) : 0);
	m->reasons = manners_policy(all, m->named, &ret->policy, &m->policy);
	control_restored(&m->control, &m->policy);
	ret->policy = m->policy;
}

bool member_outdated(struct fleet *f, struct member *m)
{
	struct policy policy = m->policy;
	struct quirk_effect quirk = m->quirk;
	int owner = m->owner;
	struct target_rules rules;

	judge(f, m, m->found & MANNERS_BIT(MANNERS_BUSY_POLL), &rules);
	if (m->stale || !policy_equal(&policy, &m->policy) || memcmp(&quirk, &m->quirk, sizeof(quirk)) ||
	    owner != m->owner)
		return true;
	if (m->target) {
		m->target->rules = rules;
		m->target->rings.link_wait = f->config ? f->config->settings.link_wait_ns : m->target->rings.link_wait;
	}
	return false;
}

void member_drop_target(struct fleet *f, struct member *m)
{
	if (!m->target)
		return;
	if (f->backend->ops->forget)
		f->backend->ops->forget(f->backend, &m->nic);
	if (f->watch)
		sysfs_watch_drop(f->watch, m->nic.ifindex);
	free(m->target);
	m->target = NULL;
	f->n_targets--;
}

/* A reason of manners says it better than "the policy says so" or "there is no mechanism". */
static void explain(const struct fleet *f, const struct member *m, char why[ERR_MAX])
{
	const struct member *owner = m->owner ? members_find(&f->members, m->owner) : NULL;

	if (m->reasons & MANNERS_BIT(MANNERS_SHARED))
		snprintf(why, ERR_MAX, "shares its hardware with %s, which decides",
			 owner ? owner->nic.name : "another");
	else if (m->reasons)
		manners_text(m->reasons, m->xdp_queues, why, ERR_MAX);
}

/* What cannot be tuned is only remembered. */
static void settle(struct fleet *f, struct member *m)
{
	struct target *t = m->target;

	if (t->n_lanes || t->state != TARGET_UNTUNABLE)
		return;
	explain(f, m, t->why);
	if (t->apply.saved || t->yielded)
		return;
	m->state = t->state;
	m->knobs = t->apply.current;
	memcpy(m->why, t->why, ERR_MAX);
	member_drop_target(f, m);
}

static int attach(struct fleet *f, struct member *m, const struct target_rules *rules, char err[ERR_MAX])
{
	bool dry = f->dry_run || control_holds(&m->control);
	int r;

	err[0] = 0;
	/* what a crash left goes back first, also where the policy does not write */
	r = target_attach(m->target, f->backend, f->state, &m->nic, rules, &f->facts, dry, err);
	if (err[0] && r != -ENODEV)
		log_line(&f->log, LOG_WARNING, m->nic.name, "%s", err);
	if (f->config)
		m->target->rings.link_wait = f->config->settings.link_wait_ns;
	return r;
}

/* Deferral as it was found is known only now; nothing has been written yet. */
static int look_for_busy_polling(struct fleet *f, struct member *m, struct target_rules *rules, char err[ERR_MAX])
{
	struct policy before = m->policy;
	struct knob_set rest;

	apply_rest(&m->target->apply, &rest);
	if (!manners_busy_poll(&rest))
		return 0;
	judge(f, m, MANNERS_BIT(MANNERS_BUSY_POLL), rules);
	return policy_equal(&before, &m->policy) ? 0 : attach(f, m, rules, err);
}

int member_start(struct fleet *f, struct member *m)
{
	struct target_rules rules;
	char err[ERR_MAX] = "";
	int r;

	fleet_look_around(f, f->backend->ops->now(f->backend));
	judge(f, m, 0, &rules);
	if (m->shared && !m->owner)
		owner_step_down(f, m);
	m->state = TARGET_UNTUNABLE;
	m->waits = f->n_targets >= TARGETS_MAX;
	m->knobs = (struct knob_set){ 0 };
	if (m->waits) {
		snprintf(m->why, ERR_MAX, "%d interfaces are under control already", TARGETS_MAX);
		return 0;
	}
	m->target = calloc(1, sizeof(*m->target));
	if (!m->target) {
		snprintf(m->why, ERR_MAX, "no memory");
		return 0;
	}
	f->n_targets++;
	if (f->watch && f->finder->sys_root)
		sysfs_watch_add(f->watch, f->finder->sys_root, &m->nic); /* else reading back finds it, later */
	r = attach(f, m, &rules, err);
	if (r == 0)
		r = look_for_busy_polling(f, m, &rules, err);
	if (r < 0) {
		snprintf(m->why, ERR_MAX, "%s", err[0] ? err : strerror(-r));
		member_drop_target(f, m);
		return r;
	}
	settle(f, m);
	return 0;
}

int member_stop(struct fleet *f, struct member *m)
{
	bool saved = m->target && m->target->apply.saved;
	struct nic_info now;
	char err[ERR_MAX];
	int r;

	if (!m->target)
		return 0;
	/* under a name that just changed it would seem gone, and its originals with it */
	if (nic_get(f->finder, m->nic.ifindex, NULL, &now, err) == 0)
		m->nic = m->target->nic = now;
	r = target_release(m->target, err);
	if (r < 0 && r != -ENODEV) {
		log_line(&f->log, LOG_ERR, m->nic.name, "originals could not be put back: %s", err);
		return r;
	}
	if (saved && r == 0)
		log_line(&f->log, LOG_INFO, m->nic.name, "originals are back");
	member_drop_target(f, m);
	return 0;
}

void member_restart(struct fleet *f, struct member *m)
{
	if (member_stop(f, m) < 0) {
		m->target->rules.quirks = f->config ? f->config->quirks : NULL; /* the old ones may go */
		m->target->rules.n_quirks = f->config ? f->config->n_quirks : 0;
		m->stale = true;
		return;
	}
	m->stale = false;
	if (member_start(f, m) != -ENODEV)
		tell_state(&f->log, m);
}

/* Takes over what occupies m now. Was it something else before? */
static bool found_changed(struct fleet *f, struct member *m)
{
	struct occupancy_handles h = handles(f);
	uint32_t seen = MANNERS_BIT(OCCUPANCY_COUNT) - 1, before = m->found;
	struct occupancy_found found;

	occupancy_of(&h, &f->scan, &m->nic, &found);
	m->found = found.found | (before & ~seen);
	return m->found != before;
}

void fleet_review(struct fleet *f, nsec_t now)
{
	bool shared = false;

	fleet_look_around(f, now);
	f->reviewed = now;
	f->review_soon = false;
	for (size_t i = 0; i < f->members.n; i++) {
		struct member *m = f->members.v[i];
		bool changed = found_changed(f, m);

		shared |= changed && m->shared;
		if ((changed && member_outdated(f, m)) || (m->waits && f->n_targets < TARGETS_MAX))
			member_restart(f, m);
	}
	if (shared)
		owner_elect(f);
}
