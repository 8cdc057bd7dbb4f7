// SPDX-License-Identifier: GPL-2.0-or-later
/* metrics: /metrics and / by HTTP, and the file for node_exporter, as [metrics] of the configuration says.
 *
 * All of it runs in the loop's one thread, between ticks: what a scrape sees is the state after one tick as a whole,
 * and a scrape that comes during a tick waits for its end. */
#pragma once
#include <systemd/sd-event.h>

#include "daemon/fleet.h"
#include "daemon/metrics-buf.h"

struct metrics;

/* Begins to serve. What cannot be served is logged and tried again later; NULL only without memory. */
struct metrics *metrics_open(sd_event *event, const struct fleet *f);
/* After each tick: it was due and began at these times, the next is to follow after `step`. Takes over another
 * configuration too. */
void metrics_ticked(struct metrics *m, nsec_t due, nsec_t began, nsec_t step);
/* Stops serving; the socket's file and the text file go. Takes NULL. */
void metrics_close(struct metrics *m);

/* The page for people. Returns 0 or -ENOMEM; *ret is to be freed after success. */
int metrics_page(const struct fleet *f, struct metrics_buf *ret);
