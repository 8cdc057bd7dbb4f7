// SPDX-License-Identifier: GPL-2.0-or-later
/* knob: see knob.h. Nothing here knows a single knob; all of it loops over the table. */
#include "core/knob.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"

const struct knob_desc knob_table[KNOB_COUNT] = {
#define KNOB(id, name, json, channel, attr, type, unit, min, max, metric, what) \
	[KNOB_##id] = { name, json, metric, what, CHANNEL_##channel, KNOB_TYPE_##type, UNIT_##unit, min, max },
#include "core/knobs.def"
#undef KNOB
};

uint32_t knob_channel_mask(enum knob_channel c)
{
	uint32_t m = 0;

	for (int k = 0; k < KNOB_COUNT; k++)
		if (knob_table[k].channel == c)
			m |= KNOB_BIT(k);
	return m;
}

int knob_by_name(const char *name)
{
	for (int k = 0; k < KNOB_COUNT; k++)
		if (!strcmp(knob_table[k].name, name))
			return k;
	return -ENOENT;
}

static int parse_bool(const char *text, uint64_t *ret)
{
	static const char *const words[][2] = { { "off", "on" }, { "no", "yes" }, { "0", "1" }, { "false", "true" } };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		for (int v = 0; v < 2; v++)
			if (!strcmp(text, words[i][v])) {
				*ret = v;
				return 0;
			}
	return -EINVAL;
}

int knob_parse(enum knob k, const char *text, uint64_t *ret)
{
	const struct knob_desc *d = &knob_table[k];
	uint64_t v;
	int r;

	if (d->type == KNOB_TYPE_BOOL)
		return parse_bool(text, ret);
	r = units_parse_u64(text, &v);
	if (r == -EINVAL && (d->unit == UNIT_USEC || d->unit == UNIT_NSEC)) {
		r = units_parse_time(text, &v); /* with a unit: a time */
		if (r == 0 && d->unit == UNIT_USEC)
			v = units_ns_to_usecs(v);
	}
	if (r < 0)
		return r;
	if (v < d->min || v > d->max)
		return -ERANGE;
	*ret = v;
	return 0;
}

const char *knob_format(enum knob k, uint64_t v, char *buf, size_t size)
{
	if (knob_table[k].type == KNOB_TYPE_BOOL)
		snprintf(buf, size, "%s", v ? "on" : "off");
	else
		snprintf(buf, size, "%" PRIu64, v);
	return buf;
}

size_t knob_set_format(const struct knob_set *s, char *buf, size_t size)
{
	size_t n = 0;
	char v[24];

	if (size)
		buf[0] = 0;
	for (int k = 0; k < KNOB_COUNT; k++) {
		if (!knob_has(s, k))
			continue;
		int w = snprintf(n < size ? buf + n : NULL, n < size ? size - n : 0, "%s%s %s", n ? " " : "",
				 knob_table[k].name, knob_format(k, s->value[k], v, sizeof(v)));
		n += (size_t)w;
	}
	return n;
}

/* The next word of *p, '=' counting as a blank. Returns its length, 0 at the end, -1 when it does not fit. */
static int next_word(const char **p, char *word, size_t size)
{
	size_t n = 0;

	while (**p && (isspace((unsigned char)**p) || **p == '='))
		(*p)++;
	while (**p && !isspace((unsigned char)**p) && **p != '=') {
		if (n + 1 >= size)
			return -1;
		word[n++] = *(*p)++;
	}
	word[n] = 0;
	return (int)n;
}

int knob_set_parse(const char *text, struct knob_set *ret, char err[ERR_MAX])
{
	struct knob_set s = { 0 };
	char name[32], value[32];

	for (;;) {
		int k, r, n = next_word(&text, name, sizeof(name));
		uint64_t v;

		if (n == 0)
			break;
		k = n < 0 ? -ENOENT : knob_by_name(name);
		if (k < 0) {
			snprintf(err, ERR_MAX, "unknown setting '%s'", name);
			return k;
		}
		if (next_word(&text, value, sizeof(value)) <= 0) {
			snprintf(err, ERR_MAX, "%s: value missing", name);
			return -EINVAL;
		}
		r = knob_parse(k, value, &v);
		if (r < 0) {
			snprintf(err, ERR_MAX, "%s: '%s' is %s", name, value,
				 r == -ERANGE ? "out of range" : "not a valid value");
			return r;
		}
		knob_put(&s, k, v);
	}
	*ret = s;
	return 0;
}

uint32_t knob_set_diff(const struct knob_set *want, const struct knob_set *have, struct knob_set *ret)
{
	struct knob_set d = { 0 };

	for (int k = 0; k < KNOB_COUNT; k++)
		if (knob_has(want, k) && (!knob_has(have, k) || want->value[k] != have->value[k]))
			knob_put(&d, k, want->value[k]);
	*ret = d;
	return d.have;
}

void knob_set_overlay(struct knob_set *base, const struct knob_set *over)
{
	for (int k = 0; k < KNOB_COUNT; k++)
		if (knob_has(over, k))
			knob_put(base, k, over->value[k]);
}

uint32_t knob_set_clamp(struct knob_set *s, const struct knob_caps *caps)
{
	uint32_t touched = 0;

	for (int k = 0; k < KNOB_COUNT; k++) {
		uint64_t v;

		if (!knob_has(s, k))
			continue;
		if (!(caps->settable & KNOB_BIT(k))) {
			knob_drop(s, k);
			touched |= KNOB_BIT(k);
			continue;
		}
		v = s->value[k];
		if (v < caps->min[k])
			v = caps->min[k];
		if (v > caps->max[k])
			v = caps->max[k];
		if (v != s->value[k])
			touched |= KNOB_BIT(k);
		s->value[k] = v;
	}
	return touched;
}
