// SPDX-License-Identifier: GPL-2.0-or-later
/* client: see client.h. root reaches the private socket, which needs no bus; others first try the bus, where polkit can
 * let them. $RUNTIME_DIRECTORY, where it is set, says which daemon is meant. */
#include "cli/client.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/knob.h"
#include "engine/state.h"

#define CALL_USEC 10000000 /* for an answer; a call that asks for a password takes longer */
#define ASK_USEC 150000000

static int connect_socket(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd, r;

	if ((size_t)snprintf(a.sun_path, sizeof(a.sun_path), "%s/control", state_default_path()) >= sizeof(a.sun_path))
		return -ENAMETOOLONG;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
		return fd;
	r = -errno;
	close(fd);
	return r == -ECONNREFUSED || r == -ENOENT ? -ENXIO : r;
}

static int open_private(sd_bus **ret)
{
	sd_bus *bus = NULL;
	int fd = connect_socket(), r;

	if (fd < 0)
		return fd;
	r = sd_bus_new(&bus);
	if (r >= 0)
		r = sd_bus_set_fd(bus, fd, fd);
	if (r < 0)
		close(fd);
	else
		r = sd_bus_start(bus);
	if (r < 0) {
		sd_bus_unref(bus);
		return r;
	}
	*ret = bus;
	return 0;
}

static int open_system(sd_bus **ret)
{
	sd_bus *bus = NULL;
	int r = sd_bus_open_system(&bus);

	if (r >= 0)
		r = sd_bus_get_name_creds(bus, CLIENT_NAME, 0, NULL);
	if (r < 0) {
		sd_bus_flush_close_unref(bus);
		return r == -ENOENT || r == -ECONNREFUSED ? -ENXIO : r;
	}
	*ret = bus;
	return 0;
}

int client_try(struct client *c, const struct cmd *cmd)
{
	bool socket_first = geteuid() == 0 || getenv("RUNTIME_DIRECTORY");
	int r, second;

	*c = (struct client){ .cmd = cmd };
	r = socket_first ? open_private(&c->bus) : open_system(&c->bus);
	if (r == 0 || getenv("RUNTIME_DIRECTORY"))
		return r;
	second = socket_first ? open_system(&c->bus) : open_private(&c->bus);
	/* no daemon there and no entrance here: that it does not run is the better guess */
	return second == 0 ? 0 : r == -ENXIO || second == -ENXIO ? -ENXIO : r;
}

int client_open(struct client *c, const struct cmd *cmd)
{
	int r = client_try(c, cmd);

	if (r == 0)
		return EXIT_DONE;
	if (r == -ENXIO)
		return cmd_fail(cmd, EXIT_FAILED, "ethtuned is not running");
	return cmd_fail(cmd, EXIT_FAILED, "cannot reach ethtuned: %s", strerror(-r));
}

void client_close(struct client *c)
{
	c->bus = sd_bus_flush_close_unref(c->bus);
}

static int say(const struct client *c, int code, const char *text)
{
	if (!c->say)
		return cmd_fail(c->cmd, code, "%s", text);
	snprintf(c->say, ERR_MAX, "%s", text);
	return code;
}

static int failed(const struct client *c, int r, const sd_bus_error *error)
{
	static const struct {
		const char *name;
		int code;
	} codes[] = {
		{ CLIENT_NAME ".Error.Untunable", EXIT_UNTUNABLE },
		{ SD_BUS_ERROR_INVALID_ARGS, EXIT_USAGE },
		{ CLIENT_NAME ".Error.BadConfiguration", EXIT_USAGE },
	};
	int code = EXIT_FAILED;

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (sd_bus_error_has_name(error, codes[i].name))
			code = codes[i].code;
	if (r == -ECONNRESET || r == -ENOTCONN || r == -EPIPE)
		return say(c, code, "ethtuned closed the connection: it ends, or has too many of them");
	return say(c, code, error->message ? error->message : strerror(-r));
}

int client_call(struct client *c, sd_bus_message **ret, const char *method, const char *types, ...)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	bool ask = isatty(STDIN_FILENO);
	sd_bus_message *m = NULL;
	int r = sd_bus_message_new_method_call(c->bus, &m, CLIENT_NAME, CLIENT_PATH, CLIENT_MANAGER, method);
	va_list ap;

	va_start(ap, types);
	if (r >= 0)
		r = sd_bus_message_appendv(m, types, ap);
	va_end(ap);
	if (r >= 0)
		r = sd_bus_message_set_allow_interactive_authorization(m, ask);
	if (r >= 0)
		r = sd_bus_call(c->bus, m, ask ? ASK_USEC : CALL_USEC, &error, ret);
	sd_bus_message_unref(m);
	r = r < 0 ? failed(c, r, &error) : EXIT_DONE;
	sd_bus_error_free(&error);
	return r;
}

/* The properties of one object, if it is an interface: {interface: {property: value}}. */
static int read_object(sd_bus_message *m, json_object *nics)
{
	json_object *interfaces, *nic;
	int r = sd_bus_message_enter_container(m, 'e', "oa{sa{sv}}");

	if (r <= 0)
		return r;
	r = sd_bus_message_skip(m, "o");
	if (r >= 0)
		r = client_json(m, &interfaces);
	if (r < 0)
		return r;
	if (json_object_object_get_ex(interfaces, CLIENT_NIC, &nic)) {
		client_json_nic(nic);
		json_object_array_add(nics, json_object_get(nic));
	}
	json_object_put(interfaces);
	r = sd_bus_message_exit_container(m);
	return r < 0 ? r : 1;
}

static int by_ifindex(const void *a, const void *b)
{
	double d = nic_number(*(json_object *const *)a, "ifindex") - nic_number(*(json_object *const *)b, "ifindex");

	return d < 0 ? -1 : d > 0;
}

static int read_objects(sd_bus_message *m, json_object *nics)
{
	int r = sd_bus_message_enter_container(m, 'a', "{oa{sa{sv}}}");

	while (r > 0)
		r = read_object(m, nics);
	json_object_array_sort(nics, by_ifindex);
	return r;
}

static int only(const struct client *c, const char *name, json_object *nics, json_object **ret)
{
	char text[128];

	for (size_t i = 0; i < json_object_array_length(nics); i++) {
		json_object *nic = json_object_array_get_idx(nics, i);

		if (strcmp(nic_word(nic, "name"), name))
			continue;
		*ret = json_object_new_array();
		json_object_array_add(*ret, json_object_get(nic));
		return EXIT_DONE;
	}
	snprintf(text, sizeof(text), "%s: ethtuned knows no such interface", name);
	return say(c, EXIT_FAILED, text);
}

int client_nics(struct client *c, const char *name, json_object **ret)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	json_object *nics = json_object_new_array();
	sd_bus_message *m = NULL;
	int r = sd_bus_call_method(c->bus, CLIENT_NAME, CLIENT_PATH, "org.freedesktop.DBus.ObjectManager",
				   "GetManagedObjects", &error, &m, NULL),
	    code;

	if (r >= 0)
		r = read_objects(m, nics);
	sd_bus_message_unref(m);
	code = r < 0 ? failed(c, r, &error) : EXIT_DONE;
	sd_bus_error_free(&error);
	if (code == EXIT_DONE && !name)
		*ret = json_object_get(nics);
	else if (code == EXIT_DONE)
		code = only(c, name, nics, ret);
	json_object_put(nics);
	return code;
}
