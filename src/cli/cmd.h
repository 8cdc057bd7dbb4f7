// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd: what every command of ethtune shares: exit codes, its options as a table, messages. A new command is a row in
 * main.c and a file with its function. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum exit_code { /* a contract */
		 EXIT_DONE = 0,
		 EXIT_FAILED = 1,
		 EXIT_USAGE = 2,
		 EXIT_ADVISED = 10,
		 EXIT_UNTUNABLE = 77,
};

struct cmd {
	const char *name, *args, *help;
	int (*run)(const struct cmd *c, int argc, char **argv); /* argv[0] is the command; returns an exit code */
};

/* One row of a command's options; a table ends with an empty row. `--help` comes by itself. */
struct cmd_option {
	const char *name;
	int id;		 /* CMD_OPTION or more, for the caller's switch */
	const char *arg; /* name of its argument, NULL: none */
	const char *help;
};

enum { CMD_END = -1, CMD_STOP = -2, CMD_OPTION = 0x100 };

/* Next option of argv: its id with *ret_arg; CMD_END: what is left begins at argv[optind]; CMD_STOP: return *ret_exit
 * (help was printed, or a line that says what is wrong). */
int cmd_next_option(const struct cmd *c, const struct cmd_option *options, int argc, char **argv, const char **ret_arg,
		    int *ret_exit);

/* One line on stderr: "ethtune COMMAND: ...". Returns the code, so that it can be returned. */
__attribute__((format(printf, 3, 4))) int cmd_fail(const struct cmd *c, int code, const char *format, ...);

int cmd_list(const struct cmd *c, int argc, char **argv);
int cmd_show(const struct cmd *c, int argc, char **argv);
int cmd_recommend(const struct cmd *c, int argc, char **argv);
int cmd_apply(const struct cmd *c, int argc, char **argv);
int cmd_restore(const struct cmd *c, int argc, char **argv);
int cmd_check(const struct cmd *c, int argc, char **argv);
int cmd_simulate(const struct cmd *c, int argc, char **argv);
int cmd_status(const struct cmd *c, int argc, char **argv);
int cmd_watch(const struct cmd *c, int argc, char **argv);
int cmd_explain(const struct cmd *c, int argc, char **argv);
int cmd_pause(const struct cmd *c, int argc, char **argv);
int cmd_resume(const struct cmd *c, int argc, char **argv);
int cmd_mode(const struct cmd *c, int argc, char **argv);
int cmd_reload(const struct cmd *c, int argc, char **argv);
