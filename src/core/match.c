// SPDX-License-Identifier: GPL-2.0-or-later
/* match: see match.h. The glob is written out because fnmatch(3) follows the locale and may allocate. */
#include "core/match.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct match_desc match_table[MATCH_COUNT] = {
#define MATCH(id, name, kind, fold, what) [MATCH_##id] = { name, what, MATCH_KIND_##kind, fold },
#include "core/matches.def"
#undef MATCH
};

int match_key_by_name(const char *name)
{
	for (int k = 0; k < MATCH_COUNT; k++)
		if (!strcmp(match_table[k].name, name))
			return k;
	return -ENOENT;
}

static int fold_char(char c, bool fold)
{
	return fold ? tolower((unsigned char)c) : (unsigned char)c;
}

/* p: behind the '['. Returns what follows the ']' with *ret_in, or NULL when there is no ']': then '[' is itself. */
static const char *glob_set(const char *p, char c, bool fold, bool *ret_in)
{
	bool negate = *p == '!' || *p == '^', in = false, first = true;
	int ch = fold_char(c, fold);

	p += negate;
	for (; *p && (*p != ']' || first); first = false) {
		int lo, hi;

		if (*p == '\\' && p[1])
			p++;
		lo = hi = fold_char(*p++, fold);
		if (*p == '-' && p[1] && p[1] != ']') {
			hi = fold_char(p[1], fold);
			p += 2;
		}
		if (ch >= lo && ch <= hi)
			in = true;
	}
	if (!*p)
		return NULL;
	*ret_in = in != negate;
	return p + 1;
}

/* One element of the pattern against one character. Returns what follows the element, NULL when it does not fit. */
static const char *glob_one(const char *p, char c, bool fold)
{
	const char *after;
	bool in;

	if (*p == '?')
		return p + 1;
	if (*p == '[') {
		after = glob_set(p + 1, c, fold, &in);
		if (after)
			return in ? after : NULL;
	}
	if (*p == '\\' && p[1])
		p++;
	return *p && fold_char(*p, fold) == fold_char(c, fold) ? p + 1 : NULL;
}

bool match_glob(const char *pattern, const char *text, bool fold)
{
	const char *star = NULL, *from = NULL; /* the last '*', and what it has taken so far */

	while (*text) {
		const char *next;

		if (*pattern == '*') {
			star = pattern++;
			from = text;
			continue;
		}
		next = glob_one(pattern, *text, fold);
		if (next) {
			pattern = next;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

/* "<", "<=", "=", "==", "!=", ">=", ">": its length, 0 when there is none; what it accepts of -1, 0, 1 as bits 1 2 4.
 */
static size_t comparison(const char *word, unsigned *ret_accepts)
{
	static const struct {
		const char *op;
		unsigned accepts;
	} ops[] = { { "<=", 3 }, { ">=", 6 }, { "!=", 5 }, { "==", 2 }, { "<", 1 }, { ">", 4 }, { "=", 2 } };

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (!strncmp(word, ops[i].op, strlen(ops[i].op))) {
			*ret_accepts = ops[i].accepts;
			return strlen(ops[i].op);
		}
	return 0;
}

/* Compares as many numbers as b has: 6.12.5 equals 6.12. Returns -1, 0 or 1. */
static int compare_versions(const char *a, const char *b)
{
	while (isdigit((unsigned char)*b)) {
		char *end_a, *end_b;
		unsigned long va = isdigit((unsigned char)*a) ? strtoul(a, &end_a, 10) : 0;
		unsigned long vb = strtoul(b, &end_b, 10);

		if (va != vb)
			return va < vb ? -1 : 1;
		if (isdigit((unsigned char)*a))
			a = *end_a == '.' ? end_a + 1 : "";
		b = *end_b == '.' ? end_b + 1 : end_b;
	}
	return 0;
}

/* "1000", "100M", "2.5G" in Mb/s; what follows it in *end. < 0 when it is no speed. */
static double parse_speed(const char *text, const char **end)
{
	char *e;
	double v;

	if (!isdigit((unsigned char)*text))
		return -1;
	v = strtod(text, &e);
	/* "100..1000": strtod took the first dot along */
	if (e > text && e[-1] == '.' && *e == '.')
		e--;
	if (*e == 'G' || *e == 'g') {
		v *= 1000;
		e++;
	} else if (*e == 'M' || *e == 'm') {
		e++;
	}
	*end = e;
	return v;
}

/* "1G", "100M..1G". False when it is neither; then it is a glob over the number of Mb/s. */
static bool parse_speeds(const char *word, double *ret_lo, double *ret_hi)
{
	const char *end;
	double lo = parse_speed(word, &end), hi = lo;

	if (lo >= 0 && !strncmp(end, "..", 2))
		hi = parse_speed(end + 2, &end);
	if (lo < 0 || hi < 0 || *end)
		return false;
	*ret_lo = lo;
	*ret_hi = hi;
	return true;
}

static bool speed_fits(const char *word, const char *value, size_t op, unsigned accepts)
{
	double lo, hi, v = strtod(value, NULL);

	if (!parse_speeds(word + op, &lo, &hi))
		return match_glob(word, value, false);
	if (!op)
		return v >= lo && v <= hi;
	return accepts & (1U << ((v > hi) - (v < lo) + 1));
}

static bool word_fits(enum match_key key, const char *word, const char *value)
{
	unsigned accepts = 0;
	size_t op = match_table[key].kind == MATCH_KIND_GLOB ? 0 : comparison(word, &accepts);

	switch (match_table[key].kind) {
	case MATCH_KIND_GLOB: break;
	case MATCH_KIND_SPEED: return speed_fits(word, value, op, accepts);
	case MATCH_KIND_VERSION:
		if (op)
			return accepts & (1U << (compare_versions(value, word + op) + 1));
		break;
	}
	return match_glob(word, value, match_table[key].fold);
}

/* The next word of *p into word. False at the end. */
static bool next_word(const char **p, char word[MATCH_TEXT_MAX])
{
	size_t n;

	*p += strspn(*p, " \t");
	n = strcspn(*p, " \t");
	if (!n)
		return false;
	if (n >= MATCH_TEXT_MAX)
		n = MATCH_TEXT_MAX - 1;
	memcpy(word, *p, n);
	word[n] = 0;
	*p += n;
	return true;
}

static bool any_value_fits(enum match_key key, const char *word, const char *values)
{
	char value[MATCH_TEXT_MAX];

	while (next_word(&values, value))
		if (word_fits(key, word, value))
			return true;
	return false;
}

static bool key_fits(enum match_key key, const char *list, const char *values)
{
	bool wants = false, found = false;
	char word[MATCH_TEXT_MAX];
	unsigned accepts;

	while (next_word(&list, word)) {
		bool compares = match_table[key].kind != MATCH_KIND_GLOB && comparison(word, &accepts);
		bool fits = any_value_fits(key, word[0] == '!' && !compares ? word + 1 : word, values);

		if (compares) { /* "!=" begins with '!' too */
			if (!fits)
				return false;
		} else if (word[0] == '!') {
			if (fits)
				return false;
		} else {
			wants = true;
			found = found || fits;
		}
	}
	return !wants || found;
}

bool match_fits(const struct match *m, const struct match_subject *s)
{
	for (int k = 0; k < MATCH_COUNT; k++)
		if (!key_fits(k, m->text[k], s->text[k]))
			return false;
	return true;
}

static int check_word(enum match_key key, const char *word, char err[ERR_MAX])
{
	enum match_kind kind = match_table[key].kind;
	unsigned accepts;
	double lo, hi;
	size_t op = kind == MATCH_KIND_GLOB ? 0 : comparison(word, &accepts);
	bool good = *word;

	if (op && kind == MATCH_KIND_VERSION)
		good = isdigit((unsigned char)word[op]) && !word[op + strspn(word + op, "0123456789.")];
	else if (kind == MATCH_KIND_SPEED)
		good = parse_speeds(word + op, &lo, &hi) || (!op && *word && !word[strspn(word, "0123456789*?[]!-")]);
	if (good)
		return 0;
	snprintf(err, ERR_MAX, "%s: '%.60s' can match nothing", match_table[key].name, word);
	return -EINVAL;
}

int match_add(struct match *m, enum match_key key, const char *list, char err[ERR_MAX])
{
	char out[MATCH_TEXT_MAX], word[MATCH_TEXT_MAX];
	bool compares = match_table[key].kind != MATCH_KIND_GLOB;
	bool negate_all, words = false;
	size_t n = strlen(m->text[key]);

	memcpy(out, m->text[key], sizeof(out));
	list += strspn(list, " \t");
	negate_all = *list == '!' && !(compares && list[1] == '=');
	list += negate_all;
	while (next_word(&list, word)) {
		bool own = word[0] == '!' && !(compares && word[1] == '=');
		int r = check_word(key, word + own, err);

		if (r < 0)
			return r;
		if (n + strlen(word) + 3 > sizeof(out)) {
			snprintf(err, ERR_MAX, "%s: more than %d characters", match_table[key].name,
				 MATCH_TEXT_MAX - 1);
			return -ENOSPC;
		}
		n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%s%s", n ? " " : "", own || negate_all ? "!" : "",
				      word + own);
		words = true;
	}
	if (!words && negate_all)
		return check_word(key, "", err);
	if (!words)
		out[0] = 0;
	memcpy(m->text[key], out, sizeof(out));
	return 0;
}

void match_subject_add(struct match_subject *s, enum match_key key, const char *word)
{
	char *text = s->text[key];
	size_t n = strlen(text);

	if (!word[0] || n + strlen(word) + 2 > MATCH_TEXT_MAX)
		return;
	if (n)
		text[n++] = ' ';
	for (; *word; word++)
		text[n++] = isspace((unsigned char)*word) ? '_' : *word;
	text[n] = 0;
}
