// SPDX-License-Identifier: GPL-2.0-or-later
/* quote: see quote.h. */
#include "core/quote.h"

#include <stdio.h>
#include <string.h>

const char *quote_shell(const char *name, char *buf, size_t size)
{
	size_t n = 0;

	if (name[0] && !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:@-")]) {
		snprintf(buf, size, "%s", name);
		return buf;
	}
	buf[n++] = '\'';
	for (; *name && n + 6 < size; name++) {
		if (*name == '\'')
			n += (size_t)snprintf(buf + n, size - n, "'\\''");
		else
			buf[n++] = *name;
	}
	buf[n++] = '\'';
	buf[n] = 0;
	return buf;
}
