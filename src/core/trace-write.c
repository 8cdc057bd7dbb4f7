// SPDX-License-Identifier: GPL-2.0-or-later
/* trace-write: a trace's lines as text, so that reading them gives the same again. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/line.h"
#include "core/trace-fields.h"
#include "core/trace.h"

static void write_nic(struct line *l, const struct nic_info *n)
{
	line_add(l, "nic name=%s", n->name);
	if (n->driver[0])
		line_add(l, " driver=%s", n->driver);
	if (n->kind[0])
		line_add(l, " kind=%s", n->kind);
	line_add(l, " device=%d up=%d carrier=%d speed=%u rx-queues=%u tx-queues=%u", n->has_device, n->up, n->carrier,
		 n->speed_mbps, n->rx_queues, n->tx_queues);
}

static void write_caps(struct line *l, const struct nic_caps *c)
{
	static const char *const paths[] = { [NAPI_NONE] = "none", [NAPI_SYSFS] = "sysfs", [NAPI_GENL] = "genl" };

	line_add(l, "caps");
	for (int k = 0; k < KNOB_COUNT; k++) {
		if (!(c->knobs.settable & KNOB_BIT(k)))
			continue;
		line_add(l, " %s=%" PRIu64 "..%" PRIu64, knob_table[k].name, c->knobs.min[k], c->knobs.max[k]);
		if (c->knobs.step[k])
			line_add(l, "/%" PRIu64, c->knobs.step[k]);
	}
	line_add(l, " napi=%s per-queue=%d", paths[c->napi_path], c->per_queue);
}

static void write_settings(struct line *l, const struct knob_set *s)
{
	char text[32];

	line_add(l, "set");
	for (int k = 0; k < KNOB_COUNT; k++)
		if (knob_has(s, k))
			line_add(l, " %s=%s", knob_table[k].name, knob_format(k, s->value[k], text, sizeof(text)));
}

static uint64_t value_at(const void *base, const struct trace_field *f)
{
	return *(const uint64_t *)((const char *)base + f->offset);
}

/* before, old: of the line before, or NULL. */
static void write_fields(struct line *l, const char *prefix, const struct trace_field *f, const struct sample *s,
			 const void *base, const struct sample *before, const void *old)
{
	char text[32];

	for (; f->key; f++) {
		if (!(s->have & f->source))
			continue;
		if (before && (before->have & f->source) && value_at(old, f) == value_at(base, f))
			continue;
		line_add(l, " %s%s=", prefix, f->key);
		if (f->time)
			line_add(l, "%s", units_format_time(text, sizeof(text), value_at(base, f)));
		else
			line_add(l, "%" PRIu64, value_at(base, f));
	}
}

static void write_at(struct line *l, const struct trace *t, const struct trace *before)
{
	const struct sample *s = &t->sample, *old = before ? &before->sample : NULL;
	char text[32];

	line_add(l, "at %s", units_format_time(text, sizeof(text), s->now ? s->now - 1 : 0));
	if (s->have & SAMPLE_IRQTIME && (!old || !(old->have & SAMPLE_IRQTIME)))
		line_add(l, " irqtime=1");
	if (s->generation && (!old || old->generation != s->generation))
		line_add(l, " generation=%u", s->generation);
	write_fields(l, "", trace_device_fields, s, s, old, old);
	for (unsigned i = 0; i < s->n_queues; i++) {
		snprintf(text, sizeof(text), "q%u.", i);
		write_fields(l, text, trace_queue_fields, s, &s->queue[i], old, old ? &old->queue[i] : NULL);
	}
	for (unsigned i = 0; i < s->n_cpus; i++) {
		snprintf(text, sizeof(text), "cpu%u.", i);
		if (s->cpu[i].online)
			write_fields(l, text, trace_cpu_fields, s, &s->cpu[i], old, old ? &old->cpu[i] : NULL);
	}
	for (int i = 0; i < EVIDENCE_COUNT; i++)
		if (evidence_has(&t->evidence, i) && !(before && evidence_has(&before->evidence, i) &&
						       before->evidence.value[i] == t->evidence.value[i]))
			line_add(l, " %s=%.15g", evidence_table[i].key, t->evidence.value[i]);
	/* names with blanks are cut by whoever reads them; so they are left out */
	if (t->evidence.ring_counter[0] && !strchr(t->evidence.ring_counter, ' ') && !before)
		line_add(l, " ring_counter=%s", t->evidence.ring_counter);
}

int trace_write(const struct trace *t, enum trace_line kind, const struct trace *before, char *buf, size_t size)
{
	struct line l = { buf, size, 0 };

	if (size)
		buf[0] = 0;
	switch (kind) {
	case TRACE_NOTHING:
	case TRACE_LINES: break;
	case TRACE_NIC: write_nic(&l, &t->nic); break;
	case TRACE_CAPS: write_caps(&l, &t->caps); break;
	case TRACE_SET: write_settings(&l, &t->current); break;
	case TRACE_AT: write_at(&l, t, before); break;
	}
	return (int)l.n;
}
