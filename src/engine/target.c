// SPDX-License-Identifier: GPL-2.0-or-later
/* target: one NIC under control from attach to release; see tick.h and target.h. */
#include "engine/target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/fixed.h"
#include "engine/sum.h"

#define SAFE_NS (60 * NSEC_PER_SEC)
#define SAFE_DOUBLINGS_MAX 6
#define HEALTHY_NS (4 * 3600 * NSEC_PER_SEC) /* without trouble: the first stay is short again */

void target_context(const struct target *t, struct mech_context *ret, const struct knob_set *rest)
{
	*ret = (struct mech_context){
		.nic = &t->nic,
		.caps = &t->caps,
		.rest = rest,
		.dead = t->apply.dead | t->yielded,
		.policy = &t->rules.policy,
		.quirk = &t->quirk,
		.facts = &t->facts,
		.current = &t->apply.current,
		.adaptive_off = t->compare.in_force,
	};
}

void target_fixed(const struct target *t, struct knob_set *ret, uint32_t *ret_capped)
{
	struct knob_set rest, lower = { 0 }, compared;
	struct mech_context c;

	*ret = lower;
	*ret_capped = 0;
	if (t->rules.policy.mode == MODE_OFF)
		return;
	apply_rest(&t->apply, &rest);
	target_context(t, &c, &rest);
	fixed_knobs(c.policy, c.caps, c.dead, c.current, ret);
	if (t->n_lanes && t->lanes[0].dir == QUEUE_RX)
		sum_standing_usecs(&c, t->lanes[0].kind, &lower);
	knob_set_overlay(ret, &lower);
	compare_knobs(t, &compared);
	compared.have &= c.caps->knobs.settable & ~c.dead;
	knob_set_overlay(ret, &compared);
	*ret_capped = lower.have;
}

void target_choose(struct target *t)
{
	struct knob_set rest, fixed;
	struct mech_context c;
	uint32_t capped;

	t->chosen_mbps = t->nic.speed_mbps;
	apply_rest(&t->apply, &rest);
	target_context(t, &c, &rest);
	if (t->rules.policy.mode != MODE_OFF)
		t->n_lanes = mech_choose(&c, t->lanes, t->why);
	else
		snprintf(t->why, ERR_MAX, "policy %s says so", t->rules.policy.name);
	for (unsigned i = 0; i < t->n_lanes; i++)
		controller_took(&t->lanes[i].ctl, mech_interval(&t->lanes[i], &t->apply.current));
	queues_choose(t);
	if (t->state == TARGET_GONE || t->state == TARGET_SAFE)
		return;
	target_fixed(t, &fixed, &capped);
	if (t->yielded && !t->n_lanes && !fixed.have) {
		t->state = TARGET_YIELDED;
		snprintf(t->why, ERR_MAX, "someone else changed its settings (%s)", hand_text(t->hand));
	} else {
		t->state = t->n_lanes || fixed.have || compare_possible(t) ? TARGET_NEW : TARGET_UNTUNABLE;
		t->have_previous = false;
	}
	watch_skip(&t->watch);
}

enum target_state target_ready_state(const struct target *t)
{
	return t->apply.dry_run || !mode_table[t->rules.policy.mode].tunes ? TARGET_OBSERVING : TARGET_ACTIVE;
}

/* What the device says it can do, less what is known better of its driver. */
static int read_caps(struct target *t, const struct nic_info *nic, struct nic_caps *ret)
{
	struct backend *b = t->apply.backend;
	struct knob_set rest;
	int r = b->ops->caps(b, nic, ret);

	if (r < 0)
		return r;
	apply_rest(&t->apply, &rest);
	quirk_apply(t->rules.quirks, t->rules.n_quirks, &t->rules.subject, &rest, ret, &t->quirk);
	t->apply.together = t->quirk.together;
	if (b->ops->irq_order)
		b->ops->irq_order(b, nic, t->quirk.irq_order);
	return 0;
}

int target_attach(struct target *t, struct backend *b, struct state_dir *state, const struct nic_info *nic,
		  const struct target_rules *rules, const struct machine_facts *f, bool dry_run, char err[ERR_MAX])
{
	int r;

	memset(t, 0, offsetof(struct target, queues.q)); /* queues are made when they are found */
	t->nic = *nic;
	t->rules = *rules;
	t->facts = *f;
	t->cpu_ratio = -1;
	t->rings.link_wait = RINGS_LINK_WAIT_NS;
	err[0] = 0;
	apply_init(&t->apply, b, state, dry_run || !mode_table[rules->policy.mode].tunes);
	r = apply_attach(&t->apply, nic, err);
	if (r < 0)
		return r;
	r = read_caps(t, nic, &t->caps);
	if (r < 0) {
		snprintf(err, ERR_MAX, "its capabilities cannot be read: %s", strerror(-r));
		return r;
	}
	target_choose(t);
	return 0;
}

bool target_has_touched(const struct target *t, const struct knob_set *s)
{
	for (int k = 0; k < KNOB_COUNT; k++)
		if (knob_has(s, k) && knob_has(&t->apply.asked, k))
			return true;
	return false;
}

void target_enter_safe(struct target *t, const char *what, nsec_t now)
{
	char err[ERR_MAX] = "";

	if (t->quarantines && now - t->safe_until > HEALTHY_NS)
		t->quarantines = 0;
	apply_restore(&t->apply, &t->nic, t->yielded, err);
	t->state = TARGET_SAFE;
	t->safe_until = now + (SAFE_NS << (t->quarantines < SAFE_DOUBLINGS_MAX ? t->quarantines : SAFE_DOUBLINGS_MAX));
	t->quarantines++;
	watch_skip(&t->watch);
	snprintf(t->why, ERR_MAX, "%.100s; originals %s, trying again in %llu s", what,
		 err[0] ? "could not be put back" : "are back",
		 (unsigned long long)((t->safe_until - now) / NSEC_PER_SEC));
}

void target_count_errors(struct target *t, int error, nsec_t now, struct report *r)
{
	if (!error || error == -EOPNOTSUPP) {
		if (r->written)
			t->health.count[TROUBLE_WRITES] = 0;
		return;
	}
	if (error == -ENETDOWN || error == -EAGAIN) {
		r->error = 0; /* on its way down or up, which is being told */
		return;
	}
	if (error == -EPERM || error == -EACCES || error == -EROFS) {
		t->n_lanes = 0;
		t->state = TARGET_UNTUNABLE; /* rights do not come back by trying */
		snprintf(t->why, ERR_MAX, "no right to set it: %.160s", r->message);
		return;
	}
	if (health_note(&t->health, TROUBLE_WRITES, 1, now))
		target_enter_safe(t, r->message, now);
}

void target_leave_safe(struct target *t)
{
	t->state = TARGET_NEW;
	target_choose(t);
}

static const struct sample *newest(const struct target *t)
{
	return &t->samples[t->flip];
}

/* Mechanisms came or went, or the law was told another speed. What is down has less to offer, for a while. */
static bool other_mechanisms(const struct target *t, const struct nic_info *nic, const struct nic_caps *caps)
{
	return caps->napi_path != t->caps.napi_path || caps->knobs.settable != t->caps.knobs.settable ||
	       (nic->speed_mbps && nic->speed_mbps != t->chosen_mbps);
}

int target_changed(struct target *t, const struct nic_info *nic, char err[ERR_MAX])
{
	bool reshaped = false;
	struct nic_caps caps;
	uint32_t foreign;
	int r;

	err[0] = 0;
	if (t->nic.carrier && !nic->carrier && t->nic.up && nic->up && !(newest(t)->have & SAMPLE_CARRIER))
		t->health.carrier_losses++;
	t->health.admin |= t->nic.up != nic->up;
	t->nic = *nic;
	r = read_caps(t, nic, &caps);
	if (r == 0)
		r = apply_refresh(&t->apply, nic, &foreign, &reshaped);
	if (r < 0) {
		snprintf(err, ERR_MAX, "cannot be read after a change: %s", strerror(-r));
		return r;
	}
	/* what differs now fell back by itself: the ticks write it anew, once it is up */
	if (t->state == TARGET_UNTUNABLE || (nic->up && other_mechanisms(t, nic, &caps))) {
		t->caps = caps;
		target_choose(t);
	} else if (nic->up) {
		t->caps = caps;
		queues_changed(t);
	}
	t->have_previous = false;
	watch_skip(&t->watch);
	t->polls = (struct poll_source){ 0 }; /* the backend counts anew after a probe */
	return 0;
}

int target_woken(struct target *t, char err[ERR_MAX])
{
	struct nic_info nic = t->nic;

	t->skipped[SKIP_SUSPEND]++;
	return target_changed(t, &nic, err);
}

int target_release(struct target *t, char err[ERR_MAX])
{
	uint32_t yielded;

	err[0] = 0;
	if (t->apply.saved)
		target_notified(t, HAND_UNSEEN, &yielded); /* what somebody changed since the last look is theirs too */
	return apply_restore(&t->apply, &t->nic, t->yielded, err);
}

const char *target_mechanism(const struct target *t)
{
	/* its lanes, if any, are for what is sent then */
	if (t->rules.policy.mechanism == MECHANISM_ADAPTIVE || (compare_possible(t) && !t->compare.in_force))
		return "adaptive";
	if (!t->n_lanes)
		return "none";
	return t->lanes[0].kind == MECH_DEFERRAL ? "software" : "hardware";
}
