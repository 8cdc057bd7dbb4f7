// SPDX-License-Identifier: GPL-2.0-or-later
/* format: the same advice in the words of whoever is to act on it. A new format is a row in format.c and a function. */
#pragma once
#include "cli/print.h"
#include "core/policy.h"
#include "engine/advise.h"

struct format {
	const char *name;
	/* One advice; NULL: all of them at once, as JSON. */
	void (*print)(const struct advice *a, const struct policy *p);
};
const struct format *format_by_name(const char *name); /* NULL: none */

void advice_text(const struct advice *a, const struct policy *p);
void advice_ethtool(const struct advice *a, const struct policy *p);
void advice_link(const struct advice *a, const struct policy *p);
void advice_nm(const struct advice *a, const struct policy *p);
void advice_policy(const struct advice *a, const struct policy *p);
json_object *advice_json(const struct advice *a);

/* Diagnosis and reason as comment lines, each behind "# ". */
void format_comment(const struct advice *a);
