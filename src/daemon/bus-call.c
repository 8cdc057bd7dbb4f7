// SPDX-License-Identifier: GPL-2.0-or-later
/* bus-call: see bus-call.h. */
#include "daemon/bus-call.h"

#include <errno.h>
#include <string.h>
#include <syslog.h>

#include "daemon/bus-access.h"
#include "daemon/utf8.h"

struct args {
	const char *name, *mode;
	uint64_t usec;
};

/* One interface, or for "" all of them that can be tuned. */
typedef int action_fn(struct fleet *f, struct member *m, const struct args *a);

/* Longer than a century is without end. */
static nsec_t pause_ns(const struct args *a)
{
	return a->usec > UINT64_MAX / NSEC_PER_USEC / 4 ? 0 : a->usec * NSEC_PER_USEC;
}

static int do_pause(struct fleet *f, struct member *m, const struct args *a)
{
	return control_pause(f, m, pause_ns(a));
}

static int do_resume(struct fleet *f, struct member *m, const struct args *a)
{
	(void)a;
	return control_resume(f, m);
}

static int do_restore(struct fleet *f, struct member *m, const struct args *a)
{
	(void)a;
	return control_restore(f, m);
}

static int do_mode(struct fleet *f, struct member *m, const struct args *a)
{
	return control_set_mode(f, m, a->mode[0] ? mode_by_name(a->mode) : -1);
}

static const struct action {
	const char *name;
	const char *args; /* behind the name of the interface: t usec, s mode */
	action_fn *run;	  /* NULL: Reload */
	const char *done; /* for the log */
} actions[] = {
	{ "Pause", "t", do_pause, "paused" },
	{ "Resume", "", do_resume, "resumed" },
	{ "SetMode", "s", do_mode, "mode set" },
	{ "Restore", "", do_restore, "originals put back, left alone until resumed" },
	{ "Reload", "", NULL, "configuration read anew" },
};

static const struct action *action_of(const sd_bus_message *m)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (!strcmp(actions[i].name, sd_bus_message_get_member((sd_bus_message *)m)))
			return &actions[i];
	return NULL;
}

struct bus_nic *bus_nic_named(struct bus *b, const char *name, sd_bus_error *error)
{
	for (size_t i = 0; i < b->n_nics; i++) {
		const struct member *m = bus_nic_member(b->nics[i]);

		if (m && !strcmp(m->nic.name, name))
			return b->nics[i];
	}
	sd_bus_error_setf(error, BUS_ERROR "NoSuchInterface", "%s: no such interface", name);
	return NULL;
}

/* ---- doing it */

static int read_args(struct bus *b, sd_bus_message *m, const struct action *a, struct args *ret, sd_bus_error *error)
{
	bool by_name = !strcmp(sd_bus_message_get_interface(m), BUS_MANAGER) && a->run;
	const struct bus_nic *n = by_name ? NULL : bus_nic_at(b, sd_bus_message_get_path(m));
	int r = sd_bus_message_rewind(m, true);

	*ret = (struct args){ "", "", 0 };
	if (r >= 0 && by_name)
		r = sd_bus_message_read(m, "s", &ret->name);
	if (r >= 0 && a->args[0])
		r = sd_bus_message_read(m, a->args, a->args[0] == 't' ? (void *)&ret->usec : (void *)&ret->mode);
	if (r < 0)
		return r;
	if (n && bus_nic_member(n))
		ret->name = bus_nic_member(n)->nic.name;
	else if (a->run && !by_name)
		return sd_bus_error_setf(error, BUS_ERROR "NoSuchInterface", "the interface is gone");
	if (ret->mode[0] && mode_by_name(ret->mode) < 0)
		return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS, "'%s' is not a mode", ret->mode);
	return 0;
}

static int failed(int r, const struct member *m, sd_bus_error *error)
{
	char name[3 * NIC_NAME_MAX], why[ERR_MAX];

	utf8_clean(m->nic.name, name, sizeof(name));
	if (r == -EOPNOTSUPP)
		return sd_bus_error_setf(error, BUS_ERROR "Untunable", "%s: nothing to control: %s", name,
					 utf8_clean(member_why(m), why, sizeof(why)));
	return sd_bus_error_setf(error, BUS_ERROR "Failed", "%s: %s", name, strerror(-r));
}

static int run_all(struct bus *b, const struct action *a, const struct args *args, sd_bus_error *error)
{
	struct members *all = &b->fleet->members;
	int worst = 0;

	for (size_t i = 0; i < all->n; i++) {
		int r = a->run(b->fleet, all->v[i], args);

		if (r < 0 && r != -EOPNOTSUPP)
			worst = failed(r, all->v[i], error);
	}
	return worst;
}

static int run_one(struct bus *b, const struct action *a, const struct args *args, sd_bus_error *error)
{
	struct bus_nic *n = bus_nic_named(b, args->name, error);
	int r = n ? a->run(b->fleet, bus_nic_member(n), args) : -ENODEV;

	return r < 0 && n ? failed(r, bus_nic_member(n), error) : r;
}

static int reload(struct bus *b, sd_bus_error *error)
{
	int r = b->hooks.reload(b->hooks.arg);

	if (r == -EBADMSG)
		return sd_bus_error_setf(error, BUS_ERROR "BadConfiguration",
					 "the new configuration has errors, the old one stays; see `ethtune check`");
	return r < 0 ? sd_bus_error_set_errnof(error, r, "the configuration stays as it was: %s", strerror(-r)) : 0;
}

/* The caller was told apart and may. Answers. */
static int perform(struct bus *b, sd_bus_message *m, uid_t uid, sd_bus_error *error)
{
	const struct action *a = action_of(m);
	char until[32] = "";
	struct args args;
	int r = read_args(b, m, a, &args, error);

	if (r < 0)
		return r;
	if (!a->run)
		r = reload(b, error);
	else if (args.name[0])
		r = run_one(b, a, &args, error);
	else
		r = run_all(b, a, &args, error);
	if (r < 0)
		return r;
	if (pause_ns(&args))
		units_format_time(until, sizeof(until), pause_ns(&args));
	if (a->run)
		log_line(&b->fleet->log, LOG_NOTICE, args.name[0] ? args.name : NULL,
			 "on request of uid %u: %s%s%s%s%s", (unsigned)uid, a->done, a->run == do_mode ? " to " : "",
			 a->run == do_mode ? (args.mode[0] ? args.mode : "the policy's") : "", until[0] ? " for " : "",
			 until);
	bus_ticked(b);
	b->hooks.hurry(b->hooks.arg);
	return sd_bus_reply_method_return(m, NULL);
}

/* ---- the answer of access */

static void decided(struct bus *b, sd_bus_message *m, uid_t uid, const char *refusal)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	int r;

	if (refusal)
		r = sd_bus_error_set(&error, SD_BUS_ERROR_ACCESS_DENIED, refusal);
	else
		r = perform(b, m, uid, &error);
	if (r < 0 && sd_bus_error_is_set(&error))
		sd_bus_reply_method_error(m, &error);
	else if (r < 0)
		sd_bus_reply_method_errno(m, r, NULL);
	sd_bus_error_free(&error);
}

int bus_call_change(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct bus *b = userdata;
	struct args args;
	/* what makes no sense is nobody's right */
	int r = read_args(b, m, action_of(m), &args, error);

	if (r < 0)
		return r;
	r = bus_access_ask(b, m, decided);
	if (r == -EBUSY)
		return sd_bus_error_set(error, SD_BUS_ERROR_LIMITS_EXCEEDED,
					"too many calls wait for an authorization");
	return r < 0 ? r : 1;
}
