// SPDX-License-Identifier: GPL-2.0-or-later
/* config-read: the text of files into a struct config, line by line. Internal to config. */
#pragma once
#include "engine/config-keys.h"
#include "engine/config.h"

struct config_reader {
	struct config *config;
	config_message_fn *fn;
	void *arg;
	unsigned groups;    /* kinds of section that the present files may have */
	const char *file;   /* where we are */
	unsigned line;
	const char *next;   /* rest of the text */
	int section;	    /* enum config_section; SECTION_COUNT before the first; -1: unknown, its keys are skipped */
	void *base;	    /* the structure that the section's keys go to; valid within the section */
	bool open;	    /* the last policy (quirk) of config is being read ... */
	bool has_body;	    /* ... and has more than a [match], ... */
	bool bad_match;	    /* ... which cannot be understood */
	unsigned in_file;   /* policies (quirks) of this file so far */
	int error;	    /* -ENOMEM */
};

__attribute__((format(printf, 4, 5))) void config_say(struct config_reader *r, enum config_level level, unsigned line,
						      const char *fmt, ...);
/* Reads one file. What it leaves open goes on in the next (drop-ins), until config_read_end(). */
void config_read_file(struct config_reader *r, const char *path, const char *text);
void config_read_end(struct config_reader *r);

/* config-section.c: a new section begins; the open policy or quirk is complete. */
void config_section_begin(struct config_reader *r, const char *name);
