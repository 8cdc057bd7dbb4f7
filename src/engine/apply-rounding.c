// SPDX-License-Identifier: GPL-2.0-or-later
/* apply-rounding: originals on timers that count clock steps. A driver that rounds down when it is written and once
 * more when it is read takes what was read before for a step less. One microsecond more makes up for what reading
 * lost, and is less than the step after it. */
#include "engine/apply.h"

#define TIMERS (KNOB_BIT(KNOB_RX_USECS) | KNOB_BIT(KNOB_TX_USECS))

static bool write_timers(struct apply *a, const struct nic_info *nic, const struct knob_set *timers)
{
	struct knob_set got = { 0 };
	char err[ERR_MAX];

	return a->backend->ops->write(a->backend, nic, timers, &got, err) == 0 && apply_read(a, nic) == 0;
}

/* Not what the driver itself moves. */
static bool lower(const struct apply *a, int k)
{
	const struct knob_set *was = &a->original.device;
	enum knob adaptive = k == KNOB_RX_USECS ? KNOB_ADAPTIVE_RX : KNOB_ADAPTIVE_TX;

	return (TIMERS & KNOB_BIT(k)) && knob_has(was, k) && knob_has(&a->current, k) &&
	       a->current.value[k] < was->value[k] && !(knob_has(was, adaptive) && was->value[adaptive]);
}

void apply_undo_rounding(struct apply *a, const struct nic_info *nic)
{
	const struct knob_set *was = &a->original.device;
	struct knob_set more = { 0 }, back = { 0 };

	if (a->original.n_queue) /* each has its own, which one for the device would overwrite */
		return;
	for (int k = 0; k < KNOB_COUNT; k++)
		if (lower(a, k))
			knob_put(&more, k, was->value[k] + 1);
	if (!more.have || !write_timers(a, nic, &more))
		return;
	for (int k = 0; k < KNOB_COUNT; k++)
		if (knob_has(&more, k) && a->current.value[k] > was->value[k]) /* it does not round like that */
			knob_put(&back, k, was->value[k]);
	if (back.have)
		write_timers(a, nic, &back);
}
