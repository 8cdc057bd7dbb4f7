// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd: see cmd.h. getopt_long does the parsing; its table and the help text come from ours. */
#include "cli/cmd.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define OPTIONS_MAX 24
#define ID_HELP 1

int cmd_fail(const struct cmd *c, int code, const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	fprintf(stderr, "ethtune %s: %s\n", c->name, text);
	return code;
}

static void print_help(const struct cmd *c, const struct cmd_option *options)
{
	char left[40];

	printf("Usage: ethtune %s%s%s%s\n%s.\n\n", c->name, options[0].name ? " [OPTION...]" : "",
	       c->args[0] ? " " : "", c->args, c->help);
	for (const struct cmd_option *o = options; o->name; o++) {
		snprintf(left, sizeof(left), "--%s%s%s", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
		printf("  %-24s %s\n", left, o->help);
	}
	printf("  %-24s %s\n", "--help", "this text");
}

int cmd_next_option(const struct cmd *c, const struct cmd_option *options, int argc, char **argv, const char **ret_arg,
		    int *ret_exit)
{
	struct option table[OPTIONS_MAX + 2] = { { .name = "help", .val = ID_HELP } };
	int n = 1, id;

	for (const struct cmd_option *o = options; o->name && n < OPTIONS_MAX + 1; o++, n++)
		table[n] = (struct option){ o->name, o->arg ? required_argument : no_argument, NULL, o->id };
	opterr = 0;
	id = getopt_long(argc, argv, ":h", table, NULL);
	if (id == -1)
		return CMD_END;
	if (id == ID_HELP || id == 'h') {
		print_help(c, options);
		*ret_exit = EXIT_DONE;
		return CMD_STOP;
	}
	if (id == ':' || (id == '?' && optopt >= CMD_OPTION)) { /* optopt: a known one, wrongly used */
		*ret_exit = cmd_fail(c, EXIT_USAGE, id == ':' ? "%s needs an argument" : "%s takes no argument",
				     argv[optind - 1]);
		return CMD_STOP;
	}
	if (id == '?') {
		if (optopt)
			*ret_exit = cmd_fail(c, EXIT_USAGE, "unknown option '-%c'", optopt);
		else
			*ret_exit = cmd_fail(c, EXIT_USAGE, "unknown option '%s'", argv[optind - 1]);
		return CMD_STOP;
	}
	*ret_arg = optarg;
	return id;
}
