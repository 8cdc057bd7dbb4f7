// SPDX-License-Identifier: GPL-2.0-or-later
/* utf8: see utf8.h. */
#include "daemon/utf8.h"

#include <string.h>

size_t utf8_length(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t n = 0;

	if (*p < 0x80)
		n = 1;
	else if (*p >= 0xc2 && *p < 0xf5)
		n = *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* overlong forms, surrogates, and what is beyond Unicode */
	if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) || (*p == 0xf0 && p[1] < 0x90) ||
	    (*p == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

const char *utf8_clean(const char *text, char *buf, size_t size)
{
	size_t out = 0;

	while (*text) {
		size_t n = utf8_length(text);
		const char *from = n ? text : UTF8_REPLACEMENT;
		size_t len = n ? n : strlen(UTF8_REPLACEMENT);

		if (out + len >= size)
			break;
		memcpy(buf + out, from, len);
		out += len;
		text += n ? n : 1;
	}
	buf[out] = 0;
	return buf;
}
