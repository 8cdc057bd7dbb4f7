// SPDX-License-Identifier: GPL-2.0-or-later
/* utf8: names of interfaces and files may hold nearly any byte; the bus and the text forms of metrics are UTF-8. */
#pragma once
#include <stddef.h>

#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/* Bytes of the character at text, which ends with 0: 1 to 4; 0: it is none. */
size_t utf8_length(const char *text);
/* text with every byte that is none replaced by U+FFFD, and cut to size. Returns buf. */
const char *utf8_clean(const char *text, char *buf, size_t size);
