// SPDX-License-Identifier: GPL-2.0-or-later
/* simprofile: the table of simprofiles.def. */
#include "core/simprofile.h"

#include <errno.h>
#include <string.h>

const struct sim_profile simprofile_table[SIMPROFILE_COUNT] = {
#define PROFILE(id, text, about, kind, ...)                                                                            \
	[SIMPROFILE_##id] = { .name = text, .what = about, .mech = kind, __VA_ARGS__ },
#include "core/simprofiles.def"
#undef PROFILE
};

int simprofile_by_name(const char *name)
{
	for (int i = 0; i < SIMPROFILE_COUNT; i++)
		if (!strcmp(name, simprofile_table[i].name))
			return i;
	return -ENOENT;
}
