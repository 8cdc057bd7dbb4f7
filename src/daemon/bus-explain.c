// SPDX-License-Identifier: GPL-2.0-or-later
/* bus-explain: the last decisions with their numbers, as the answer of Explain; and the signal for each that changed
 * something. */
#include <stdio.h>

#include "daemon/bus-int.h"
#include "daemon/bus-reject.h"
#include "daemon/utf8.h"
#include "io/clock.h"

uint64_t bus_realtime_usec(void)
{
	return clock_ns(CLOCK_REALTIME) / NSEC_PER_USEC;
}

int bus_append_text(sd_bus_message *m, const char *text)
{
	char clean[HISTORY_TEXT];

	return sd_bus_message_append(m, "s", utf8_clean(text, clean, sizeof(clean)));
}

/* ---- Changed */

struct change {
	const struct bus_nic *n;
	const struct report *report;
	uint32_t bits; /* written for one reason */
	enum reason why;
	uint64_t now_usec;
	const char *queues; /* what was written for single queues, in words; NULL: nothing */
};

static int append_changes(sd_bus_message *m, const struct report *r, uint32_t bits)
{
	int e = sd_bus_message_open_container(m, 'a', "(stt)");

	for (int k = 0; k < KNOB_COUNT && e >= 0; k++)
		if (bits & KNOB_BIT(k))
			e = sd_bus_message_append(m, "(stt)", knob_table[k].json, r->before.value[k],
						  history_value(r, k));
	return e < 0 ? e : sd_bus_message_close_container(m);
}

static void emit_change(struct bus_link *l, void *arg)
{
	const struct change *c = arg;
	sd_bus_message *m = NULL;
	char text[HISTORY_TEXT];
	int r = sd_bus_message_new_signal(l->bus, &m, c->n->path, BUS_NIC, "Changed");

	if (r >= 0)
		r = sd_bus_message_append(m, "ts", c->now_usec, reason_table[c->why].slug);
	if (r >= 0)
		r = append_changes(m, c->report, c->bits);
	if (r >= 0)
		r = bus_append_text(m, c->queues ? c->queues
						 : history_sentence(c->report, c->why, text, sizeof(text)));
	if (r >= 0)
		sd_bus_send(l->bus, m, NULL);
	sd_bus_message_unref(m);
}

void bus_signal_changes(struct bus_nic *n, const struct report *r)
{
	uint32_t left = r->written;

	while (left) {
		struct change c = { n, r, 0, r->why[__builtin_ctz(left)], bus_realtime_usec(), NULL };

		for (int k = 0; k < KNOB_COUNT; k++)
			if ((left & KNOB_BIT(k)) && r->why[k] == c.why)
				c.bits |= KNOB_BIT(k);
		left &= ~c.bits;
		bus_each(n->bus, emit_change, &c);
	}
	if (r->queue_written) {
		struct change c = { n, r, 0, history_reason(r), bus_realtime_usec(), r->queues };

		bus_each(n->bus, emit_change, &c);
	}
}

/* ---- Explain */

static int append_decision(sd_bus_message *m, const struct report *r)
{
	const struct decision *d = &r->decision[r->decided[QUEUE_RX] ? QUEUE_RX : QUEUE_TX];
	int e = 0;

	if (!r->decided[QUEUE_RX] && !r->decided[QUEUE_TX])
		return 0;
	e = sd_bus_message_append(m, "{sv}{sv}{sv}", "packets_per_second", "d", d->pps, "interval_usecs", "d",
				  d->interval_usecs, "from_usecs", "d", d->from_usecs);
	/* what was not measured has no entry */
	if (e >= 0 && d->polls_ps > 0)
		e = sd_bus_message_append(m, "{sv}", "polls_per_second", "d", d->polls_ps);
	if (e >= 0 && d->cost_usecs > 0)
		e = sd_bus_message_append(m, "{sv}", "poll_cost_usecs", "d", d->cost_usecs);
	return e;
}

static int append_text(sd_bus_message *m, const struct report *r)
{
	char text[HISTORY_TEXT], clean[HISTORY_TEXT], diagnosis[256] = "";

	diagnosis_explain(&r->diagnosis, &r->rates, diagnosis, sizeof(diagnosis));
	utf8_clean(history_sentence(r, history_reason(r), text, sizeof(text)), clean, sizeof(clean));
	return sd_bus_message_append(m, "{sv}{sv}{sv}{sv}{sv}", "state", "s", target_state_names[r->state], "reason",
				     "s", reason_table[history_reason(r)].slug, "text", "s", clean, "bottleneck", "s",
				     bottleneck_table[r->diagnosis.class].slug, "diagnosis", "s", diagnosis);
}

static int append_knobs_named(sd_bus_message *m, const char *key, uint32_t bits)
{
	int r;

	if (!bits)
		return 0;
	r = sd_bus_message_open_container(m, 'e', "sv");
	if (r >= 0)
		r = sd_bus_message_append(m, "s", key);
	if (r >= 0)
		r = sd_bus_message_open_container(m, 'v', "as");
	if (r >= 0)
		r = sd_bus_message_open_container(m, 'a', "s");
	for (int k = 0; k < KNOB_COUNT && r >= 0; k++)
		if (bits & KNOB_BIT(k))
			r = sd_bus_message_append(m, "s", knob_table[k].json);
	for (int i = 0; i < 3 && r >= 0; i++)
		r = sd_bus_message_close_container(m);
	return r;
}

static int append_entry(sd_bus_message *m, const struct history_entry *e)
{
	const struct report *r = &e->report;
	int x = sd_bus_message_open_container(m, 'a', "{sv}");

	if (x >= 0)
		x = sd_bus_message_append(m, "{sv}{sv}{sv}{sv}", "first_usec", "t", e->first_usec, "last_usec", "t",
					  e->last_usec, "times", "u", e->times, "written", "b",
					  r->written || r->queue_written);
	if (x >= 0 && r->queues[0])
		x = sd_bus_message_append(m, "{sv}", "queues", "s", r->queues);
	if (x >= 0)
		x = append_text(m, r);
	if (x >= 0)
		x = append_decision(m, r);
	if (x >= 0 && history_changes(r)) {
		x = sd_bus_message_open_container(m, 'e', "sv");
		if (x >= 0)
			x = sd_bus_message_append(m, "s", "changes");
		if (x >= 0)
			x = sd_bus_message_open_container(m, 'v', "a(stt)");
		if (x >= 0)
			x = append_changes(m, r, history_changes(r));
		for (int i = 0; i < 2 && x >= 0; i++)
			x = sd_bus_message_close_container(m);
	}
	if (x >= 0)
		x = append_knobs_named(m, "yielded", r->yielded);
	if (x >= 0)
		x = append_knobs_named(m, "rolled_back", r->rolled_back);
	if (x >= 0)
		x = append_knobs_named(m, "clamped", r->clamped);
	return x < 0 ? x : sd_bus_message_close_container(m);
}

static void append_rejected(const char *sentence, void *arg)
{
	bus_append_text(arg, sentence);
}

int bus_explain_reply(struct bus *b, struct bus_nic *n, sd_bus_message *call, unsigned max)
{
	const struct member *member = bus_nic_member(n);
	sd_bus_message *m = NULL;
	int r = sd_bus_message_new_method_return(call, &m);
	unsigned all = n->history ? n->history->n : 0, count = !max || max > all ? all : max;

	if (r >= 0)
		r = sd_bus_message_open_container(m, 'a', "a{sv}");
	while (r >= 0 && count-- > 0) /* the oldest first, as it is read */
		r = append_entry(m, history_get(n->history, count));
	if (r >= 0)
		r = sd_bus_message_close_container(m);
	if (r >= 0)
		r = sd_bus_message_open_container(m, 'a', "s");
	if (r >= 0 && member)
		reject_explain(member, b->fleet->backend->ops->now(b->fleet->backend), append_rejected, m);
	if (r >= 0)
		r = sd_bus_message_close_container(m);
	if (r >= 0)
		r = sd_bus_send(NULL, m, NULL);
	sd_bus_message_unref(m);
	return r;
}
