// SPDX-License-Identifier: GPL-2.0-or-later
/* ethtune restore: saved originals go back, those of `apply` and those that a crash left. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/client.h"
#include "cli/print.h"
#include "cli/session.h"
#include "engine/apply.h"

#define SAVED_MAX 1024

static const struct cmd_option options[] = { { 0 } };

static const struct nic_info *by_ifindex(const struct session *s, int ifindex)
{
	for (size_t i = 0; i < s->n_nics; i++)
		if (s->nics[i].ifindex == ifindex)
			return &s->nics[i];
	return NULL;
}

static void print_changes(const char *name, const struct knob_set *from, const struct knob_set *to)
{
	struct knob_set diff;
	char a[32], b[32];

	if (!knob_set_diff(to, from, &diff))
		printf("%s: was already as saved\n", name);
	for (int k = 0; k < KNOB_COUNT; k++)
		if (knob_has(&diff, k))
			printf("%s: restored %s %s -> %s\n", name, knob_table[k].name,
			       knob_has(from, k) ? print_knob(k, from->value[k], a, sizeof(a)) : "?",
			       print_knob(k, to->value[k], b, sizeof(b)));
}

static int restore_nic(struct session *s, struct apply *apply, const struct nic_info *nic)
{
	struct knob_set before = { 0 };
	char err[ERR_MAX] = "";
	int r = s->backend->ops->read(s->backend, nic, &before);

	if (r == 0)
		r = apply_attach(apply, nic, err); /* loads what is saved and puts it back */
	if (r < 0 || err[0] || apply->saved)
		return cmd_fail(s->cmd, EXIT_FAILED, "%s: %s", nic->name, err[0] ? err : strerror(-r));
	print_changes(nic->name, &before, &apply->current);
	return EXIT_DONE;
}

/* One saved file. name: the only interface asked for, or NULL. *found: it was this one. */
static int restore_saved(struct session *s, struct state_dir *state, struct apply *apply, int ifindex, const char *name,
			 bool *found)
{
	const struct nic_info *nic = by_ifindex(s, ifindex);
	char saved_name[NIC_NAME_MAX] = "?";
	struct nic_caps caps = { 0 };
	struct quirk_effect quirk;
	int r;

	if (name && (!nic || strcmp(nic->name, name)))
		return EXIT_DONE;
	*found = true;
	r = state_load(state, ifindex, saved_name, &apply->original);
	if (r < 0)
		return cmd_fail(s->cmd, EXIT_FAILED, "%s: what was saved cannot be read: %s",
				nic ? nic->name : "an interface", strerror(-r));
	if (!nic) {
		cmd_fail(s->cmd, 0, "%s: is gone, its saved settings are dropped", saved_name);
		return state_remove(state, ifindex) < 0 ? EXIT_FAILED : EXIT_DONE;
	}
	apply_init(apply, s->backend, state, false);
	session_quirks(s, nic, NULL, &caps, &quirk);
	apply->together = quirk.together;
	return restore_nic(s, apply, nic);
}

static int restore_each(struct session *s, struct state_dir *state, const char *name)
{
	struct apply *apply = malloc(sizeof(*apply));
	int saved[SAVED_MAX], n, code = EXIT_DONE;
	bool found = false;

	if (!apply)
		return cmd_fail(s->cmd, EXIT_FAILED, "no memory");
	n = state_list(state, saved, SAVED_MAX);
	if (n < 0)
		code = cmd_fail(s->cmd, EXIT_FAILED, "%s: %s", state_default_path(), strerror(-n));
	for (int i = 0; i < n; i++)
		if (restore_saved(s, state, apply, saved[i], name, &found) != EXIT_DONE)
			code = EXIT_FAILED;
	if (!found && code == EXIT_DONE)
		printf("%s%snothing is saved, nothing to restore\n", name ? name : "", name ? ": " : "");
	free(apply);
	return code;
}

static int restore(struct session *s, const char *name)
{
	struct state_dir state;
	int lock, code = EXIT_DONE;

	if (name && !session_find(s, name, &code))
		return code;
	code = session_state(s, &state, &lock);
	if (code != EXIT_DONE)
		return code;
	code = restore_each(s, &state, name);
	close(lock);
	state_close(&state);
	return code;
}

/* A running daemon has the saved settings in its hands, and would make its own again if it did not know. */
static int ask_daemon(struct client *client, const char *name)
{
	int code = client_call(client, NULL, "Restore", "s", name ? name : "");

	if (code == EXIT_DONE)
		printf("%s%sthe original settings are back; ethtuned leaves them so until `ethtune resume`\n",
		       name ? name : "", name ? ": " : "");
	return code;
}

int cmd_restore(const struct cmd *c, int argc, char **argv)
{
	struct client client;
	struct session s;
	const char *arg;
	int code, id;

	while ((id = cmd_next_option(c, options, argc, argv, &arg, &code)) != CMD_END)
		return code;
	if (argc - optind > 1)
		return cmd_fail(c, EXIT_USAGE, "takes at most one interface");
	if (client_try(&client, c) == 0) {
		code = ask_daemon(&client, argv[optind]);
		client_close(&client);
		return code;
	}
	client_close(&client);
	if (!session_may_write())
		return cmd_fail(c, EXIT_FAILED, "needs root or CAP_NET_ADMIN");
	code = session_open(&s, c);
	if (code == EXIT_DONE)
		code = restore(&s, argv[optind]);
	session_close(&s);
	return code;
}
