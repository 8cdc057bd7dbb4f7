// SPDX-License-Identifier: GPL-2.0-or-later
/* guard: see guard.h. Whoever wants something says so in this order, later ones over earlier ones: the policy's fixed
 * values, the lanes, the rings, an undo. Then come the bounds: what was bad lately, the policy's limits, the ring of
 * the transmitter, someone else's knobs, the device's limits; and last whether it is its turn. */
#include "engine/guard.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/ring.h"
#include "engine/fixed.h"
#include "engine/target.h"

static void say_why(struct report *r, const struct knob_set *s, enum reason why)
{
	for (int k = 0; k < KNOB_COUNT; k++)
		if (knob_has(s, k))
			r->why[k] = why;
}

static void want_fixed(const struct target *t, struct report *r, struct knob_set *want)
{
	struct knob_set capped = { 0 }, compared;

	target_fixed(t, want, &capped.have);
	say_why(r, want, REASON_PINNED);
	say_why(r, &capped, REASON_CAP);
	for (int k = KNOB_ADAPTIVE_RX; k <= KNOB_ADAPTIVE_TX; k++)
		if (t->rules.policy.mechanism == MECHANISM_ADAPTIVE)
			r->why[k] = REASON_ADAPTIVE;
	compare_knobs(t, &compared);
	say_why(r, &compared, REASON_COMPARE);
}

static void want_lanes(const struct target *t, struct report *r, struct knob_set *want)
{
	for (unsigned i = 0; i < t->n_lanes; i++) {
		const struct lane *l = &t->lanes[i];
		const struct decision *d = &r->decision[l->dir];
		struct knob_set s;

		/* also the setting in force: a driver may have forgotten it; what the device has is not repeated */
		mech_knobs(l, d->change ? d->interval_usecs : controller_interval(&l->ctl), d->frames, &t->caps,
			   &t->quirk, &s);
		if (!d->change && !target_has_touched(t, &s))
			continue; /* never touched: nothing to keep in force */
		say_why(r, &s, d->reason);
		knob_set_overlay(want, &s);
	}
}

static void want_ring(struct target *t, struct report *r, nsec_t now, struct knob_set *want)
{
	struct rings_input in = {
		.now = now,
		.rates = &r->rates,
		.cpu_ratio = t->cpu_ratio,
		.policy = t->rules.policy.rings,
		.caps = &t->caps.knobs,
		.current = &t->apply.current,
		.carrier = t->nic.carrier,
		.queues = t->nic.rx_queues,
	};
	uint64_t entries;

	if (t->state != TARGET_ACTIVE || ((t->yielded | t->apply.dead) & KNOB_BIT(KNOB_RX_RING)))
		return;
	for (unsigned i = 0; i < t->n_lanes; i++)
		if (t->lanes[i].dir == QUEUE_RX)
			in.interval_usecs = controller_interval(&t->lanes[i].ctl);
	if (!rings_step(&t->rings, &in, &entries, r->message))
		return;
	knob_put(want, KNOB_RX_RING, entries);
	r->why[KNOB_RX_RING] = t->rings.state == RINGS_UNDO ? REASON_RING_LINK : REASON_RING_SIZE;
}

static void want_undo(const struct target *t, struct report *r, const struct knob_set *undo, struct knob_set *want)
{
	struct knob_set after = t->apply.current;

	if (!undo->have)
		return;
	knob_set_overlay(want, undo);
	knob_set_overlay(&after, undo);
	say_why(r, undo, REASON_ROLLBACK);
	r->rolled_back = undo->have;
	for (unsigned i = 0; i < t->n_lanes; i++) {
		const struct lane *l = &t->lanes[i];
		struct decision *d = &r->decision[l->dir];

		if (mech_interval(l, &after) == mech_interval(l, &t->apply.current))
			continue;
		d->change = true;
		d->reason = REASON_ROLLBACK;
		d->from_usecs = mech_interval(l, &t->apply.current);
		d->interval_usecs = mech_interval(l, &after);
	}
}

/* Not what the policy says by name. */
static void bound(const struct policy *p, enum knob k, double most, struct knob_set *want)
{
	bool pinned = (p->limited & KNOB_BIT(k)) && p->limit_min[k] == p->limit_max[k];

	if (knob_has(want, k) && !pinned && (double)want->value[k] > most)
		want->value[k] = most > 0 ? (uint64_t)most : 0;
}

/* Completions must be taken long before the ring is full, at the present rate and at the most that the link can do. */
void guard_bound_tx(const struct target *t, const struct report *r, const struct policy *p, struct knob_set *want)
{
	const struct rates *x = &r->rates;
	double bytes = x->tx_pps > 0 ? x->tx_bytes_ps / x->tx_pps : 0;
	double line = t->nic.has_device ? ring_line_pps(t->nic.speed_mbps, bytes) : 0, cap;

	if (!knob_has(&t->apply.current, KNOB_TX_RING) || x->tx_pps <= 0)
		return;
	cap = ring_tx_cap_usecs(t->apply.current.value[KNOB_TX_RING], fmax(x->tx_pps, line));
	bound(p, KNOB_TX_USECS, cap, want);
	/* deferral keeps completions waiting too, unless the driver says that it does not */
	if (t->quirk.deferral != QUIRK_DIRS_RX)
		bound(p, KNOB_GRO_FLUSH_TIMEOUT, (cap - t->facts.timer_floor_usecs) * NSEC_PER_USEC, want);
}

bool guard_step(struct target *t, struct report *r, nsec_t now, const struct knob_set *undo, struct knob_set *want)
{
	struct knob_set todo;
	uint32_t queues;

	want_fixed(t, r, want);
	want_lanes(t, r, want);
	want_ring(t, r, now, want);
	want_undo(t, r, undo, want);
	say_why(r, &(struct knob_set){ .have = watch_avoid(&t->watch, now, want) }, REASON_ROLLBACK);
	fixed_limit(&t->rules.policy, &t->quirk, &t->caps, &t->apply.current, want);
	guard_bound_tx(t, r, &t->rules.policy, want);
	want->have &= ~t->yielded;
	knob_set_clamp(want, &t->caps.knobs);
	queues = queues_want(t, r, now, want);
	/* getting out of harm's way does not wait */
	if (r->rolled_back || t->rings.state == RINGS_UNDO || pace_free(&t->pace, now))
		return true;
	return t->state != TARGET_ACTIVE || !(queues | knob_set_diff(want, &t->apply.current, &todo));
}

/* Reads the answers. Returns knobs that will never do anything. */
static uint32_t read_answers(struct target *t, const struct report *r)
{
	uint32_t dead = 0;

	for (int k = 0; k < KNOB_COUNT; k++) {
		bool again = knob_has(&r->wanted, k) && t->effect[k] == EFFECT_DEAD &&
			     r->wanted.value[k] != t->apply.current.value[k] &&
			     apply_answered(&t->apply, k, r->wanted.value[k]);

		if (r->written & KNOB_BIT(k)) {
			enum effect_kind was = t->effect[k];

			t->effect[k] = effect_of_readback(&t->quirk, k, r->before.value[k], r->wanted.value[k],
							  t->apply.current.value[k]);
			again = was == EFFECT_DEAD && t->effect[k] == EFFECT_DEAD;
		}
		if (again)
			dead |= KNOB_BIT(k);
	}
	return dead & ~t->apply.dead;
}

/* Back to what was found, in case it has an effect after all: another mechanism's delay comes on top of it. The rest of
 * the same mechanism goes back with it: frames must not wait without a timer. */
static void give_up(struct target *t, struct report *r, uint32_t dead)
{
	struct apply_result res;
	struct knob_set rest;
	uint32_t back = dead;

	for (unsigned i = 0; i < t->n_lanes; i++)
		if (dead & KNOB_BIT(mech_timer(&t->lanes[i])))
			back |= t->lanes[i].rest.have;
	apply_rest(&t->apply, &rest);
	rest.have &= back;
	if (t->state == TARGET_ACTIVE)
		apply_set(&t->apply, &t->nic, &rest, &res);
	t->apply.dead |= dead;
	r->dead |= dead;
	r->now_set = t->apply.current;
	for (int k = 0; k < KNOB_COUNT; k++)
		if (dead & KNOB_BIT(k)) {
			t->effect[k] = EFFECT_DEAD;
			r->why[k] = REASON_DEAD;
		}
}

/* The device is upset for a while, by our own hand. */
static void expect_upset(struct target *t, const struct report *r, nsec_t now)
{
	uint32_t rings = knob_channel_mask(CHANNEL_RINGS);
	nsec_t calm = now + t->quirk.settle_ns;

	if (!(r->written & (rings | t->quirk.disruptive | t->quirk.resets)))
		return;
	if (calm > t->settle_until)
		t->settle_until = calm;
	if (r->written & (rings | t->quirk.disruptive))
		t->health.forgive_until = now + t->rings.link_wait;
	t->upset = true;
}

void guard_wrote(struct target *t, struct report *r, nsec_t now)
{
	uint32_t dead = t->state == TARGET_ACTIVE ? read_answers(t, r) : 0;
	bool tested = false;

	for (unsigned i = 0; i < t->n_lanes; i++) {
		struct lane *l = &t->lanes[i];
		double from = mech_interval(l, &r->before), to = queues_interval(t, l);

		l->waiting.change = false;
		tested |= controller_state(&l->ctl) != CTL_HOLD;
		if (from != to)
			effect_changed(&l->effect, from, to);
		if (r->dead & KNOB_BIT(mech_timer(l))) /* by measurement, this tick */
			dead |= KNOB_BIT(mech_timer(l));
	}
	watch_testing(&t->watch, tested);
	if (dead)
		give_up(t, r, dead);
	if (r->why[KNOB_RX_RING] != REASON_PINNED && knob_has(&r->wanted, KNOB_RX_RING) &&
	    (r->error || (r->written & KNOB_BIT(KNOB_RX_RING))))
		rings_wrote(&t->rings, r->error, t->apply.current.value[KNOB_RX_RING], now);
	if (!r->written) {
		if (r->queue_written && t->state == TARGET_ACTIVE)
			pace_note(&t->pace, now);
		return;
	}
	pace_note(&t->pace, now);
	expect_upset(t, r, now);
	if (r->written & knob_channel_mask(CHANNEL_RINGS))
		watch_skip(&t->watch); /* looked after by the rings themselves */
	else if (!r->rolled_back)
		watch_change(&t->watch, &r->before, r->written);
}
