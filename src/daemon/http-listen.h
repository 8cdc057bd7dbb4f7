// SPDX-License-Identifier: GPL-2.0-or-later
/* http-listen: sockets that listen, from the words of the configuration or from systemd. */
#pragma once
#include "core/knob.h"

/* "ADDRESS:PORT", "[V6]:PORT" (numbers only: no name is looked up, as that may take long), or "unix:PATH"
 * ("unix:@NAME": abstract). What a dead server left at PATH is replaced; the new one is open to all who reach its
 * directory. Returns a non-blocking descriptor, or a negative errno with one line in err. */
int http_listen(const char *where, char err[ERR_MAX]);
/* Removes the file of "unix:PATH"; does nothing for others. */
void http_unlisten(const char *where);
/* Sockets passed by systemd that listen and are named `name`, or not named at all: up to max. Takes the variables out
 * of the environment. Returns how many. */
int http_inherited(const char *name, int *ret, int max);
