// SPDX-License-Identifier: GPL-2.0-or-later
/* bus: methods, properties and signals of the control API, over the private socket. */
#include "buscall.h"

static void start(void)
{
	bus_world_open();
	busy(2, "eth0", WORLD_TIMERS, 0);
	busy(3, "veth1", WORLD_DEFERRAL, 1);
	busy(4, "plain", WORLD_NOTHING, 2);
	ck_assert_int_eq(fleet_sync(&w.fleet), 0);
	bus_world_run(0.5);
}

START_TEST(introspection_has_it_all)
{
	static const char *const manager[] = { "Explain", "GetInterface", "Pause",	"Reload",
					       "Restore", "Resume",	  "SetMode",	"Version",
					       "DryRun",  "IntervalUsec", "Controlled", "Interfaces" };
	static const char *const nic[] = { "Explain",	       "Pause",	 "Restore", "Resume",	"SetMode",
					   "Changed",	       "Name",	 "State",   "Why",	"Control",
					   "ControlUntilUsec", "Policy", "Mode",    "Knobs",	"Originals",
					   "Foreign",	       "Rates",	 "Reason",  "Decision", "Bottleneck",
					   "Diagnosis" };
	char quoted[64];
	const char *xml;
	sd_bus_message *m;

	start();
	m = call_on(client, BUS_PATH, "org.freedesktop.DBus.Introspectable", "Introspect", "");
	ck_assert_int_gt(sd_bus_message_read(m, "s", &xml), 0);
	for (size_t i = 0; i < sizeof(manager) / sizeof(manager[0]); i++) {
		snprintf(quoted, sizeof(quoted), "name=\"%s\"", manager[i]);
		ck_assert_msg(strstr(xml, quoted) != NULL, "%s", manager[i]);
	}
	sd_bus_message_unref(m);
	m = call_on(client, BUS_NIC_PATH "/2", "org.freedesktop.DBus.Introspectable", "Introspect", "");
	ck_assert_int_gt(sd_bus_message_read(m, "s", &xml), 0);
	for (size_t i = 0; i < sizeof(nic) / sizeof(nic[0]); i++) {
		snprintf(quoted, sizeof(quoted), "name=\"%s\"", nic[i]);
		ck_assert_msg(strstr(xml, quoted) != NULL, "%s", nic[i]);
	}
	sd_bus_message_unref(m);
	bus_world_close();
}
END_TEST

START_TEST(properties_say_what_is)
{
	start();
	is_word(2, "Name", "eth0");
	is_word(2, "State", "active");
	is_word(2, "Mechanism", "hardware");
	is_word(3, "Mechanism", "software");
	is_word(2, "Control", "auto");
	is_word(2, "Mode", "throughput");
	is_word(4, "State", "untunable");
	fails(get(9, "Name"), SD_BUS_ERROR_UNKNOWN_OBJECT);
	fails(call_on(client, BUS_NIC_PATH "/02", BUS_NIC, "Resume", ""), SD_BUS_ERROR_UNKNOWN_OBJECT);
	bus_world_close();
}
END_TEST

START_TEST(pause_writes_nothing_until_its_time_is_over)
{
	unsigned writes;

	start();
	ok(manager_call("Pause", "st", "eth0", UINT64_C(5000000)));
	is_word(2, "Control", "paused");
	writes = w.hw[0].writes;
	bus_world_run(4);
	ck_assert_uint_eq(w.hw[0].writes, writes);
	ck_assert_uint_gt(w.hw[1].writes, 0); /* the other one goes on */
	is_word(2, "State", "observing");
	bus_world_run(10);
	is_word(2, "Control", "auto");
	is_word(2, "State", "active");
	ck_assert_uint_gt(w.hw[0].writes, writes);
	ck_assert_uint_eq(world_said(&w, "eth0: on request of uid"), 1);
	ck_assert_uint_eq(world_said(&w, "eth0: resumed: the pause is over"), 1);
	bus_world_close();
}
END_TEST

START_TEST(paused_keeps_the_settings_and_originals)
{
	uint64_t value;

	start();
	bus_world_run(10);
	value = knob(2, KNOB_RX_USECS);
	ck_assert_uint_gt(value, 20);
	ok(call_on(client, BUS_NIC_PATH "/2", BUS_NIC, "Pause", "t", UINT64_C(0)));
	world_port(&w, 2)->pps = 10;
	bus_world_run(10);
	ck_assert_uint_eq(knob(2, KNOB_RX_USECS), value);
	bus_world_close(); /* checks that the originals are back all the same */
}
END_TEST

START_TEST(restore_stays_until_resume)
{
	start();
	bus_world_run(10);
	ck_assert_uint_gt(knob(2, KNOB_RX_USECS), 20);
	ok(manager_call("Restore", "s", "eth0"));
	ck_assert_uint_eq(knob(2, KNOB_RX_USECS), 3);
	bus_world_run(10);
	ck_assert_uint_eq(knob(2, KNOB_RX_USECS), 3);
	is_word(2, "Control", "restored");
	ck_assert_uint_gt(knob(3, KNOB_GRO_FLUSH_TIMEOUT), 0);
	/* down and up, or a reload, do not end it */
	fleet_changed(&w.fleet, 2);
	ck_assert_int_eq(fleet_load(&w.fleet), 0);
	bus_world_run(10);
	ck_assert_uint_eq(knob(2, KNOB_RX_USECS), 3);
	ok(manager_call("Resume", "s", "eth0"));
	bus_world_run(10);
	ck_assert_uint_gt(knob(2, KNOB_RX_USECS), 20);
	ok(manager_call("Restore", "s", "")); /* all */
	ck_assert_uint_eq(knob(2, KNOB_RX_USECS), 3);
	ck_assert_uint_eq(knob(3, KNOB_GRO_FLUSH_TIMEOUT), 0);
	bus_world_close();
}
END_TEST

START_TEST(resume_takes_back_what_someone_else_set)
{
	sd_bus_message *m;

	start();
	bus_world_run(10);
	w.hw[0].knobs.value[KNOB_RX_USECS] = 7;
	fleet_notified(&w.fleet, 2, HAND_ETHTOOL);
	bus_world_run(3);
	ck_assert_uint_eq(knob(2, KNOB_RX_USECS), 7);
	m = get(2, "Foreign");
	ck_assert_int_gt(sd_bus_message_enter_container(m, 'v', "as"), 0);
	ck_assert_int_gt(sd_bus_message_enter_container(m, 'a', "s"), 0);
	ck_assert_int_eq(sd_bus_message_at_end(m, false), 0);
	sd_bus_message_unref(m);
	ok(manager_call("Resume", "s", "eth0"));
	bus_world_run(10);
	ck_assert_uint_gt(knob(2, KNOB_RX_USECS), 20);
	w.hw[0].power_on.value[KNOB_RX_USECS] = 7; /* that is what is put back now */
	bus_world_close();
}
END_TEST

START_TEST(mode_holds_over_a_reload)
{
	start();
	ok(manager_call("SetMode", "ss", "eth0", "latency"));
	is_word(2, "Mode", "latency");
	is_word(3, "Mode", "throughput");
	world_config(&w, "[policy]\nmode = powersave\n");
	ck_assert_int_eq(fleet_load(&w.fleet), 0);
	bus_world_run(10);
	is_word(2, "Mode", "latency");
	is_word(3, "Mode", "powersave");
	ck_assert_uint_le(knob(2, KNOB_RX_USECS), 25);
	ok(manager_call("SetMode", "ss", "eth0", ""));
	is_word(2, "Mode", "powersave");
	ok(manager_call("SetMode", "ss", "eth0", "off"));
	is_word(2, "State", "untunable");
	ok(manager_call("SetMode", "ss", "eth0", "balanced"));
	bus_world_run(1);
	is_word(2, "State", "active");
	bus_world_close();
}
END_TEST

START_TEST(reload_says_whether_it_was_taken)
{
	start();
	ok(manager_call("Reload", ""));
	ck_assert_uint_eq(reloads, 1);
	reload_result = -EBADMSG;
	fails(manager_call("Reload", ""), BUS_ERROR "BadConfiguration");
	reload_result = 0;
	bus_world_close();
}
END_TEST

START_TEST(nonsense_is_refused_with_its_name)
{
	start();
	fails(manager_call("Pause", "st", "nobody", UINT64_C(0)), BUS_ERROR "NoSuchInterface");
	fails(manager_call("GetInterface", "s", "nobody"), BUS_ERROR "NoSuchInterface");
	fails(manager_call("Explain", "su", "nobody", 0), BUS_ERROR "NoSuchInterface");
	fails(manager_call("Pause", "st", "plain", UINT64_C(0)), BUS_ERROR "Untunable");
	fails(manager_call("SetMode", "ss", "eth0", "fastest"), SD_BUS_ERROR_INVALID_ARGS);
	fails(manager_call("Pause", "s", "eth0"), SD_BUS_ERROR_INVALID_ARGS);
	fails(manager_call("Fly", ""), SD_BUS_ERROR_UNKNOWN_METHOD);
	ck_assert_uint_eq(hurries, 0);
	bus_world_close();
}
END_TEST

/* Between the end of a pause and the tick that sees it there is time for somebody to look. */
START_TEST(end_of_a_pause_is_never_beyond_what_was_asked)
{
	sd_bus_message *m;
	uint64_t until = 0;

	start();
	ok(manager_call("Pause", "st", "eth0", UINT64_C(5000000)));
	w.now += 6 * NSEC_PER_SEC;
	bus_ticked(server);
	m = get(2, "ControlUntilUsec");
	ck_assert_int_gt(sd_bus_message_read(m, "v", "t", &until), 0);
	sd_bus_message_unref(m);
	ck_assert_uint_gt(until, 0);
	ck_assert_uint_le(until, bus_realtime_usec() + 5 * USEC_PER_SEC);
	bus_world_close();
}
END_TEST

/* A kernel takes nearly any bytes; a bus throws out who sends them. */
START_TEST(names_that_are_not_utf8_are_replaced)
{
	start();
	busy(7, "l\xff", WORLD_TIMERS, 3);
	busy(8, "p\xfe", WORLD_NOTHING, 4);
	ck_assert_int_eq(fleet_sync(&w.fleet), 0);
	bus_world_run(1);
	is_word(7, "Name", "l\xef\xbf\xbd");
	ok(call_on(client, BUS_PATH, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", ""));
	ok(call_on(client, BUS_NIC_PATH "/7", BUS_NIC, "Explain", "u", 0));
	fails(call_on(client, BUS_NIC_PATH "/8", BUS_NIC, "Pause", "t", UINT64_C(0)), BUS_ERROR "Untunable");
	bus_world_close();
}
END_TEST

static unsigned n_changed, n_properties, n_added, n_removed;
static bool removed_ours;
static char last_reason[32], last_knob[32];

static int on_signal(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	const char *reason, *name;
	uint64_t usec, from, to;

	(void)userdata, (void)error;
	n_added += sd_bus_message_is_signal(m, NULL, "InterfacesAdded") > 0;
	if (sd_bus_message_is_signal(m, NULL, "InterfacesRemoved") > 0) {
		const char *interface;

		n_removed++;
		ck_assert_int_gt(sd_bus_message_skip(m, "o"), 0);
		ck_assert_int_gt(sd_bus_message_enter_container(m, 'a', "s"), 0);
		while (sd_bus_message_read(m, "s", &interface) > 0)
			removed_ours |= !strcmp(interface, BUS_NIC);
	}
	if (sd_bus_message_is_signal(m, "org.freedesktop.DBus.Properties", "PropertiesChanged") > 0)
		n_properties += !strcmp(sd_bus_message_get_path(m), BUS_NIC_PATH "/2");
	if (sd_bus_message_is_signal(m, BUS_NIC, "Changed") <= 0 ||
	    strcmp(sd_bus_message_get_path(m), BUS_NIC_PATH "/2"))
		return 0;
	n_changed++;
	ck_assert_int_gt(sd_bus_message_read(m, "ts", &usec, &reason), 0);
	ck_assert_int_gt(sd_bus_message_enter_container(m, 'a', "(stt)"), 0);
	ck_assert_int_gt(sd_bus_message_read(m, "(stt)", &name, &from, &to), 0);
	ck_assert_uint_ne(from, to);
	snprintf(last_reason, sizeof(last_reason), "%s", reason);
	snprintf(last_knob, sizeof(last_knob), "%s", name);
	return 0;
}

START_TEST(changes_are_told)
{
	start();
	sd_bus_add_filter(client, NULL, on_signal, NULL);
	bus_world_run(10);
	ck_assert_uint_gt(w.hw[0].writes, 0);
	ck_assert_uint_eq(n_changed, w.hw[0].writes); /* one a decision that changed something, none without */
	ck_assert_uint_ge(n_properties, n_changed);
	ck_assert_str_eq(last_knob, "rx_usecs");
	ck_assert_str_ne(last_reason, "");
	bus_world_close();
}
END_TEST

START_TEST(interfaces_come_and_go)
{
	start();
	sd_bus_add_filter(client, NULL, on_signal, NULL);
	busy(7, "late", WORLD_TIMERS, 3);
	fleet_added(&w.fleet, 7);
	bus_world_run(0.2);
	ck_assert_uint_eq(n_added, 1);
	is_word(7, "Name", "late");
	world_remove(&w, 7);
	fleet_removed(&w.fleet, 7);
	bus_world_run(0.2);
	ck_assert_uint_eq(n_removed, 1);
	ck_assert(removed_ours);
	fails(get(7, "Name"), SD_BUS_ERROR_UNKNOWN_OBJECT);
	bus_world_close();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		introspection_has_it_all,
		properties_say_what_is,
		pause_writes_nothing_until_its_time_is_over,
		end_of_a_pause_is_never_beyond_what_was_asked,
		paused_keeps_the_settings_and_originals,
		restore_stays_until_resume,
		resume_takes_back_what_someone_else_set,
		mode_holds_over_a_reload,
		reload_says_whether_it_was_taken,
		nonsense_is_refused_with_its_name,
		changes_are_told,
		interfaces_come_and_go,
		names_that_are_not_utf8_are_replaced,
	};

	return SUITE_RUN("bus", tests);
}
