// SPDX-License-Identifier: GPL-2.0-or-later
/* config: ethtuned.conf, policies and quirks, read as a whole: a new value, or an error and nothing.
 *
 * Searched in /etc/ethtuned, the directory of the build's own prefix, /run/ethtuned, /usr/lib/ethtuned, in this order:
 * a file masks those of the same base name in later directories; an empty one or a link to /dev/null only masks.
 * ethtuned.conf: the first found, then the drop-ins of ethtuned.conf.d; then policy.d and quirks.d; of these folders
 * each file "X.conf", sorted by base name over all directories. Nothing is printed: messages go to the caller. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "core/match.h"
#include "core/policy.h"
#include "core/quirk.h"
#include "core/units.h"

#define CONFIG_PATH_MAX 256

enum config_level {
	CONFIG_WARNING, /* something is ignored or stays at its default, and the rest holds */
	CONFIG_ERROR,	/* a policy is refused, a line or a file cannot be read: a reload should keep what it has */
};
/* line 0: the file as a whole. The text says what is wrong and what happens now. */
typedef void config_message_fn(void *arg, enum config_level level, const char *file, unsigned line, const char *text);

struct config_settings { /* sections [daemon] and [metrics] */
	nsec_t interval_ns;    /* between two samples */
	nsec_t link_wait_ns;   /* for the link to come back after a ring was resized */
	int log_level;	       /* LOG_ERR .. LOG_DEBUG of syslog */
	char listen[128];      /* "" = nowhere; HOST:PORT or unix:PATH */
	char textfile[CONFIG_PATH_MAX]; /* "" = none */
	bool per_queue;
};

struct config_policy {
	struct match match;
	struct policy policy;	     /* its name: base name of the file, "#2" for the second in one file */
	char file[CONFIG_PATH_MAX];
	unsigned line;
	bool refused;		     /* was unsafe: is now mode `observe` without limits, so that nothing is written */
};

struct config {
	struct config_settings settings;
	size_t n_policies, n_quirks;
	struct config_policy *policies; /* in order: the first that fits wins; those of ethtuned.conf are last */
	struct quirk *quirks;		/* in order: all that fit apply */
	unsigned n_warnings, n_errors;	/* messages given */
};

/* root: what all paths are below, NULL or "" = "/". file: NULL, or instead of ethtuned.conf with its drop-ins and of
 * policy.d: a file, which may hold policies too; or a directory, in place of all directories searched.
 * fn may be NULL. Returns 0 also after messages (see n_errors); -ENOMEM; what open or read of `file` failed with. */
int config_load(const char *root, const char *file, struct config **ret, config_message_fn *fn, void *arg);
/* One file by itself, as ethtuned.conf with policies, or as quirks when it has their sections. */
int config_load_one(const char *file, struct config **ret, config_message_fn *fn, void *arg);
struct config *config_free(struct config *c); /* returns NULL; takes NULL */

void config_settings_default(struct config_settings *ret);
/* The first policy that fits, or NULL. */
const struct config_policy *config_policy_for(const struct config *c, const struct match_subject *s);
bool config_settings_equal(const struct config_settings *a, const struct config_settings *b);
