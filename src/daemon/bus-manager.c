// SPDX-License-Identifier: GPL-2.0-or-later
/* bus-manager: the object of the daemon as a whole. What its methods do to one interface they do by its name. */
#include <errno.h>

#include "core/units.h"
#include "daemon/bus-call.h"

BUS_GETTER(get_version)
{
	(void)bus, (void)path, (void)iface, (void)property, (void)userdata, (void)error;
	return sd_bus_message_append(reply, "s", PACKAGE_VERSION);
}

BUS_GETTER(get_dry_run)
{
	const struct bus *b = userdata;

	(void)bus, (void)path, (void)iface, (void)property, (void)error;
	return sd_bus_message_append(reply, "b", (int)b->fleet->dry_run);
}

BUS_GETTER(get_interval)
{
	const struct bus *b = userdata;

	(void)bus, (void)path, (void)iface, (void)property, (void)error;
	return sd_bus_message_append(reply, "t", b->fleet->config->settings.interval_ns / NSEC_PER_USEC);
}

BUS_GETTER(get_interfaces)
{
	const struct bus *b = userdata;
	int r = sd_bus_message_open_container(reply, 'a', "o");

	(void)bus, (void)path, (void)iface, (void)property, (void)error;
	for (size_t i = 0; i < b->n_nics && r >= 0; i++)
		r = sd_bus_message_append(reply, "o", b->nics[i]->path);
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

static int on_get_interface(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct bus_nic *n;
	const char *name;
	int r = sd_bus_message_read(m, "s", &name);

	if (r < 0)
		return r;
	n = bus_nic_named(userdata, name, error);
	return n ? sd_bus_reply_method_return(m, "o", n->path) : -ENODEV;
}

static int on_explain(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct bus_nic *n;
	const char *name;
	uint32_t max;
	int r = sd_bus_message_read(m, "su", &name, &max);

	if (r < 0)
		return r;
	n = bus_nic_named(userdata, name, error);
	return n ? bus_explain_reply(n->bus, n, m, max) : -ENODEV;
}

static const sd_bus_vtable manager_vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("Version", "s", get_version, 0, SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("DryRun", "b", get_dry_run, 0, SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("IntervalUsec", "t", get_interval, 0, 0),
	SD_BUS_PROPERTY("Controlled", "u", NULL, offsetof(struct bus, controlled), SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
	SD_BUS_PROPERTY("Interfaces", "ao", get_interfaces, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
	SD_BUS_METHOD_WITH_ARGS("GetInterface", SD_BUS_ARGS("s", name), SD_BUS_RESULT("o", path), on_get_interface,
				BUS_OPEN),
	SD_BUS_METHOD_WITH_ARGS("Explain", SD_BUS_ARGS("s", name, "u", max),
				SD_BUS_RESULT("aa{sv}", decisions, "as", rejected), on_explain, BUS_OPEN),
	SD_BUS_METHOD_WITH_ARGS("Pause", SD_BUS_ARGS("s", name, "t", for_usec), SD_BUS_NO_RESULT, bus_call_change,
				BUS_OPEN),
	SD_BUS_METHOD_WITH_ARGS("Resume", SD_BUS_ARGS("s", name), SD_BUS_NO_RESULT, bus_call_change, BUS_OPEN),
	SD_BUS_METHOD_WITH_ARGS("SetMode", SD_BUS_ARGS("s", name, "s", mode), SD_BUS_NO_RESULT, bus_call_change,
				BUS_OPEN),
	SD_BUS_METHOD_WITH_ARGS("Restore", SD_BUS_ARGS("s", name), SD_BUS_NO_RESULT, bus_call_change, BUS_OPEN),
	SD_BUS_METHOD_WITH_ARGS("Reload", SD_BUS_NO_ARGS, SD_BUS_NO_RESULT, bus_call_change, BUS_OPEN),
	SD_BUS_VTABLE_END,
};

int bus_manager_publish(struct bus_link *l)
{
	return sd_bus_add_object_vtable(l->bus, NULL, BUS_PATH, BUS_MANAGER, manager_vtable, l->owner);
}
