// SPDX-License-Identifier: GPL-2.0-or-later
/* polls: see polls.h. The change to NET_RX needs proof by measurement (threaded NAPI is not in NET_RX at all), the
 * change back only suspicion. */
#include "engine/polls.h"

#include <math.h>

#define BUSY_PPS 2000	   /* below, own counting costs nothing worth saving */
#define AGREE_RATIO 0.2	   /* counts are read some 10 us apart, and noise of other devices is let pass */
#define AGREE_SAMPLES 20
#define FOREIGN_RATIO 1.3  /* packets of all devices against ours */
#define FOREIGN_PPS 1000
#define DOUBT_SAMPLES 3

void poll_source_update(struct poll_source *p, struct backend *b, const struct nic_info *nic, const struct rates *r)
{
	const uint32_t needed = SAMPLE_LINK | SAMPLE_SOFTIRQ | SAMPLE_SOFTNET;
	bool foreign;

	if (!b->ops->count_polls || (r->have & needed) != needed)
		return;
	foreign = r->processed_ps > FOREIGN_RATIO * r->rx_pps + FOREIGN_PPS;
	p->doubt = foreign ? p->doubt + 1 : 0;
	if (!(r->have & SAMPLE_POLLS) || foreign || r->rx_pps < BUSY_PPS ||
	    fabs(r->net_rx_ps - r->polls_ps) > AGREE_RATIO * r->polls_ps)
		p->agree = 0;
	else
		p->agree++;
	if (!p->own_off && p->agree >= AGREE_SAMPLES) {
		p->own_off = true;
		b->ops->count_polls(b, nic, false);
	} else if (p->own_off && p->doubt >= DOUBT_SAMPLES) {
		p->own_off = false;
		b->ops->count_polls(b, nic, true);
	}
}
