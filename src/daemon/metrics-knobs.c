// SPDX-License-Identifier: GPL-2.0-or-later
/* metrics-knobs: settings as metrics, out of the knob table: as they were read back last. */
#include <stdio.h>

#include "core/mechanism.h"
#include "daemon/metrics-collect.h"

static const struct knob_set *present(const struct member *m)
{
	return m->target ? &m->target->apply.current : &m->knobs;
}

/* us; < 0: not known. */
static double delay(const struct knob_set *k, enum queue_dir dir)
{
	enum knob adaptive = dir == QUEUE_RX ? KNOB_ADAPTIVE_RX : KNOB_ADAPTIVE_TX;
	double timer = mechanism_interval(MECH_TIMER, dir, k), deferral = -1;

	if (knob_has(k, adaptive) && k->value[adaptive])
		return -1;
	if (dir == QUEUE_RX)
		deferral = mechanism_interval(MECH_DEFERRAL, dir, k);
	if (timer < 0 && deferral < 0)
		return -1;
	return (timer > 0 ? timer : 0) + (deferral > 0 ? deferral : 0);
}

double metrics_added_latency(const struct member *m, enum queue_dir dir)
{
	const struct queues *s = m->target ? &m->target->queues : NULL;
	double longest = -1;

	if (!s || !s->knobs)
		return delay(present(m), dir) / USEC_PER_SEC;
	for (unsigned i = 0; i < s->n; i++) {
		struct knob_set k = *present(m);
		double usecs;

		knob_set_overlay(&k, &s->q[i].now);
		usecs = delay(&k, dir);
		longest = usecs > longest ? usecs : longest;
	}
	return longest / USEC_PER_SEC;
}

static const char *unit_of(enum knob k)
{
	switch (knob_table[k].unit) {
	case UNIT_USEC:
	case UNIT_NSEC:
		return "seconds";
	case UNIT_FRAMES:
		return "frames";
	case UNIT_ENTRIES:
		return "entries";
	case UNIT_COUNT:
	case UNIT_SWITCH:
		return "";
	}
	return "";
}

static double in_base_unit(enum knob k, uint64_t value)
{
	switch (knob_table[k].unit) {
	case UNIT_USEC:
		return (double)value / USEC_PER_SEC;
	case UNIT_NSEC:
		return (double)value / NSEC_PER_SEC;
	case UNIT_FRAMES:
	case UNIT_ENTRIES:
	case UNIT_COUNT:
	case UNIT_SWITCH:
		break;
	}
	return (double)value;
}

static void device_gauge(struct metrics_text *t, const struct fleet *f, enum knob k)
{
	struct metric_family family = { knob_table[k].metric, unit_of(k), knob_table[k].what, METRIC_GAUGE };

	metrics_begin(t, &family);
	for (size_t i = 0; i < f->members.n; i++) {
		const struct knob_set *set = present(f->members.v[i]);

		if (knob_has(set, k))
			metrics_double(t, in_base_unit(k, set->value[k]), "device", f->members.v[i]->nic.name, NULL);
	}
}

static void queue_gauge(struct metrics_text *t, const struct fleet *f, enum knob k)
{
	struct metric_family family = { NULL, unit_of(k), knob_table[k].what, METRIC_GAUGE };
	char name[64], queue[16];

	snprintf(name, sizeof(name), "queue_%s", knob_table[k].metric);
	family.name = name;
	metrics_begin(t, &family);
	for (size_t i = 0; i < f->members.n; i++) {
		const struct member *m = f->members.v[i];

		if (!m->target || !(m->target->queues.knobs & KNOB_BIT(k)))
			continue;
		for (unsigned q = 0; q < m->target->queues.n; q++) {
			const struct knob_set *set = &m->target->queues.q[q].now;

			snprintf(queue, sizeof(queue), "%u", q);
			if (knob_has(set, k))
				metrics_double(t, in_base_unit(k, set->value[k]), "device", m->nic.name, "queue",
					       queue, NULL);
		}
	}
}

void metrics_knobs(struct metrics_text *t, const struct fleet *f)
{
	for (int k = 0; k < KNOB_COUNT; k++)
		if (knob_table[k].metric[0])
			device_gauge(t, f, k);
	for (int k = 0; f->config && f->config->settings.per_queue && k < KNOB_COUNT; k++)
		if (knob_table[k].metric[0])
			queue_gauge(t, f, k);
}
