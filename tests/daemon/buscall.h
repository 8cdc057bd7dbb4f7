// SPDX-License-Identifier: GPL-2.0-or-later
/* buscall: calls of the control API in a test, and what they must answer. */
#pragma once
#include "busworld.h"

static int keep_reply(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	(void)error;
	*(sd_bus_message **)userdata = sd_bus_message_ref(m);
	return 0;
}

/* Any call; the caller unrefs the answer. */
static inline sd_bus_message *call_on(sd_bus *b, const char *path, const char *iface, const char *method,
				      const char *types, ...)
{
	sd_bus_message *m = NULL, *reply = NULL;
	va_list ap;

	ck_assert_int_ge(sd_bus_message_new_method_call(b, &m, BUS_NAME, path, iface, method), 0);
	va_start(ap, types);
	ck_assert_int_ge(sd_bus_message_appendv(m, types, ap), 0);
	va_end(ap);
	ck_assert_int_ge(sd_bus_call_async(b, NULL, m, keep_reply, &reply, 0), 0);
	sd_bus_message_unref(m);
	for (int i = 0; i < 2000 && !reply; i++)
		ck_assert_int_ge(sd_event_run(event, 10000), 0);
	ck_assert_msg(reply != NULL, "%s: no answer", method);
	return reply;
}

#define manager_call(method, ...) call_on(client, BUS_PATH, BUS_MANAGER, method, __VA_ARGS__)

static inline void ok(sd_bus_message *reply)
{
	const sd_bus_error *e = sd_bus_message_get_error(reply);

	ck_assert_msg(!e, "%s: %s", e ? e->name : "", e ? e->message : "");
	sd_bus_message_unref(reply);
}

static inline void fails(sd_bus_message *reply, const char *name)
{
	const sd_bus_error *e = sd_bus_message_get_error(reply);

	ck_assert_msg(e != NULL, "succeeds, without %s", name);
	ck_assert_str_eq(e->name, name);
	sd_bus_message_unref(reply);
}

static inline sd_bus_message *get(int ifindex, const char *property)
{
	char path[64];

	snprintf(path, sizeof(path), BUS_NIC_PATH "/%d", ifindex);
	return call_on(client, path, "org.freedesktop.DBus.Properties", "Get", "ss", BUS_NIC, property);
}

static inline void is_word(int ifindex, const char *property, const char *value)
{
	sd_bus_message *m = get(ifindex, property);
	const char *s = NULL;

	ck_assert_int_gt(sd_bus_message_read(m, "v", "s", &s), 0);
	ck_assert_str_eq(s, value);
	sd_bus_message_unref(m);
}
