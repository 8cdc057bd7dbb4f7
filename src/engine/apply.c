// SPDX-License-Identifier: GPL-2.0-or-later
/* apply: see apply.h. */
#include "engine/apply.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SAVE_TRIES 3

void apply_init(struct apply *a, struct backend *b, struct state_dir *state, bool dry_run)
{
	memset(a, 0, sizeof(*a));
	a->backend = b;
	a->state = state;
	a->dry_run = dry_run;
}

int apply_read(struct apply *a, const struct nic_info *nic)
{
	int r = a->backend->ops->read(a->backend, nic, &a->current);

	if (r < 0)
		return r;
	return a->backend->ops->save(a->backend, nic, &a->seen);
}

int apply_attach(struct apply *a, const struct nic_info *nic, char err[ERR_MAX])
{
	char name[NIC_NAME_MAX];
	int r = a->state ? state_load(a->state, nic->ifindex, name, &a->original) : -ENOENT;

	if (r == 0) {
		a->saved = true;
		apply_restore(a, nic, 0, err); /* a failure is told by err and leaves them saved */
	} else if (r != -ENOENT) {
		snprintf(err, ERR_MAX, "its saved originals cannot be read, so it is left alone: %s", strerror(-r));
		return r;
	}
	r = apply_read(a, nic);
	if (r < 0 && !err[0])
		snprintf(err, ERR_MAX, "its settings cannot be read: %s", strerror(-r));
	return r;
}

bool apply_answered(const struct apply *a, enum knob k, uint64_t value)
{
	return knob_has(&a->asked, k) && a->asked.value[k] == value && knob_has(&a->current, k) &&
	       knob_has(&a->got, k) && a->got.value[k] == a->current.value[k];
}

/* What is left to write: not what the device has, not what it cannot, not what it answered already. */
static uint32_t to_write(const struct apply *a, const struct knob_set *want, struct knob_set *ret)
{
	knob_set_diff(want, &a->current, ret);
	for (int k = 0; k < KNOB_COUNT; k++)
		if (knob_has(ret, k) && ((a->dead & KNOB_BIT(k)) || apply_answered(a, k, want->value[k])))
			knob_drop(ret, k);
	return ret->have;
}

static bool same_settings(const struct nic_settings *a, const struct nic_settings *b)
{
	struct knob_set d;

	if (a->n_napi != b->n_napi || a->n_queue != b->n_queue || knob_set_diff(&a->device, &b->device, &d))
		return false;
	for (unsigned i = 0; i < a->n_napi; i++)
		if (a->napi[i].id != b->napi[i].id || a->napi[i].defer_hard_irqs != b->napi[i].defer_hard_irqs ||
		    a->napi[i].gro_flush_timeout_ns != b->napi[i].gro_flush_timeout_ns)
			return false;
	for (unsigned i = 0; i < a->n_queue; i++)
		if (knob_set_diff(&a->queue[i].knobs, &b->queue[i].knobs, &d))
			return false;
	return true;
}

static int save_once(struct apply *a, const struct nic_info *nic, char err[ERR_MAX])
{
	int r = a->backend->ops->save(a->backend, nic, &a->original);

	if (r < 0) {
		snprintf(err, ERR_MAX, "originals cannot be read, so nothing is written: %s", strerror(-r));
		return r;
	}
	r = a->state ? state_save(a->state, nic, &a->original) : 0;
	if (r < 0) {
		snprintf(err, ERR_MAX, "originals cannot be saved, so nothing is written: %s", strerror(-r));
		return r;
	}
	return 0;
}

/* A file takes its time: what somebody sets meanwhile is an original too. */
int apply_save(struct apply *a, const struct nic_info *nic, char err[ERR_MAX])
{
	struct nic_settings now;

	for (int i = 1; !a->saved && i <= SAVE_TRIES; i++) {
		int r = save_once(a, nic, err);

		if (r < 0)
			return r;
		a->saved = i == SAVE_TRIES || a->backend->ops->save(a->backend, nic, &now) < 0 ||
			   same_settings(&a->original, &now);
	}
	return 0;
}

static void note_answers(struct apply *a, const struct knob_set *sent, int r, struct apply_result *ret)
{
	for (int k = 0; k < KNOB_COUNT; k++) {
		if (!knob_has(sent, k))
			continue;
		if (r == -EOPNOTSUPP) {
			ret->dead |= KNOB_BIT(k);
			a->dead |= KNOB_BIT(k);
			continue;
		}
		if (r < 0 && r != -EINVAL && r != -ERANGE)
			continue; /* passing trouble: may be asked again */
		knob_put(&a->asked, k, sent->value[k]);
		if (knob_has(&a->current, k))
			knob_put(&a->got, k, a->current.value[k]);
		if (r < 0 || !knob_has(&a->current, k))
			continue;
		ret->written |= KNOB_BIT(k);
		if (a->current.value[k] != sent->value[k]) {
			if (!(a->clamped & KNOB_BIT(k)))
				ret->clamped |= KNOB_BIT(k);
			a->clamped |= KNOB_BIT(k);
		}
	}
}

/* Knobs that must go along. What was asked for reads back the same when it is asked for again; a rounded readback would
 * be rounded once more. */
static void add_company(const struct apply *a, struct knob_set *sub, enum knob_channel c)
{
	if (!(sub->have & a->together))
		return;
	for (int k = 0; k < KNOB_COUNT; k++) {
		bool stands = knob_has(&a->asked, k) && knob_has(&a->got, k) && knob_has(&a->current, k) &&
			      a->got.value[k] == a->current.value[k];

		if ((a->together & knob_channel_mask(c) & KNOB_BIT(k)) && !knob_has(sub, k) && knob_has(&a->current, k))
			knob_put(sub, k, stands ? a->asked.value[k] : a->current.value[k]);
	}
}

/* One channel at a time: a refusal of one must not hide what another took. */
static int write_channel(struct apply *a, const struct nic_info *nic, const struct knob_set *todo,
			 enum knob_channel c, struct apply_result *ret)
{
	struct knob_set sub = *todo, got = { 0 };
	char err[ERR_MAX] = "";
	int r;

	sub.have &= knob_channel_mask(c);
	if (!sub.have)
		return 0;
	add_company(a, &sub, c);
	r = a->backend->ops->write(a->backend, nic, &sub, &got, err);
	knob_set_overlay(&a->current, &got);
	note_answers(a, &sub, r, ret);
	if (r < 0 && !ret->error) {
		ret->error = r;
		snprintf(ret->message, ERR_MAX, "%s", err[0] ? err : strerror(-r));
	}
	return r;
}

int apply_set(struct apply *a, const struct nic_info *nic, const struct knob_set *want, struct apply_result *ret)
{
	struct knob_set todo;

	*ret = (struct apply_result){ .before = a->current };
	if (!to_write(a, want, &todo))
		return 0;
	if (a->dry_run) {
		ret->written = todo.have;
		return 0;
	}
	ret->error = apply_save(a, nic, ret->message);
	if (ret->error < 0)
		return ret->error;
	for (int c = 0; c < CHANNEL_COUNT; c++)
		if (write_channel(a, nic, &todo, c, ret) == -ENODEV)
			break;
	return ret->error;
}

static bool same_napi(const struct nic_settings *a, const struct nic_settings *b)
{
	if (a->n_napi != b->n_napi)
		return false;
	for (unsigned i = 0; i < a->n_napi; i++)
		if (a->napi[i].id != b->napi[i].id)
			return false;
	return true;
}

/* The view of the device is the largest value of its instances, which hides new ones beside old ones, and one that
 * somebody lowered: what differs from what we wrote is shown instead. */
static void show_odd_ones(struct apply *a)
{
	for (unsigned i = 0; i < a->seen.n_napi; i++) {
		const struct napi_setting *n = &a->seen.napi[i];
		struct knob_set has = { 0 };

		knob_put(&has, KNOB_GRO_FLUSH_TIMEOUT, n->gro_flush_timeout_ns);
		knob_put(&has, KNOB_NAPI_DEFER_HARD_IRQS, n->defer_hard_irqs);
		for (int k = 0; k < KNOB_COUNT; k++)
			if (knob_has(&has, k) && knob_has(&a->asked, k) && knob_has(&a->got, k) &&
			    a->got.value[k] != has.value[k])
				knob_put(&a->current, k, has.value[k]);
	}
}

int apply_refresh(struct apply *a, const struct nic_info *nic, uint32_t *ret_foreign, bool *ret_reshaped)
{
	struct nic_settings before = a->seen;
	struct knob_set old = a->current, d;
	int r = apply_read(a, nic);

	if (r < 0)
		return r;
	show_odd_ones(a);
	*ret_reshaped = !same_napi(&before, &a->seen);
	*ret_foreign = knob_set_diff(&a->current, &old, &d);
	if (*ret_reshaped)
		*ret_foreign &= ~knob_channel_mask(CHANNEL_NAPI);
	return 0;
}

void apply_rest(const struct apply *a, struct knob_set *ret)
{
	struct knob_set original = a->original.device;

	*ret = a->current;
	if (!a->saved)
		return;
	if (a->original.n_napi) { /* the device-wide values are not the instances' */
		knob_put(&original, KNOB_GRO_FLUSH_TIMEOUT, 0);
		knob_put(&original, KNOB_NAPI_DEFER_HARD_IRQS, 0);
	}
	for (unsigned i = 0; i < a->original.n_napi; i++) {
		const struct napi_setting *n = &a->original.napi[i];

		if (n->gro_flush_timeout_ns > original.value[KNOB_GRO_FLUSH_TIMEOUT])
			original.value[KNOB_GRO_FLUSH_TIMEOUT] = n->gro_flush_timeout_ns;
		if (n->defer_hard_irqs > original.value[KNOB_NAPI_DEFER_HARD_IRQS])
			original.value[KNOB_NAPI_DEFER_HARD_IRQS] = n->defer_hard_irqs;
	}
	knob_set_overlay(ret, &original);
}

/* What an instance had before us: its saved values, else, born since, the device's. */
static struct napi_setting napi_was(const struct apply *a, const struct napi_setting *saved, unsigned n, uint32_t id)
{
	struct knob_set born = a->seen.device;

	for (unsigned i = 0; i < n; i++)
		if (saved[i].id == id)
			return saved[i];
	knob_set_overlay(&born, &a->original.device);
	return (struct napi_setting){ id, (uint32_t)born.value[KNOB_NAPI_DEFER_HARD_IRQS],
				      born.value[KNOB_GRO_FLUSH_TIMEOUT] };
}

/* Somebody's, if among `keep` and not what we wrote last: one instance may be theirs and the next still ours. */
static bool napi_kept(const struct apply *a, uint32_t keep, enum knob k, uint64_t value)
{
	return (keep & KNOB_BIT(k)) && !(knob_has(&a->got, k) && a->got.value[k] == value);
}

/* NAPI instances are put back one by one, both values together: what is kept must be in there as it is now. */
static void keep_napi(struct apply *a, uint32_t keep)
{
	struct nic_settings *o = &a->original;
	unsigned n_old = o->n_napi;
	struct napi_setting old[NIC_NAPI_MAX];

	if (!(keep & knob_channel_mask(CHANNEL_NAPI)) || !n_old)
		return;
	memcpy(old, o->napi, sizeof(old[0]) * n_old);
	o->n_napi = a->seen.n_napi;
	for (unsigned i = 0; i < o->n_napi; i++) {
		struct napi_setting *n = &o->napi[i], now = a->seen.napi[i];

		*n = napi_was(a, old, n_old, now.id);
		if (napi_kept(a, keep, KNOB_GRO_FLUSH_TIMEOUT, now.gro_flush_timeout_ns))
			n->gro_flush_timeout_ns = now.gro_flush_timeout_ns;
		if (napi_kept(a, keep, KNOB_NAPI_DEFER_HARD_IRQS, now.defer_hard_irqs))
			n->defer_hard_irqs = now.defer_hard_irqs;
	}
}

/* Values of single queues would overwrite a kept knob too. */
static void keep_queues(struct apply *a, uint32_t keep)
{
	for (unsigned i = 0; i < a->original.n_queue; i++)
		a->original.queue[i].knobs.have &= ~keep;
}

void apply_disown(struct apply *a, const struct nic_info *nic, uint32_t bits)
{
	if (!a->saved)
		return;
	a->original.device.have &= ~bits;
	keep_queues(a, bits);
	keep_napi(a, bits);
	if (a->state)
		state_save(a->state, nic, &a->original);
}

/* Values of single queues, as far as they are among `bits`. */
static void adopt_queues(struct apply *a, uint32_t bits)
{
	for (unsigned i = 0; i < a->original.n_queue && i < a->seen.n_queue; i++)
		for (int k = 0; k < KNOB_COUNT; k++)
			if ((bits & KNOB_BIT(k)) && knob_has(&a->seen.queue[i].knobs, k))
				knob_put(&a->original.queue[i].knobs, k, a->seen.queue[i].knobs.value[k]);
}

int apply_adopt(struct apply *a, const struct nic_info *nic, uint32_t bits)
{
	int r = apply_read(a, nic);

	if (r < 0)
		return r;
	a->asked.have &= ~bits;
	a->got.have &= ~bits;
	if (!a->saved)
		return 0; /* the next write saves them all */
	for (int k = 0; k < KNOB_COUNT; k++)
		if ((bits & KNOB_BIT(k)) && knob_has(&a->seen.device, k))
			knob_put(&a->original.device, k, a->seen.device.value[k]);
	if (bits & knob_channel_mask(CHANNEL_NAPI)) {
		a->original.n_napi = a->seen.n_napi;
		memcpy(a->original.napi, a->seen.napi, sizeof(a->seen.napi));
	}
	adopt_queues(a, bits);
	return a->state ? state_save(a->state, nic, &a->original) : 0;
}

uint32_t apply_is_rest(const struct apply *a, const struct knob_set *want)
{
	struct knob_set rest, then = a->current, d;

	if (!a->saved || a->dry_run)
		return 0;
	apply_rest(a, &rest);
	knob_set_overlay(&then, want);
	return knob_set_diff(&rest, &then, &d) ? 0 : knob_set_diff(&rest, &a->current, &d);
}

int apply_restore(struct apply *a, const struct nic_info *nic, uint32_t keep, char err[ERR_MAX])
{
	int r;

	if (!a->saved)
		return 0;
	a->original.device.have &= ~keep;
	if ((keep & knob_channel_mask(CHANNEL_NAPI)) && apply_read(a, nic) == 0)
		keep_napi(a, keep);
	keep_queues(a, keep);
	r = a->backend->ops->restore(a->backend, nic, &a->original, err);
	if (r < 0 && r != -ENODEV)
		return r;
	if (r == 0 && apply_read(a, nic) == 0)
		apply_undo_rounding(a, nic);
	/* gone with the device: nothing left that could be put back */
	if (a->state && state_remove(a->state, nic->ifindex) < 0 && r == 0)
		snprintf(err, ERR_MAX, "originals are back, but their file stays");
	a->saved = false;
	a->asked.have = a->got.have = a->clamped = 0;
	return r;
}
