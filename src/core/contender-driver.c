// SPDX-License-Identifier: GPL-2.0-or-later
/* contender-driver: see contender-driver.h. */
#include "core/contender-driver.h"

#include <math.h>

#define DIM_EVENTS 64	     /* interrupts of one measurement */
#define DIM_SIGNIFICANT 0.10 /* a smaller difference is none */
#define DIM_FRAMES 256
#define DIM_TIRED 10 /* steps in a row, then a rest of as many measurements */
#define DIM_STEPS 5

static const double dim_usecs[DIM_STEPS] = { 1, 8, 64, 128, 256 }; /* receive, timer started by the interrupt */
static const double bucket_interrupts_ps[3] = { 70000, 20000, 4000 };

enum verdict { WORSE = -1, SAME, BETTER };
enum stepped { STEPPED, AT_EDGE, TOO_TIRED };

static bool differs(double a, double b)
{
	return b > 0 && fabs(a - b) / b > DIM_SIGNIFICANT;
}

/* More bytes are better; else more packets; else fewer interrupts. */
static enum verdict dim_compare(const struct dim_rates *now, const struct dim_rates *before)
{
	if (before->bytes <= 0)
		return now->bytes > 0 ? BETTER : SAME;
	if (differs(now->bytes, before->bytes))
		return now->bytes > before->bytes ? BETTER : WORSE;
	if (before->packets <= 0)
		return now->packets > 0 ? BETTER : SAME;
	if (differs(now->packets, before->packets))
		return now->packets > before->packets ? BETTER : WORSE;
	if (differs(now->events, before->events))
		return now->events < before->events ? BETTER : WORSE;
	return SAME;
}

static enum stepped dim_step(struct dim *d)
{
	if (d->steps_tired == DIM_TIRED)
		return TOO_TIRED;
	if (d->direction > 0) {
		if (d->step == DIM_STEPS - 1)
			return AT_EDGE;
		d->step++;
		d->steps_right++;
	} else {
		if (d->step == 0)
			return AT_EDGE;
		d->step--;
		d->steps_left++;
	}
	d->steps_tired++;
	return STEPPED;
}

static void dim_park(struct dim *d, bool tired)
{
	d->steps_left = d->steps_right = 0;
	d->tired = tired;
	d->top = !tired;
	if (!tired)
		d->steps_tired = 0;
}

static void dim_leave(struct dim *d)
{
	d->top = d->tired = false;
	d->direction = d->step ? -1 : 1;
	dim_step(d);
}

static void dim_decide(struct dim *d, enum verdict verdict)
{
	bool oscillates;

	if (d->top) {
		if (verdict != SAME)
			dim_leave(d);
		return;
	}
	if (d->tired) {
		if (--d->steps_tired == 0)
			dim_leave(d);
		return;
	}
	if (verdict != BETTER) { /* turn */
		d->direction = -d->direction;
		if (d->direction > 0)
			d->steps_right = 0;
		else
			d->steps_left = 0;
	}
	oscillates =
		d->direction > 0 ? d->steps_left > 1 && d->steps_right == 1 : d->steps_right > 1 && d->steps_left == 1;
	if (oscillates) {
		dim_park(d, false);
		return;
	}
	switch (dim_step(d)) {
	case STEPPED: break;
	case AT_EDGE: dim_park(d, false); break;
	case TOO_TIRED: dim_park(d, true); break;
	}
}

void dim_init(struct contender *c)
{
	c->dim = (struct dim){ .step = 1, .top = true, .direction = 1 };
	c->interval_usecs = dim_usecs[1];
	c->frames = DIM_FRAMES;
}

bool dim_poll(struct contender *c, const struct nicsim_poll *poll)
{
	struct dim *d = &c->dim;
	struct dim_rates now;
	unsigned step = d->step;
	bool was_top = d->top;
	double ms = (poll->now_usecs - d->since_usecs) / 1000;

	if (d->started) {
		d->events++;
		d->packets += poll->packets;
		d->bytes += poll->bytes;
		if (d->events < DIM_EVENTS || ms <= 0)
			return false;
		now = (struct dim_rates){ ceil(d->bytes / ms), ceil(d->packets / ms), ceil(d->events / ms) };
		dim_decide(d, dim_compare(&now, &d->before));
		if (!was_top || !d->top)
			d->before = now;
	}
	d->started = true;
	d->since_usecs = poll->now_usecs;
	d->events = d->packets = d->bytes = 0;
	c->interval_usecs = dim_usecs[d->step];
	return d->step != step;
}

void buckets_init(struct contender *c)
{
	c->buckets = (struct buckets){ 1, bucket_interrupts_ps[1] };
	c->interval_usecs = 1e6 / bucket_interrupts_ps[1];
	c->frames = 0;
}

static int bucket_next(int class, double packets, double bytes)
{
	double size = bytes / packets;

	switch (class) {
	case 0: return size > 8000 ? 2 : packets < 5 && bytes > 512 ? 1 : 0;
	case 1:
		if (bytes > 10000)
			return size > 1200 || packets < 10 ? 2 : packets > 35 ? 0 : 1;
		return size > 2000 ? 2 : packets <= 2 && bytes < 512 ? 0 : 1;
	default: return (bytes > 25000 && packets > 35) || (bytes <= 25000 && bytes < 6000) ? 1 : 2;
	}
}

bool buckets_poll(struct contender *c, const struct nicsim_poll *poll)
{
	struct buckets *b = &c->buckets;
	double want;

	if (!poll->packets)
		return false;
	b->class = bucket_next(b->class, poll->packets, poll->bytes);
	want = bucket_interrupts_ps[b->class];
	if (want == b->interrupts_ps)
		return false;
	if (want > b->interrupts_ps) /* faster in steps, slower at once */
		want = fmin(want, b->interrupts_ps + want / 4);
	b->interrupts_ps = want;
	c->interval_usecs = 1e6 / want;
	return true;
}
