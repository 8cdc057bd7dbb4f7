// SPDX-License-Identifier: GPL-2.0-or-later
/* ethtune pause, resume, mode, reload: what can be asked of the running daemon. */
#include <getopt.h>
#include <string.h>

#include "cli/client.h"
#include "core/policy.h"
#include "core/units.h"

enum { OPT_FOR = CMD_OPTION };

static const struct cmd_option no_options[] = { { 0 } };
static const struct cmd_option pause_options[] = {
	{ "for", OPT_FOR, "TIME", "resume by itself after this time, such as 10min (default: never)" },
	{ 0 },
};

/* EXIT_DONE with CMD_END, when it may go on. */
static int options_end(const struct cmd *c, int argc, char **argv, int *ret_exit)
{
	const char *arg;

	return cmd_next_option(c, no_options, argc, argv, &arg, ret_exit);
}

static int call(const struct cmd *c, const char *method, const char *types, const char *name, const char *mode)
{
	struct client client;
	int code = client_open(&client, c);

	if (code == EXIT_DONE)
		code = client_call(&client, NULL, method, types, name, mode);
	client_close(&client);
	return code;
}

int cmd_pause(const struct cmd *c, int argc, char **argv)
{
	struct client client;
	const char *arg;
	nsec_t ns = 0;
	int code, id;

	while ((id = cmd_next_option(c, pause_options, argc, argv, &arg, &code)) != CMD_END) {
		if (id == CMD_STOP)
			return code;
		if (units_parse_time(arg, &ns) < 0 || ns < NSEC_PER_SEC)
			return cmd_fail(c, EXIT_USAGE, "--for: '%s' is not a time of at least 1s", arg);
	}
	if (argc - optind != 1 || !argv[optind][0])
		return cmd_fail(c, EXIT_USAGE, "takes one interface");
	code = client_open(&client, c);
	if (code == EXIT_DONE)
		code = client_call(&client, NULL, "Pause", "st", argv[optind], (uint64_t)(ns / NSEC_PER_USEC));
	client_close(&client);
	return code;
}

int cmd_resume(const struct cmd *c, int argc, char **argv)
{
	int code;

	if (options_end(c, argc, argv, &code) != CMD_END)
		return code;
	if (argc - optind != 1 || !argv[optind][0])
		return cmd_fail(c, EXIT_USAGE, "takes one interface");
	return call(c, "Resume", "s", argv[optind], NULL);
}

int cmd_mode(const struct cmd *c, int argc, char **argv)
{
	const char *mode;
	int code;

	if (options_end(c, argc, argv, &code) != CMD_END)
		return code;
	if (argc - optind != 2 || !argv[optind][0])
		return cmd_fail(c, EXIT_USAGE, "takes one interface and a mode");
	mode = argv[optind + 1];
	if (!strcmp(mode, "policy"))
		mode = "";
	else if (mode_by_name(mode) < 0)
		return cmd_fail(c, EXIT_USAGE, "'%s' is not a mode", mode);
	return call(c, "SetMode", "ss", argv[optind], mode);
}

int cmd_reload(const struct cmd *c, int argc, char **argv)
{
	int code;

	if (options_end(c, argc, argv, &code) != CMD_END)
		return code;
	if (optind < argc)
		return cmd_fail(c, EXIT_USAGE, "takes no argument");
	return call(c, "Reload", "", NULL, NULL);
}
