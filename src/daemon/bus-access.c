// SPDX-License-Identifier: GPL-2.0-or-later
/* bus-access: see bus-access.h. On the private socket the kernel says who called. On the system bus the bus does, and
 * then polkit is asked, if it comes to that. */
#include "daemon/bus-access.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#define BUS_DAEMON "org.freedesktop.DBus"
#define POLKIT "org.freedesktop.PolicyKit1"
#define POLKIT_USEC (120 * USEC_PER_SEC) /* somebody may have to type a password */
#define PENDING_SENDER_MAX 4
#define REFUSED_LINES 10 /* a minute */

struct bus_pending { /* a call that waits for its answer */
	struct bus_pending *next;
	struct bus *bus;
	sd_bus_message *call;
	sd_bus_slot *slot; /* what was asked last */
	bus_access_fn *fn;
	uid_t uid;
	pid_t pid;
};

static void pending_free(struct bus_pending *p)
{
	struct bus_pending **at = &p->bus->pending;

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	p->bus->n_pending--;
	sd_bus_slot_unref(p->slot);
	sd_bus_message_unref(p->call);
	free(p);
}

void bus_access_forget(struct bus *b, const sd_bus *bus)
{
	struct bus_pending *p, *next;

	for (p = b->pending; p; p = next) {
		next = p->next;
		if (!bus || sd_bus_message_get_bus(p->call) == bus)
			pending_free(p);
	}
}

/* ---- the answer */

/* A line for each, but not for each of a thousand. */
static void log_refusal(struct bus *b, sd_bus_message *m, uid_t uid, pid_t pid, const char *why)
{
	uint64_t now = bus_realtime_usec();

	if (now - b->refused_since_usec >= 60 * USEC_PER_SEC) {
		if (b->refused > REFUSED_LINES)
			log_line(&b->fleet->log, LOG_WARNING, NULL, "%u more calls were refused",
				 b->refused - REFUSED_LINES);
		b->refused_since_usec = now;
		b->refused = 0;
	}
	if (b->refused++ < REFUSED_LINES)
		log_line(&b->fleet->log, LOG_WARNING, NULL, "refused %s to uid %u (pid %d): %s",
			 sd_bus_message_get_member(m), (unsigned)uid, (int)pid, why);
}

static const char needs[] = "this needs root, CAP_NET_ADMIN or an authorization by polkit";

static void answer(struct bus *b, sd_bus_message *m, bus_access_fn *fn, uid_t uid, pid_t pid, const char *refusal)
{
	if (refusal)
		log_refusal(b, m, uid, pid, refusal);
	fn(b, m, uid, refusal);
}

static int finish(struct bus_pending *p, const char *refusal)
{
	answer(p->bus, p->call, p->fn, p->uid, p->pid, refusal);
	pending_free(p);
	return 1;
}

/* ---- polkit */

static int on_polkit(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	int authorized = 0, challenge = 0;

	(void)error;
	if (sd_bus_message_is_method_error(m, NULL))
		return finish(userdata, needs); /* there is no polkit here, or it does not know us */
	if (sd_bus_message_enter_container(m, 'r', "bba{ss}") < 0 ||
	    sd_bus_message_read(m, "bb", &authorized, &challenge) < 0)
		return finish(userdata, needs);
	if (!authorized && challenge)
		return finish(userdata, "polkit asks for an authentication, and nobody was there to ask for it");
	return finish(userdata, authorized ? NULL : needs);
}

static int ask_polkit(struct bus_pending *p)
{
	sd_bus *bus = sd_bus_message_get_bus(p->call);
	sd_bus_message *m = NULL;
	uint32_t interactive = sd_bus_message_get_allow_interactive_authorization(p->call) > 0;
	int r = sd_bus_message_new_method_call(bus, &m, POLKIT, "/org/freedesktop/PolicyKit1/Authority",
					       POLKIT ".Authority", "CheckAuthorization");

	if (r >= 0)
		r = sd_bus_message_append(m, "(sa{sv})sa{ss}us", "system-bus-name", 1, "name", "s",
					  sd_bus_message_get_sender(p->call), BUS_POLKIT_ACTION, 0, interactive, "");
	p->slot = sd_bus_slot_unref(p->slot);
	if (r >= 0)
		r = sd_bus_call_async(bus, &p->slot, m, on_polkit, p, POLKIT_USEC);
	sd_bus_message_unref(m);
	return r;
}

/* ---- who sent it: the bus knows */

static int read_credentials(sd_bus_message *m, struct bus_pending *p)
{
	bool have_uid = false;
	const char *key;
	uint32_t v;
	int r = sd_bus_message_enter_container(m, 'a', "{sv}");

	while (r >= 0 && (r = sd_bus_message_enter_container(m, 'e', "sv")) > 0) {
		r = sd_bus_message_read(m, "s", &key);
		if (r >= 0 && (!strcmp(key, "UnixUserID") || !strcmp(key, "ProcessID"))) {
			r = sd_bus_message_read(m, "v", "u", &v);
			if (r >= 0 && key[0] == 'U')
				p->uid = v;
			else if (r >= 0)
				p->pid = (pid_t)v;
			have_uid |= r >= 0 && key[0] == 'U';
		} else if (r >= 0) {
			r = sd_bus_message_skip(m, "v");
		}
		if (r >= 0)
			r = sd_bus_message_exit_container(m);
	}
	return r < 0 ? r : have_uid ? 0 : -ENODATA;
}

static int on_credentials(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct bus_pending *p = userdata;

	(void)error;
	if (sd_bus_message_is_method_error(m, NULL) || read_credentials(m, p) < 0)
		return finish(p, "the bus does not say who calls");
	if (bus_caller_may(&p->bus->fleet->root, p->pid, p->uid, -1))
		return finish(p, NULL);
	return ask_polkit(p) < 0 ? finish(p, needs) : 1;
}

static unsigned waiting_of(const struct bus *b, const char *sender)
{
	unsigned n = 0;

	for (const struct bus_pending *p = b->pending; p; p = p->next) {
		const char *s = sd_bus_message_get_sender(p->call);

		n += s && !strcmp(s, sender);
	}
	return n;
}

static int ask_bus(struct bus *b, sd_bus_message *m, bus_access_fn *fn)
{
	const char *sender = sd_bus_message_get_sender(m);
	struct bus_pending *p;
	int r;

	if (!sender)
		return -EBADMSG;
	if (b->n_pending >= BUS_PENDING_MAX || waiting_of(b, sender) >= PENDING_SENDER_MAX)
		return -EBUSY;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	*p = (struct bus_pending){ b->pending, b, sd_bus_message_ref(m), NULL, fn, (uid_t)-1, 0 };
	b->pending = p;
	b->n_pending++;
	r = sd_bus_call_method_async(sd_bus_message_get_bus(m), &p->slot, BUS_DAEMON, "/org/freedesktop/DBus",
				     BUS_DAEMON, "GetConnectionCredentials", on_credentials, p, "s", sender);
	if (r < 0)
		pending_free(p);
	return r;
}

int bus_access_ask(struct bus *b, sd_bus_message *m, bus_access_fn *fn)
{
	const struct bus_link *l = bus_link_of(b, sd_bus_message_get_bus(m));

	if (!l)
		return -ENOTCONN;
	if (l->system)
		return ask_bus(b, m, fn);
	answer(b, m, fn, l->peer.uid, l->peer.pid,
	       bus_caller_may(&b->fleet->root, l->peer.pid, l->peer.uid, l->pidfd)
		       ? NULL
		       : "this needs root or CAP_NET_ADMIN");
	return 0;
}
