// SPDX-License-Identifier: GPL-2.0-or-later
/* bus-nic: the object of an interface: its properties, and PropertiesChanged for those that say so. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "daemon/bus-call.h"

struct member *bus_nic_member(const struct bus_nic *n)
{
	return members_find(&n->bus->fleet->members, n->ifindex);
}

static const char *link_text(const struct nic_info *nic)
{
	return !nic->up ? "down" : nic->carrier ? "up" : "no carrier";
}

/* As a point of the clock on the wall, which is what people and other machines know. */
static uint64_t until_usec(const struct bus *b, const struct member *m, uint64_t told)
{
	uint64_t left, now;

	if (!m->control.until)
		return 0;
	now = b->fleet->backend->ops->now(b->fleet->backend);
	/* over already: the next tick sees to it */
	left = m->control.until > now ? (m->control.until - now) / NSEC_PER_USEC : 0;
	now = bus_realtime_usec();
	/* the same as told, but for what the clocks drift */
	return told && now + left < told + USEC_PER_SEC && now + left + USEC_PER_SEC > told ? told : now + left;
}

void bus_view_fill(const struct bus *b, const struct member *m, struct bus_view *v)
{
	const struct target *t = m->target;
	uint64_t told = v->until_usec;

	memcpy(v->name, m->nic.name, sizeof(v->name));
	memcpy(v->policy, m->policy.name, sizeof(v->policy));
	v->link = link_text(&m->nic);
	v->state = target_state_names[member_state(m)];
	v->mode = mode_table[m->policy.mode].name;
	v->mechanism = t ? target_mechanism(t) : "none";
	v->control = control_names[m->control.state];
	v->speed_mbps = m->nic.speed_mbps;
	v->foreign = t ? t->yielded | queues_yielded(t) : 0;
	v->changes_per_minute = m->last.changes_per_minute;
	v->max_latency_usecs = policy_cap_usecs(&m->policy);
	v->until_usec = until_usec(b, m, told);
	v->knobs = t ? t->apply.current : m->knobs;
}

/* ---- properties: those of the view by their place in it, the others as they are asked for */

BUS_GETTER(get_word)
{
	(void)bus, (void)path, (void)iface, (void)property, (void)error;
	return sd_bus_message_append(reply, "s", *(const char *const *)userdata);
}

BUS_GETTER(get_array)
{
	(void)bus, (void)path, (void)iface, (void)property, (void)error;
	return bus_append_text(reply, userdata);
}

int bus_append_knobs(sd_bus_message *m, const struct knob_set *s)
{
	int r = sd_bus_message_open_container(m, 'a', "{st}");

	for (int k = 0; k < KNOB_COUNT && r >= 0; k++)
		if (knob_has(s, k))
			r = sd_bus_message_append(m, "{st}", knob_table[k].json, s->value[k]);
	return r < 0 ? r : sd_bus_message_close_container(m);
}

BUS_GETTER(get_knobs)
{
	(void)bus, (void)path, (void)iface, (void)property, (void)error;
	return bus_append_knobs(reply, userdata);
}

BUS_GETTER(get_foreign)
{
	uint32_t bits = *(const uint32_t *)userdata;
	int r = sd_bus_message_open_container(reply, 'a', "s");

	(void)bus, (void)path, (void)iface, (void)property, (void)error;
	for (int k = 0; k < KNOB_COUNT && r >= 0; k++)
		if (bits & KNOB_BIT(k))
			r = sd_bus_message_append(reply, "s", knob_table[k].json);
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

BUS_GETTER(get_originals)
{
	const struct bus_nic *n = userdata;
	const struct member *m = bus_nic_member(n);
	struct knob_set rest = { 0 };

	(void)bus, (void)path, (void)iface, (void)property, (void)error;
	if (m && m->target)
		apply_rest(&m->target->apply, &rest);
	else if (m)
		rest = m->knobs;
	return bus_append_knobs(reply, &rest);
}

static const struct rate_row { /* shared names with the JSON of ethtune */
	const char *key;
	uint32_t source;
	size_t offset;
} rate_rows[] = {
#define RATE(key, source, field)                                                                                       \
	{                                                                                                              \
		key, source, offsetof(struct rates, field)                                                             \
	}
	RATE("rx_packets_per_second", SAMPLE_LINK, rx_pps),
	RATE("tx_packets_per_second", SAMPLE_LINK, tx_pps),
	RATE("rx_bytes_per_second", SAMPLE_LINK, rx_bytes_ps),
	RATE("tx_bytes_per_second", SAMPLE_LINK, tx_bytes_ps),
	RATE("interrupts_per_second", SAMPLE_IRQS, interrupts_ps),
	RATE("polls_per_second", SAMPLE_POLLS, polls_ps),
	RATE("ring_drops_per_second", SAMPLE_RING_DROPS, ring_drops_ps),
	RATE("softirq_cpu_ratio", SAMPLE_CPU, busiest_softirq_ratio),
	RATE("busiest_cpu_ratio", SAMPLE_CPU, busiest_ratio),
#undef RATE
};

static int append_measured(sd_bus_message *reply, const struct report *last)
{
	const struct diagnosis *d = &last->diagnosis;
	int r = 0;

	for (size_t i = 0; i < sizeof(rate_rows) / sizeof(rate_rows[0]) && r >= 0; i++) {
		double v;

		memcpy(&v, (const char *)&last->rates + rate_rows[i].offset, sizeof(v));
		if (last->rates.have & rate_rows[i].source)
			r = sd_bus_message_append(reply, "{sd}", rate_rows[i].key, v);
	}
	/* also where softirqs stand for polls, see engine/polls.h */
	if (r >= 0 && last->decided[QUEUE_RX] && d->packets_per_poll > 0)
		r = sd_bus_message_append(reply, "{sd}", "packets_per_poll", d->packets_per_poll);
	return r;
}

BUS_GETTER(get_rates)
{
	const struct bus_nic *n = userdata;
	const struct member *m = bus_nic_member(n);
	int r = sd_bus_message_open_container(reply, 'a', "{sd}");

	(void)bus, (void)path, (void)iface, (void)property, (void)error;
	if (r >= 0 && m && m->last.rates_valid)
		r = append_measured(reply, &m->last);
	for (unsigned i = 0; m && m->target && i < m->target->n_lanes && r >= 0; i++) {
		const struct lane *l = &m->target->lanes[i];

		r = sd_bus_message_append(reply, "{sd}", l->dir == QUEUE_RX ? "rx_interval_usecs" : "tx_interval_usecs",
					  controller_interval(&l->ctl));
	}
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

BUS_GETTER(get_text)
{
	const struct bus_nic *n = userdata;
	const struct member *m = bus_nic_member(n);
	bool judged = m && (m->last.decided[QUEUE_RX] || m->last.decided[QUEUE_TX]);
	char text[HISTORY_TEXT] = "";
	const char *s = text;

	(void)bus, (void)path, (void)iface, (void)error;
	if (m && !strcmp(property, "Driver"))
		s = m->nic.driver;
	else if (m && !strcmp(property, "Why"))
		s = member_why(m);
	else if (judged && !strcmp(property, "Reason"))
		s = reason_table[history_reason(&m->last)].slug;
	else if (judged && !strcmp(property, "Decision"))
		s = history_sentence(&m->last, history_reason(&m->last), text, sizeof(text));
	else if (judged && !strcmp(property, "Bottleneck"))
		s = bottleneck_table[m->last.diagnosis.class].slug;
	else if (judged && !strcmp(property, "Diagnosis"))
		diagnosis_explain(&m->last.diagnosis, &m->last.rates, text, sizeof(text));
	return bus_append_text(reply, s);
}

static int on_explain(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct bus_nic *n = userdata;
	uint32_t max = 0;
	int r = sd_bus_message_read(m, "u", &max);

	(void)error;
	return r < 0 ? r : bus_explain_reply(n->bus, n, m, max);
}

static int on_change(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct bus_nic *n = userdata;

	return bus_call_change(m, n->bus, error);
}

#define TOLD SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE
#define VIEW(field) offsetof(struct bus_nic, view.field)

static const sd_bus_vtable nic_vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("Ifindex", "i", NULL, offsetof(struct bus_nic, ifindex), SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("Name", "s", get_array, VIEW(name), TOLD),
	SD_BUS_PROPERTY("Driver", "s", get_text, 0, SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("Link", "s", get_word, VIEW(link), TOLD),
	SD_BUS_PROPERTY("SpeedMbps", "u", NULL, VIEW(speed_mbps), TOLD),
	SD_BUS_PROPERTY("State", "s", get_word, VIEW(state), TOLD),
	SD_BUS_PROPERTY("Why", "s", get_text, 0, 0),
	SD_BUS_PROPERTY("Control", "s", get_word, VIEW(control), TOLD),
	SD_BUS_PROPERTY("ControlUntilUsec", "t", NULL, VIEW(until_usec), TOLD),
	SD_BUS_PROPERTY("Policy", "s", get_array, VIEW(policy), TOLD),
	SD_BUS_PROPERTY("Mode", "s", get_word, VIEW(mode), TOLD),
	SD_BUS_PROPERTY("MaxLatencyUsecs", "d", NULL, VIEW(max_latency_usecs), TOLD),
	SD_BUS_PROPERTY("Mechanism", "s", get_word, VIEW(mechanism), TOLD),
	SD_BUS_PROPERTY("Knobs", "a{st}", get_knobs, VIEW(knobs), TOLD),
	SD_BUS_PROPERTY("Originals", "a{st}", get_originals, 0, 0),
	SD_BUS_PROPERTY("Foreign", "as", get_foreign, VIEW(foreign), TOLD),
	SD_BUS_PROPERTY("ChangesPerMinute", "u", NULL, VIEW(changes_per_minute), 0),
	SD_BUS_PROPERTY("Rates", "a{sd}", get_rates, 0, 0),
	SD_BUS_PROPERTY("Bottleneck", "s", get_text, 0, 0),
	SD_BUS_PROPERTY("Diagnosis", "s", get_text, 0, 0),
	SD_BUS_PROPERTY("Reason", "s", get_text, 0, 0),
	SD_BUS_PROPERTY("Decision", "s", get_text, 0, 0),
	SD_BUS_METHOD_WITH_ARGS("Explain", SD_BUS_ARGS("u", max), SD_BUS_RESULT("aa{sv}", decisions, "as", rejected),
				on_explain, BUS_OPEN),
	SD_BUS_METHOD_WITH_ARGS("Pause", SD_BUS_ARGS("t", for_usec), SD_BUS_NO_RESULT, on_change, BUS_OPEN),
	SD_BUS_METHOD_WITH_ARGS("Resume", SD_BUS_NO_ARGS, SD_BUS_NO_RESULT, on_change, BUS_OPEN),
	SD_BUS_METHOD_WITH_ARGS("SetMode", SD_BUS_ARGS("s", mode), SD_BUS_NO_RESULT, on_change, BUS_OPEN),
	SD_BUS_METHOD_WITH_ARGS("Restore", SD_BUS_NO_ARGS, SD_BUS_NO_RESULT, on_change, BUS_OPEN),
	SD_BUS_SIGNAL_WITH_ARGS("Changed", SD_BUS_ARGS("t", time_usec, "s", reason, "a(stt)", knobs, "s", text), 0),
	SD_BUS_VTABLE_END,
};

/* Names of the told properties whose value in the view is another one. */
static unsigned differing(const struct bus_view *a, const struct bus_view *b, char **ret)
{
	struct knob_set d;
	unsigned n = 0;
	const struct {
		const char *name;
		bool differs;
	} rows[] = {
		{ "Name", strcmp(a->name, b->name) != 0 },
		{ "Link", a->link != b->link },
		{ "SpeedMbps", a->speed_mbps != b->speed_mbps },
		{ "State", a->state != b->state },
		{ "Control", a->control != b->control },
		{ "ControlUntilUsec", a->until_usec != b->until_usec },
		{ "Policy", strcmp(a->policy, b->policy) != 0 },
		{ "Mode", a->mode != b->mode },
		{ "MaxLatencyUsecs",
		  a->max_latency_usecs < b->max_latency_usecs || a->max_latency_usecs > b->max_latency_usecs },
		{ "Mechanism", a->mechanism != b->mechanism },
		{ "Knobs", a->knobs.have != b->knobs.have || knob_set_diff(&a->knobs, &b->knobs, &d) },
		{ "Foreign", a->foreign != b->foreign },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].differs)
			ret[n++] = (char *)rows[i].name;
	ret[n] = NULL;
	return n;
}

struct emission {
	const char *path;
	char *names[16];
};

static void emit(struct bus_link *l, void *arg)
{
	struct emission *e = arg;

	sd_bus_emit_properties_changed_strv(l->bus, e->path, BUS_NIC, e->names);
}

void bus_view_emit(struct bus_nic *n, const struct bus_view *before)
{
	struct emission e = { .path = n->path };

	if (differing(before, &n->view, e.names))
		bus_each(n->bus, emit, &e);
}

/* ---- the object in the tree */

struct bus_nic *bus_nic_at(const struct bus *b, const char *path)
{
	size_t low = 0, high = b->n_nics;
	const char *number = path + strlen(BUS_NIC_PATH) + 1;
	int ifindex = strncmp(path, BUS_NIC_PATH "/", strlen(BUS_NIC_PATH) + 1) ? 0 : atoi(number);

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (b->nics[mid]->ifindex < ifindex)
			low = mid + 1;
		else
			high = mid;
	}
	/* "007" and "7x" are other paths */
	return low < b->n_nics && !strcmp(b->nics[low]->path, path) ? b->nics[low] : NULL;
}

static int find(sd_bus *bus, const char *path, const char *iface, void *userdata, void **ret, sd_bus_error *error)
{
	(void)bus, (void)iface, (void)error;
	*ret = bus_nic_at(userdata, path);
	return *ret != NULL;
}

static int enumerate(sd_bus *bus, const char *prefix, void *userdata, char ***ret, sd_bus_error *error)
{
	struct bus *b = userdata;
	char **paths = calloc(b->n_nics + 1, sizeof(*paths));

	(void)bus, (void)prefix, (void)error;
	for (size_t i = 0; paths && i < b->n_nics; i++)
		paths[i] = strdup(b->nics[i]->path);
	*ret = paths; /* sd-bus frees it; one that is missing for want of memory ends the list */
	return paths ? 0 : -ENOMEM;
}

int bus_nic_publish(struct bus_link *l)
{
	int r = sd_bus_add_fallback_vtable(l->bus, NULL, BUS_NIC_PATH, BUS_NIC, nic_vtable, find, l->owner);

	return r < 0 ? r : sd_bus_add_node_enumerator(l->bus, NULL, BUS_NIC_PATH, enumerate, l->owner);
}
