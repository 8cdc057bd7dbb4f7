// SPDX-License-Identifier: GPL-2.0-or-later
/* source-link: see source-link.h. */
#include "io/source-link.h"

int source_link_read(struct rtnl *r, const struct nic_info *nic, struct sample *s)
{
	struct rtnl_link_stats64 st;
	int err = rtnl_stats(r, nic->ifindex, &st);

	if (err < 0)
		return err;
	s->rx_packets = st.rx_packets;
	s->rx_bytes = st.rx_bytes;
	s->tx_packets = st.tx_packets;
	s->tx_bytes = st.tx_bytes;
	s->rx_dropped = st.rx_dropped;
	s->tx_dropped = st.tx_dropped;
	s->rx_missed = st.rx_missed_errors;
	s->rx_fifo = st.rx_fifo_errors;
	s->rx_over = st.rx_over_errors;
	s->have |= SAMPLE_LINK;
	if (nic->has_device) {
		s->ring_drops = st.rx_missed_errors + st.rx_fifo_errors + st.rx_over_errors;
		s->have |= SAMPLE_RING_DROPS;
	}
	return 0;
}
