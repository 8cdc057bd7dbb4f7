// SPDX-License-Identifier: GPL-2.0-or-later
/* match: which interfaces a policy or quirk is for: lists of words and shell globs as in systemd.link(5) [Match].
 *
 * A list fits when one of its words fits and no negated one does; with negated words only, when none of those fits.
 * '!' before the list negates all of its words, before a later word only that one. A key that is not given fits
 * everything; an interface that lacks what a key asks for (no device tree, speed unknown) fits negated words only.
 * Words of link-speed and kernel may be comparisons (">=1G", "<6.12"); those must all hold. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/knob.h"

#define MATCH_TEXT_MAX 256

enum match_key {
#define MATCH(id, name, kind, fold, what) MATCH_##id,
#include "core/matches.def"
#undef MATCH
	MATCH_COUNT
};

enum match_kind { MATCH_KIND_GLOB, MATCH_KIND_SPEED, MATCH_KIND_VERSION };

struct match_desc {
	const char *name, *what;
	enum match_kind kind;
	bool fold; /* upper and lower case are the same */
};
extern const struct match_desc match_table[MATCH_COUNT];

/* One blank between words, each negated word with its own '!'; "" = not given. */
struct match {
	char text[MATCH_COUNT][MATCH_TEXT_MAX];
};

/* What an interface is: for each key the words that stand for it (several names, several compatible strings); "" =
 * unknown. link-speed is decimal Mb/s. */
struct match_subject {
	char text[MATCH_COUNT][MATCH_TEXT_MAX];
};

int match_key_by_name(const char *name); /* enum match_key, or -ENOENT */
/* Appends a list to a key's; an empty one clears the key, as systemd does. Returns 0, -EINVAL for a word that cannot
 * be, -ENOSPC when it gets too long (err says). */
int match_add(struct match *m, enum match_key key, const char *list, char err[ERR_MAX]);
bool match_fits(const struct match *m, const struct match_subject *s);

/* Adds a word to what the interface is; one that does not fit any more is left out. Blanks in it become '_'. */
void match_subject_add(struct match_subject *s, enum match_key key, const char *word);

/* As fnmatch(3) without flags: * ? [a-z] [!a-z] and \ before a special character. fold: case does not matter. */
bool match_glob(const char *pattern, const char *text, bool fold);
