// SPDX-License-Identifier: GPL-2.0-or-later
/* What a request for coalescing comes to, with the manners of the day. */
#include <linux/delay.h>

#include "double.h"

static const u32 defaults[KNOBS] = { [RX_USECS] = 50, [TX_USECS] = 100, [TX_FRAMES] = 32 };

#define REFUSE(extack, manners, rc, text) \
	do { \
		if ((manners)->extack) \
			NL_SET_ERR_MSG_MOD(extack, text); \
		return rc; \
	} while (0)

/* The register of a clocked timer counts 256 clocks; both conversions round down, as drivers do. */
static u32 to_clocks(const struct manners *m, u32 usecs)
{
	return usecs * m->clock_mhz / 256;
}

static u32 from_clocks(const struct manners *m, u32 count)
{
	return count * 256 / m->clock_mhz;
}

static int take_usecs(const struct manners *m, u32 *v, struct netlink_ext_ack *extack)
{
	u32 step = max(m->usecs_step, 1U);

	if (*v < 32 && m->magic & BIT(*v))
		return 0;
	if (*v > m->usecs_max) {
		if (!m->usecs_clamp)
			REFUSE(extack, m, -EINVAL, "time is too long");
		*v = m->usecs_max;
	}
	if (*v && *v < m->usecs_min_on) {
		if (!m->usecs_raise)
			REFUSE(extack, m, -EINVAL, "time is too short");
		*v = m->usecs_min_on;
	}
	*v = (m->usecs_up ? *v + step - 1 : *v) / step * step;
	return 0;
}

static int take_clocks(const struct manners *m, u32 *v, struct netlink_ext_ack *extack)
{
	u32 count = to_clocks(m, *v);

	if (count < 0x10 || count > 0xff)
		REFUSE(extack, m, -EINVAL, "time does not fit the watchdog");
	*v = from_clocks(m, count);
	return 0;
}

static int take_frames(const struct manners *m, u32 *v, struct netlink_ext_ack *extack)
{
	u32 step = max(m->frames_step, 1U);

	if (*v > m->frames_max) {
		if (!m->frames_clamp)
			REFUSE(extack, m, -EINVAL, "too many frames");
		*v = m->frames_max;
	}
	*v = DIV_ROUND_UP(*v, step) * step;
	return 0;
}

static int refuse_zero(const struct manners *m, unsigned int knob, u32 v, struct netlink_ext_ack *extack)
{
	if (!v && m->zero_refused & BIT(knob))
		REFUSE(extack, m, -EINVAL, "must not be 0");
	return 0;
}

/* One direction of a request: *want becomes what the device makes of it. */
static int take(const struct nic *nic, enum dir dir, const u32 *have, u32 *want, struct netlink_ext_ack *extack)
{
	const struct manners *m = &nic->manners;
	unsigned int usecs = dir == RX ? RX_USECS : TX_USECS, frames = usecs + 1;
	bool clocked = dir == RX && m->clock_mhz && !(m->ignored & BIT(usecs));
	u32 adaptive = dir == RX ? want[ADAPTIVE_RX] : want[ADAPTIVE_TX];
	int rc;

	if (adaptive && m->adaptive == 2 && (want[usecs] != have[usecs] || want[frames] != have[frames]))
		REFUSE(extack, m, -EINVAL, "adaptive is on");
	rc = clocked ? take_clocks(m, &want[usecs], extack) : take_usecs(m, &want[usecs], extack);
	rc = rc ? rc : take_frames(m, &want[frames], extack);
	rc = rc ? rc : refuse_zero(m, usecs, want[usecs], extack);
	rc = rc ? rc : refuse_zero(m, frames, want[frames], extack);
	if (!rc && m->zero_pair_refused && !want[usecs] && !want[frames])
		REFUSE(extack, m, -EINVAL, "time and frames cannot both be 0");
	if (rc || !adaptive || m->adaptive != 1)
		return rc;
	want[usecs] = have[usecs];
	want[frames] = have[frames];
	return 0;
}

static int scale(const struct manners *m, u32 *want, struct netlink_ext_ack *extack)
{
	static const u32 scales[] = { 5, 40, 80, 160 };
	u32 most = max(want[RX_USECS], want[TX_USECS]);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(scales); i++) {
		if (most > 15 * scales[i])
			continue;
		want[RX_USECS] = DIV_ROUND_UP(want[RX_USECS], scales[i]) * scales[i];
		want[TX_USECS] = DIV_ROUND_UP(want[TX_USECS], scales[i]) * scales[i];
		return 0;
	}
	REFUSE(extack, m, -ERANGE, "time does not fit any scale");
}

/* Defaults, as far as they are values that the device could have been told. */
void coalesce_defaults(struct nic *nic, u32 knobs)
{
	const struct manners *m = &nic->manners;
	u32 want[KNOBS], none[KNOBS] = { 0 };
	unsigned int q, k;

	memcpy(want, defaults, sizeof(want));
	take(nic, RX, none, want, NULL);
	take(nic, TX, none, want, NULL);
	if (m->one_scale)
		scale(m, want, NULL);
	if (m->clock_mhz)
		want[RX_USECS] = from_clocks(m, 0xa0);
	for (k = 0; k < KNOBS; k++) {
		if (m->ignored & BIT(k) || !(m->has & BIT(k)))
			want[k] = 0;
		for (q = 0; q < QUEUES_MAX && knobs & BIT(k); q++)
			nic->regs->queue[q][k] = nic->regs->before[q][k] = want[k];
	}
}

static void store(struct nic *nic, unsigned int queue, const u32 *want, u32 knobs)
{
	u32 *reg = nic->regs->queue[queue];
	unsigned int k;

	knobs &= ~nic->manners.ignored;
	memcpy(nic->regs->before[queue], reg, sizeof(nic->regs->before[queue]));
	for (k = 0; k < KNOBS; k++) {
		if (knobs & BIT(k))
			reg[k] = want[k];
	}
}

static int apply(struct nic *nic, unsigned int queue, const u32 *value, bool single, struct netlink_ext_ack *extack)
{
	static const u32 of_dir[DIRS] = { BIT(RX_USECS) | BIT(RX_FRAMES) | BIT(ADAPTIVE_RX),
					  BIT(TX_USECS) | BIT(TX_FRAMES) | BIT(ADAPTIVE_TX) };
	const struct manners *m = &nic->manners;
	bool tx_first = m->partial == 2;
	u32 want[KNOBS], knobs = 0;
	int rc = 0, i;

	memcpy(want, value, sizeof(want));
	for (i = 0; i < DIRS && !rc; i++) {
		enum dir dir = tx_first ? !i : i;

		if (single && m->per_queue == 2 && dir == RX)
			continue;
		rc = take(nic, dir, nic->regs->queue[queue], want, extack);
		if (!rc)
			knobs |= of_dir[dir];
		if (!rc && m->partial)
			store(nic, queue, want, of_dir[dir]);
	}
	if (!rc && m->one_scale)
		rc = scale(m, want, extack);
	if (!rc)
		store(nic, queue, want, knobs);
	return rc;
}

static void flap(struct nic *nic)
{
	if (!nic->manners.flap_ms || !netif_running(nic->dev))
		return;
	netif_carrier_off(nic->dev);
	msleep(nic->manners.flap_ms);
	netif_carrier_on(nic->dev);
}

static int request(struct nic *nic, int queue, const u32 value[KNOBS], struct netlink_ext_ack *extack)
{
	const struct manners *m = &nic->manners;
	unsigned int q;
	int rc = 0;

	if (m->down_refused && !netif_running(nic->dev))
		REFUSE(extack, m, -EBUSY, "interface is down");
	if (m->slow_ms)
		msleep(m->slow_ms);
	if (m->set_errno)
		REFUSE(extack, m, -(int)m->set_errno, "each request fails");
	if (m->fail_every && nic->requests % m->fail_every == 0)
		REFUSE(extack, m, -(int)m->fail_errno, "this request fails");
	if (queue >= 0)
		return (unsigned int)queue < nic->queues ? apply(nic, queue, value, true, extack) : -EINVAL;
	for (q = 0; q < (m->global_queue_0 ? 1 : QUEUES_MAX) && !rc; q++)
		rc = apply(nic, q, value, false, extack);
	return rc;
}

int coalesce_set(struct nic *nic, int queue, const u32 value[KNOBS], struct netlink_ext_ack *extack)
{
	struct request *r = &nic->log[nic->requests++ % LOG_LEN];

	r->queue = queue;
	memcpy(r->value, value, sizeof(r->value));
	r->result = request(nic, queue, value, extack);
	if (!r->result)
		flap(nic);
	return r->result;
}

int coalesce_get(struct nic *nic, int queue, u32 value[KNOBS])
{
	const struct manners *m = &nic->manners;

	if (m->down_refused && !netif_running(nic->dev))
		return -EBUSY;
	if (m->get_errno)
		return -(int)m->get_errno;
	if (queue >= (int)nic->queues)
		return -EINVAL;
	memcpy(value, m->stale ? nic->regs->before[max(queue, 0)] : nic->regs->queue[max(queue, 0)],
	       KNOBS * sizeof(value[0]));
	if (queue >= 0 && m->per_queue == 2)
		value[RX_USECS] = value[RX_FRAMES] = 0;
	return 0;
}
