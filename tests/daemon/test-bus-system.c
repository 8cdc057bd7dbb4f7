// SPDX-License-Identifier: GPL-2.0-or-later
/* bus system: the control API on a bus daemon of the test's own, called by somebody who may not by himself, with a
 * polkit that says what the test wants. Needs dbus-daemon; without root it is the user of the test who calls. */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "buscall.h"

#define DAEMON "/usr/bin/dbus-daemon"
#define OTHER 65534

enum { CALL_DONE, CALL_DENIED, CALL_FAILED };

static pid_t daemon_pid;
static sd_bus *polkit;
static int authorized, challenge;
static unsigned asked, interactive;
static bool ponders;
static char action[64];
static sd_bus_message *question;

static int answer(sd_bus_message *m)
{
	return sd_bus_reply_method_return(m, "(bba{ss})", authorized, challenge, 0);
}

static int on_check(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	const char *kind, *id;

	(void)userdata, (void)error;
	asked++;
	ck_assert_int_ge(sd_bus_message_enter_container(m, 'r', "sa{sv}"), 0);
	ck_assert_int_gt(sd_bus_message_read(m, "s", &kind), 0);
	ck_assert_str_eq(kind, "system-bus-name");
	ck_assert_int_ge(sd_bus_message_skip(m, "a{sv}"), 0);
	ck_assert_int_ge(sd_bus_message_exit_container(m), 0);
	ck_assert_int_gt(sd_bus_message_read(m, "s", &id), 0);
	snprintf(action, sizeof(action), "%s", id);
	ck_assert_int_ge(sd_bus_message_skip(m, "a{ss}"), 0);
	ck_assert_int_gt(sd_bus_message_read(m, "u", &interactive), 0);
	if (!ponders)
		return answer(m);
	question = sd_bus_message_ref(m);
	return 1;
}

static const sd_bus_vtable polkit_vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD("CheckAuthorization", "(sa{sv})sa{ss}us", "(bba{ss})", on_check, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END,
};

static void bus_start(void)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/bus.conf", w.dir);
	f = fopen(path, "w");
	ck_assert(f != NULL);
	fprintf(f,
		"<!DOCTYPE busconfig PUBLIC '-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN'\n"
		" 'http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd'>\n"
		"<busconfig><type>system</type><listen>unix:path=%s/bus</listen><auth>EXTERNAL</auth>\n"
		"<policy context='default'><allow user='*'/><allow own='*'/><allow send_destination='*'/>\n"
		"<allow receive_sender='*'/></policy></busconfig>\n",
		w.dir);
	fclose(f);
	daemon_pid = fork();
	if (daemon_pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when the test fails */
		execl(DAEMON, DAEMON, "--nofork", "--nopidfile", "--config-file", path, (char *)NULL);
		_exit(127);
	}
	snprintf(path, sizeof(path), "%s/bus", w.dir);
	for (int i = 0; i < 500 && access(path, F_OK) < 0; i++)
		usleep(10000);
	snprintf(path, sizeof(path), "unix:path=%s/bus", w.dir);
	setenv("DBUS_SYSTEM_BUS_ADDRESS", path, 1);
}

static void polkit_start(void)
{
	ck_assert_int_ge(sd_bus_open_system(&polkit), 0);
	ck_assert_int_ge(sd_bus_add_object_vtable(polkit, NULL, "/org/freedesktop/PolicyKit1/Authority",
						  "org.freedesktop.PolicyKit1.Authority", polkit_vtable, NULL),
			 0);
	ck_assert_int_ge(sd_bus_request_name(polkit, "org.freedesktop.PolicyKit1", 0), 0);
	ck_assert_int_ge(sd_bus_attach_event(polkit, event, 0), 0);
}

static void start(bool with_polkit)
{
	const struct bus_hooks hooks = { hook_reload, hook_hurry, NULL };

	world_open(&w);
	chmod(w.dir, 0755);
	setenv("RUNTIME_DIRECTORY", w.dir, 1);
	bus_start();
	busy(2, "eth0", WORLD_TIMERS, 0);
	ck_assert_int_eq(fleet_sync(&w.fleet), 0);
	ck_assert_int_ge(sd_event_new(&event), 0);
	if (with_polkit)
		polkit_start();
	ck_assert_int_eq(bus_open(&w.fleet, event, &hooks, &server), 0);
	client = connect_client();
	for (int i = 0; i < 500 && !world_said(&w, "the system bus"); i++)
		sd_event_run(event, 10000);
	world_run(&w, 0.5);
	bus_ticked(server);
}

static void end(void)
{
	polkit = sd_bus_flush_close_unref(polkit);
	kill(daemon_pid, SIGTERM);
	waitpid(daemon_pid, NULL, 0);
	bus_world_close();
	authorized = challenge = 0;
	asked = interactive = 0;
	ponders = false;
}

/* In a process of its own: somebody else asks for a pause. */
static int ask(void)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *m = NULL;
	sd_bus *b = NULL;
	int r = getuid() == 0 ? setresuid(OTHER, OTHER, OTHER) : 0;

	if (r < 0 || sd_bus_open_system(&b) < 0 ||
	    sd_bus_message_new_method_call(b, &m, BUS_NAME, BUS_PATH, BUS_MANAGER, "Pause") < 0 ||
	    sd_bus_message_append(m, "st", "eth0", UINT64_C(0)) < 0 ||
	    sd_bus_message_set_allow_interactive_authorization(m, true) < 0)
		return CALL_FAILED;
	r = sd_bus_call(b, m, 10 * USEC_PER_SEC, &error, NULL);
	if (r >= 0)
		return CALL_DONE;
	return sd_bus_error_has_name(&error, SD_BUS_ERROR_ACCESS_DENIED) ? CALL_DENIED : CALL_FAILED;
}

static pid_t ask_begin(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(ask());
	return pid;
}

static int ask_end(pid_t pid)
{
	int status = 0;

	for (int i = 0; i < 2000; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WEXITSTATUS(status);
		ck_assert_int_ge(sd_event_run(event, 5000), 0);
	}
	kill(pid, SIGKILL);
	ck_abort_msg("no answer");
	return -1;
}

START_TEST(polkit_says_yes)
{
	authorized = 1;
	start(true);
	ck_assert_int_eq(ask_end(ask_begin()), CALL_DONE);
	ck_assert_uint_eq(asked, 1);
	ck_assert_uint_eq(interactive, 1);
	ck_assert_str_eq(action, BUS_NAME ".control");
	is_word(2, "Control", "paused");
	ck_assert_uint_eq(world_said(&w, "refused"), 0);
	end();
}
END_TEST

START_TEST(polkit_says_no)
{
	start(true);
	ck_assert_int_eq(ask_end(ask_begin()), CALL_DENIED);
	ck_assert_uint_eq(asked, 1);
	is_word(2, "Control", "auto");
	ck_assert_uint_eq(world_said(&w, ": refused Pause to uid"), 1);
	end();
}
END_TEST

START_TEST(nobody_there_to_authenticate)
{
	challenge = 1;
	start(true);
	ck_assert_int_eq(ask_end(ask_begin()), CALL_DENIED);
	is_word(2, "Control", "auto");
	ck_assert_uint_eq(world_said(&w, "polkit asks for an authentication"), 1);
	end();
}
END_TEST

START_TEST(no_polkit_is_a_no)
{
	start(false);
	ck_assert_int_eq(ask_end(ask_begin()), CALL_DENIED);
	is_word(2, "Control", "auto");
	ck_assert_uint_eq(world_said(&w, ": refused Pause to uid"), 1);
	end();
}
END_TEST

/* Somebody types his password: everything goes on meanwhile. */
START_TEST(waiting_for_polkit_holds_up_nobody)
{
	pid_t pid;

	authorized = 1;
	ponders = true;
	start(true);
	pid = ask_begin();
	for (int i = 0; i < 1000 && !question; i++)
		ck_assert_int_ge(sd_event_run(event, 10000), 0);
	ck_assert(question != NULL);
	ok(manager_call("Reload", ""));
	is_word(2, "Control", "auto");
	ck_assert_int_ge(answer(question), 0);
	question = sd_bus_message_unref(question);
	ck_assert_int_eq(ask_end(pid), CALL_DONE);
	is_word(2, "Control", "paused");
	end();
}
END_TEST

/* The caller leaves, the bus too, while polkit thinks. */
START_TEST(nobody_waits_any_more)
{
	pid_t pid;

	ponders = true;
	start(true);
	pid = ask_begin();
	for (int i = 0; i < 1000 && !question; i++)
		ck_assert_int_ge(sd_event_run(event, 10000), 0);
	ck_assert_uint_eq(server->n_pending, 1);
	question = sd_bus_message_unref(question);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	kill(daemon_pid, SIGKILL);
	for (int i = 0; i < 300 && server->system.bus; i++)
		ck_assert_int_ge(sd_event_run(event, 10000), 0);
	ck_assert_ptr_null(server->system.bus);
	ck_assert_uint_eq(server->n_pending, 0);
	ok(manager_call("Reload", ""));
	end();
}
END_TEST

START_TEST(a_name_that_is_taken_is_no_error)
{
	sd_bus *other = NULL;
	const struct bus_hooks hooks = { hook_reload, hook_hurry, NULL };

	world_open(&w);
	setenv("RUNTIME_DIRECTORY", w.dir, 1);
	bus_start();
	ck_assert_int_ge(sd_event_new(&event), 0);
	ck_assert_int_ge(sd_bus_open_system(&other), 0);
	ck_assert_int_ge(sd_bus_request_name(other, BUS_NAME, 0), 0);
	ck_assert_int_eq(bus_open(&w.fleet, event, &hooks, &server), 0);
	client = connect_client();
	for (int i = 0; i < 300 && !world_said(&w, "not on the system bus"); i++)
		sd_event_run(event, 10000);
	ck_assert_uint_eq(world_said(&w, "another has the name"), 1);
	ok(manager_call("Reload", ""));
	sd_bus_flush_close_unref(other);
	end();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		polkit_says_yes,
		polkit_says_no,
		nobody_there_to_authenticate,
		no_polkit_is_a_no,
		waiting_for_polkit_holds_up_nobody,
		nobody_waits_any_more,
		a_name_that_is_taken_is_no_error,
	};

	if (access(DAEMON, X_OK) < 0) {
		printf("skipped: no %s\n", DAEMON);
		return 77;
	}
	return SUITE_RUN("bus system", tests);
}
