// SPDX-License-Identifier: GPL-2.0-or-later
/* ethtune watch: the daemon's view of all interfaces, or of one, again and again: in place on a terminal, one table
 * after the other into a pipe. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/client.h"
#include "cli/cmd-watch-grid.h"
#include "cli/cmd-watch-screen.h"
#include "core/knob.h"
#include "core/units.h"

enum { OPT_INTERVAL = CMD_OPTION, OPT_COUNT };

static const struct cmd_option options[] = {
	{ "interval", OPT_INTERVAL, "TIME", "between two tables (default 1s; at least 100ms)" },
	{ "count", OPT_COUNT, "N", "end after N tables" },
	{ 0 },
};

struct watch {
	struct client client;
	struct screen screen;
	const char *name; /* NULL: all */
	nsec_t interval;
	uint64_t count; /* 0: no end */
};

/* The line at the top of a terminal. */
static void title(const struct watch *w, size_t nics, char *buf, size_t size)
{
	time_t t = time(NULL);
	char clock[16] = "";
	struct tm tm;

	if (localtime_r(&t, &tm))
		strftime(clock, sizeof(clock), "%T", &tm);
	snprintf(buf, size, "ethtune watch  %s  %zu interface%s  q quits", clock, nics, nics == 1 ? "" : "s");
	if (w->screen.columns < strlen(buf))
		buf[w->screen.columns] = 0;
}

/* On a terminal as many lines as there is room for; the last says how many are missing. */
static void draw(struct watch *w, const struct grid *g, size_t nics)
{
	size_t room = w->screen.terminal ? w->screen.rows - 1 : g->n, shown = g->n;
	char text[GRID_LINE];

	screen_begin(&w->screen);
	if (w->screen.terminal) {
		title(w, nics, text, sizeof(text));
		screen_line(&w->screen, text, false);
		room = room > 3 ? room - 1 : 2;
	}
	if (shown > room)
		shown = room - 1;
	for (size_t i = 0; i < shown; i++)
		screen_line(&w->screen, g->line[i], i == 0);
	if (shown < g->n) {
		snprintf(text, sizeof(text), "... %zu more", g->n - shown);
		screen_line(&w->screen, text, false);
	}
	screen_end(&w->screen);
}

static int show(struct watch *w)
{
	struct grid grid = { 0 };
	json_object *nics;
	int code = client_nics(&w->client, w->name, &nics);

	if (code != EXIT_DONE)
		return code;
	if (grid_make(&grid, nics, w->screen.terminal ? w->screen.columns : 0) == 0)
		draw(w, &grid, json_object_array_length(nics));
	grid_free(&grid);
	json_object_put(nics);
	return ferror(stdout) ? EXIT_FAILED : EXIT_DONE;
}

static int run(struct watch *w)
{
	enum screen_event e = SCREEN_TIME;
	uint64_t tables = 0;
	int code;

	for (;;) {
		if (e == SCREEN_TIME && tables && !w->screen.terminal)
			putchar('\n'); /* between two tables */
		code = show(w);
		if (code != EXIT_DONE)
			return code;
		tables += e == SCREEN_TIME;
		if (w->count && tables >= w->count)
			return EXIT_DONE;
		e = screen_wait(&w->screen, (int)(w->interval / NSEC_PER_MSEC));
		if (e == SCREEN_QUIT)
			return EXIT_DONE;
	}
}

/* What went wrong is said after the second screen: on it, it would be gone with it. */
static int watch(struct watch *w)
{
	char message[ERR_MAX] = "";
	json_object *nics;
	int r, code = client_nics(&w->client, w->name, &nics);

	if (code != EXIT_DONE)
		return code;
	json_object_put(nics);
	r = screen_open(&w->screen);
	if (r < 0)
		return cmd_fail(w->client.cmd, EXIT_FAILED, "the terminal: %s", strerror(-r));
	w->client.say = message;
	code = run(w);
	screen_close(&w->screen);
	if (message[0])
		cmd_fail(w->client.cmd, code, "%s", message);
	return code;
}

static int parse(const struct cmd *c, int id, const char *arg, struct watch *w)
{
	if (id == OPT_COUNT && (units_parse_u64(arg, &w->count) < 0 || !w->count))
		return cmd_fail(c, EXIT_USAGE, "--count: '%s' is not a number above 0", arg);
	if (id == OPT_INTERVAL && (units_parse_time(arg, &w->interval) < 0 || w->interval < 100 * NSEC_PER_MSEC ||
				   w->interval > 3600 * NSEC_PER_SEC))
		return cmd_fail(c, EXIT_USAGE, "--interval: '%s' is not a time between 100ms and an hour", arg);
	return EXIT_DONE;
}

int cmd_watch(const struct cmd *c, int argc, char **argv)
{
	struct watch w = { .interval = NSEC_PER_SEC };
	const char *arg;
	int code, id;

	while ((id = cmd_next_option(c, options, argc, argv, &arg, &code)) != CMD_END) {
		if (id == CMD_STOP)
			return code;
		code = parse(c, id, arg, &w);
		if (code != EXIT_DONE)
			return code;
	}
	if (argc - optind > 1)
		return cmd_fail(c, EXIT_USAGE, "takes at most one interface");
	w.name = argv[optind];
	code = client_open(&w.client, c);
	if (code == EXIT_DONE)
		code = watch(&w);
	client_close(&w.client);
	return code;
}
