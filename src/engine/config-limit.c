// SPDX-License-Identifier: GPL-2.0-or-later
/* config-limit: lines whose key is a knob: bounds of policies, and what quirks say of one knob. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "engine/config-value.h"
#include "engine/config.h"

#define BOUND_MAX 48

/* "A..B", "A..", "..B" or "A" into two texts, "" where open. Returns -EINVAL when a half is too long or both missing.
 */
static int split(const char *text, char lo[BOUND_MAX], char hi[BOUND_MAX])
{
	const char *dots = strstr(text, "..");
	size_t n = dots ? (size_t)(dots - text) : strlen(text);

	while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
		n--;
	if (n >= BOUND_MAX)
		return -EINVAL;
	memcpy(lo, text, n);
	lo[n] = 0;
	if (dots) {
		dots += 2;
		dots += strspn(dots, " \t");
	} else {
		dots = lo;
	}
	if (strlen(dots) >= BOUND_MAX || (!*dots && !n))
		return -EINVAL;
	snprintf(hi, BOUND_MAX, "%s", dots);
	return 0;
}

static int read_bound(enum knob k, const char *text, uint64_t open, uint64_t *ret, char err[ERR_MAX])
{
	const struct knob_desc *d = &knob_table[k];
	int r = 0;

	if (!*text)
		*ret = open;
	else
		r = knob_parse(k, text, ret);
	if (r == -ERANGE)
		snprintf(err, ERR_MAX, "'%s' is outside %" PRIu64 "..%" PRIu64, text, d->min, d->max);
	else if (r < 0)
		snprintf(err, ERR_MAX, "'%s' is not a value of %s", text, d->name);
	return r;
}

static int read_limits(enum knob k, const char *text, uint64_t *ret_min, uint64_t *ret_max, char err[ERR_MAX])
{
	char lo[BOUND_MAX], hi[BOUND_MAX];
	uint64_t min, max;
	int r;

	if (split(text, lo, hi) < 0) {
		snprintf(err, ERR_MAX, "'%.60s' is neither a value nor a range A..B", text);
		return -EINVAL;
	}
	r = read_bound(k, lo, knob_table[k].min, &min, err);
	if (r == 0)
		r = read_bound(k, hi, knob_table[k].max, &max, err);
	if (r < 0)
		return r;
	if (min > max) {
		snprintf(err, ERR_MAX, "'%.60s': the lower end is above the upper one", text);
		return -EINVAL;
	}
	*ret_min = min;
	*ret_max = max;
	return 0;
}

int config_policy_limit(enum knob k, const char *text, void *base, char err[ERR_MAX])
{
	struct policy *p = &((struct config_policy *)base)->policy;
	int r = read_limits(k, text, &p->limit_min[k], &p->limit_max[k], err);

	if (r == 0)
		p->limited |= KNOB_BIT(k);
	return r;
}

int config_queue_limit(enum knob k, const char *text, void *base, char err[ERR_MAX])
{
	struct policy_queue *q = base;
	int r;

	if (knob_table[k].channel == CHANNEL_RINGS) {
		snprintf(err, ERR_MAX, "rings cannot differ by queue");
		return -EINVAL;
	}
	r = read_limits(k, text, &q->limit_min[k], &q->limit_max[k], err);
	if (r == 0)
		q->limited |= KNOB_BIT(k);
	return r;
}

/* "12", "12.5" or "160%". Returns 0 or -EINVAL; *ret as a factor where *ret_scaled. */
static int read_scaled(const char *text, double *ret, bool *ret_scaled)
{
	char *end;
	double v;

	if (text[strspn(text, "0123456789.%")] || !*text)
		return -EINVAL;
	v = strtod(text, &end);
	*ret_scaled = *end == '%';
	if (end == text || end[*ret_scaled])
		return -EINVAL;
	*ret = *ret_scaled ? v / 100 : v;
	return 0;
}

int config_quirk_limit(enum knob k, const char *text, void *base, char err[ERR_MAX])
{
	struct quirk_bounds *b = &((struct quirk *)base)->effect.limits;
	char lo[BOUND_MAX], hi[BOUND_MAX];
	bool scaled_min, scaled_max;
	double min, max;

	if (split(text, lo, hi) < 0 || read_scaled(lo, &min, &scaled_min) < 0 ||
	    read_scaled(hi, &max, &scaled_max) < 0 || scaled_min != scaled_max || min > max) {
		snprintf(err, ERR_MAX, "'%.60s' is neither A..B nor A%%..B%%", text);
		return -EINVAL;
	}
	b->have |= KNOB_BIT(k);
	b->scaled = scaled_min ? b->scaled | KNOB_BIT(k) : b->scaled & ~KNOB_BIT(k);
	b->min[k] = min;
	b->max[k] = max;
	return 0;
}

int config_quirk_step(enum knob k, const char *text, void *base, char err[ERR_MAX])
{
	struct quirk_bounds *b = &((struct quirk *)base)->effect.step;
	bool scaled;
	double v;

	if (read_scaled(text, &v, &scaled) < 0 || v <= 0) {
		snprintf(err, ERR_MAX, "'%.60s' is neither a number nor N%%", text);
		return -EINVAL;
	}
	b->have |= KNOB_BIT(k);
	b->scaled = scaled ? b->scaled | KNOB_BIT(k) : b->scaled & ~KNOB_BIT(k);
	b->min[k] = b->max[k] = v;
	return 0;
}

int config_quirk_min_on(enum knob k, const char *text, void *base, char err[ERR_MAX])
{
	struct quirk_effect *e = &((struct quirk *)base)->effect;
	uint64_t v;
	int r = read_bound(k, text, 0, &v, err);

	if (r < 0 || !*text) {
		if (!*text)
			snprintf(err, ERR_MAX, "a value is missing");
		return -EINVAL;
	}
	e->min_on[k] = v;
	e->min_on_set |= KNOB_BIT(k);
	return 0;
}

int config_quirk_magic(enum knob k, const char *text, void *base, char err[ERR_MAX])
{
	struct quirk_effect *e = &((struct quirk *)base)->effect;
	uint64_t bits = 0;
	char *end;

	for (const char *p = text + strspn(text, " \t"); *p; p = end + strspn(end, " \t")) {
		unsigned long v = strtoul(p, &end, 10);

		if (end == p || (*end && *end != ' ' && *end != '\t') || v >= QUIRK_MAGIC_MAX) {
			snprintf(err, ERR_MAX, "'%.60s' is not a list of numbers below %d", text, QUIRK_MAGIC_MAX);
			return -EINVAL;
		}
		bits |= UINT64_C(1) << v;
	}
	e->magic[k] |= bits;
	return 0;
}
