// SPDX-License-Identifier: GPL-2.0-or-later
/* bus-history: see bus-history.h. */
#include "daemon/bus-history.h"

#include <stdio.h>

uint32_t history_changes(const struct report *r)
{
	return r->written | r->would_write;
}

uint64_t history_value(const struct report *r, enum knob k)
{
	return knob_has(&r->now_set, k) && (r->written & KNOB_BIT(k)) ? r->now_set.value[k] : r->wanted.value[k];
}

static bool is_news(const struct report *r)
{
	return history_changes(r) || r->queue_written || r->clamped || r->dead || r->yielded || r->resumed || r->error;
}

/* Would a reader find anything new in b after a? */
static bool same(const struct report *a, const struct report *b)
{
	if (is_news(a) || is_news(b) || a->state != b->state || a->diagnosis.class != b->diagnosis.class)
		return false;
	for (int dir = QUEUE_RX; dir <= QUEUE_TX; dir++)
		if (a->decided[dir] != b->decided[dir] || a->decision[dir].reason != b->decision[dir].reason)
			return false;
	return true;
}

void history_add(struct history *h, const struct report *r, uint64_t realtime_usec)
{
	struct history_entry *e = &h->entry[(h->next + HISTORY_MAX - 1) % HISTORY_MAX];

	if (!r->decided[QUEUE_RX] && !r->decided[QUEUE_TX] && !is_news(r))
		return;
	if (!h->n || !same(&e->report, r)) {
		e = &h->entry[h->next];
		h->next = (h->next + 1) % HISTORY_MAX;
		h->n += h->n < HISTORY_MAX;
		e->first_usec = realtime_usec;
		e->times = 0;
	}
	e->last_usec = realtime_usec;
	e->times++;
	e->report = *r;
}

const struct history_entry *history_get(const struct history *h, unsigned i)
{
	return i < h->n ? &h->entry[(h->next + 2 * HISTORY_MAX - 1 - i) % HISTORY_MAX] : NULL;
}

enum reason history_reason(const struct report *r)
{
	uint32_t bits = history_changes(r);

	if (bits)
		return r->why[__builtin_ctz(bits)];
	if (r->yielded)
		return REASON_OVERRIDE;
	if (r->dead)
		return REASON_DEAD;
	return r->decided[QUEUE_RX]   ? r->decision[QUEUE_RX].reason
	       : r->decided[QUEUE_TX] ? r->decision[QUEUE_TX].reason
				      : REASON_UNTUNABLE;
}

const char *history_sentence(const struct report *r, enum reason why, char *buf, size_t size)
{
	/* the engine's own words where it acted by itself: they have the numbers */
	if (r->message[0] &&
	    (r->error || why == REASON_ROLLBACK || why == REASON_RING_SIZE || why == REASON_RING_LINK)) {
		snprintf(buf, size, "%s%s", r->error ? "cannot be set: " : "", r->message);
		return buf;
	}
	for (int dir = QUEUE_RX; dir <= QUEUE_TX; dir++)
		if (r->decided[dir] && r->decision[dir].reason == why) {
			decision_explain(&r->decision[dir], buf, size);
			return buf;
		}
	snprintf(buf, size, "%s", reason_table[why].sentence);
	return buf;
}
