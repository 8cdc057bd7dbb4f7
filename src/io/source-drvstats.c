// SPDX-License-Identifier: GPL-2.0-or-later
/* source-drvstats: see source-drvstats.h. */
#include "io/source-drvstats.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What stands before and after the number of the queue. */
static const struct {
	const char *before, *after;
} shapes[] = {
	{ "rx_queue_", "_packets" }, { "rx-", ".packets" },	   { "rx", "_packets" }, { "[", "]: rx_ucast_packets" },
	{ "queue_", "_rx_cnt" },     { "q", "_rx_packets" },	   { "q", "_rx_pkt_n" }, { "RX Queue ", " Frames" },
	{ "rx_queue_", "_pkts" },    { "rx-queue-", "-packets" },
};

int drvstats_rx_queue(const char *name)
{
	while (*name == ' ')
		name++; /* some drivers indent */
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		size_t before = strlen(shapes[i].before);
		char *end;
		unsigned long q;

		if (strncmp(name, shapes[i].before, before) || !isdigit((unsigned char)name[before]))
			continue;
		q = strtoul(name + before, &end, 10);
		if (q < NIC_QUEUES_MAX && !strcmp(end, shapes[i].after))
			return (int)q;
	}
	return -1;
}

static void find_queues(struct drvstats_source *s)
{
	s->n_queues = 0;
	for (unsigned q = 0; q < NIC_QUEUES_MAX; q++)
		s->index[q] = -1;
	for (unsigned i = 0; i < s->stats.n; i++) {
		int q = drvstats_rx_queue(s->stats.name[i]);

		if (q < 0 || s->index[q] >= 0) /* the first of a kind is the plain count */
			continue;
		s->index[q] = (int)i;
		if (s->n_queues <= (unsigned)q)
			s->n_queues = (unsigned)q + 1;
	}
	s->generation = s->stats.generation;
	s->absent = !s->n_queues;
}

void drvstats_source_read(struct drvstats_source *s, int fd, const struct nic_info *nic, nsec_t now, struct sample *ret)
{
	char err[ERR_MAX];
	int r;

	if (s->absent || (s->last && now - s->last < DRVSTATS_PERIOD_NS))
		return;
	s->last = now;
	r = drvstats_read(&s->stats, fd, nic, err);
	if (r < 0) {
		s->absent = r == -EOPNOTSUPP;
		return;
	}
	if (s->generation != s->stats.generation || !s->n_queues)
		find_queues(s);
	for (unsigned q = 0; q < s->n_queues; q++)
		if (s->index[q] >= 0)
			ret->queue[q].rx_packets = s->stats.value[s->index[q]];
	if (!s->n_queues)
		return;
	ret->have |= SAMPLE_QUEUES;
	if (ret->n_queues < s->n_queues)
		ret->n_queues = s->n_queues;
}

void drvstats_source_close(struct drvstats_source *s)
{
	drvstats_free(&s->stats);
	*s = (struct drvstats_source){ 0 };
}
