// SPDX-License-Identifier: GPL-2.0-or-later
/* advise: see advise.h. The law's answer to what measure.c saw, and what the model expects of it. */
#include "engine/advise.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/measure.h"

#define MIN_EFFECT 0.015 /* smallest fall of throughput that counts in a comparison ... */
#define SIGMAS 3	 /* ... and how sure it must be */
#define ERROR_FLOOR 0.003
#define COUNTED 0.02  /* how well some seconds count packets per poll */
#define WORK_MIN 0.05 /* of a CPU: less is lost among the ticks that count it */
#define DEAR 2.0
#define LEARNT 0.5 /* confidence */
#define FACTOR_MAX 8.0
#define FOREIGN_PART 1.2

static double law(const struct model *m, double from, double polls_ps, struct decision *d)
{
	double target = model_target(m, from);

	if (model_over_cap(m, from)) {
		d->reason = REASON_CAP;
		return target < from ? target : model_fit(m, from);
	}
	if (model_more_polls(m, from, m->pps, polls_ps)) {
		d->reason = REASON_MORE_POLLS;
		return m->limits.min_usecs;
	}
	if (model_lonely(m, from, m->pps, polls_ps, COUNTED)) {
		d->reason = REASON_LONELY;
		return m->limits.min_usecs;
	}
	d->gain = model_present_cost(m, from, target > from ? polls_ps : -1) - model_cost(m, target);
	if (target == from || d->gain < MODEL_MIN_GAIN) {
		d->reason = REASON_STEADY;
		return from;
	}
	d->reason = target > from ? REASON_LAW : REASON_LAW_DOWN;
	return target;
}

static void decide(const struct measure *m, unsigned i, struct decision *ret)
{
	const struct model *model = &m->model[i];
	double from = m->interval[i], polls_ps = measure_lane_polls(m, i), to = from;
	struct decision d = { .from_usecs = from, .cost_usecs = model->a_usecs };

	if (m->sums[i].pps_s <= 0) {
		d.reason = REASON_SKIPPED; /* no packet counters: hold */
	} else {
		d.pps = 1e6 * model_lambda(model);
		d.polls_ps = polls_ps > 0 ? polls_ps : 0;
		/* without traffic there is no evidence for any setting, but a broken cap is one by itself */
		if (model->pps < MODEL_IDLE_PPS && !model_over_cap(model, from))
			d.reason = REASON_IDLE;
		else
			to = law(model, from, polls_ps, &d);
	}
	d.interval_usecs = to;
	d.change = to != from;
	d.frames = d.change ? model_frames(model, to) : 0;
	*ret = d;
}

static double added_usecs(const struct model *m, double interval)
{
	return interval > 0 ? model_period(m, interval) : 0;
}

/* Effects as measured, and as the model expects them with the advice. */
static void effects(const struct measure *m, struct advice *a)
{
	double cpu = measure_cpu(m), polls = a->diagnosis.polls_ps, saved_cpu = 0, saved_polls = 0, before = 0,
	       after = 0;

	for (unsigned i = 0; i < m->n_lanes; i++) {
		const struct model *model = &m->model[i];
		const struct decision *d = &a->decision[m->lanes[i].dir];
		double now_ps = measure_lane_polls(m, i), then_ps;

		before = fmax(before, added_usecs(model, d->from_usecs));
		after = fmax(after, added_usecs(model, d->interval_usecs));
		if (!d->change || m->sums[i].pps_s <= 0)
			continue;
		if (now_ps < 0)
			now_ps = model_polls_ps(model, d->from_usecs);
		then_ps = model_polls_ps(model, d->interval_usecs);
		if (d->interval_usecs > d->from_usecs)
			then_ps = fmin(then_ps, now_ps); /* a longer wait saves or does nothing, so much is sure */
		saved_polls += now_ps - then_ps;
		saved_cpu += 1e-6 * (now_ps * model_poll_cost(model, d->from_usecs) -
				     then_ps * model_poll_cost(model, d->interval_usecs));
	}
	a->before = (struct advice_effect){ polls, cpu, before, a->rates.rx_pps, a->diagnosis.packets_per_poll };
	a->expected = a->before;
	a->expected.added_usecs = after;
	if (polls >= 0)
		a->expected.polls_ps = fmax(polls - saved_polls, 0);
	if (cpu >= 0)
		a->expected.cpu_ratio = fmax(cpu - saved_cpu, 0);
	if (a->expected.polls_ps >= 1 && a->before.packets_per_poll >= 0)
		a->expected.packets_per_poll = a->rates.rx_pps / a->expected.polls_ps;
}

/* What is not the cause is no cure either; but a broken cap is one by itself. */
static void hold_for_other_cause(struct decision *d)
{
	if (!d->change || d->reason == REASON_CAP)
		return;
	d->change = false;
	d->interval_usecs = d->from_usecs;
	d->reason = REASON_OTHER_CAUSE;
}

static void conclude(const struct measure *m, struct advice *a)
{
	struct knob_set want = { 0 }, part;

	for (unsigned i = 0; i < m->n_lanes; i++) {
		struct decision *d = &a->decision[m->lanes[i].dir];

		decide(m, i, d);
		a->decided[m->lanes[i].dir] = true;
		if (!bottleneck_table[a->diagnosis.class].coalescing)
			hold_for_other_cause(d);
		if (!d->change)
			continue;
		mech_knobs(&m->lanes[i], d->interval_usecs, d->frames, &a->caps, &a->quirk, &part);
		knob_set_overlay(&want, &part);
	}
	knob_set_diff(&want, &a->current, &a->advised);
	effects(m, a);
}

void advice_symptoms(const struct advice *a, struct symptoms *ret)
{
	*ret = (struct symptoms){
		.nic = &a->nic,
		.rates = &a->rates,
		.polls_ps = a->diagnosis.polls_ps,
		.poll_usecs = a->poll_usecs,
		.packet_usecs = a->packet_usecs,
		.current = &a->current,
		.caps = &a->caps.knobs,
		.evidence = &a->evidence,
		.map = &a->map,
	};
}

static void name_bottleneck(struct advice *a, double polls_ps, bool closed)
{
	struct symptoms s;

	advice_symptoms(a, &s);
	s.polls_ps = polls_ps;
	s.closed = closed;
	diagnose(&s, &a->diagnosis);
}

static void gather(struct backend *b, const struct nic_info *nic, struct evidence *ret)
{
	*ret = (struct evidence){ 0 };
	if (b->ops->evidence && b->ops->evidence(b, nic, ret) < 0)
		ret->have = 0;
}

/* What packets cost the busiest CPU against what the prior makes of them. A machine that is more than twice as dear is
 * so in both, interrupt and packet, until more than one setting was seen. Never cheaper: wake-ups of receivers are part
 * of the cost and no part of softirq time. Only where the packets of that CPU are this device's. */
static void calibrate(struct measure *m, const struct rates *r)
{
	const uint32_t needed = SAMPLE_CPU | SAMPLE_LINK | SAMPLE_SOFTNET;
	double polls_ps = measure_polls(m), predicted, factor;
	const struct model *rx = &m->model[0];

	if (!m->n_lanes || (r->have & needed) != needed || polls_ps <= 0 || rx->confidence > 0 ||
	    r->processed_ps > FOREIGN_PART * r->rx_pps || r->rx_pps < MODEL_IDLE_PPS)
		return;
	predicted = 1e-6 * (polls_ps * rx->limits.prior.a_usecs + r->rx_pps * rx->limits.prior.b_usecs);
	factor = r->busiest_softirq_ratio / predicted;
	if (factor < DEAR)
		return;
	factor = fmin(factor, FACTOR_MAX);
	for (unsigned i = 0; i < m->n_lanes; i++) {
		m->model[i].a_usecs = m->model[i].limits.prior.a_usecs * factor;
		m->model[i].b_usecs = m->model[i].limits.prior.b_usecs * factor;
	}
}

/* Measures between two readings of what sampling does not read. */
static int watch(struct measure *m, double duration_s, advise_progress progress, void *userdata, struct advice *a)
{
	struct evidence before, after;
	int r;

	gather(m->backend, m->nic, &before);
	r = measure_run(m, duration_s, progress, userdata);
	if (r < 0)
		return r;
	gather(m->backend, m->nic, &after);
	if (!m->backend->ops->map || m->backend->ops->map(m->backend, m->nic, &a->map) < 0)
		a->map.n_irqs = 0;
	a->rates = m->rates;
	evidence_between(&before, &after, m->rates.dt_s, &a->evidence);
	calibrate(m, &a->rates);
	if (m->n_lanes) {
		/* with one setting seen only their sum is known, and the prior's proportion is the better one */
		bool learnt = m->model[0].confidence > LEARNT;

		a->poll_usecs = learnt ? m->model[0].a_usecs : m->model[0].limits.prior.a_usecs;
		a->packet_usecs = learnt ? m->model[0].b_usecs : m->model[0].limits.prior.b_usecs;
	}
	return 0;
}

int advise_run(struct backend *b, const struct nic_info *nic, const struct target_rules *rules, double duration_s,
	       advise_progress progress, void *userdata, struct advice *ret)
{
	struct advice a = { .nic = *nic };
	struct measure *m;
	int r = b->ops->caps(b, nic, &a.caps);

	if (r == 0)
		r = b->ops->read(b, nic, &a.current);
	if (r < 0)
		return r;
	quirk_apply(rules->quirks, rules->n_quirks, &rules->subject, &a.current, &a.caps, &a.quirk);
	m = measure_new(b, &a, &rules->policy);
	if (!m)
		return -ENOMEM;
	a.tunable = m->n_lanes > 0;
	r = watch(m, duration_s, progress, userdata, &a);
	if (r == 0) {
		name_bottleneck(&a, measure_polls(m), false);
		conclude(m, &a);
		*ret = a;
	}
	free(m);
	return r;
}

/* Fewer packets with the advice: the load waits for its answers, and the advice is withdrawn. */
static void withdraw(struct advice *a)
{
	for (int dir = QUEUE_RX; dir <= QUEUE_TX; dir++) {
		struct decision *d = &a->decision[dir];

		if (!a->decided[dir] || !d->change)
			continue;
		d->change = false;
		d->interval_usecs = d->from_usecs;
		d->reason = REASON_CLOSED;
	}
	a->advised.have = 0;
	name_bottleneck(a, a->diagnosis.polls_ps, true);
}

/* m: measured with the advice in force. */
static void compare(const struct measure *m, struct advice *a)
{
	double before = a->before.received_pps, after = m->rates.rx_pps, error = ERROR_FLOOR, polls = measure_polls(m);

	a->expected.added_usecs = 0;
	for (unsigned i = 0; i < m->n_lanes; i++) {
		if (m->lanes[i].dir == QUEUE_RX)
			error += 2 * measure_pps_error(m, i); /* the run before scattered about as much */
		/* the model has learnt how late the timer is */
		a->expected.added_usecs = fmax(a->expected.added_usecs, added_usecs(&m->model[i], m->interval[i]));
	}
	a->expected.polls_ps = polls;
	a->expected.cpu_ratio = measure_cpu(m);
	a->expected.received_pps = after;
	a->expected.packets_per_poll = polls >= 1 ? after / polls : -1;
	a->measured = true;
	if (before > MODEL_IDLE_PPS && after < before * (1 - MIN_EFFECT) && after < before * (1 - SIGMAS * error))
		withdraw(a);
}

/* Returns r, or the error of the restore, which outweighs it. */
static int put_back(struct apply *a, const struct nic_info *nic, int r, char not_back[ERR_MAX])
{
	char err[ERR_MAX] = "";
	int restored = apply_restore(a, nic, 0, err);

	if (restored < 0 && restored != -ENODEV)
		snprintf(not_back, ERR_MAX, "%s", err[0] ? err : strerror(-restored));
	return not_back[0] || r == 0 ? restored : r;
}

int advise_probe(struct apply *a, const struct target_rules *rules, double duration_s, advise_progress progress,
		 void *userdata, struct advice *advice, char not_back[ERR_MAX])
{
	struct advice with = *advice;
	struct apply_result res;
	struct measure *m;
	int r = apply_set(a, &advice->nic, &advice->advised, &res);

	not_back[0] = 0;
	if (r < 0)
		return put_back(a, &advice->nic, r, not_back);
	with.current = a->current;
	m = measure_new(a->backend, &with, &rules->policy);
	r = m ? measure_run(m, duration_s, progress, userdata) : -ENOMEM;
	r = put_back(a, &advice->nic, r, not_back);
	if (r == 0)
		compare(m, advice);
	free(m);
	return r;
}
