// SPDX-License-Identifier: GPL-2.0-or-later
/* bus-call: calls that change something: who may, then what is done. */
#pragma once
#include "daemon/bus-int.h"

/* Any of Pause, Resume, SetMode, Restore, Reload on either interface; userdata: struct bus. A sd_bus_message_handler_t.
 * Answers at once or later, once the bus or polkit has said who asks and whether it may. */
int bus_call_change(sd_bus_message *m, void *userdata, sd_bus_error *error);
/* Of the interface named, else NULL with the error set. */
struct bus_nic *bus_nic_named(struct bus *b, const char *name, sd_bus_error *error);

/* Of vtables: the head of a property that is made when asked for; whoever reaches us may call it, who may change is
 * asked later. */
#define BUS_GETTER(name)                                                                                               \
	static int name(sd_bus *bus, const char *path, const char *iface, const char *property, sd_bus_message *reply, \
			void *userdata, sd_bus_error *error)
#define BUS_OPEN SD_BUS_VTABLE_UNPRIVILEGED
