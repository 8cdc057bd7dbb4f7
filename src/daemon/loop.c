// SPDX-License-Identifier: GPL-2.0-or-later
/* loop: see loop.h. Signals are blocked and read through sd-event, so nothing runs in a handler. */
#include "daemon/loop.h"

#include <errno.h>
#include <linux/if.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <syslog.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

#include "daemon/bus.h"
#include "daemon/log.h"
#include "daemon/metrics.h"
#include "io/genl.h"
#include "io/linkmon.h"
#include "io/suspend.h"
#include "io/sysfs-watch.h"

#define FIRST_USEC 100000	/* to the first tick, and after news */
#define TICK_IDLE_USEC 1000000	/* nothing under control: only look whether that changed */
#define ACCURACY_USEC 1000
#define STATUS_TICKS 50

struct loop {
	struct fleet *fleet;
	sd_event *event;
	sd_event_source *timer;
	struct linkmon *links;
	struct genl_notify ethtool;
	struct sysfs_watch files;
	struct suspend suspend;
	struct bus *bus;
	struct metrics *metrics;
	unsigned ticks;
};

static void notify_status(struct loop *l)
{
	char text[128];

	fleet_status(l->fleet, text, sizeof(text));
	sd_notifyf(0, "STATUS=%s", text);
}

static int on_tick(sd_event_source *s, uint64_t usec, void *arg)
{
	struct loop *l = arg;
	uint64_t now, step;
	nsec_t slept, began;

	slept = suspend_look(&l->suspend);
	if (slept)
		fleet_resumed(l->fleet, slept);
	began = l->fleet->backend->ops->now(l->fleet->backend);
	fleet_tick(l->fleet, began);
	bus_ticked(l->bus);
	if (l->ticks++ % STATUS_TICKS == 0)
		notify_status(l);
	/* from now on, not from when it was due: a late tick is not made up for by a short one */
	step = fleet_tunes(l->fleet) ? l->fleet->config->settings.interval_ns / NSEC_PER_USEC : TICK_IDLE_USEC;
	metrics_ticked(l->metrics, usec * NSEC_PER_USEC, began, step * NSEC_PER_USEC);
	sd_event_now(l->event, CLOCK_MONOTONIC, &now);
	sd_event_source_set_time(s, now + step);
	return sd_event_source_set_enabled(s, SD_EVENT_ONESHOT);
}

/* Something changed: do not sleep out a long wait. */
static void hurry(void *arg)
{
	struct loop *l = arg;
	uint64_t now, due;

	sd_event_now(l->event, CLOCK_MONOTONIC, &now);
	/* only ever sooner: news without end must not put it off for good */
	if (sd_event_source_get_time(l->timer, &due) < 0 || due > now + FIRST_USEC)
		sd_event_source_set_time(l->timer, now + FIRST_USEC);
}

static void link_event(const struct linkmon_event *e, void *arg)
{
	struct loop *l = arg;

	switch (e->type) {
	case LINKMON_ADDED:
		fleet_added(l->fleet, e->ifindex);
		break;
	case LINKMON_RENAMED:
		fleet_changed(l->fleet, e->ifindex);
		break;
	case LINKMON_CHANGED:
		if ((e->flags_changed & (IFF_UP | IFF_LOWER_UP)) || e->mtu_changed)
			fleet_changed(l->fleet, e->ifindex);
		else
			l->fleet->review_soon = true; /* an XDP program, perhaps */
		break;
	case LINKMON_REMOVED:
		fleet_removed(l->fleet, e->ifindex);
		break;
	case LINKMON_QDISC:
		fleet_qdisc(l->fleet, e->kind);
		if (!l->fleet->review_soon)
			return;
		break;
	case LINKMON_RESYNC:
		log_line(&l->fleet->log, LOG_NOTICE, NULL, "link notifications were lost, listing interfaces anew");
		fleet_sync(l->fleet);
		break;
	}
	hurry(l);
}

static int on_links(sd_event_source *s, int fd, uint32_t revents, void *arg)
{
	struct loop *l = arg;
	int r;

	(void)s, (void)fd, (void)revents;
	r = linkmon_read(l->links, link_event, l);
	if (r < 0)
		log_line(&l->fleet->log, LOG_WARNING, NULL, "link notifications: %s", strerror(-r));
	return 0;
}

static void ethtool_event(int ifindex, enum genl_event what, void *arg)
{
	struct loop *l = arg;

	switch (what) {
	case GENL_EVENT_COALESCE:
	case GENL_EVENT_RINGS:
		fleet_notified(l->fleet, ifindex, HAND_ETHTOOL);
		break;
	case GENL_EVENT_CHANNELS:
	case GENL_EVENT_FEATURES:
	case GENL_EVENT_LINKMODES:
		fleet_changed(l->fleet, ifindex);
		break;
	case GENL_EVENT_OTHER:
		break;
	}
}

static int on_ethtool(sd_event_source *s, int fd, uint32_t revents, void *arg)
{
	struct loop *l = arg;

	(void)s, (void)fd, (void)revents;
	if (genl_notify_read(&l->ethtool, ethtool_event, l) == -ENOBUFS) {
		log_line(&l->fleet->log, LOG_NOTICE, NULL,
			 "ethtool notifications were lost, reading all interfaces anew");
		fleet_sync(l->fleet);
	}
	return 0;
}

static void file_written(int ifindex, void *arg)
{
	struct loop *l = arg;

	fleet_notified(l->fleet, ifindex, HAND_SYSFS);
}

static int on_files(sd_event_source *s, int fd, uint32_t revents, void *arg)
{
	struct loop *l = arg;
	int r = sysfs_watch_read(&l->files, file_written, l);

	(void)s, (void)fd, (void)revents;
	if (r < 0)
		log_line(&l->fleet->log, LOG_WARNING, NULL, "writes to sysfs: %s", strerror(-r));
	return 0;
}

static int on_stop(sd_event_source *s, const struct signalfd_siginfo *si, void *arg)
{
	struct loop *l = arg;

	(void)s, (void)si;
	sd_notify(0, "STOPPING=1");
	return sd_event_exit(l->event, 0);
}

static int reload(void *arg)
{
	struct loop *l = arg;
	uint64_t now;
	int r;

	sd_event_now(l->event, CLOCK_MONOTONIC, &now);
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu", (unsigned long long)now);
	r = fleet_load(l->fleet);
	if (r < 0)
		log_line(&l->fleet->log, LOG_ERR, NULL, "the configuration stays as it was: %s",
			 r == -EBADMSG ? "the new one has errors" : strerror(-r));
	else
		log_line(&l->fleet->log, LOG_INFO, NULL, "configuration read anew");
	sd_notify(0, "READY=1");
	return r;
}

static int on_reload(sd_event_source *s, const struct signalfd_siginfo *si, void *arg)
{
	(void)s, (void)si;
	reload(arg);
	return 0;
}

static int on_dump(sd_event_source *s, const struct signalfd_siginfo *si, void *arg)
{
	struct loop *l = arg;

	(void)s, (void)si;
	fleet_dump(l->fleet);
	return 0;
}

static const struct {
	int number;
	sd_event_signal_handler_t handler;
} signals[] = {
	{ SIGTERM, on_stop }, { SIGINT, on_stop }, { SIGHUP, on_reload }, { SIGUSR1, on_dump },
};
#define N_SIGNALS (sizeof(signals) / sizeof(signals[0]))

void loop_hold_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < N_SIGNALS; i++)
		sigaddset(&set, signals[i].number);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static int add_signals(struct loop *l)
{
	for (size_t i = 0; i < N_SIGNALS; i++) {
		int r = sd_event_add_signal(l->event, NULL, signals[i].number, signals[i].handler, l);

		if (r < 0)
			return r;
	}
	return 0;
}

/* What is news is read before the next tick looks for itself. */
static int add_io(struct loop *l, int fd, sd_event_io_handler_t handler)
{
	sd_event_source *s;
	int r = sd_event_add_io(l->event, &s, fd, EPOLLIN, handler, l);

	if (r < 0)
		return r;
	sd_event_source_set_priority(s, SD_EVENT_PRIORITY_IMPORTANT);
	sd_event_source_set_floating(s, true);
	sd_event_source_unref(s);
	return 0;
}

static int add_sources(struct loop *l, const struct genl *g)
{
	char err[ERR_MAX];
	int r = linkmon_open(&l->links);

	if (r == 0)
		r = add_io(l, linkmon_fd(l->links), on_links);
	if (r < 0)
		return r;
	/* an old kernel without ethtool netlink: changes by others are then found by reading back */
	if (genl_notify_open(g, &l->ethtool, err) == 0) {
		r = add_io(l, genl_notify_fd(&l->ethtool), on_ethtool);
		if (r < 0)
			return r;
		l->fleet->facts.ethtool_tells = true;
	}
	/* without it changes through sysfs are found by reading back */
	if (sysfs_watch_open(&l->files) == 0) {
		r = add_io(l, l->files.fd, on_files);
		if (r < 0)
			return r;
		l->fleet->watch = &l->files;
	}
	r = sd_event_add_time_relative(l->event, &l->timer, CLOCK_MONOTONIC, FIRST_USEC, ACCURACY_USEC, on_tick, l);
	/* a tick that is due comes before everything that waits, however much that is */
	return r < 0 ? r : sd_event_source_set_priority(l->timer, SD_EVENT_PRIORITY_IMPORTANT);
}

int loop_run(struct fleet *f, const struct genl *g)
{
	struct loop l = { .fleet = f };
	const struct bus_hooks hooks = { reload, hurry, &l };
	int r = sd_event_new(&l.event);

	if (r >= 0)
		r = add_signals(&l);
	if (r >= 0)
		r = add_sources(&l, g); /* before the first list, so that no event falls between */
	if (r >= 0)
		r = fleet_sync(f);
	if (r >= 0)
		r = sd_event_set_watchdog(l.event, true);
	if (r >= 0)
		r = bus_open(f, l.event, &hooks, &l.bus);
	if (r >= 0) {
		l.metrics = metrics_open(l.event, f);
		sd_notify(0, "READY=1");
		notify_status(&l);
		r = sd_event_loop(l.event);
	}
	if (r < 0)
		log_line(&f->log, LOG_ERR, NULL, "event loop: %s", strerror(-r));
	bus_close(l.bus);
	metrics_close(l.metrics);
	if (fleet_release(f) && r == 0)
		r = -EIO;
	linkmon_close(l.links);
	genl_notify_close(&l.ethtool);
	f->watch = NULL;
	sysfs_watch_close(&l.files);
	sd_event_source_unref(l.timer);
	sd_event_unref(l.event);
	return r < 0 ? 1 : 0;
}
