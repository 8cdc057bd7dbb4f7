// SPDX-License-Identifier: GPL-2.0-or-later
/* trace: see trace.h. Reading; trace-write.c is the other way. */
#include "core/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/trace-fields.h"
#include "core/units.h"

#define WORD_MAX 96

static int refuse(char err[ERR_MAX], const char *what, const char *word)
{
	snprintf(err, ERR_MAX, "%s: %.100s", what, word);
	return -EINVAL;
}

int trace_number(const char *text, uint64_t *ret)
{
	char *end;
	double v = strtod(text, &end), unit = 1;

	if (end == text || !(text[0] >= '0' && text[0] <= '9'))
		return -EINVAL;
	if (*end == 'k' || *end == 'M' || *end == 'G')
		unit = *end == 'k' ? 1e3 : *end == 'M' ? 1e6 : 1e9;
	else
		return units_parse_u64(text, ret); /* exact, and nothing but digits */
	if (end[1])
		return -EINVAL;
	if (v * unit >= 9e15)
		return -ERANGE;
	*ret = (uint64_t)llround(v * unit);
	return 0;
}

/* The next word of *line, cut at its '='. Returns the value ("" without one), NULL at the end. */
static const char *next_word(const char **line, char word[WORD_MAX])
{
	size_t n;
	char *value;

	*line += strspn(*line, " \t\r\n");
	n = **line == '#' ? 0 : strcspn(*line, " \t\r\n"); /* names may have a '#' inside */
	if (!n || n >= WORD_MAX)
		return NULL;
	memcpy(word, *line, n);
	word[n] = 0;
	*line += n;
	value = strchr(word, '=');
	if (!value)
		return "";
	*value = 0;
	return value + 1;
}

static int read_nic(struct trace *t, const char *line, char err[ERR_MAX])
{
	struct nic_info *n = &t->nic;
	char word[WORD_MAX];
	const char *v;

	while ((v = next_word(&line, word))) {
		unsigned number = (unsigned)strtoul(v, NULL, 10);

		if (!strcmp(word, "name"))
			snprintf(n->name, sizeof(n->name), "%.15s", v);
		else if (!strcmp(word, "driver"))
			snprintf(n->driver, sizeof(n->driver), "%.31s", v);
		else if (!strcmp(word, "kind"))
			snprintf(n->kind, sizeof(n->kind), "%.15s", v);
		else if (!strcmp(word, "device"))
			n->has_device = number;
		else if (!strcmp(word, "up"))
			n->up = number;
		else if (!strcmp(word, "carrier"))
			n->carrier = number;
		else if (!strcmp(word, "speed"))
			n->speed_mbps = number;
		else if (!strcmp(word, "rx-queues"))
			n->rx_queues = number;
		else if (!strcmp(word, "tx-queues"))
			n->tx_queues = number;
		else
			return refuse(err, "unknown key of nic", word);
	}
	return TRACE_NIC;
}

/* "0..1023/2", "64..4096", "" */
static int read_bounds(struct knob_caps *c, enum knob k, const char *v)
{
	c->readable |= KNOB_BIT(k);
	c->settable |= KNOB_BIT(k);
	c->min[k] = knob_table[k].min;
	c->max[k] = knob_table[k].max;
	c->step[k] = 0;
	if (!*v)
		return 0;
	if (sscanf(v, "%20" SCNu64 "..%20" SCNu64 "/%20" SCNu64, &c->min[k], &c->max[k], &c->step[k]) < 2)
		return -EINVAL;
	return c->min[k] <= c->max[k] ? 0 : -EINVAL;
}

static int read_caps(struct trace *t, const char *line, char err[ERR_MAX])
{
	static const char *const paths[] = { [NAPI_NONE] = "none", [NAPI_SYSFS] = "sysfs", [NAPI_GENL] = "genl" };
	char word[WORD_MAX];
	const char *v;

	while ((v = next_word(&line, word))) {
		int k = knob_by_name(word);

		if (k >= 0) {
			if (read_bounds(&t->caps.knobs, k, v) < 0)
				return refuse(err, "bad limits", v);
		} else if (!strcmp(word, "per-queue")) {
			t->caps.per_queue = *v == '1';
		} else if (!strcmp(word, "napi")) {
			for (int i = NAPI_NONE; i <= NAPI_GENL; i++)
				if (!strcmp(v, paths[i]))
					t->caps.napi_path = i;
		} else {
			return refuse(err, "unknown key of caps", word);
		}
	}
	return TRACE_CAPS;
}

static int read_settings(struct trace *t, const char *line, char err[ERR_MAX])
{
	struct knob_set set = { 0 };
	char text[512];
	int r;

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(line, "#\r\n"), line);
	r = knob_set_parse(text, &set, err);
	if (r < 0)
		return -EINVAL;
	knob_set_overlay(&t->current, &set);
	t->caps.knobs.readable |= set.have;
	return TRACE_SET;
}

static int read_field(const struct trace_field *fields, const char *key, const char *v, void *base, struct sample *s)
{
	uint64_t value;
	int r;

	for (; fields->key; fields++) {
		if (strcmp(fields->key, key))
			continue;
		r = fields->time ? units_parse_time(v, &value) : trace_number(v, &value);
		if (r < 0)
			return r;
		*(uint64_t *)((char *)base + fields->offset) = value;
		s->have |= fields->source;
		return 0;
	}
	return -ENOENT;
}

/* "cpu3.idle", "q0.rx-packets": the number behind the prefix, and the key behind the dot. */
static const char *part_key(const char *word, const char *prefix, unsigned max, unsigned *ret)
{
	size_t n = strlen(prefix);
	char *end;
	unsigned long v;

	if (strncmp(word, prefix, n) || word[n] < '0' || word[n] > '9')
		return NULL;
	v = strtoul(word + n, &end, 10);
	if (*end != '.' || v >= max)
		return NULL;
	*ret = (unsigned)v;
	return end + 1;
}

static int read_counter(struct trace *t, const char *word, const char *v)
{
	struct sample *s = &t->sample;
	unsigned i;
	const char *key = part_key(word, "cpu", SAMPLE_CPUS_MAX, &i);
	int id;

	if (key) {
		s->n_cpus = s->n_cpus > i + 1 ? s->n_cpus : i + 1;
		s->cpu[i].online = true;
		return read_field(trace_cpu_fields, key, v, &s->cpu[i], s);
	}
	key = part_key(word, "q", NIC_QUEUES_MAX, &i);
	if (key) {
		s->n_queues = s->n_queues > i + 1 ? s->n_queues : i + 1;
		return read_field(trace_queue_fields, key, v, &s->queue[i], s);
	}
	id = evidence_by_key(word);
	if (id >= 0) {
		uint64_t number;
		char *end;
		double value = strtod(v, &end);

		if (end == v)
			return -EINVAL;
		if (*end && trace_number(v, &number) < 0)
			return -EINVAL;
		evidence_put(&t->evidence, id, *end ? (double)number : value);
		return 0;
	}
	if (!strcmp(word, "ring_counter")) {
		snprintf(t->evidence.ring_counter, sizeof(t->evidence.ring_counter), "%.32s", v);
		return 0;
	}
	if (!strcmp(word, "generation")) {
		s->generation = (uint32_t)strtoul(v, NULL, 10);
		return 0;
	}
	if (!strcmp(word, "irqtime")) { /* the kernel accounts it exactly */
		s->have |= *v == '1' ? SAMPLE_IRQTIME : 0;
		return 0;
	}
	if (!strcmp(word, "polls"))
		s->polls_by = POLLS_COUNTED;
	return read_field(trace_device_fields, word, v, s, s);
}

static int read_at(struct trace *t, const char *line, char err[ERR_MAX])
{
	char word[WORD_MAX];
	const char *v = next_word(&line, word);
	nsec_t now;

	if (!v || *v || (strcmp(word, "0") && units_parse_time(word, &now) < 0))
		return refuse(err, "no time", line);
	if (!strcmp(word, "0"))
		now = 0;
	t->sample.now = now + 1;
	while ((v = next_word(&line, word)))
		if (read_counter(t, word, v) < 0)
			return refuse(err, "bad counter", word);
	return TRACE_AT;
}

int trace_read(struct trace *t, const char *line, char err[ERR_MAX])
{
	char word[WORD_MAX];

	if (!next_word(&line, word))
		return TRACE_NOTHING;
	if (!strcmp(word, "nic"))
		return read_nic(t, line, err);
	if (!strcmp(word, "caps"))
		return read_caps(t, line, err);
	if (!strcmp(word, "set"))
		return read_settings(t, line, err);
	if (!strcmp(word, "at"))
		return read_at(t, line, err);
	return refuse(err, "unknown line", word);
}
