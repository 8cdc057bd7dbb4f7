// SPDX-License-Identifier: GPL-2.0-or-later
/* fakenic: see fakenic.h. */
#include "fakenic.h"
#include "fakequeues.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct fakenic *self(struct backend *b)
{
	return (struct fakenic *)b;
}

static nsec_t fake_now(struct backend *b)
{
	return self(b)->now;
}

static int fake_list(struct backend *b, struct nic_info *ret, size_t max)
{
	if (max)
		*ret = self(b)->nic;
	return 1;
}

static int fake_caps(struct backend *b, const struct nic_info *nic, struct nic_caps *ret)
{
	(void)nic;
	if (self(b)->gone)
		return -ENODEV;
	*ret = self(b)->caps;
	return 0;
}

static int fake_map(struct backend *b, const struct nic_info *nic, struct nic_map *ret)
{
	struct fakenic *f = self(b);

	(void)nic;
	memset(ret, 0, sizeof(*ret));
	ret->n_irqs = f->n_queues;
	for (unsigned q = 0; q < f->n_queues; q++) {
		ret->irqs[q] = (struct nic_irq){ .irq = 40 + q, .queue = (int)q, .rx = 1, .confidence = MAP_EXACT };
		ret->rx_napi[q] = f->queue[q].napi_id;
	}
	return 0;
}

static int fake_sample(struct backend *b, const struct nic_info *nic, struct sample *ret)
{
	struct fakenic *f = self(b);

	(void)nic;
	if (f->gone)
		return -ENODEV;
	memset(ret, 0, sizeof(*ret));
	ret->now = f->now;
	ret->have = SAMPLE_LINK | SAMPLE_POLLS;
	ret->have |= (f->has_drops ? SAMPLE_RING_DROPS : 0) | (f->has_cpu ? SAMPLE_CPU : 0) |
		     (f->has_carrier ? SAMPLE_CARRIER : 0) | (f->has_tx_timeouts ? SAMPLE_TX_TIMEOUTS : 0);
	fakequeues_sample(f, ret);
	ret->have &= ~f->missing;
	ret->reset = f->reset ? SAMPLE_LINK : 0;
	ret->generation = f->generation;
	ret->rx_packets = f->packets;
	ret->rx_bytes = f->packets * 100;
	ret->tx_packets = f->tx_packets;
	ret->tx_bytes = f->tx_packets * 1500;
	ret->polls = f->polls;
	ret->ring_drops = f->drops;
	ret->carrier_changes = f->carrier_changes;
	ret->tx_timeouts = f->tx_timeouts;
	ret->n_cpus = 1;
	ret->cpu[0] = (struct cpu_counters){ .online = true, .softirq_ns = f->softirq_ns, .idle_ns = f->idle_ns };
	return 0;
}

static int fake_read(struct backend *b, const struct nic_info *nic, struct knob_set *ret)
{
	struct fakenic *f = self(b);

	(void)nic;
	f->reads++;
	if (f->gone)
		return -ENODEV;
	if (f->knobs.value[KNOB_ADAPTIVE_RX] && f->adaptive_usecs > 0) /* shows what it does, which moves */
		f->knobs.value[KNOB_RX_USECS] = (uint64_t)f->adaptive_usecs + f->now / NSEC_PER_SEC % 3;
	*ret = f->knobs;
	if (f->second.gro_flush_timeout_ns > ret->value[KNOB_GRO_FLUSH_TIMEOUT]) /* the largest of them */
		ret->value[KNOB_GRO_FLUSH_TIMEOUT] = f->second.gro_flush_timeout_ns;
	return 0;
}

static void round_down(struct fakenic *f)
{
	uint64_t *v = &f->knobs.value[KNOB_RX_USECS];

	if (f->step_usecs > 0)
		*v = (uint64_t)((double)(uint64_t)((double)*v / f->step_usecs) * f->step_usecs);
}

static int fake_write(struct backend *b, const struct nic_info *nic, const struct knob_set *want, struct knob_set *got,
		      char err[ERR_MAX])
{
	struct fakenic *f = self(b);

	(void)nic;
	f->writes++;
	if (f->gone)
		return -ENODEV;
	if (f->write_error) {
		snprintf(err, ERR_MAX, "fake refusal");
		return -f->write_error;
	}
	for (int k = 0; k < KNOB_COUNT; k++) {
		if (!knob_has(want, k))
			continue;
		if (!(f->ignore & KNOB_BIT(k)))
			knob_put(&f->knobs, k, want->value[k]);
		if (k == KNOB_RX_USECS)
			round_down(f);
		if (f->clamp_max[k] && f->knobs.value[k] > f->clamp_max[k])
			f->knobs.value[k] = f->clamp_max[k];
		knob_put(got, k, f->knobs.value[k]);
		for (unsigned q = 0; q < f->n_queues; q++)
			if (knob_has(&f->queue[q].knobs, k))
				f->queue[q].knobs.value[k] = f->knobs.value[k];
	}
	if (f->second.id && knob_has(want, KNOB_GRO_FLUSH_TIMEOUT))
		f->second.gro_flush_timeout_ns = f->knobs.value[KNOB_GRO_FLUSH_TIMEOUT];
	if ((want->have & f->resets) && !knob_has(want, KNOB_RX_USECS))
		knob_put(&f->knobs, KNOB_RX_USECS, 0);
	if (knob_has(want, KNOB_RX_RING)) {
		f->nic.carrier &= !f->ring_drops_link;
		if (f->ring_resets)
			f->knobs.value[KNOB_RX_USECS] = f->knobs.value[KNOB_TX_USECS] = 0;
	}
	return 0;
}

static int fake_save(struct backend *b, const struct nic_info *nic, struct nic_settings *ret)
{
	struct fakenic *f = self(b);

	(void)nic;
	if (f->gone)
		return -ENODEV;
	f->saves++;
	memset(ret, 0, sizeof(*ret));
	ret->device = f->knobs;
	ret->n_queue = f->n_queues;
	for (unsigned q = 0; q < f->n_queues; q++) {
		ret->queue[q] = (struct queue_setting){ q, f->queue[q].knobs };
		ret->queue[q].knobs.have &= ~knob_channel_mask(CHANNEL_NAPI);
	}
	for (unsigned q = 0; q < f->n_queues && f->napi_id; q++)
		ret->napi[ret->n_napi++] = (struct napi_setting){
			f->queue[q].napi_id, (uint32_t)f->queue[q].knobs.value[KNOB_NAPI_DEFER_HARD_IRQS],
			f->queue[q].knobs.value[KNOB_GRO_FLUSH_TIMEOUT]
		};
	if (f->napi_id && !f->n_queues) {
		ret->n_napi = 1;
		ret->napi[0] = (struct napi_setting){ f->napi_id, (uint32_t)f->knobs.value[KNOB_NAPI_DEFER_HARD_IRQS],
						      f->knobs.value[KNOB_GRO_FLUSH_TIMEOUT] };
		if (f->second.id)
			ret->napi[ret->n_napi++] = f->second;
	}
	if (ret->n_napi)
		ret->device.have &= ~knob_channel_mask(CHANNEL_NAPI);
	if (f->after_save)
		knob_put(&f->knobs, KNOB_RX_USECS, f->after_save);
	f->after_save = 0;
	return 0;
}

static int fake_restore(struct backend *b, const struct nic_info *nic, const struct nic_settings *saved,
			char err[ERR_MAX])
{
	struct fakenic *f = self(b);

	(void)nic, (void)err;
	if (f->gone)
		return -ENODEV;
	if (f->restore_error)
		return -f->restore_error;
	f->restores++;
	knob_set_overlay(&f->knobs, &saved->device);
	if (knob_has(&saved->device, KNOB_RX_USECS))
		round_down(f);
	if (f->clamp_max[KNOB_RX_USECS] && f->knobs.value[KNOB_RX_USECS] > f->clamp_max[KNOB_RX_USECS])
		f->knobs.value[KNOB_RX_USECS] = f->clamp_max[KNOB_RX_USECS];
	if (f->n_queues) {
		fakequeues_restore(f, saved);
		return 0;
	}
	if (saved->n_napi && saved->napi[0].id != f->napi_id) { /* born since: had the device-wide values, 0 */
		knob_put(&f->knobs, KNOB_GRO_FLUSH_TIMEOUT, 0);
		knob_put(&f->knobs, KNOB_NAPI_DEFER_HARD_IRQS, 0);
	}
	for (unsigned i = 0; i < saved->n_napi; i++)
		if (saved->napi[i].id == f->napi_id) {
			knob_put(&f->knobs, KNOB_GRO_FLUSH_TIMEOUT, saved->napi[i].gro_flush_timeout_ns);
			knob_put(&f->knobs, KNOB_NAPI_DEFER_HARD_IRQS, saved->napi[i].defer_hard_irqs);
		}
	return 0;
}

static void fake_irq_order(struct backend *b, const struct nic_info *nic, const char *order)
{
	(void)nic;
	snprintf(self(b)->irq_order, sizeof(self(b)->irq_order), "%s", order);
}

static void fake_close(struct backend *b)
{
	(void)b;
}

static const struct backend_ops fake_ops = {
	.name = "fake",
	.now = fake_now,
	.list = fake_list,
	.caps = fake_caps,
	.map = fake_map,
	.sample = fake_sample,
	.read = fake_read,
	.write = fake_write,
	.save = fake_save,
	.restore = fake_restore,
	.read_queues = fakequeues_read,
	.write_queues = fakequeues_write,
	.irq_order = fake_irq_order,
	.close = fake_close,
};

void fakenic_knob(struct fakenic *f, enum knob k, uint64_t value)
{
	f->caps.knobs.readable |= KNOB_BIT(k);
	f->caps.knobs.settable |= KNOB_BIT(k);
	f->caps.knobs.min[k] = knob_table[k].min;
	f->caps.knobs.max[k] = knob_table[k].max;
	knob_put(&f->knobs, k, value);
}

void fakenic_init(struct fakenic *f)
{
	memset(f, 0, sizeof(*f));
	f->base.ops = &fake_ops;
	f->nic = (struct nic_info){ .ifindex = 7, .name = "fake0", .up = true, .carrier = true, .rx_queues = 1 };
	f->caps.napi_path = NAPI_GENL;
	f->napi_id = 33;
	f->now = 1000 * NSEC_PER_SEC;
	fakenic_knob(f, KNOB_GRO_FLUSH_TIMEOUT, 0);
	fakenic_knob(f, KNOB_NAPI_DEFER_HARD_IRQS, 0);
}

void fakenic_hardware(struct fakenic *f)
{
	fakenic_init(f);
	f->caps.napi_path = NAPI_NONE;
	f->caps.knobs.readable = f->caps.knobs.settable = f->knobs.have = 0;
	f->napi_id = 0;
	fakenic_knob(f, KNOB_RX_USECS, 0);
	fakenic_knob(f, KNOB_RX_FRAMES, 1);
	fakenic_knob(f, KNOB_TX_USECS, 0);
	fakenic_knob(f, KNOB_TX_FRAMES, 1);
}

/* A counter grows by whole events. */
static uint64_t count(double *carry, double events)
{
	uint64_t n;

	*carry += events;
	n = (uint64_t)*carry;
	*carry -= (double)n;
	return n;
}

static bool deferred(const struct knob_set *s)
{
	return s->value[KNOB_NAPI_DEFER_HARD_IRQS] && s->value[KNOB_GRO_FLUSH_TIMEOUT];
}

static double interval(const struct knob_set *s)
{
	double usecs = (double)s->value[KNOB_RX_USECS];

	return deferred(s) ? (double)s->value[KNOB_GRO_FLUSH_TIMEOUT] / NSEC_PER_USEC + usecs : usecs;
}

static double polls_of(const struct fakenic *f, const struct knob_set *s, double pps)
{
	double t_usecs = interval(s);

	if (deferred(s))
		return pps * t_usecs < 1e6 ? 3 * pps : 1e6 / t_usecs; /* two empty polls after each packet */
	return t_usecs > 0 && !f->dead_timer ? pps / (1 + pps * t_usecs / 1e6) : pps;
}

void fakenic_queues(struct fakenic *f, unsigned n)
{
	uint32_t rings = knob_channel_mask(CHANNEL_RINGS);

	f->n_queues = f->nic.rx_queues = f->nic.tx_queues = n;
	f->caps.per_queue = f->knobs.have & knob_channel_mask(CHANNEL_COALESCE);
	f->counts_queues = true;
	for (unsigned q = 0; q < n; q++) {
		f->queue[q] = (struct fake_queue){ .knobs = f->knobs, .napi_id = f->napi_id + q };
		f->queue[q].knobs.have &= ~(rings | KNOB_BIT(KNOB_ADAPTIVE_RX) | KNOB_BIT(KNOB_ADAPTIVE_TX));
	}
}

/* Returns the polls. */
static double run_queues(struct fakenic *f, double s, double *ret_pps)
{
	double polls = 0;

	*ret_pps = 0;
	for (unsigned i = 0; i < f->n_queues; i++) {
		struct fake_queue *q = &f->queue[i];
		bool fell = f->collapse_above && interval(&q->knobs) > (double)f->collapse_above;
		double pps = q->pps * (fell ? f->collapse : 1), own = polls_of(f, &q->knobs, pps);

		q->packets += count(&q->carry_packets, pps * s);
		q->interrupts += count(&q->carry_interrupts, deferred(&q->knobs) ? 0 : own * s);
		polls += own;
		*ret_pps += pps;
	}
	return polls;
}

void fakenic_run(struct fakenic *f, nsec_t dt)
{
	double s = (double)dt / NSEC_PER_SEC, pps = f->pps, polls, busy_ns;
	bool drops = f->has_drops && (!f->drops_below_ring || f->knobs.value[KNOB_RX_RING] < f->drops_below_ring);
	bool adaptive = f->knobs.value[KNOB_ADAPTIVE_RX] && f->adaptive_usecs > 0;

	if (adaptive)
		f->knobs.value[KNOB_RX_USECS] = (uint64_t)f->adaptive_usecs;
	if (!adaptive && f->collapse_above && interval(&f->knobs) > (double)f->collapse_above)
		pps *= f->collapse;
	polls = f->n_queues ? run_queues(f, s, &pps) : polls_of(f, &f->knobs, pps);
	f->packets += count(&f->carry_packets, pps * s);
	f->tx_packets += count(&f->carry_tx, f->tx_pps * s);
	f->polls += count(&f->carry_polls, polls * s);
	f->drops += count(&f->carry_drops, drops ? f->drops_ps * s : 0);
	busy_ns = fmin((double)dt, polls * s * f->poll_cost_usecs * 1e3);
	f->softirq_ns += (uint64_t)busy_ns;
	f->idle_ns += dt - (uint64_t)busy_ns;
	f->now += dt;
}
