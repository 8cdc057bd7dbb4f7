// SPDX-License-Identifier: GPL-2.0-or-later
/* show-text: `ethtune show` for people. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/print.h"
#include "cli/show.h"

static void limits_text(const struct show *v, enum knob k, char *buf, size_t size)
{
	const struct knob_caps *caps = &v->caps.knobs;
	size_t n;

	if (!(caps->settable & KNOB_BIT(k))) {
		snprintf(buf, size, "%s", caps->readable & KNOB_BIT(k) ? "read only" : "");
		return;
	}
	if (knob_table[k].type == KNOB_TYPE_BOOL) {
		snprintf(buf, size, "off on");
		return;
	}
	n = (size_t)snprintf(buf, size, "%" PRIu64 "..%" PRIu64, caps->min[k], caps->max[k]);
	if (caps->step[k] > 1 && n < size)
		snprintf(buf + n, size - n, " in steps of %" PRIu64, caps->step[k]);
}

static void print_knobs(const struct show *v)
{
	char text[96];
	struct table t;

	table_init(&t, 4);
	table_add(&t, "KNOB");
	table_add(&t, "VALUE");
	table_add(&t, "LIMITS");
	table_add(&t, "WHAT IT IS");
	for (int k = 0; k < KNOB_COUNT; k++) {
		bool there = knob_has(&v->current, k);

		table_add(&t, "%s", knob_table[k].name);
		table_add(&t, "%s", there ? print_knob(k, v->current.value[k], text, sizeof(text)) : "not supported");
		limits_text(v, k, text, sizeof(text));
		table_add(&t, "%s", text);
		table_add(&t, "%s", knob_table[k].what);
	}
	table_end(&t, true, "");
}

static void print_single_values(const struct nic_settings *s)
{
	char text[256];

	if (show_napi_differ(s)) {
		puts("\nNAPI instances have values of their own:");
		for (unsigned i = 0; i < s->n_napi; i++)
			printf("  napi %" PRIu32 ": gro-flush-timeout %" PRIu64 " napi-defer-hard-irqs %" PRIu32 "\n",
			       s->napi[i].id, s->napi[i].gro_flush_timeout_ns, s->napi[i].defer_hard_irqs);
	}
	if (show_queues_differ(s)) {
		puts("\nQueues have values of their own:");
		for (unsigned i = 0; i < s->n_queue; i++) {
			knob_set_format(&s->queue[i].knobs, text, sizeof(text));
			printf("  queue %u: %s\n", s->queue[i].queue, text);
		}
	}
}

static void print_profile(const char *knob, const struct nic_profile *p)
{
	if (p->n)
		printf("\n%s chooses from:\n", knob);
	for (unsigned i = 0; i < p->n; i++)
		printf("  %u us, %u frames, %u completions\n", p->row[i].usecs, p->row[i].frames, p->row[i].comps);
}

static void add_number(struct table *t, bool known, unsigned v)
{
	if (known)
		table_add(t, "%u", v);
	else
		table_add(t, "-");
}

static void print_queues(const struct show *v)
{
	static const char *const head[] = { "QUEUE", "NAPI", "IRQ", "CPU", "SURE BY", "INTERRUPTS/S", "PACKETS/S" };
	char text[48];
	struct table t;

	if (!v->n_rows)
		return;
	puts("");
	table_init(&t, sizeof(head) / sizeof(head[0]));
	for (size_t i = 0; i < t.columns; i++)
		table_add(&t, "%s", head[i]);
	for (unsigned i = 0; i < v->n_rows; i++) {
		const struct queue_row *r = &v->rows[i];

		table_add(&t, "%s", queue_row_name(r, text, sizeof(text)));
		add_number(&t, r->napi, r->napi);
		add_number(&t, r->irq >= 0, (unsigned)r->irq);
		table_add(&t, "%s", r->cpus[0] ? r->cpus : "-");
		table_add(&t, "%s%s", map_confidence_names[r->confidence], r->shared ? " (shared line)" : "");
		table_add(&t, "%s", print_rate(r->interrupts_ps, text, sizeof(text)));
		table_add(&t, "%s", print_rate(r->packets_ps, text, sizeof(text)));
	}
	table_end(&t, true, "");
}

static void print_rates(const struct show *v)
{
	const struct rates *r = &v->rates;
	char a[24], b[24], c[24];

	if (!v->have_rates)
		return;
	puts("");
	if (r->have & SAMPLE_LINK)
		printf("packets/s: %s received, %s sent\n", print_rate(r->rx_pps, a, sizeof(a)),
		       print_rate(r->tx_pps, b, sizeof(b)));
	if (r->have & SAMPLE_IRQS)
		printf("interrupts/s: %s\n", print_rate(r->interrupts_ps, a, sizeof(a)));
	if (r->have & SAMPLE_POLLS)
		printf("polls/s: %s, of them empty %s, full %s (%s)\n", print_rate(r->polls_ps, a, sizeof(a)),
		       print_rate(r->empty_polls_ps, b, sizeof(b)), print_rate(r->full_polls_ps, c, sizeof(c)),
		       show_polls_source(v)->slug);
	else if (r->have & SAMPLE_SOFTIRQ)
		printf("polls/s: %s (%s)\n", print_rate(r->net_rx_ps, a, sizeof(a)), show_polls_source(v)->what);
	if (r->have & SAMPLE_CPU)
		printf("busiest CPU: CPU%u %.0f%%\n", r->busiest_cpu, 100 * r->busiest_ratio);
	show_costs_text(v);
}

static void print_missing(const struct show *v)
{
	bool any = false;

	for (const struct show_source *s = show_sources; s->source; s++) {
		const char *why = show_missing(v, s);

		if (why)
			printf("%snot counted: %s (%s)\n", any ? "" : "\n", s->name, why);
		any |= why != NULL;
	}
}

void show_text(const struct show *v)
{
	const struct nic_info *n = &v->nic;
	unsigned tunables = print_tunables(&v->caps);
	char text[32];

	printf("%s: driver %s, link %s, speed %s, queues rx %u tx %u\n", n->name, n->driver[0] ? n->driver : "unknown",
	       print_link(n), print_speed(n->speed_mbps, text, sizeof(text)), n->rx_queues, n->tx_queues);
	printf("tunable:");
	for (unsigned i = 0; i < PRINT_TUNABLES; i++)
		if (tunables & 1U << i)
			printf(" %s", print_tunable_names[i]);
	puts(tunables ? "\n" : " nothing\n");
	print_knobs(v);
	print_single_values(&v->settings);
	print_profile("adaptive-rx", &v->caps.rx_profile);
	print_profile("adaptive-tx", &v->caps.tx_profile);
	print_queues(v);
	print_rates(v);
	print_missing(v);
}
