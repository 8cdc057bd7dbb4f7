// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd-watch-screen: see cmd-watch-screen.h. The sequences are those of ECMA-48 and xterm's second screen, which every
 * terminal of today knows. */
#include "cli/cmd-watch-screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "io/clock.h"

#define ENTER "\033[?1049h\033[?25l" /* second screen, no cursor */
#define LEAVE "\033[?25h\033[?1049l"

static void measure(struct screen *s)
{
	struct winsize w;

	s->columns = 80;
	s->rows = 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col && w.ws_row) {
		s->columns = w.ws_col;
		s->rows = w.ws_row;
	}
}

int screen_open(struct screen *s)
{
	struct termios t;
	sigset_t set;

	*s = (struct screen){ .terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) };
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, NULL);
	s->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->signal_fd < 0)
		return -errno;
	if (!s->terminal)
		return 0;
	if (tcgetattr(STDIN_FILENO, &s->before) < 0)
		return -errno;
	t = s->before;
	t.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	t.c_cc[VSUSP] = _POSIX_VDISABLE; /* a shell on the second screen would be lost there */
	t.c_cc[VMIN] = 0;
	t.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &t);
	measure(s);
	fputs(ENTER, stdout);
	return 0;
}

void screen_close(struct screen *s)
{
	if (s->terminal) {
		fputs(LEAVE, stdout);
		fflush(stdout);
		tcsetattr(STDIN_FILENO, TCSADRAIN, &s->before);
	}
	if (s->signal_fd >= 0)
		close(s->signal_fd);
	*s = (struct screen){ .signal_fd = -1 };
}

/* What arrived, if it means anything; SCREEN_TIME: nothing. */
static enum screen_event look(struct screen *s)
{
	struct signalfd_siginfo info;
	char key[16];
	ssize_t n;

	if (read(s->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGWINCH)
			return SCREEN_QUIT;
		if (s->terminal) {
			measure(s);
			return SCREEN_RESIZED;
		}
	}
	n = s->terminal ? read(STDIN_FILENO, key, sizeof(key)) : 0;
	for (ssize_t i = 0; i < n; i++)
		if (key[i] == 'q' || key[i] == 'Q')
			return SCREEN_QUIT;
	return SCREEN_TIME;
}

enum screen_event screen_wait(struct screen *s, int milliseconds)
{
	int64_t end = clock_ms() + milliseconds, left;

	while ((left = end - clock_ms()) > 0) {
		struct pollfd p[] = { { s->signal_fd, POLLIN, 0 }, { s->terminal ? STDIN_FILENO : -1, POLLIN, 0 } };
		enum screen_event e;

		if (poll(p, 2, (int)left) <= 0)
			continue;
		if (p[1].revents & (POLLHUP | POLLERR | POLLNVAL))
			return SCREEN_QUIT;
		e = look(s);
		if (e != SCREEN_TIME)
			return e;
	}
	return SCREEN_TIME;
}

void screen_begin(struct screen *s)
{
	if (s->terminal)
		fputs("\033[H", stdout);
}

void screen_line(struct screen *s, const char *text, bool head)
{
	if (!s->terminal)
		printf("%s\n", text);
	else
		printf("%s%s%s\033[K\r\n", head ? "\033[7m" : "", text, head ? "\033[0m" : "");
}

void screen_end(struct screen *s)
{
	if (s->terminal)
		fputs("\033[J", stdout);
	fflush(stdout);
}
