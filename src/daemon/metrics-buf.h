// SPDX-License-Identifier: GPL-2.0-or-later
/* metrics-buf: text that grows. One that ran out of memory stays failed and takes nothing more. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct metrics_buf {
	char *text; /* len bytes, ended by a 0; NULL while empty */
	size_t len, size;
	bool failed;
};

void metrics_buf_add(struct metrics_buf *b, const char *text, size_t len);
void metrics_buf_puts(struct metrics_buf *b, const char *text);
void metrics_buf_printf(struct metrics_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What HTML would take for its own is written as an entity. */
void metrics_buf_html(struct metrics_buf *b, const char *text);
void metrics_buf_free(struct metrics_buf *b);
