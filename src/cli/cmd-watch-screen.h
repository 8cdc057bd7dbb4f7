// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd-watch-screen: a terminal that is drawn on in place, and its keys and signals. Without one there is only waiting.
 */
#pragma once
#include <stdbool.h>
#include <termios.h>

struct screen {
	bool terminal; /* both ends are one */
	int signal_fd;
	struct termios before;
	unsigned columns, rows; /* of the terminal, as it is now */
};

enum screen_event { SCREEN_TIME, SCREEN_RESIZED, SCREEN_QUIT };

/* 0 or negative errno. */
int screen_open(struct screen *s);
void screen_close(struct screen *s); /* everything as it was */
/* Until the time is over, the window has another size, or somebody has had enough (q, Ctrl-C, TERM, HUP). */
enum screen_event screen_wait(struct screen *s, int milliseconds);
/* From the top; then lines, and what was below is cleared. Without a terminal: nothing, and the plain line. */
void screen_begin(struct screen *s);
void screen_line(struct screen *s, const char *text, bool head);
void screen_end(struct screen *s);
