// SPDX-License-Identifier: GPL-2.0-or-later
/* check: reads configuration as the daemon would and says what it would say: file:line: message. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "engine/config.h"

enum { OPT_JSON = CMD_OPTION, OPT_ROOT };

static const struct cmd_option options[] = {
	{ "json", OPT_JSON, NULL, "print one JSON object" },
	{ "root", OPT_ROOT, "DIR", "read the configuration of the system below DIR" },
	{ 0 },
};

struct check {
	json_object *messages; /* NULL: text */
	unsigned said;
	size_t policies, quirks;
};

static void on_message(void *arg, enum config_level level, const char *file, unsigned line, const char *text)
{
	struct check *c = arg;
	json_object *m;

	c->said++;
	if (!c->messages) {
		if (line)
			printf("%s:%u: %s%s\n", file, line, level == CONFIG_ERROR ? "error: " : "", text);
		else
			printf("%s: %s%s\n", file, level == CONFIG_ERROR ? "error: " : "", text);
		return;
	}
	m = json_object_new_object();
	json_object_object_add(m, "file", json_object_new_string(file));
	json_object_object_add(m, "line", line ? json_object_new_int((int)line) : NULL);
	json_object_object_add(m, "level", json_object_new_string(level == CONFIG_ERROR ? "error" : "warning"));
	json_object_object_add(m, "message", json_object_new_string(text));
	json_object_array_add(c->messages, m);
}

/* file NULL: the system's configuration. A directory: a whole configuration. Else one file by itself. */
static void check_one(struct check *c, const char *root, const char *file)
{
	struct config *config = NULL;
	struct stat st;
	bool whole = !file || (stat(file, &st) == 0 && S_ISDIR(st.st_mode));
	int r = whole ? config_load(root, file, &config, on_message, c) : config_load_one(file, &config, on_message, c);

	if (r < 0) {
		on_message(c, CONFIG_ERROR, file ? file : root ? root : "/", 0, strerror(-r));
		return;
	}
	c->policies += config->n_policies;
	c->quirks += config->n_quirks;
	config_free(config);
}

static void print_json(struct check *c)
{
	json_object *o = json_object_new_object();

	json_object_object_add(o, "ok", json_object_new_boolean(!c->said));
	json_object_object_add(o, "policies", json_object_new_int64((int64_t)c->policies));
	json_object_object_add(o, "quirks", json_object_new_int64((int64_t)c->quirks));
	json_object_object_add(o, "messages", c->messages);
	puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
}

int cmd_check(const struct cmd *c, int argc, char **argv)
{
	const char *root = NULL, *arg;
	struct check check = { 0 };
	int id, code;

	while ((id = cmd_next_option(c, options, argc, argv, &arg, &code)) != CMD_END) {
		if (id == CMD_STOP) {
			json_object_put(check.messages);
			return code;
		}
		if (id == OPT_ROOT)
			root = arg;
		else if (!check.messages)
			check.messages = json_object_new_array();
	}
	if (root && optind < argc)
		return cmd_fail(c, EXIT_USAGE, "--root and files exclude each other");
	if (optind == argc)
		check_one(&check, root, NULL);
	for (int i = optind; i < argc; i++)
		check_one(&check, NULL, argv[i]);
	if (check.messages)
		print_json(&check);
	return check.said ? EXIT_USAGE : EXIT_DONE;
}
