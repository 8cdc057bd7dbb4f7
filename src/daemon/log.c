// SPDX-License-Identifier: GPL-2.0-or-later
/* log: see log.h. systemd sets JOURNAL_STREAM when stderr goes to the journal; then entries go there with fields. */
#include "daemon/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include "core/line.h"

#define MESSAGE_ID_CHANGE "MESSAGE_ID=6f1c2f0e5d7a4d0d9d0c3c8e2b5a7a41"

static bool to_journal(void)
{
	const char *s = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;
	struct stat st;

	return s && sscanf(s, "%llu:%llu", &dev, &ino) == 2 && fstat(STDERR_FILENO, &st) == 0 && st.st_dev == dev &&
	       st.st_ino == ino;
}

void log_line(const struct log *l, int priority, const char *netdev, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (priority > l->level)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!to_journal())
		fprintf(stderr, "ethtuned: %s%s%s\n", netdev ? netdev : "", netdev ? ": " : "", text);
	else if (netdev)
		sd_journal_send("PRIORITY=%d", priority, "MESSAGE=%s: %s", netdev, text, "NETDEV=%s", netdev, NULL);
	else
		sd_journal_send("PRIORITY=%d", priority, "MESSAGE=%s", text, NULL);
}

/* The numbers where the law or a rollback decided, else what the engine says, else why in general. */
static void explain(const struct report *r, enum reason why, char *buf, size_t size)
{
	for (int dir = QUEUE_RX; dir <= QUEUE_TX; dir++)
		if (r->decided[dir] && r->decision[dir].change && r->decision[dir].reason == why &&
		    why != REASON_ROLLBACK) {
			decision_explain(&r->decision[dir], buf, size);
			return;
		}
	if (r->message[0] && !r->error &&
	    (why == REASON_ROLLBACK || why == REASON_RING_SIZE || why == REASON_RING_LINK))
		snprintf(buf, size, "%s", r->message);
	else if (r->decided[QUEUE_RX] && r->decision[QUEUE_RX].reason == why)
		decision_explain(&r->decision[QUEUE_RX], buf, size);
	else
		snprintf(buf, size, "%s", reason_table[why].sentence);
}

/* What the knob has, or would have had. */
static uint64_t new_value(const struct report *r, int k)
{
	return knob_has(&r->now_set, k) && (r->written & KNOB_BIT(k)) ? r->now_set.value[k] : r->wanted.value[k];
}

/* One entry a knob, each with its own fields and its own part of the sentence. */
static void journal_change(const struct report *r, uint32_t bits, const char *verb, const char *why, const char *reason)
{
	for (int k = 0; k < KNOB_COUNT; k++) {
		char old[24], new[24];

		if (!(bits & KNOB_BIT(k)))
			continue;
		knob_format(k, r->before.value[k], old, sizeof(old));
		knob_format(k, new_value(r, k), new, sizeof(new));
		sd_journal_send("PRIORITY=%d", LOG_INFO, "MESSAGE=%s: %s%s %s -> %s: %s", r->nic.name, verb,
				knob_table[k].name, old, new, why, MESSAGE_ID_CHANGE, "NETDEV=%s", r->nic.name,
				"KNOB=%s", knob_table[k].name, "OLD=%s", old, "NEW=%s", new, "REASON=%s", reason, NULL);
	}
}

static void change_of_reason(const struct report *r, uint32_t bits, enum reason reason, const char *verb)
{
	char text[768], why[384], old[24], new[24];
	struct line l = { text, sizeof(text), 0 };

	explain(r, reason, why, sizeof(why));
	if (to_journal()) {
		journal_change(r, bits, verb, why, reason_table[reason].slug);
		return;
	}
	text[0] = 0;
	for (int k = 0; k < KNOB_COUNT; k++)
		if (bits & KNOB_BIT(k))
			line_add(&l, "%s%s %s -> %s", l.n ? ", " : verb, knob_table[k].name,
				 knob_format(k, r->before.value[k], old, sizeof(old)),
				 knob_format(k, new_value(r, k), new, sizeof(new)));
	line_add(&l, ": %s", why);
	fprintf(stderr, "ethtuned: %s: %s\n", r->nic.name, text);
}

/* A driver may want several knobs in one message: what went along with its old value is none. */
static uint32_t changed(const struct report *r, uint32_t bits)
{
	for (int k = 0; k < KNOB_COUNT; k++)
		if (knob_has(&r->before, k) && r->before.value[k] == new_value(r, k))
			bits &= ~KNOB_BIT(k);
	return bits;
}

void log_change(const struct log *l, const struct report *r, uint32_t bits, const char *verb)
{
	if (l->level < LOG_INFO)
		return;
	bits = changed(r, bits);
	while (bits) {
		enum reason why = r->why[__builtin_ctz(bits)];
		uint32_t same = 0;

		for (int k = 0; k < KNOB_COUNT; k++)
			if ((bits & KNOB_BIT(k)) && r->why[k] == why)
				same |= KNOB_BIT(k);
		change_of_reason(r, same, why, verb);
		bits &= ~same;
	}
}

/* The queues' settings, with the reason of the one that r->decision shows; or whose they are now. */
void log_queues(const struct log *l, const struct report *r, const char *verb)
{
	const struct decision *d = &r->decision[QUEUE_RX];
	char why[384] = "";

	if (r->rolled_back)
		explain(r, REASON_ROLLBACK, why, sizeof(why));
	else if (r->decided[QUEUE_RX] && d->change && (r->queue_written || r->state == TARGET_OBSERVING))
		explain(r, d->reason, why, sizeof(why));
	log_line(l, LOG_INFO, r->nic.name, "%s%s%s%s", verb, r->queues, why[0] ? ": " : "", why);
}
