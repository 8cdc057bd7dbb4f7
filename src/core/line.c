// SPDX-License-Identifier: GPL-2.0-or-later
/* line: see line.h. */
#include "core/line.h"

#include <stdarg.h>
#include <stdio.h>

void line_add(struct line *l, const char *format, ...)
{
	va_list ap;
	int w;

	va_start(ap, format);
	w = vsnprintf(l->n < l->size ? l->buf + l->n : NULL, l->n < l->size ? l->size - l->n : 0, format, ap);
	va_end(ap);
	if (w > 0)
		l->n += (size_t)w;
}
