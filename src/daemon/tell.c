// SPDX-License-Identifier: GPL-2.0-or-later
/* tell: see tell.h. */
#include "daemon/tell.h"

#include <stdio.h>
#include <string.h>
#include <syslog.h>

#include "core/line.h"
#include "daemon/log.h"

static const char *mechanism_text(const struct target *t)
{
	const char *word = target_mechanism(t);

	return !strcmp(word, "adaptive")   ? "the driver's adaptive moderation, supervised"
	       : !strcmp(word, "software") ? "software deferral"
	       : !strcmp(word, "hardware") ? "hardware timers"
					   : "the policy's own values";
}

void tell_state(const struct log *l, struct member *m)
{
	enum target_state s = member_state(m);
	const char *why = member_why(m);
	const struct target *t = m->target;

	if (s == TARGET_NEW || (s == m->told && !strcmp(why, m->told_why)))
		return;
	m->told = s;
	snprintf(m->told_why, ERR_MAX, "%s", why);
	if (s == TARGET_GONE || s == TARGET_YIELDED)
		return; /* has a line of its own */
	if (t && (s == TARGET_ACTIVE || s == TARGET_OBSERVING))
		log_line(l, LOG_INFO, m->nic.name, "%s (%s), mode %s, cap %.0fus",
			 s == TARGET_ACTIVE ? "under control" : "observed only", mechanism_text(t),
			 mode_table[t->rules.policy.mode].name, policy_cap_usecs(&t->rules.policy));
	else
		log_line(l, s == TARGET_UNTUNABLE ? LOG_INFO : LOG_WARNING, m->nic.name, "left alone: %s", why);
}

static void tell_knobs(const struct log *l, const char *name, uint32_t bits, const char *what)
{
	char text[256] = "";
	struct line names = { text, sizeof(text), 0 };

	for (int k = 0; k < KNOB_COUNT; k++)
		if (bits & KNOB_BIT(k))
			line_add(&names, "%s%s", names.n ? ", " : "", knob_table[k].name);
	if (bits)
		log_line(l, LOG_NOTICE, name, "%s %s", text, what);
}

void tell_yielded(const struct log *l, const char *name, uint32_t bits, enum hand hand)
{
	char text[128];

	snprintf(text, sizeof(text), "changed by someone else (%s): theirs from now on", hand_text(hand));
	tell_knobs(l, name, bits, text);
}

static void tell_bits(const struct log *l, const char *name, uint32_t bits, const struct knob_set *set,
		      const char *text)
{
	char v[24];

	for (int k = 0; k < KNOB_COUNT; k++)
		if (bits & KNOB_BIT(k))
			log_line(l, LOG_NOTICE, name, "%s: %s (is %s)", knob_table[k].name, text,
				 knob_has(set, k) ? knob_format(k, set->value[k], v, sizeof(v)) : "not readable");
}

void tell_report(const struct log *l, struct member *m)
{
	const struct report *r = &m->last;
	struct knob_set d;

	if (r->written)
		log_change(l, r, r->written, "");
	if (r->would_write && knob_set_diff(&r->wanted, &m->said, &d)) {
		log_change(l, r, r->would_write, "would set ");
		m->said = r->wanted;
	}
	if (r->queues[0] && strcmp(r->queues, m->told_queues)) {
		log_queues(l, r, r->state == TARGET_OBSERVING ? "would set " : "");
		memcpy(m->told_queues, r->queues, ERR_MAX);
	}
	tell_bits(l, r->nic.name, r->clamped, &r->now_set, "the device took another value than asked");
	tell_bits(l, r->nic.name, r->dead, &r->now_set, "the device does not take it, no longer tried");
	tell_knobs(l, r->nic.name, r->resumed, "under control again: the override-hold is over");
	tell_knobs(l, r->nic.name, r->fell_back, "fell back by itself, as after a reset of the driver: set again");
	tell_yielded(l, r->nic.name, r->yielded, HAND_UNSEEN);
	/* a change of state tells the reason itself */
	if (r->error && member_state(m) == m->told && strcmp(r->message, m->told_error)) {
		log_line(l, LOG_WARNING, r->nic.name, "cannot be set: %s", r->message);
		memcpy(m->told_error, r->message, ERR_MAX);
	}
	if (r->written && !r->error)
		m->told_error[0] = 0; /* should it come back, that is news */
	tell_state(l, m);
	if (r->decided[QUEUE_RX] && r->decision[QUEUE_RX].reason != m->told_reason) {
		char why[384];

		m->told_reason = r->decision[QUEUE_RX].reason;
		decision_explain(&r->decision[QUEUE_RX], why, sizeof(why));
		log_line(l, LOG_DEBUG, r->nic.name, "%s", why);
	}
}
