// SPDX-License-Identifier: GPL-2.0-or-later
/* knob: the table of everything that can be set (knobs.def) and sets of knob values. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ERR_MAX 192 /* room for one line that says what went wrong */

enum knob_channel { CHANNEL_COALESCE, CHANNEL_RINGS, CHANNEL_NAPI, CHANNEL_COUNT };
enum knob_type { KNOB_TYPE_BOOL, KNOB_TYPE_U32, KNOB_TYPE_U64 };
enum knob_unit { UNIT_USEC, UNIT_NSEC, UNIT_FRAMES, UNIT_ENTRIES, UNIT_COUNT, UNIT_SWITCH };

enum knob {
#define KNOB(id, name, json, channel, attr, type, unit, min, max, metric, what) KNOB_##id,
#include "core/knobs.def"
#undef KNOB
	KNOB_COUNT
};

struct knob_desc {
	const char *name, *json, *metric, *what;
	enum knob_channel channel;
	enum knob_type type;
	enum knob_unit unit;
	uint64_t min, max;
};
extern const struct knob_desc knob_table[KNOB_COUNT];

#define KNOB_BIT(k) (1U << (k))
#define KNOB_ALL ((1U << KNOB_COUNT) - 1)

/* Values of some knobs; bit k of `have` says that value[k] means something. A value without its bit is unset, not 0. */
struct knob_set {
	uint32_t have;
	uint64_t value[KNOB_COUNT];
};

/* What one device can do. `readable`: reported at all; `settable`: worth trying to write. step 0 = not known. */
struct knob_caps {
	uint32_t readable, settable;
	uint64_t min[KNOB_COUNT], max[KNOB_COUNT], step[KNOB_COUNT];
};

static inline bool knob_has(const struct knob_set *s, enum knob k)
{
	return s->have & KNOB_BIT(k);
}
static inline void knob_put(struct knob_set *s, enum knob k, uint64_t v)
{
	s->have |= KNOB_BIT(k);
	s->value[k] = v;
}
static inline void knob_drop(struct knob_set *s, enum knob k)
{
	s->have &= ~KNOB_BIT(k);
}

uint32_t knob_channel_mask(enum knob_channel c); /* bits of the knobs of a channel */
int knob_by_name(const char *name);		 /* enum knob, or -ENOENT */
int knob_parse(enum knob k, const char *text, uint64_t *ret); /* 0, -EINVAL, -ERANGE; units accepted for times */
/* As ethtool prints it: "50", "on", "100000". Returns buf. */
const char *knob_format(enum knob k, uint64_t v, char *buf, size_t size);
/* "rx-usecs 50 rx-frames 0": only what is set. Returns the length it would need, as snprintf. */
size_t knob_set_format(const struct knob_set *s, char *buf, size_t size);
/* "rx-usecs=50 rx-frames 0": names and values, '=' or blank between. Returns 0, or -EINVAL, -ERANGE, -ENOENT
 * with one line in err. */
int knob_set_parse(const char *text, struct knob_set *ret, char err[ERR_MAX]);
/* Those of `want` that differ from `have` (or that `have` lacks). Returns the bits. */
uint32_t knob_set_diff(const struct knob_set *want, const struct knob_set *have, struct knob_set *ret);
void knob_set_overlay(struct knob_set *base, const struct knob_set *over);
/* Into the device's limits; drops what is not settable. Returns the bits that were changed or dropped. */
uint32_t knob_set_clamp(struct knob_set *s, const struct knob_caps *caps);
