// SPDX-License-Identifier: GPL-2.0-or-later
/* ethtune show: gathers everything that is known of one interface. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/session.h"
#include "cli/show.h"
#include "io/backend-kernel.h"

#define RATES_NS NSEC_PER_SEC
#define STEP_NS (100 * NSEC_PER_MSEC)

enum { OPT_JSON = CMD_OPTION, OPT_NO_RATES };

static const struct cmd_option options[] = {
	{ "json", OPT_JSON, NULL, "print one JSON object" },
	{ "no-rates", OPT_NO_RATES, NULL, "do not take a second to measure rates" },
	{ 0 },
};

const struct show_source show_sources[] = {
	{ SAMPLE_LINK, "packets and bytes", "link", "the kernel did not answer" },
	{ SAMPLE_QUEUES, "packets of each queue", "queues", "its driver does not report them to the kernel" },
	{ SAMPLE_IRQS, "interrupts", "interrupts", "no interrupt of this device was found" },
	{ SAMPLE_POLLS, "polls", "polls", "needs the napi_poll tracepoint and the right to count it" },
	{ SAMPLE_CPU, "CPU time", "cpu", "/proc/stat cannot be read" },
	{ SAMPLE_IRQTIME, "exact interrupt time", "irqtime", "this kernel samples it at its tick" },
	{ SAMPLE_SOFTIRQ, "softirqs", "softirqs", "/proc/softirqs cannot be read" },
	{ SAMPLE_SOFTNET, "time_squeeze", "softnet", "/proc/net/softnet_stat cannot be read" },
	{ SAMPLE_TRACED, "the time of each poll", "traced", "hardly any polls while it was looked" },
	{ SAMPLE_PMU, "hardware counters", "pmu", "they are there, but could not be read" },
	{ SAMPLE_RING_DROPS, "ring drops", "ring_drops", "no counter of this device surely means a full ring" },
	{ 0 },
};

const char *show_missing(const struct show *v, const struct show_source *s)
{
	const char *why = s->source == SAMPLE_POLLS  ? v->why_polls :
			  s->source == SAMPLE_TRACED ? v->why_trace :
			  s->source == SAMPLE_PMU    ? v->why_pmu :
						       "";

	if ((v->have_rates ? v->b.have : v->a.have) & s->source && (s->source != SAMPLE_TRACED || v->have_cost))
		return NULL;
	if (!v->detailed && s->source & (SAMPLE_TRACED | SAMPLE_PMU))
		return NULL; /* nobody asked */
	return why[0] ? why : s->why;
}

bool show_napi_differ(const struct nic_settings *s)
{
	for (unsigned i = 1; i < s->n_napi; i++)
		if (s->napi[i].defer_hard_irqs != s->napi[0].defer_hard_irqs ||
		    s->napi[i].gro_flush_timeout_ns != s->napi[0].gro_flush_timeout_ns)
			return true;
	return false;
}

bool show_queues_differ(const struct nic_settings *s)
{
	struct knob_set d;

	for (unsigned i = 0; i < s->n_queue; i++)
		if (knob_set_diff(&s->queue[i].knobs, &s->queue[0].knobs, &d))
			return true;
	return false;
}

static void ask_why(const struct backend_ops *ops, struct show *v, struct backend *b)
{
	snprintf(v->why_polls, ERR_MAX, "%s", ops->why_missing(b, &v->nic, SAMPLE_POLLS));
	snprintf(v->why_trace, ERR_MAX, "%s", ops->why_missing(b, &v->nic, SAMPLE_TRACED));
	snprintf(v->why_pmu, ERR_MAX, "%s", ops->why_missing(b, &v->nic, SAMPLE_PMU));
	v->detailed = true;
}

/* Returns 0 or negative errno; without a second sample there are no rates. */
static int sample_twice(struct session *s, struct show *v, bool rates)
{
	const struct timespec pause = { .tv_nsec = STEP_NS };
	struct backend *b = s->backend;
	int r = b->ops->sample(b, &v->nic, &v->a);

	if (r < 0 || !rates)
		return r;
	for (nsec_t t = 0; t < RATES_NS && r == 0; t += STEP_NS) {
		if (!session_progress(s, (double)t / RATES_NS))
			return -EINTR;
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		r = b->ops->sample(b, &v->nic, &v->b); /* each one times some polls */
	}
	v->have_rates = r == 0 && rates_between(&v->a, &v->b, &v->rates) == RATES_OK;
	v->have_cost = v->have_rates && v->rates.have & SAMPLE_TRACED && cost_estimate(&v->rates.traced, &v->cost);
	return r;
}

static int sample_in_detail(struct session *s, struct show *v, bool rates)
{
	const struct backend_ops *ops = s->backend->ops;
	int r;

	if (!rates || !ops->details || !ops->why_missing)
		return sample_twice(s, v, rates);
	ops->details(s->backend, &v->nic, true);
	r = sample_twice(s, v, rates);
	ask_why(ops, v, s->backend);
	ops->details(s->backend, &v->nic, false);
	return r;
}

static int gather(struct session *s, struct show *v, bool rates)
{
	struct backend *b = s->backend;
	struct quirk_effect quirk;
	int r = b->ops->caps(b, &v->nic, &v->caps);

	if (r == 0)
		r = b->ops->read(b, &v->nic, &v->current);
	if (r == 0)
		r = sample_in_detail(s, v, rates);
	if (r < 0)
		return r;
	/* what the driver is known to take, which is less than what it reports */
	session_quirks(s, &v->nic, &v->current, &v->caps, &quirk);
	machine_facts_read(&v->facts);
	/* the rest may be missing: then there is less to say */
	if (b->ops->save(b, &v->nic, &v->settings) < 0)
		v->settings = (struct nic_settings){ 0 };
	if (b->ops->map(b, &v->nic, &v->map) < 0)
		v->map = (struct nic_map){ 0 };
	/* drivers that do not tell which NAPI serves a queue leave no doubt where there is one of each */
	if (v->nic.rx_queues == 1 && v->settings.n_napi == 1 && !v->map.rx_napi[0])
		v->map.rx_napi[0] = v->settings.napi[0].id;
	if (!v->detailed)
		snprintf(v->why_polls, ERR_MAX, "%s", backend_kernel_no_polls(b, &v->nic));
	v->n_rows = queue_rows(&v->nic, &v->map, &v->a, v->have_rates ? &v->b : NULL, &v->rates, v->rows);
	return 0;
}

static int show(struct session *s, const char *name, bool rates, bool json)
{
	int code, r;
	const struct nic_info *nic = session_find(s, name, &code);
	struct show *v;

	if (!nic)
		return code;
	v = calloc(1, sizeof(*v));
	if (!v)
		return cmd_fail(s->cmd, EXIT_FAILED, "no memory");
	v->nic = *nic;
	s->doing = "measuring rates";
	r = gather(s, v, rates);
	session_progress_end(s);
	if (r == 0)
		(json ? show_json : show_text)(v);
	free(v);
	if (r == -EINTR)
		return cmd_fail(s->cmd, EXIT_FAILED, "interrupted");
	return r < 0 ? cmd_fail(s->cmd, EXIT_FAILED, "%s: %s", name, strerror(-r)) : EXIT_DONE;
}

int cmd_show(const struct cmd *c, int argc, char **argv)
{
	bool json = false, rates = true;
	struct session s;
	const char *arg;
	int code, id;

	while ((id = cmd_next_option(c, options, argc, argv, &arg, &code)) != CMD_END) {
		if (id == CMD_STOP)
			return code;
		json |= id == OPT_JSON;
		rates &= id != OPT_NO_RATES;
	}
	if (argc - optind != 1)
		return cmd_fail(c, EXIT_USAGE, "needs one interface");
	code = session_open(&s, c);
	if (code == EXIT_DONE)
		code = show(&s, argv[optind], rates, json);
	session_close(&s);
	return code;
}
