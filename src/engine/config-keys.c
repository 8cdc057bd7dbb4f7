// SPDX-License-Identifier: GPL-2.0-or-later
/* config-keys: see config-keys.h. */
#include "engine/config-keys.h"

#include <string.h>

#include "engine/config-value.h"
#include "engine/config.h"

const struct config_section_desc config_sections[SECTION_COUNT] = {
#define SECTION(id, group, name, knob, what) [SECTION_##id] = { name, what, CONFIG_##group, knob },
#include "engine/config-keys.def"
};

const struct config_key config_keys[] = {
#define KEY(section, name, type, structure, field, words, what)                                                        \
	{ SECTION_##section,                                                                                           \
	  name,                                                                                                        \
	  config_value_##type,                                                                                         \
	  offsetof(structure, field),                                                                                  \
	  sizeof(((structure *)0)->field),                                                                             \
	  words,                                                                                                       \
	  what },
#include "engine/config-keys.def"
};
const size_t config_n_keys = sizeof(config_keys) / sizeof(config_keys[0]);

int config_section_by_name(const char *name, unsigned groups)
{
	for (int s = 0; s < SECTION_COUNT; s++)
		if ((config_sections[s].groups & groups) && !strcmp(config_sections[s].name, name))
			return s;
	return -1;
}

const struct config_key *config_key_by_name(enum config_section section, unsigned groups, const char *name)
{
	for (size_t i = 0; i < config_n_keys; i++) {
		const struct config_key *k = &config_keys[i];

		if ((section == SECTION_COUNT || k->section == section) &&
		    (config_sections[k->section].groups & groups) && !strcmp(k->name, name))
			return k;
	}
	return NULL;
}
