// SPDX-License-Identifier: GPL-2.0-or-later
/* evidence: see evidence.h. */
#include "core/evidence.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

const struct evidence_desc evidence_table[EVIDENCE_COUNT] = {
#define EVIDENCE(id, key, kind, what) [EVIDENCE_##id] = { key, what, EVIDENCE_##kind },
#include "core/evidence.def"
#undef EVIDENCE
};

static const struct {
	const char *pattern;
	enum evidence_id id;
} counters[] = {
#define COUNTER(pattern, id) { pattern, EVIDENCE_##id },
#include "core/drvcounters.def"
#undef COUNTER
};

int evidence_by_key(const char *key)
{
	for (int i = 0; i < EVIDENCE_COUNT; i++)
		if (!strcmp(evidence_table[i].key, key))
			return i;
	return -ENOENT;
}

void evidence_between(const struct evidence *a, const struct evidence *b, double dt_s, struct evidence *ret)
{
	struct evidence e = { 0 };

	for (int i = 0; i < EVIDENCE_COUNT; i++) {
		if (!evidence_has(b, i))
			continue;
		if (evidence_table[i].kind == EVIDENCE_STATE)
			evidence_put(&e, i, b->value[i]);
		else if (evidence_has(a, i) && dt_s > 0 && b->value[i] >= a->value[i])
			evidence_put(&e, i, (b->value[i] - a->value[i]) / dt_s);
	}
	memcpy(e.ring_counter, b->ring_counter, sizeof(e.ring_counter));
	*ret = e;
}

static bool fits(const char *pattern, const char *name)
{
	for (; *pattern; pattern++) {
		if (*pattern != '*') {
			if (*pattern != *name++)
				return false;
			continue;
		}
		if (!isdigit((unsigned char)*name))
			return false;
		while (isdigit((unsigned char)*name))
			name++;
	}
	return !*name;
}

int evidence_by_counter(const char *name)
{
	while (*name == ' ')
		name++; /* some drivers indent */
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		if (fits(counters[i].pattern, name))
			return (int)counters[i].id;
	return -ENOENT;
}
