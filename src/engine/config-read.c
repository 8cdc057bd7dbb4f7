// SPDX-License-Identifier: GPL-2.0-or-later
/* config-read: see config-read.h. inih takes the lines apart. It tells its handler no line numbers (a build option of
 * the library) and silently bends what does not fit it: lines over its buffer, indented lines, lines without '='. So it
 * gets the lines from us one at a time, counted and without what would mislead it. */
#include "engine/config-read.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void config_say(struct config_reader *r, enum config_level level, unsigned line, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (char *p = text; *p; p++) /* parts of the file are in it: nothing that a terminal would obey */
		if (iscntrl((unsigned char)*p))
			*p = '?';
	if (level == CONFIG_ERROR)
		r->config->n_errors++;
	else
		r->config->n_warnings++;
	if (r->fn)
		r->fn(r->arg, level, r->file, line, text);
}

/* Where else the key would be right: " (it belongs in [x])" or "". */
static const char *hint(const struct config_reader *r, const char *name, char buf[64])
{
	const struct config_key *k = config_key_by_name(SECTION_COUNT, r->groups, name);
	const char *section = NULL;

	if (k)
		section = config_sections[k->section].name;
	else if (match_key_by_name(name) >= 0 && (r->groups & (CONFIG_POLICY | CONFIG_QUIRK)))
		section = "match";
	else if (knob_by_name(name) >= 0 && (r->groups & (CONFIG_POLICY | CONFIG_QUIRK)))
		section = "limits";
	if (!section)
		return "";
	snprintf(buf, 64, " (it belongs in [%s])", section);
	return buf;
}

static void unknown_key(struct config_reader *r, const char *name)
{
	char where[64];

	if (r->section == SECTION_COUNT)
		config_say(r, CONFIG_WARNING, r->line, "'%.60s' stands before any section%s, ignored", name,
			   hint(r, name, where));
	else
		config_say(r, CONFIG_WARNING, r->line, "unknown key '%.60s' in [%s]%s, ignored", name,
			   config_sections[r->section].name, hint(r, name, where));
}

static void match_line(struct config_reader *r, const char *name, const char *value)
{
	char err[ERR_MAX];
	int k = match_key_by_name(name);

	if (k < 0) {
		unknown_key(r, name);
	} else if (match_add(r->base, k, value, err) < 0) {
		config_say(r, CONFIG_ERROR, r->line, "%s; this %s is left out", err,
			   r->groups & CONFIG_QUIRK ? "quirk" : "policy");
		r->bad_match = true;
	}
}

static int on_line(void *user, const char *section, const char *name, const char *value)
{
	struct config_reader *r = user;
	const struct config_key *key;
	char err[ERR_MAX];
	int knob, rc;

	(void)section; /* ours is the same, with what its argument selected */
	if (r->section < 0 || r->error < 0)
		return 1;
	if (r->section == SECTION_MATCH) {
		match_line(r, name, value);
		return 1;
	}
	/* the daemon's own keys have names of their own and need no section */
	key = config_key_by_name(r->section, r->section == SECTION_COUNT ? r->groups & CONFIG_MAIN : CONFIG_ANY, name);
	knob = r->section < SECTION_COUNT && config_sections[r->section].knob ? knob_by_name(name) : -ENOENT;
	if (key)
		rc = key->read(key, value, (char *)r->base + key->offset, err);
	else if (knob >= 0)
		rc = config_sections[r->section].knob(knob, value, r->base, err);
	else
		return unknown_key(r, name), 1;
	if (rc < 0)
		config_say(r, CONFIG_WARNING, r->line, "%s: %s; ignored, %s", name, err,
			   key ? "it keeps its default" : "no limit from this line");
	return 1;
}

/* A section's name out of "[name]". */
static bool section_line(struct config_reader *r, char *line)
{
	char *end = strchr(line, ']');

	if (!end || end[1]) {
		config_say(r, CONFIG_ERROR, r->line, "'%.60s' is no [section]; its keys are ignored", line);
		r->section = -1;
		return false;
	}
	*end = 0;
	config_section_begin(r, line + 1);
	*end = ']';
	return true;
}

/* Cuts comments and blanks. Returns what is left of the line, NULL when inih must not see it. */
static char *clean(struct config_reader *r, char *line)
{
	char *end;

	line += strspn(line, " \t"); /* inih would take an indented line for more of the value before */
	for (char *p = line; *p; p++)
		if ((*p == '#' || *p == ';') && (p == line || isblank((unsigned char)p[-1]))) {
			*p = 0;
			break;
		}
	end = line + strlen(line);
	while (end > line && isspace((unsigned char)end[-1]))
		*--end = 0;
	if (!*line)
		return NULL;
	if (*line == '[')
		return section_line(r, line) ? line : NULL;
	if (end[-1] == '\\') {
		config_say(r, CONFIG_ERROR, r->line,
			   "a line cannot be continued, ignored; lists: repeat the key instead");
		return NULL;
	}
	if (*line == '=' || *line == ':' || !strpbrk(line, "=:")) {
		config_say(r, CONFIG_ERROR, r->line, "'%.60s' is neither 'key = value' nor a [section]; ignored", line);
		return NULL;
	}
	return line;
}

/* An ini_reader, as fgets: the next line, at most num - 1 characters, with its newline. */
static char *next_line(char *str, int num, void *stream)
{
	struct config_reader *r = stream;
	size_t len = strcspn(r->next, "\n");
	char *line;

	if (!*r->next)
		return NULL;
	r->line++;
	str[0] = '\n';
	str[1] = 0;
	if (len + 2 > (size_t)num) {
		/* a long comment is none of our business */
		if (!strchr("#;", r->next[strspn(r->next, " \t")]))
			config_say(r, CONFIG_ERROR, r->line, "longer than %d characters, ignored", num - 2);
	} else {
		memcpy(str, r->next, len);
		str[len] = 0;
		line = clean(r, str);
		len = line ? strlen(line) : 0;
		memmove(str, line ? line : str, len);
		memcpy(str + len, "\n", 2);
		len = strcspn(r->next, "\n");
	}
	r->next += len + (r->next[len] == '\n');
	return str;
}

void config_read_file(struct config_reader *r, const char *path, const char *text)
{
	int bad;

	r->file = path;
	r->line = 0;
	r->in_file = 0;
	r->section = SECTION_COUNT;
	r->base = &r->config->settings;
	r->next = text + (strncmp(text, "\xEF\xBB\xBF", 3) ? 0 : 3);
	bad = ini_parse_stream(next_line, r, on_line, r);
	if (bad == -2)
		r->error = -ENOMEM;
	else if (bad > 0)
		config_say(r, CONFIG_ERROR, (unsigned)bad, "not understood, ignored");
}
