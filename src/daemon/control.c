// SPDX-License-Identifier: GPL-2.0-or-later
/* control: see control.h. A pause is a dry run from here on: it goes on measuring and says what it would do. */
#include "daemon/control.h"

#include <errno.h>
#include <string.h>
#include <syslog.h>

#include "daemon/member.h"
#include "daemon/owner.h"
#include "engine/target.h"

const char *const control_names[CONTROL_COUNT] = {
	[CONTROL_AUTO] = "auto",
	[CONTROL_PAUSED] = "paused",
	[CONTROL_RESTORED] = "restored",
};

void control_policy(const struct control *c, struct policy *p)
{
	if (c->have_mode)
		p->mode = c->mode;
}

void control_restored(const struct control *c, struct policy *p)
{
	if (c->state == CONTROL_RESTORED && mode_table[p->mode].tunes)
		p->mode = MODE_OBSERVE;
}

bool control_holds(const struct control *c)
{
	return c->state != CONTROL_AUTO;
}

/* From the next tick on it is active or observing, by what holds now; the controllers go on from the present values. */
static void set_dry(const struct fleet *f, struct member *m)
{
	struct target *t = m->target;

	t->apply.dry_run = f->dry_run || control_holds(&m->control) || !mode_table[m->policy.mode].tunes;
	if (t->state == TARGET_ACTIVE || t->state == TARGET_OBSERVING)
		t->state = TARGET_NEW;
	m->said = (struct knob_set){ 0 };
}

/* The rules changed: starts over where they differ, with the originals back. */
static int start_over(struct fleet *f, struct member *m)
{
	if (!member_outdated(f, m))
		return 0;
	member_restart(f, m);
	owner_elect(f);
	/* only a restart that could not put the originals back leaves the old target with the old rules */
	return m->target && m->target->rules.policy.mode != m->policy.mode ? -EIO : 0;
}

int control_pause(struct fleet *f, struct member *m, nsec_t for_ns)
{
	nsec_t now = f->backend->ops->now(f->backend);

	if (!m->target)
		return -EOPNOTSUPP;
	if (m->control.state == CONTROL_AUTO)
		m->control.state = CONTROL_PAUSED;
	m->control.until = for_ns ? now + for_ns : 0;
	set_dry(f, m);
	return 0;
}

int control_restore(struct fleet *f, struct member *m)
{
	if (!m->target)
		return -EOPNOTSUPP;
	m->control.state = CONTROL_RESTORED;
	m->control.until = 0;
	set_dry(f, m);
	return start_over(f, m);
}

int control_resume(struct fleet *f, struct member *m)
{
	bool held = control_holds(&m->control);
	int r;

	if (!m->target && !held)
		return -EOPNOTSUPP;
	m->control.state = CONTROL_AUTO;
	m->control.until = 0;
	if (!m->target)
		return start_over(f, m);
	set_dry(f, m);
	r = start_over(f, m);
	if (r < 0 || !m->target)
		return r;
	/* begins anew: what was proposed in vain meanwhile was no failure */
	if (held && m->target->state == TARGET_NEW)
		target_choose(m->target);
	return target_resume(m->target);
}

int control_set_mode(struct fleet *f, struct member *m, int mode)
{
	m->control.have_mode = mode >= 0;
	m->control.mode = mode >= 0 ? mode : MODE_OFF;
	return start_over(f, m);
}

void control_tick(struct fleet *f, struct member *m, nsec_t now)
{
	int r;

	if (!m->control.until || now < m->control.until)
		return;
	r = control_resume(f, m);
	if (r < 0)
		log_line(&f->log, LOG_WARNING, m->nic.name, "cannot be resumed: %s", strerror(-r));
	else
		log_line(&f->log, LOG_INFO, m->nic.name, "resumed: the pause is over");
}
