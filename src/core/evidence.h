// SPDX-License-Identifier: GPL-2.0-or-later
/* evidence: what only a diagnosis asks for: driver counters, features, affinity, power states. One row of evidence.def
 * each. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum evidence_id {
#define EVIDENCE(id, key, kind, what) EVIDENCE_##id,
#include "core/evidence.def"
#undef EVIDENCE
	EVIDENCE_COUNT
};

enum evidence_kind { EVIDENCE_RATE, EVIDENCE_STATE };

struct evidence_desc {
	const char *key, *what;
	enum evidence_kind kind;
};
extern const struct evidence_desc evidence_table[EVIDENCE_COUNT];

/* Bit i of `have` says that value[i] means something. As read, a RATE is the counter's total. */
struct evidence {
	uint32_t have;
	double value[EVIDENCE_COUNT];
	char ring_counter[33]; /* the driver's counter that makes up most of RING_FULL, "" none */
};

static inline bool evidence_has(const struct evidence *e, enum evidence_id id)
{
	return e->have & (1U << id);
}
static inline void evidence_put(struct evidence *e, enum evidence_id id, double v)
{
	e->have |= 1U << id;
	e->value[id] = v;
}
static inline double evidence_or(const struct evidence *e, enum evidence_id id, double absent)
{
	return evidence_has(e, id) ? e->value[id] : absent;
}

int evidence_by_key(const char *key); /* enum evidence_id, or -ENOENT */
/* Rates over dt_s and the states of `b`, out of two readings. A counter that shrank is absent. */
void evidence_between(const struct evidence *a, const struct evidence *b, double dt_s, struct evidence *ret);
/* What a driver's own counter of this name means, or -ENOENT. Names of one meaning add up. */
int evidence_by_counter(const char *name);
