// SPDX-License-Identifier: GPL-2.0-or-later
/* advice: an advice for people, and as JSON. */
#include <stdio.h>

#include "cli/format.h"
#include "core/remedy.h"

static const char *const dir_names[] = { [QUEUE_RX] = "rx", [QUEUE_TX] = "tx" };

static void print_percent(const char *what, double before, double after)
{
	if (before >= 0 && after >= 0)
		printf(", %s %.0f%% -> %.0f%% of one CPU", what, 100 * before, 100 * after);
}

static void print_effect(const struct advice *a)
{
	const struct advice_effect *b = &a->before, *e = &a->expected;
	char x[24], y[24];

	printf("  %s: packets/s %s -> %s", a->measured ? "measured" : "expected",
	       print_rate(b->received_pps, x, sizeof(x)), print_rate(e->received_pps, y, sizeof(y)));
	if (b->polls_ps >= 0 && e->polls_ps >= 0)
		printf(", interrupts or polls/s %s -> %s", print_rate(b->polls_ps, x, sizeof(x)),
		       print_rate(e->polls_ps, y, sizeof(y)));
	if (b->packets_per_poll >= 0 && e->packets_per_poll >= 0)
		printf(", packets each %.1f -> %.1f", b->packets_per_poll, e->packets_per_poll);
	print_percent("CPU for them", b->cpu_ratio, e->cpu_ratio);
	printf(", added latency at most %.0f -> %.0f us\n", b->added_usecs, e->added_usecs);
}

/* Two lines: what it is, in numbers, and in words; then what else may help. */
static void print_diagnosis(const struct advice *a)
{
	const struct bottleneck_desc *d = &bottleneck_table[a->diagnosis.class];
	char line[512], x[24], y[24];
	struct symptoms s;

	diagnosis_explain(&a->diagnosis, &a->rates, line, sizeof(line));
	printf("%s: %s\n  %s", a->nic.name, line, d->sentence);
	if (a->diagnosis.class == BOTTLENECK_IDLE && a->advised.have)
		puts(""); /* a broken cap is advice enough without traffic */
	else if (!d->coalescing)
		printf(": coalescing is not the cause; %s\n", d->advice);
	else if (a->diagnosis.class == BOTTLENECK_INTERRUPT && a->tunable && !a->advised.have)
		puts(", but a longer wait would cost more than it saves");
	else if (a->diagnosis.class == BOTTLENECK_INTERRUPT && a->before.polls_ps >= 0 && a->expected.polls_ps >= 0)
		printf(": %s: %s -> %s interrupts or polls/s\n", d->advice,
		       print_rate(a->before.polls_ps, x, sizeof(x)), print_rate(a->expected.polls_ps, y, sizeof(y)));
	else
		printf(": %s\n", d->advice);
	for (int i = 0; i < BOTTLENECK_COUNT; i++)
		if (a->diagnosis.also & (1U << i))
			printf("  also %s: %s\n", bottleneck_table[i].slug, bottleneck_table[i].sentence);
	advice_symptoms(a, &s);
	for (unsigned i = 0; remedy(&a->diagnosis, &s, i, line); i++)
		printf("  hint: %s\n", line);
}

void advice_text(const struct advice *a, const struct policy *p)
{
	char line[512], x[32], y[32];

	(void)p;
	print_diagnosis(a);
	for (int k = 0; k < KNOB_COUNT; k++)
		if (knob_has(&a->advised, k))
			printf("  %-20s %s -> %s\n", knob_table[k].name,
			       knob_has(&a->current, k) ? print_knob(k, a->current.value[k], x, sizeof(x)) : "?",
			       print_knob(k, a->advised.value[k], y, sizeof(y)));
	for (int dir = QUEUE_RX; dir <= QUEUE_TX; dir++)
		if (a->decided[dir]) {
			decision_explain(&a->decision[dir], line, sizeof(line));
			printf("  why (%s): %s\n", dir_names[dir], line);
		}
	if (!a->tunable)
		printf("  cannot be tuned: %s\n", a->message);
	else if (a->advised.have || a->measured)
		print_effect(a);
	else
		puts("  nothing to change");
}

static json_object *knobs(const struct advice *a)
{
	json_object *all = json_object_new_object();

	for (int k = 0; k < KNOB_COUNT; k++) {
		json_object *o = NULL;

		if (knob_has(&a->current, k) || knob_has(&a->advised, k)) {
			o = json_object_new_object();
			json_object_object_add(o, "current", json_knob(&a->current, k));
			json_object_object_add(o, "advised",
					       json_knob(knob_has(&a->advised, k) ? &a->advised : &a->current, k));
		}
		json_object_object_add(all, knob_table[k].json, o);
	}
	return all;
}

static json_object *evidence(const struct evidence *e)
{
	json_object *o = json_object_new_object();

	for (int i = 0; i < EVIDENCE_COUNT; i++) {
		char key[64];

		snprintf(key, sizeof(key), "%s%s", evidence_table[i].key,
			 evidence_table[i].kind == EVIDENCE_RATE ? "_per_second" : "");
		json_object_object_add(o, key, json_known(evidence_or(e, i, -1)));
	}
	return o;
}

static json_object *also(const struct diagnosis *d)
{
	json_object *all = json_object_new_array();

	for (int i = 0; i < BOTTLENECK_COUNT; i++)
		if (d->also & (1U << i))
			json_object_array_add(all, json_word(bottleneck_table[i].slug));
	return all;
}

static json_object *remedies(const struct advice *a)
{
	json_object *all = json_object_new_array();
	char line[REMEDY_MAX];
	struct symptoms s;

	advice_symptoms(a, &s);
	for (unsigned i = 0; remedy(&a->diagnosis, &s, i, line); i++)
		json_object_array_add(all, json_word(line));
	return all;
}

static json_object *diagnosis(const struct advice *a)
{
	const struct diagnosis *d = &a->diagnosis;
	json_object *o = json_object_new_object();
	char line[512];

	diagnosis_explain(d, &a->rates, line, sizeof(line));
	json_object_object_add(o, "bottleneck", json_word(bottleneck_table[d->class].slug));
	json_object_object_add(o, "summary", json_word(line));
	json_object_object_add(o, "sentence", json_word(bottleneck_table[d->class].sentence));
	json_object_object_add(o, "advice", json_word(bottleneck_table[d->class].advice));
	json_object_object_add(o, "other_cause", json_object_new_boolean(!bottleneck_table[d->class].coalescing));
	json_object_object_add(o, "also", also(d));
	json_object_object_add(o, "remedies", remedies(a));
	json_object_object_add(o, "link_ratio", json_known(d->link_ratio));
	json_object_object_add(o, "busiest_cpu_ratio", json_known(d->busiest_ratio));
	json_object_object_add(o, "ring_drops_per_second", json_known(d->drops_ps));
	json_object_object_add(o, "time_squeeze_per_second", json_known(d->squeeze_ps));
	json_object_object_add(o, "interrupts_per_second", json_known(d->interrupts_ps));
	json_object_object_add(o, "packet_work_cpu_ratio", json_known(d->packet_work_ratio));
	json_object_object_add(o, "packet_work_source", json_word(cpu_time_table[a->rates.packet_cpu.by].slug));
	json_object_object_add(o, "packet_cost_usecs", json_known(d->packet_usecs));
	json_object_object_add(o, "evidence", evidence(&d->evidence));
	return o;
}

static json_object *decision(const struct decision *d)
{
	json_object *o = json_object_new_object();
	char line[512];

	decision_explain(d, line, sizeof(line));
	json_object_object_add(o, "reason", json_word(reason_table[d->reason].slug));
	json_object_object_add(o, "sentence", json_word(line));
	json_object_object_add(o, "current_interval_usecs", json_number(d->from_usecs));
	json_object_object_add(o, "advised_interval_usecs", json_number(d->interval_usecs));
	json_object_object_add(o, "poll_cost_usecs", json_number(d->cost_usecs));
	json_object_object_add(o, "gain", json_number(d->gain));
	return o;
}

static json_object *effect(const struct advice_effect *e)
{
	json_object *o = json_object_new_object();

	json_object_object_add(o, "packets_per_second", json_known(e->received_pps));
	json_object_object_add(o, "interrupts_per_second", json_known(e->polls_ps));
	json_object_object_add(o, "packets_per_interrupt", json_known(e->packets_per_poll));
	json_object_object_add(o, "softirq_cpu_ratio", json_known(e->cpu_ratio));
	json_object_object_add(o, "added_latency_usecs", json_known(e->added_usecs));
	return o;
}

json_object *advice_json(const struct advice *a)
{
	json_object *o = json_nic(&a->nic), *d = json_object_new_object();

	for (int dir = QUEUE_RX; dir <= QUEUE_TX; dir++)
		json_object_object_add(d, dir_names[dir], a->decided[dir] ? decision(&a->decision[dir]) : NULL);
	json_object_object_add(o, "tunable", json_object_new_boolean(a->tunable));
	json_object_object_add(o, "message", json_word(a->message));
	json_object_object_add(o, "change_advised", json_object_new_boolean(a->advised.have != 0));
	json_object_object_add(o, "diagnosis", diagnosis(a));
	json_object_object_add(o, "knobs", knobs(a));
	json_object_object_add(o, "decisions", d);
	json_object_object_add(o, "before", effect(&a->before));
	json_object_object_add(o, "expected", a->tunable ? effect(&a->expected) : NULL);
	json_object_object_add(o, "expected_is_measured", json_object_new_boolean(a->measured));
	return o;
}
