// SPDX-License-Identifier: GPL-2.0-or-later
/* metrics-buf: see metrics-buf.h. */
#include "daemon/metrics-buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_FIRST 8192

static bool reserve(struct metrics_buf *b, size_t len)
{
	size_t size = b->size ? b->size : SIZE_FIRST;
	char *text;

	if (b->failed)
		return false;
	while (size - b->len <= len)
		size *= 2;
	if (size == b->size)
		return true;
	text = realloc(b->text, size);
	if (!text) {
		b->failed = true;
		return false;
	}
	b->text = text;
	b->size = size;
	return true;
}

void metrics_buf_add(struct metrics_buf *b, const char *text, size_t len)
{
	if (!reserve(b, len))
		return;
	memcpy(b->text + b->len, text, len);
	b->len += len;
	b->text[b->len] = 0;
}

void metrics_buf_puts(struct metrics_buf *b, const char *text)
{
	metrics_buf_add(b, text, strlen(text));
}

void metrics_buf_printf(struct metrics_buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || !reserve(b, (size_t)n))
		return;
	va_start(ap, fmt);
	vsnprintf(b->text + b->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
}

void metrics_buf_html(struct metrics_buf *b, const char *text)
{
	for (; *text; text++) {
		size_t plain = strcspn(text, "<>&\"'");

		metrics_buf_add(b, text, plain);
		text += plain;
		if (!*text)
			return;
		metrics_buf_printf(b, "&#%d;", *text);
	}
}

void metrics_buf_free(struct metrics_buf *b)
{
	free(b->text);
	*b = (struct metrics_buf){ 0 };
}
