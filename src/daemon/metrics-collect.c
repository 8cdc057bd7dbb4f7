// SPDX-License-Identifier: GPL-2.0-or-later
/* metrics-collect: see metrics-collect.h. One function a row of metrics.def. */
#include "daemon/metrics-collect.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const double metrics_tick_bounds[METRICS_TICK_BUCKETS] = { 0.0005, 0.001, 0.002, 0.005, 0.01,
							   0.02,   0.05,  0.1,	 0.2,	0.5 };

static const char *const directions[] = { [QUEUE_RX] = "receive", [QUEUE_TX] = "transmit" };

struct view {
	const struct metrics_self *self;
	const struct fleet *fleet;
	const struct member *m; /* NULL: for the daemon */
	nsec_t now;
};

typedef void collector(struct metrics_text *t, const struct view *v);

/* ---- the daemon */

static void collect_build(struct metrics_text *t, const struct view *v)
{
	(void)v;
	metrics_u64(t, 1, "version", PACKAGE_VERSION, NULL);
}

static void collect_start_time(struct metrics_text *t, const struct view *v)
{
	metrics_double(t, v->self->started, NULL);
}

static void collect_tick_duration(struct metrics_text *t, const struct view *v)
{
	metrics_buckets(t, metrics_tick_bounds, v->self->tick_counts, METRICS_TICK_BUCKETS, v->self->tick_seconds);
}

static void collect_ticks_missed(struct metrics_text *t, const struct view *v)
{
	metrics_u64(t, v->self->missed, NULL);
}

static void collect_interfaces(struct metrics_text *t, const struct view *v)
{
	uint64_t n[TARGET_STATE_COUNT] = { 0 };

	for (size_t i = 0; i < v->fleet->members.n; i++)
		n[member_state(v->fleet->members.v[i])]++;
	for (int s = 0; s < TARGET_GONE; s++)
		metrics_u64(t, n[s], "state", target_state_names[s], NULL);
}

static void collect_cpu_softirq(struct metrics_text *t, const struct view *v)
{
	const struct cpu_shares *c = &v->self->cpus;
	char cpu[16];

	for (unsigned i = 0; i < c->n; i++) {
		if (!cpu_shares_fresh(c, v->now) || c->ratio[i] < 0)
			continue;
		snprintf(cpu, sizeof(cpu), "%u", i);
		metrics_double(t, c->ratio[i], "cpu", cpu, NULL);
	}
}

/* ---- an interface */

static void collect_device(struct metrics_text *t, const struct view *v)
{
	const struct target *x = v->m->target;

	if (!x)
		return;
	metrics_u64(t, 1, "device", v->m->nic.name, "driver", v->m->nic.driver, "policy", x->rules.policy.name, "mode",
		    mode_table[x->rules.policy.mode].name, "mechanism", target_mechanism(x), NULL);
}

static void collect_state(struct metrics_text *t, const struct view *v)
{
	enum target_state now = member_state(v->m);

	/* those that are only remembered may be thousands */
	for (int s = 0; s < TARGET_GONE; s++)
		if (v->m->target || now == (enum target_state)s)
			metrics_u64(t, now == (enum target_state)s, "device", v->m->nic.name, "state",
				    target_state_names[s], NULL);
}

static void collect_override(struct metrics_text *t, const struct view *v)
{
	if (v->m->target)
		metrics_u64(t, v->m->target->yielded || queues_yielded(v->m->target), "device", v->m->nic.name, NULL);
}

static void collect_bottleneck(struct metrics_text *t, const struct view *v)
{
	if (!v->m->target || !v->m->totals || !v->m->totals->judged)
		return;
	for (int c = 0; c < BOTTLENECK_COUNT; c++)
		metrics_u64(t, v->m->totals->bottleneck == (enum bottleneck)c, "device", v->m->nic.name, "class",
			    bottleneck_table[c].slug, NULL);
}

/* A counter of the device with one more label (NULL: none), where its source is there. */
static void device_total(struct metrics_text *t, const struct view *v, enum total which, const char *label,
			 const char *value)
{
	const struct totals *x = v->m->totals;

	if (v->m->target && x && totals_fresh(x, totals_source(which), v->now))
		metrics_u64(t, x->device[which].sum, "device", v->m->nic.name, label, value, NULL);
}

static void collect_packets(struct metrics_text *t, const struct view *v)
{
	device_total(t, v, TOTAL_RX_PACKETS, "direction", directions[QUEUE_RX]);
	device_total(t, v, TOTAL_TX_PACKETS, "direction", directions[QUEUE_TX]);
}

static void collect_bytes(struct metrics_text *t, const struct view *v)
{
	device_total(t, v, TOTAL_RX_BYTES, "direction", directions[QUEUE_RX]);
	device_total(t, v, TOTAL_TX_BYTES, "direction", directions[QUEUE_TX]);
}

static void collect_dropped(struct metrics_text *t, const struct view *v)
{
	static const struct {
		enum total which;
		const char *cause;
	} causes[] = {
		{ TOTAL_RING_DROPS, "ring" },	 { TOTAL_RX_DROPPED, "rx_dropped" },
		{ TOTAL_RX_MISSED, "rx_missed" }, { TOTAL_RX_FIFO, "rx_fifo" },
		{ TOTAL_RX_OVER, "rx_over" },	 { TOTAL_TX_DROPPED, "tx_dropped" },
	};

	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		device_total(t, v, causes[i].which, "cause", causes[i].cause);
}

static void collect_interrupts(struct metrics_text *t, const struct view *v)
{
	device_total(t, v, TOTAL_INTERRUPTS, NULL, NULL);
}

static void collect_polls(struct metrics_text *t, const struct view *v)
{
	device_total(t, v, TOTAL_POLLS, NULL, NULL);
}

static void collect_empty_polls(struct metrics_text *t, const struct view *v)
{
	device_total(t, v, TOTAL_EMPTY_POLLS, NULL, NULL);
}

static void collect_added_latency(struct metrics_text *t, const struct view *v)
{
	for (int dir = QUEUE_RX; dir <= QUEUE_TX; dir++) {
		double s = metrics_added_latency(v->m, dir);

		if (s >= 0)
			metrics_double(t, s, "device", v->m->nic.name, "direction", directions[dir], NULL);
	}
}

static void collect_latency_cap(struct metrics_text *t, const struct view *v)
{
	if (v->m->target)
		metrics_double(t, policy_cap_usecs(&v->m->target->rules.policy) / USEC_PER_SEC, "device",
			       v->m->nic.name, NULL);
}

static void collect_busiest_cpu(struct metrics_text *t, const struct view *v)
{
	if (v->m->target && v->m->target->cpu_ratio >= 0 && v->m->totals &&
	    totals_fresh(v->m->totals, SAMPLE_CPU, v->now))
		metrics_double(t, v->m->target->cpu_ratio, "device", v->m->nic.name, NULL);
}

static void collect_cpu_target(struct metrics_text *t, const struct view *v)
{
	if (v->m->target && v->m->target->rules.policy.cpu_target_ratio < 1)
		metrics_double(t, v->m->target->rules.policy.cpu_target_ratio, "device", v->m->nic.name, NULL);
}

static void collect_changes(struct metrics_text *t, const struct view *v)
{
	const struct totals *x = v->m->totals;

	for (int k = 0; x && k < KNOB_COUNT; k++)
		for (int r = 0; r < REASON_COUNT; r++)
			if (x->changes[k][r])
				metrics_u64(t, x->changes[k][r], "device", v->m->nic.name, "knob", knob_table[k].name,
					    "reason", reason_table[r].slug, NULL);
}

static void collect_rollbacks(struct metrics_text *t, const struct view *v)
{
	if (v->m->totals)
		metrics_u64(t, v->m->totals->rollbacks, "device", v->m->nic.name, NULL);
}

static void collect_apply_errors(struct metrics_text *t, const struct view *v)
{
	for (int i = 0; v->m->totals && i < TOTALS_ERRNOS && v->m->totals->errors[i].n; i++) {
		int number = v->m->totals->errors[i].number;
		const char *name = number ? strerrorname_np(number) : NULL;

		metrics_u64(t, v->m->totals->errors[i].n, "device", v->m->nic.name, "errno", name ? name : "other",
			    NULL);
	}
}

static void collect_skipped(struct metrics_text *t, const struct view *v)
{
	for (int s = SKIP_NONE + 1; v->m->totals && s < SKIP_COUNT; s++)
		metrics_u64(t, v->m->totals->skipped[s], "device", v->m->nic.name, "reason", skip_names[s], NULL);
}

/* ---- its queues */

static void queue_totals(struct metrics_text *t, const struct view *v, enum queue_total which,
			 enum sample_source source)
{
	const struct totals *x = v->m->totals;
	char queue[16];

	if (!v->m->target || !x || !totals_fresh(x, source, v->now))
		return;
	for (unsigned q = 0; q < x->n_queues; q++) {
		/* 0 is also what a queue has whose bytes are not counted or whose interrupt is not known */
		if (which != QUEUE_PACKETS && !x->queue[q][which].raw)
			continue;
		snprintf(queue, sizeof(queue), "%u", q);
		metrics_u64(t, x->queue[q][which].sum, "device", v->m->nic.name, "queue", queue, NULL);
	}
}

static void collect_queue_packets(struct metrics_text *t, const struct view *v)
{
	queue_totals(t, v, QUEUE_PACKETS, SAMPLE_QUEUES);
}

static void collect_queue_bytes(struct metrics_text *t, const struct view *v)
{
	queue_totals(t, v, QUEUE_BYTES, SAMPLE_QUEUES);
}

static void collect_queue_interrupts(struct metrics_text *t, const struct view *v)
{
	queue_totals(t, v, QUEUE_INTERRUPTS, SAMPLE_IRQS);
}

/* ---- all of it */

enum scope { SCOPE_DAEMON, SCOPE_DEVICE, SCOPE_QUEUE };

static const struct metric {
	struct metric_family family;
	enum scope scope;
	collector *collect;
} metrics[] = {
#define METRIC(name, type, unit, scope, fn, help)                                                                      \
	{ { name, unit, help, METRIC_##type }, SCOPE_##scope, collect_##fn },
#include "daemon/metrics.def"
#undef METRIC
};

static void each_device(struct metrics_text *t, struct view *v, collector *collect)
{
	for (size_t i = 0; i < v->fleet->members.n; i++) {
		v->m = v->fleet->members.v[i];
		collect(t, v);
	}
}

int metrics_collect(const struct metrics_self *s, const struct fleet *f, enum metrics_format format, nsec_t now,
		    struct metrics_buf *ret)
{
	struct metrics_text t = { .format = format };
	struct view v = { .self = s, .fleet = f, .now = now };

	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		metrics_begin(&t, &metrics[i].family);
		v.m = NULL;
		if (metrics[i].scope == SCOPE_DAEMON)
			metrics[i].collect(&t, &v);
		else if (metrics[i].scope == SCOPE_DEVICE || (f->config && f->config->settings.per_queue))
			each_device(&t, &v, metrics[i].collect);
	}
	metrics_knobs(&t, f);
	metrics_end(&t);
	if (t.buf.failed) {
		metrics_buf_free(&t.buf);
		return -ENOMEM;
	}
	*ret = t.buf;
	return 0;
}
