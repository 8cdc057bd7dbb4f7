// SPDX-License-Identifier: GPL-2.0-or-later
/* line: text put together piece by piece in a buffer of fixed size. */
#pragma once
#include <stddef.h>

struct line {
	char *buf;
	size_t size;
	size_t n; /* length so far; size or more: cut, as with snprintf */
};

__attribute__((format(printf, 2, 3))) void line_add(struct line *l, const char *format, ...);
