// SPDX-License-Identifier: GPL-2.0-or-later
/* quote: names as one word of a shell command: the kernel allows nearly everything in them, ';' and '$' too. */
#pragma once
#include <stddef.h>

/* As it is where that is safe, else in single quotes. Cut where buf is too small (80 holds any interface name).
 * Returns buf. */
const char *quote_shell(const char *name, char *buf, size_t size);
