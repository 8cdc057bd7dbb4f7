// SPDX-License-Identifier: GPL-2.0-or-later
/* config: see config.h. Which files, in which order. */
#include "engine/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>

#include "engine/config-files.h"
#include "engine/config-read.h"

/* Where this build is installed; the fixed ones are where packages and administrators look. */
#ifndef CONFIG_SYSCONFDIR
#define CONFIG_SYSCONFDIR "/etc/ethtuned"
#endif
#ifndef CONFIG_LIBDIR
#define CONFIG_LIBDIR "/usr/lib/ethtuned"
#endif

static const char *const search[] = { "/etc/ethtuned", CONFIG_SYSCONFDIR, "/run/ethtuned", CONFIG_LIBDIR,
				      "/usr/lib/ethtuned" };
#define N_SEARCH (sizeof(search) / sizeof(search[0]))

struct dirs {
	size_t n;
	char *path[N_SEARCH];
};

void config_settings_default(struct config_settings *ret)
{
	*ret = (struct config_settings){
		.interval_ns = 100 * NSEC_PER_MSEC,
		.link_wait_ns = 10 * NSEC_PER_SEC,
		.log_level = LOG_INFO,
		.listen = "127.0.0.1:9817",
	};
}

bool config_settings_equal(const struct config_settings *a, const struct config_settings *b)
{
	return a->interval_ns == b->interval_ns && a->link_wait_ns == b->link_wait_ns && a->log_level == b->log_level &&
	       a->per_queue == b->per_queue && !strcmp(a->listen, b->listen) && !strcmp(a->textfile, b->textfile);
}

const struct config_policy *config_policy_for(const struct config *c, const struct match_subject *s)
{
	for (size_t i = 0; i < c->n_policies; i++)
		if (match_fits(&c->policies[i].match, s))
			return &c->policies[i];
	return NULL;
}

struct config *config_free(struct config *c)
{
	if (c) {
		free(c->policies);
		free(c->quirks);
		free(c);
	}
	return NULL;
}

static void dirs_free(struct dirs *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->path[i]);
	d->n = 0;
}

static int dirs_add(struct dirs *d, const char *root, const char *path)
{
	char *p = NULL;

	if (asprintf(&p, "%s%s", root, path) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(d->path[i], p)) {
			free(p);
			return 0;
		}
	d->path[d->n++] = p;
	return 0;
}

static int dirs_init(struct dirs *d, const char *root, const char *only)
{
	int r = 0;

	*d = (struct dirs){ 0 };
	if (only)
		return dirs_add(d, "", only);
	for (size_t i = 0; r == 0 && i < N_SEARCH; i++)
		r = dirs_add(d, root, search[i]);
	if (r < 0)
		dirs_free(d);
	return r;
}

/* One of the files found. One that cannot be read is said and left out. */
static void read_one(struct config_reader *r, const char *path)
{
	char *text = NULL;
	const char *why;
	int e = config_file_read(path, true, &text);

	if (e < 0 && e != -ENOMEM) {
		r->file = path;
		why = e == -EBADMSG ? "it is no text" : e == -EBADFD ? "it is no regular file" : strerror(-e);
		config_say(r, CONFIG_ERROR, 0, "cannot be read: %s; left out", why);
	} else if (e < 0) {
		r->error = e;
	} else {
		config_read_file(r, path, text);
	}
	free(text);
}

/* The files of one folder. joined: each goes on where the one before ended. */
static void read_folder(struct config_reader *r, const struct dirs *d, const char *sub, unsigned groups, bool joined)
{
	struct config_file *files;
	size_t n;
	int e = config_files_find(d->path, d->n, sub, &files, &n);

	if (e < 0) {
		r->error = e;
		return;
	}
	r->groups = groups;
	for (size_t i = 0; i < n && r->error == 0; i++) {
		read_one(r, files[i].path);
		if (!joined)
			config_read_end(r);
	}
	config_files_free(files, n);
}

/* ethtuned.conf and its drop-ins, which are one text. */
static void read_main(struct config_reader *r, const struct dirs *d)
{
	struct stat st;
	char *path;

	r->groups = CONFIG_MAIN | CONFIG_POLICY;
	for (size_t i = 0; i < d->n; i++) {
		if (asprintf(&path, "%s/ethtuned.conf", d->path[i]) < 0) {
			r->error = -ENOMEM;
			return;
		}
		if (lstat(path, &st) == 0) {
			read_one(r, path);
			free(path);
			break;
		}
		free(path);
	}
	if (r->error == 0)
		read_folder(r, d, "ethtuned.conf.d", CONFIG_MAIN | CONFIG_POLICY, true);
	config_read_end(r);
}

/* The file that the user named: it must be there. */
static int read_named(struct config_reader *r, const char *file, unsigned groups)
{
	char *text;
	int e = config_file_read(file, false, &text);

	if (e < 0)
		return e;
	r->groups = groups;
	config_read_file(r, file, text);
	config_read_end(r);
	free(text);
	return r->error;
}

static struct config *config_new(void)
{
	struct config *c = calloc(1, sizeof(*c));

	if (c)
		config_settings_default(&c->settings);
	return c;
}

int config_load(const char *root, const char *file, struct config **ret, config_message_fn *fn, void *arg)
{
	struct config_reader r = { .config = config_new(), .fn = fn, .arg = arg, .file = "" };
	struct dirs d = { 0 };
	struct stat st;
	bool folder = file && stat(file, &st) == 0 && S_ISDIR(st.st_mode);
	int e = r.config ? dirs_init(&d, root ? root : "", folder ? file : NULL) : -ENOMEM;

	if (e == 0 && file && !folder)
		e = read_named(&r, file, CONFIG_MAIN | CONFIG_POLICY);
	if (e == 0 && (!file || folder)) {
		read_folder(&r, &d, "policy.d", CONFIG_POLICY, false);
		if (r.error == 0)
			read_main(&r, &d);
	}
	if (e == 0 && r.error == 0)
		read_folder(&r, &d, "quirks.d", CONFIG_QUIRK, false);
	dirs_free(&d);
	if (e == 0)
		e = r.error;
	if (e < 0)
		r.config = config_free(r.config);
	else
		*ret = r.config;
	return e;
}

/* Does it have a section that only quirk files have? */
static bool is_quirks(const char *text)
{
	char name[40];

	for (const char *p = text; p; p = strchr(p, '\n')) {
		p += strspn(p, "\n\r\t ");
		if (*p == '[' && sscanf(p + 1, "%39[^]\n]", name) == 1 &&
		    config_section_by_name(name, CONFIG_QUIRK) >= 0 &&
		    config_section_by_name(name, CONFIG_MAIN | CONFIG_POLICY) < 0)
			return true;
	}
	return false;
}

int config_load_one(const char *file, struct config **ret, config_message_fn *fn, void *arg)
{
	struct config_reader r = { .config = config_new(), .fn = fn, .arg = arg, .file = file };
	char *text = NULL;
	int e = r.config ? config_file_read(file, false, &text) : -ENOMEM;

	if (e == 0) {
		r.groups = is_quirks(text) ? CONFIG_QUIRK : CONFIG_MAIN | CONFIG_POLICY;
		config_read_file(&r, file, text);
		config_read_end(&r);
		e = r.error;
	}
	free(text);
	if (e < 0)
		config_free(r.config);
	else
		*ret = r.config;
	return e;
}
