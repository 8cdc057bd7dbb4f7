// SPDX-License-Identifier: GPL-2.0-or-later
/* bus-access: may whoever sent this call change settings? root may, and who has CAP_NET_ADMIN; on the system bus
 * whoever polkit lets. Nothing here waits: where the bus or polkit has to be asked, the answer comes later. */
#pragma once
#include "daemon/bus-int.h"

#define BUS_POLKIT_ACTION BUS_NAME ".control"

/* refusal: NULL, or the sentence for the caller. It has to answer m. */
typedef void bus_access_fn(struct bus *b, sd_bus_message *m, uid_t uid, const char *refusal);
/* fn is called now or later. -EBUSY: too many wait already; fn is not called then. */
int bus_access_ask(struct bus *b, sd_bus_message *m, bus_access_fn *fn);
void bus_access_forget(struct bus *b, const sd_bus *bus); /* those that wait on this connection; NULL: all */

/* bus-caller.c: may this process change network settings by itself: is it root, or has it CAP_NET_ADMIN in our own user
 * namespace? Reads proc below root. pidfd: known to be that process; -1: unknown. */
bool bus_caller_may(const struct procroot *root, pid_t pid, uid_t uid, int pidfd);
