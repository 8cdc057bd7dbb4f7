// SPDX-License-Identifier: GPL-2.0-or-later
/* tell: see tell.h. */
#include "daemon/tell.h"

#include <stdio.h>
#include <string.h>
#include <syslog.h>

#include "daemon/log.h"

void tell_state(struct member *m)
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
			 mode_table[t->rules.policy.mode].name, policy_cap_usecs(&t->rules.policy));
	else
		log_line(t->state == TARGET_UNTUNABLE ? LOG_INFO : LOG_WARNING, t->nic.name, "left alone: %s", t->why);
}

void tell_yielded(const char *name, uint32_t bits)
{
	char text[256] = "";
	size_t n = 0;

	for (int k = 0; k < KNOB_COUNT; k++)
		if ((bits & KNOB_BIT(k)) && n < sizeof(text))
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? ", " : "", knob_table[k].name);
	if (bits)
		log_line(LOG_NOTICE, name, "%s changed by someone else: theirs from now on", text);
}

static void tell_bits(const char *name, uint32_t bits, const struct knob_set *set, const char *text)
{
	char v[24];

	for (int k = 0; k < KNOB_COUNT; k++)
		if (bits & KNOB_BIT(k))
			log_line(LOG_NOTICE, name, "%s: %s (is %s)", knob_table[k].name, text,
				 knob_has(set, k) ? knob_format(k, set->value[k], v, sizeof(v)) : "not readable");
}

void tell_report(struct member *m)
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

