// SPDX-License-Identifier: GPL-2.0-or-later
/* madeup: see madeup.h. */
#include "madeup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Also used outside of tests, where Check's own must not be. */
static void need(bool ok)
{
	if (!ok)
		abort();
}

static nsec_t madeup_now(struct backend *b)
{
	(void)b;
	return MADEUP_NOW;
}

static const struct backend_ops madeup_ops = { .name = "made-up", .now = madeup_now };

static void cpus(struct sample *s, unsigned n)
{
	s->have |= SAMPLE_CPU;
	s->n_cpus = 4;
	for (unsigned i = 0; i < s->n_cpus; i++)
		s->cpu[i] = (struct cpu_counters){ .online = i != 2, .idle_ns = n * 70 * NSEC_PER_MSEC,
						   .softirq_ns = n * 30 * NSEC_PER_MSEC };
}

/* The n-th sample: all counters grow in proportion. */
static void sample(struct sample *s, unsigned n, unsigned queues)
{
	memset(s, 0, sizeof(*s));
	s->now = MADEUP_NOW - NSEC_PER_SEC + n * 100 * NSEC_PER_MSEC;
	s->have = SAMPLE_LINK | SAMPLE_QUEUES | SAMPLE_IRQS | SAMPLE_POLLS | SAMPLE_RING_DROPS;
	s->rx_packets = n * 1000;
	s->rx_bytes = n * 100000;
	s->tx_packets = n * 500;
	s->tx_bytes = n * 50000;
	s->rx_dropped = n;
	s->rx_missed = n * 2;
	s->rx_fifo = n * 3;
	s->rx_over = n * 4;
	s->tx_dropped = n * 5;
	s->ring_drops = n * 6;
	s->interrupts = n * 100;
	s->polls = n * 110;
	s->empty_polls = n * 10;
	s->n_queues = queues;
	for (unsigned q = 0; q < queues; q++)
		s->queue[q] = (struct queue_counters){ n * UINT64_C(1000123456) * (q + 1),
						       n * UINT64_C(100000123456) * (q + 1),
						       n * UINT64_C(100000) * (q + 1) };
	cpus(s, n);
}

static struct member *add(struct madeup *m, int ifindex, const char *name, enum target_state state)
{
	struct nic_info nic = { .ifindex = ifindex, .driver = "made_up" };
	struct member *x;

	snprintf(nic.name, sizeof(nic.name), "%s", name);
	x = members_add(&m->fleet.members, &nic);
	need(x != NULL);
	x->state = state;
	if (state == TARGET_UNTUNABLE)
		return x;
	x->target = calloc(1, sizeof(*x->target));
	need(x->target != NULL);
	x->target->nic = nic;
	x->target->state = state;
	x->target->cpu_ratio = -1;
	policy_default(&x->target->rules.policy);
	return x;
}

/* Two samples, and a report in which everything happened. */
static void live(struct member *x, unsigned queues)
{
	struct target *t = x->target;
	struct report *r = &x->last;

	sample(&t->samples[0], 1, queues);
	t->have_previous = true;
	member_count(x);
	sample(&t->samples[1], 3, queues);
	t->flip = 1;
	r->written = KNOB_BIT(KNOB_RX_USECS) | KNOB_BIT(KNOB_RX_FRAMES);
	r->why[KNOB_RX_USECS] = r->why[KNOB_RX_FRAMES] = REASON_LAW;
	r->rolled_back = KNOB_BIT(KNOB_RX_USECS);
	r->error = -EOPNOTSUPP;
	r->skipped = SKIP_RESET;
	r->rates_valid = r->decided[QUEUE_RX] = true;
	r->diagnosis.class = BOTTLENECK_INTERRUPT;
	member_count(x);
	t->rules.policy.cpu_target_ratio = 0.4;
	t->cpu_ratio = 0.3;
	t->n_lanes = 1;
	t->lanes[0].kind = MECH_TIMER;
	t->queues.knobs = KNOB_ALL & ~knob_channel_mask(CHANNEL_RINGS);
	t->queues.n = queues;
	for (unsigned q = 0; q < queues; q++) {
		t->queues.q[q].now = t->apply.current;
		t->queues.q[q].now.value[KNOB_RX_USECS] = 20 + q;
	}
}

void madeup_open(struct madeup *m, unsigned queues, bool per_queue)
{
	struct member *x;

	memset(m, 0, sizeof(*m));
	m->backend.ops = &madeup_ops;
	config_settings_default(&m->config.settings);
	m->config.settings.per_queue = per_queue;
	m->fleet.config = &m->config;
	m->fleet.backend = &m->backend;
	x = add(m, 2, "eth0", TARGET_ACTIVE);
	for (int k = 0; k < KNOB_COUNT; k++)
		knob_put(&x->target->apply.current, k, knob_table[k].type == KNOB_TYPE_BOOL ? 0 : 50);
	live(x, queues);
	add(m, 3, "veth1", TARGET_YIELDED)->target->yielded = KNOB_BIT(KNOB_GRO_FLUSH_TIMEOUT);
	add(m, 4, "dummy2", TARGET_UNTUNABLE);
	m->self.started = 1700000000.5;
	m->self.missed = 7;
	m->self.tick_counts[0] = 5;
	m->self.tick_counts[2] = 3;
	m->self.tick_counts[METRICS_TICK_BUCKETS] = 1;
	m->self.tick_seconds = 1.25;
	cpu_shares_count(&m->self.cpus, &x->target->samples[0], &x->target->samples[1]);
}

void madeup_close(struct madeup *m)
{
	members_free(&m->fleet.members);
}

char *madeup_text(struct madeup *m, enum metrics_format format)
{
	struct metrics_buf buf;

	need(metrics_collect(&m->self, &m->fleet, format, MADEUP_NOW, &buf) == 0);
	return buf.text;
}
