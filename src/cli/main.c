// SPDX-License-Identifier: GPL-2.0-or-later
/* ethtune: the command-line tool. Here are the table of commands and the options before a command. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"

static const struct cmd commands[] = {
	{ "list", "", "Print the network interfaces and what can be tuned on each", cmd_list },
	{ "show", "IFACE", "Print every knob of an interface, its limits, and its queues with their rates", cmd_show },
	{ "recommend", "[IFACE...]", "Measure, name the bottleneck and print better settings; changes nothing",
	  cmd_recommend },
	{ "apply", "IFACE", "Measure and apply the advice once, or the settings given; 'restore' undoes it",
	  cmd_apply },
	{ "restore", "[IFACE]", "Put saved original settings back", cmd_restore },
	{ "check", "[FILE...]", "Read configuration and policies as the daemon would; print what is wrong", cmd_check },
	{ "simulate", "", "Run a controller on a simulated interface", cmd_simulate },
	{ "status", "[IFACE]", "Print what the running ethtuned does with each interface, or all about one",
	  cmd_status },
	{ "watch", "[IFACE]", "Show that live", cmd_watch },
	{ "explain", "IFACE", "Print the last decisions of the running ethtuned, why and why not", cmd_explain },
	{ "pause", "IFACE", "Let the running ethtuned leave an interface as it is now", cmd_pause },
	{ "resume", "IFACE", "Put an interface under control again, also what someone else had set", cmd_resume },
	{ "mode", "IFACE latency|balanced|throughput|powersave|observe|off|policy",
	  "Give an interface another mode than its policy's, or the policy's again", cmd_mode },
	{ "reload", "", "Let the running ethtuned read its configuration anew", cmd_reload },
};
#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* A list of words is for the help of the command itself. */
static const char *short_args(const char *args)
{
	return strchr(args, '|') ? "IFACE MODE" : args;
}

static void print_help(void)
{
	printf("Usage: ethtune COMMAND [OPTION...] [IFACE...]\n"
	       "Find and set the right interrupt coalescing of network interfaces.\n\n");
	for (size_t i = 0; i < N_COMMANDS; i++)
		printf("  %-10s %-11s %s\n", commands[i].name, short_args(commands[i].args), commands[i].help);
	printf("\n  --help                 this text; after a command: its options\n"
	       "  --version              print the version\n\n"
	       "Exit status: 0 done or nothing to change, 1 failed, 2 wrong usage, 10 a change is advised,\n"
	       "77 nothing here can be tuned.\n");
}

static int usage(const char *what, const char *word)
{
	fprintf(stderr, "ethtune: %s%s%s (see ethtune --help)\n", what, word[0] ? " " : "", word);
	return EXIT_USAGE;
}

static int flush(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	fprintf(stderr, "ethtune: cannot write the result: %s\n", strerror(errno));
	return EXIT_FAILED;
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";

	if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		printf("ethtune %s\n", PACKAGE_VERSION);
		return flush(EXIT_DONE);
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
		print_help();
		return flush(EXIT_DONE);
	}
	if (argc < 2)
		return usage("a command is missing", "");
	if (word[0] == '-')
		return usage("unknown option", word);
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (!strcmp(commands[i].name, word))
			return flush(commands[i].run(&commands[i], argc - 1, argv + 1));
	return usage("unknown command", word);
}
