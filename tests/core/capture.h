// SPDX-License-Identifier: GPL-2.0-or-later
/* capture: what is printed to stdout or stderr between begin and end, as a string. */
#pragma once
#include <check.h>
#include <stdio.h>
#include <unistd.h>

struct capture {
	FILE *stream, *file;
	int saved;
};

static inline struct capture capture_begin(FILE *stream)
{
	struct capture c = { stream, tmpfile(), dup(fileno(stream)) };

	ck_assert(c.file && c.saved >= 0);
	fflush(stream);
	dup2(fileno(c.file), fileno(stream));
	return c;
}

/* Into out, cut where it does not fit. */
static inline void capture_end(const struct capture *c, char *out, size_t size)
{
	size_t n;

	fflush(c->stream);
	dup2(c->saved, fileno(c->stream));
	close(c->saved);
	rewind(c->file);
	n = fread(out, 1, size - 1, c->file);
	out[n] = 0;
	fclose(c->file);
}
