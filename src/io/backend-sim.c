// SPDX-License-Identifier: GPL-2.0-or-later
/* backend-sim: see backend-sim.h. Receive only. Timers have rx-usecs and rx-frames; deferral and pacing have the
 * knobs of the kernel's (the count of deferred polls is the simulator's 2, whatever is written above 0). */
#include "io/backend-sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define START_NS (1000 * NSEC_PER_SEC) /* of the clock: 0 means "never" to some */
#define NAPI_ID 1

struct backend_sim {
	struct backend base;
	struct backend_sim_config cfg;
	struct simload load;
	struct nic_caps caps;
	struct knob_set knobs;
	nsec_t now;
	struct nicsim *sim; /* in this block of memory, behind this struct */
};

static struct backend_sim *self(struct backend *b)
{
	return (struct backend_sim *)b;
}

static bool software(const struct backend_sim *s)
{
	return s->cfg.profile.mech == SIM_DEFERRAL;
}

static uint64_t in_force(const struct backend_sim *s, enum knob k)
{
	return s->cfg.dead & KNOB_BIT(k) || !knob_has(&s->knobs, k) ? 0 : s->knobs.value[k];
}

static void take_effect(struct backend_sim *s)
{
	double usecs = (double)in_force(s, KNOB_RX_USECS);
	unsigned frames = (unsigned)in_force(s, KNOB_RX_FRAMES);

	if (software(s))
		usecs = in_force(s, KNOB_NAPI_DEFER_HARD_IRQS) ?
				(double)in_force(s, KNOB_GRO_FLUSH_TIMEOUT) / NSEC_PER_USEC :
				0;
	nicsim_set(s->sim, -1, usecs, frames);
}

static nsec_t sim_now(struct backend *b)
{
	return self(b)->now;
}

void backend_sim_nic(const struct backend *b, struct nic_info *ret)
{
	const struct sim_profile *p = &((const struct backend_sim *)b)->cfg.profile;

	*ret = (struct nic_info){
		.ifindex = 2,
		.name = "sim0",
		.driver = "sim",
		.has_device = !p->no_wire,
		.up = true,
		.carrier = true,
		.speed_mbps = p->no_wire ? 0 : p->link_mbps,
		.rx_queues = 1,
		.tx_queues = 1,
	};
}

static int sim_list(struct backend *b, struct nic_info *ret, size_t max)
{
	if (max)
		backend_sim_nic(b, ret);
	return 1;
}

static int sim_caps(struct backend *b, const struct nic_info *nic, struct nic_caps *ret)
{
	(void)nic;
	*ret = self(b)->caps;
	return 0;
}

static int sim_map(struct backend *b, const struct nic_info *nic, struct nic_map *ret)
{
	(void)nic;
	memset(ret, 0, sizeof(*ret));
	if (software(self(b))) {
		ret->n_napi = 1;
		ret->rx_napi[0] = NAPI_ID;
	}
	return 0;
}

static int sim_sample(struct backend *b, const struct nic_info *nic, struct sample *ret)
{
	struct backend_sim *s = self(b);
	struct nicsim_counters n;
	uint64_t all = (s->now - START_NS);

	(void)nic;
	nicsim_counters(s->sim, -1, &n);
	memset(ret, 0, sizeof(*ret));
	ret->now = s->now;
	ret->have = SAMPLE_LINK | SAMPLE_IRQS | SAMPLE_POLLS | SAMPLE_CPU | SAMPLE_IRQTIME | SAMPLE_RING_DROPS;
	ret->rx_packets = (uint64_t)(n.delivered[0] + n.delivered[1]);
	ret->rx_bytes = (uint64_t)n.bytes;
	ret->ring_drops = ret->rx_missed = (uint64_t)n.drops;
	ret->interrupts = ret->rx_interrupts = (uint64_t)n.interrupts;
	ret->polls = (uint64_t)n.polls;
	ret->empty_polls = (uint64_t)n.empty_polls;
	ret->polls_by = POLLS_COUNTED;
	ret->n_cpus = 1;
	ret->cpu[0].online = true;
	ret->cpu[0].softirq_ns = (uint64_t)(n.busy_usecs * NSEC_PER_USEC);
	ret->cpu[0].steal_ns = (uint64_t)(n.steal_usecs * NSEC_PER_USEC);
	if (ret->cpu[0].softirq_ns + ret->cpu[0].steal_ns < all)
		ret->cpu[0].idle_ns = all - ret->cpu[0].softirq_ns - ret->cpu[0].steal_ns;
	return 0;
}

static int sim_read(struct backend *b, const struct nic_info *nic, struct knob_set *ret)
{
	(void)nic;
	*ret = self(b)->knobs;
	return 0;
}

static uint64_t as_taken(const struct backend_sim *s, enum knob k, uint64_t v)
{
	if (s->cfg.frozen & KNOB_BIT(k))
		return s->knobs.value[k];
	if (s->cfg.most[k] && v > s->cfg.most[k])
		v = s->cfg.most[k];
	return s->cfg.step[k] ? v / s->cfg.step[k] * s->cfg.step[k] : v;
}

static int sim_write(struct backend *b, const struct nic_info *nic, const struct knob_set *want, struct knob_set *got,
		     char err[ERR_MAX])
{
	struct backend_sim *s = self(b);

	(void)nic, (void)err;
	for (int k = 0; k < KNOB_COUNT; k++) {
		if (!knob_has(want, k) || !knob_has(&s->knobs, k))
			continue;
		s->knobs.value[k] = as_taken(s, k, want->value[k]);
		knob_put(got, k, s->knobs.value[k]);
	}
	take_effect(s);
	return 0;
}

static int sim_save(struct backend *b, const struct nic_info *nic, struct nic_settings *ret)
{
	struct backend_sim *s = self(b);

	(void)nic;
	memset(ret, 0, sizeof(*ret));
	ret->device = s->knobs;
	return 0;
}

static int sim_restore(struct backend *b, const struct nic_info *nic, const struct nic_settings *saved,
		       char err[ERR_MAX])
{
	struct knob_set got = { 0 };

	return sim_write(b, nic, &saved->device, &got, err);
}

static void sim_close(struct backend *b)
{
	free(b);
}

static const struct backend_ops sim_ops = {
	.name = "sim",
	.now = sim_now,
	.list = sim_list,
	.caps = sim_caps,
	.map = sim_map,
	.sample = sim_sample,
	.read = sim_read,
	.write = sim_write,
	.save = sim_save,
	.restore = sim_restore,
	.close = sim_close,
};

static void add_knob(struct backend_sim *s, enum knob k, uint64_t value)
{
	s->caps.knobs.readable |= KNOB_BIT(k);
	s->caps.knobs.settable |= KNOB_BIT(k);
	s->caps.knobs.min[k] = knob_table[k].min;
	s->caps.knobs.max[k] = knob_table[k].max;
	knob_put(&s->knobs, k, value);
}

int backend_sim_new(const struct backend_sim_config *cfg, struct backend **ret)
{
	struct nicsim_config sim = { .profile = &cfg->profile, .seed = cfg->seed };
	struct backend_sim *s;
	struct simload load;
	int r = simload_build(cfg->load, &cfg->profile, &load);

	if (r < 0)
		return r;
	sim.load = &load;
	s = aligned_alloc(64, (sizeof(*s) + 63) / 64 * 64 + (nicsim_size(&sim) + 63) / 64 * 64);
	if (!s)
		return -ENOMEM;
	*s = (struct backend_sim){ .base.ops = &sim_ops, .cfg = *cfg, .load = load, .now = START_NS };
	sim.profile = &s->cfg.profile;
	sim.load = &s->load;
	s->sim = nicsim_init((char *)s + (sizeof(*s) + 63) / 64 * 64, &sim);
	if (software(s)) {
		s->caps.napi_path = NAPI_SYSFS;
		add_knob(s, KNOB_GRO_FLUSH_TIMEOUT, 0);
		add_knob(s, KNOB_NAPI_DEFER_HARD_IRQS, 0);
	} else {
		add_knob(s, KNOB_RX_USECS, (uint64_t)cfg->profile.default_usecs);
		if (cfg->profile.has_frames)
			add_knob(s, KNOB_RX_FRAMES, cfg->profile.default_frames ? cfg->profile.default_frames : 1);
	}
	take_effect(s);
	*ret = &s->base;
	return 0;
}

void backend_sim_run(struct backend *b, nsec_t dt)
{
	struct backend_sim *s = self(b);

	s->now += dt;
	nicsim_run(s->sim, (double)(s->now - START_NS) / NSEC_PER_USEC);
}

void backend_sim_put(struct backend *b, enum knob k, uint64_t value)
{
	knob_put(&self(b)->knobs, k, value);
	take_effect(self(b));
}

uint64_t backend_sim_value(const struct backend *b, enum knob k)
{
	return ((const struct backend_sim *)b)->knobs.value[k];
}

void backend_sim_counters(const struct backend *b, struct nicsim_counters *ret)
{
	nicsim_counters(((const struct backend_sim *)b)->sim, -1, ret);
}
