// SPDX-License-Identifier: GPL-2.0-or-later
/* health: see health.h. */
#include "engine/health.h"

#define ADMIN_NS (10 * NSEC_PER_SEC) /* a link takes a while to come up */
#define NONSENSE_PPS 1e10
#define NONSENSE_LINK 4.0 /* times the link's rate: offloads may count headers that were never sent */

static const struct {
	unsigned most; /* so many are too many (carrier: changes, two a loss) ... */
	nsec_t within; /* ... in so long */
	const char *text;
} troubles[TROUBLE_COUNT] = {
	[TROUBLE_WRITES] = { 3, 600 * NSEC_PER_SEC, "3 failed writes in a row" },
	[TROUBLE_CARRIER] = { 6, 60 * NSEC_PER_SEC, "3 carrier losses in a minute" },
	[TROUBLE_TX_TIMEOUT] = { 1, 60 * NSEC_PER_SEC, "a transmit queue timed out" },
	[TROUBLE_RESET] = { 3, 600 * NSEC_PER_SEC, "the driver forgot its settings 3 times in 10 minutes" },
};

const char *health_text(enum trouble what)
{
	return troubles[what].text;
}

bool health_note(struct health *h, enum trouble what, unsigned n, nsec_t now)
{
	if (!n)
		return false;
	if (!h->count[what] || now - h->since[what] > troubles[what].within) {
		h->count[what] = 0;
		h->since[what] = now;
	}
	h->count[what] += n;
	if (h->count[what] < troubles[what].most)
		return false;
	h->count[what] = 0;
	return true;
}

static unsigned grown(uint64_t a, uint64_t b)
{
	return b > a ? (unsigned)(b - a) : 0;
}

enum trouble health_look(struct health *h, const struct sample *a, const struct sample *b, nsec_t now)
{
	uint32_t have = a->have & b->have & ~b->reset;
	unsigned changes = 2 * h->carrier_losses; /* with its end */

	h->carrier_losses = 0;
	if (have & SAMPLE_CARRIER) /* also those that nobody told */
		changes = grown(a->carrier_changes, b->carrier_changes);
	if (h->admin && h->forgive_until < now + ADMIN_NS)
		h->forgive_until = now + ADMIN_NS;
	h->admin = false;
	if (now < h->forgive_until)
		changes = 0;
	if ((have & SAMPLE_TX_TIMEOUTS) &&
	    health_note(h, TROUBLE_TX_TIMEOUT, grown(a->tx_timeouts, b->tx_timeouts), now))
		return TROUBLE_TX_TIMEOUT;
	return health_note(h, TROUBLE_CARRIER, changes, now) ? TROUBLE_CARRIER : TROUBLE_COUNT;
}

enum skip_reason health_rates(const struct sample *a, const struct sample *b, double link_mbps, struct rates *ret)
{
	switch (rates_between(a, b, ret)) {
	case RATES_FIRST: return SKIP_MISSING;
	case RATES_CLOCK: return SKIP_CLOCK;
	case RATES_CHANGED: return SKIP_CHANGED;
	}
	if (b->reset & SAMPLE_LINK)
		return SKIP_RESET;
	if (!(ret->have & SAMPLE_LINK))
		return SKIP_MISSING;
	if (b->rx_packets < a->rx_packets || b->tx_packets < a->tx_packets)
		return SKIP_RESET;
	if (ret->rx_pps > NONSENSE_PPS || ret->tx_pps > NONSENSE_PPS)
		return SKIP_NONSENSE;
	if (link_mbps > 0 && ret->rx_bytes_ps * 8e-6 > NONSENSE_LINK * link_mbps)
		return SKIP_NONSENSE;
	return SKIP_NONE;
}
