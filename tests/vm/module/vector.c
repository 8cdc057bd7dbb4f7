// SPDX-License-Identifier: GPL-2.0-or-later
/* One interrupt with its ring, its throttle and its NAPI. */
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>

#include "double.h"

#define MAGIC_USECS 50 /* what a mode of the driver's own comes to */

static void throttle(const struct vector *v, u32 *usecs, u32 *frames)
{
	const struct nic *nic = v->nic;
	const u32 *reg = nic->regs->queue[v->queue];

	*usecs = reg[v->dir == RX ? RX_USECS : TX_USECS];
	*frames = reg[v->dir == RX ? RX_FRAMES : TX_FRAMES];
	if (*usecs < 32 && nic->manners.magic & BIT(*usecs))
		*usecs = MAGIC_USECS;
	if (reg[v->dir == RX ? ADAPTIVE_RX : ADAPTIVE_TX] && nic->manners.adaptive)
		*usecs = MAGIC_USECS;
	if ((nic->manners.frames_mean == 1 && *frames) || (nic->manners.frames_mean == 2 && *frames <= 1))
		*usecs = 0;
}

/* Under the lock: is the interrupt to be raised now? Else the timer will. */
static bool due(struct vector *v)
{
	u32 usecs, frames;
	ktime_t now = ktime_get(), at;

	if (v->masked || skb_queue_empty(&v->fifo))
		return false;
	throttle(v, &usecs, &frames);
	at = ktime_add_us(v->nic->manners.delay_mode ? v->last : now, usecs);
	if (!usecs || ktime_compare(now, at) >= 0 || (frames && skb_queue_len(&v->fifo) >= frames))
		return true;
	if (!hrtimer_active(&v->timer))
		hrtimer_start(&v->timer, at, HRTIMER_MODE_ABS);
	return false;
}

/* Under the lock. */
static void mask(struct vector *v)
{
	v->masked = true;
	v->irqs++;
	if (v->nic->manners.delay_mode == 1)
		v->last = ktime_get();
}

static void kick(struct vector *v)
{
	unsigned long flags;
	bool fire;

	spin_lock_irqsave(&v->fifo.lock, flags);
	fire = due(v);
	if (fire)
		mask(v);
	spin_unlock_irqrestore(&v->fifo.lock, flags);
	if (fire)
		generic_handle_irq_safe(v->irq);
}

static enum hrtimer_restart expired(struct hrtimer *timer)
{
	struct vector *v = container_of(timer, struct vector, timer);
	unsigned long flags;
	bool fire;

	spin_lock_irqsave(&v->fifo.lock, flags);
	fire = !v->masked && !skb_queue_empty(&v->fifo);
	if (fire)
		mask(v);
	spin_unlock_irqrestore(&v->fifo.lock, flags);
	if (fire)
		generic_handle_irq_safe(v->irq);
	return HRTIMER_NORESTART;
}

static irqreturn_t interrupt(int irq, void *data)
{
	struct vector *v = data;

	napi_schedule(&v->napi);
	return IRQ_HANDLED;
}

static void receive(struct vector *v, struct sk_buff *skb)
{
	v->bytes += skb->len;
	skb->protocol = eth_type_trans(skb, v->nic->dev);
	skb_record_rx_queue(skb, v->queue);
	napi_gro_receive(&v->napi, skb);
}

static void sent(struct vector *v, struct sk_buff *skb, int budget)
{
	struct netdev_queue *txq = netdev_get_tx_queue(v->nic->dev, v->queue);

	v->bytes += skb->len;
	napi_consume_skb(skb, budget);
	if (netif_tx_queue_stopped(txq) && skb_queue_len(&v->fifo) < v->nic->ring[TX] / 2)
		netif_tx_wake_queue(txq);
}

static int poll(struct napi_struct *napi, int budget)
{
	struct vector *v = container_of(napi, struct vector, napi);
	bool honoured = v->dir == RX ? v->nic->manners.defer_rx : v->nic->manners.defer_tx;
	unsigned long flags;
	struct sk_buff *skb;
	int work = 0;

	while (work < budget && (skb = skb_dequeue(&v->fifo))) {
		v->packets++;
		work++;
		if (v->dir == RX)
			receive(v, skb);
		else
			sent(v, skb, budget);
	}
	if (work == budget)
		return work;
	if (!napi_complete_done(napi, work) && honoured)
		return work;
	spin_lock_irqsave(&v->fifo.lock, flags);
	v->masked = v->closing;
	if (v->nic->manners.delay_mode == 2)
		v->last = ktime_get();
	spin_unlock_irqrestore(&v->fifo.lock, flags);
	kick(v);
	return work;
}

unsigned int vector_put(struct vector *v, struct sk_buff *skb)
{
	unsigned int n = skb_queue_len(&v->fifo);

	if (n >= v->nic->ring[v->dir] || v->closing) {
		v->drops++;
		dev_kfree_skb_any(skb);
		return n;
	}
	skb_queue_tail(&v->fifo, skb);
	kick(v);
	return n + 1;
}

int vector_init(struct nic *nic, enum dir dir, unsigned int queue, int irq)
{
	struct vector *v = &nic->vector[dir][queue];

	v->nic = nic;
	v->dir = dir;
	v->queue = queue;
	v->irq = irq;
	v->closing = v->masked = true;
	skb_queue_head_init(&v->fifo);
	hrtimer_init(&v->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	v->timer.function = expired;
	irq_set_chip_and_handler(irq, &dummy_irq_chip, handle_simple_irq);
	irq_clear_status_flags(irq, IRQ_NOREQUEST);
	return 0;
}

int vector_open(struct vector *v)
{
	const struct names *names = &v->nic->names;
	int err;

	nic_name(v->nic, v->dir == RX ? names->irq_rx : names->irq_tx, v->queue, v->name);
	err = request_irq(v->irq, interrupt, 0, v->name, v);
	if (err)
		return err;
	if (v->dir == RX)
		netif_napi_add(v->nic->dev, &v->napi, poll);
	else
		netif_napi_add_tx(v->nic->dev, &v->napi, poll);
	v->last = ktime_set(0, 0);
	napi_enable(&v->napi);
	v->closing = v->masked = false;
	return 0;
}

/* With the interface marked as not running, nothing new comes in. */
void vector_close(struct vector *v)
{
	unsigned long flags;

	spin_lock_irqsave(&v->fifo.lock, flags);
	v->closing = v->masked = true;
	spin_unlock_irqrestore(&v->fifo.lock, flags);
	hrtimer_cancel(&v->timer);
	free_irq(v->irq, v);
	napi_disable(&v->napi);
	netif_napi_del(&v->napi);
	skb_queue_purge(&v->fifo);
}
