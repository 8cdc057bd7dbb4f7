// SPDX-License-Identifier: GPL-2.0-or-later
/* config-keys: the table of sections and keys (config-keys.def), and readers of their values. Internal to config. */
#pragma once
#include <stddef.h>

#include "core/knob.h"

enum config_group { CONFIG_MAIN = 1, CONFIG_POLICY = 2, CONFIG_QUIRK = 4, CONFIG_ANY = 7 }; /* bits */

enum config_section {
#define SECTION(id, group, name, knob, what) SECTION_##id,
#include "engine/config-keys.def"
	SECTION_COUNT
};

/* Reads a knob's line of a section into the section's structure. As value readers below. */
typedef int config_knob_fn(enum knob k, const char *value, void *base, char err[ERR_MAX]);

struct config_section_desc {
	const char *name, *what;
	unsigned groups; /* kinds of file that may have it */
	config_knob_fn *knob;
};
extern const struct config_section_desc config_sections[SECTION_COUNT];

struct config_key;
/* Reads text into the field. Returns 0; or a negative errno with what is wrong in err, the field untouched. */
typedef int config_value_fn(const struct config_key *key, const char *text, void *field, char err[ERR_MAX]);

struct config_key {
	enum config_section section;
	const char *name;
	config_value_fn *read;
	size_t offset, size; /* of the field in the section's structure */
	const char *words, *what;
};
extern const struct config_key config_keys[];
extern const size_t config_n_keys;

/* Section by the name in brackets, of a kind of file; -1 = there is none. */
int config_section_by_name(const char *name, unsigned groups);
/* NULL = there is none. section SECTION_COUNT: whatever section of these groups has it first. */
const struct config_key *config_key_by_name(enum config_section section, unsigned groups, const char *name);
