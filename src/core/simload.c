// SPDX-License-Identifier: GPL-2.0-or-later
/* simload: the table of simloads.def, and its scaling to a host. */
#include "core/simload.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct simload_desc simload_table[SIMLOAD_COUNT] = {
#define LOAD(id, is_changing, text) [SIMLOAD_##id] = { .name = #id, .what = text, .changing = is_changing },
#define SOURCE(...)
#include "core/simloads.def"
#undef LOAD
#undef SOURCE
};

struct source_row {
	enum simload_id id;
	struct simload_source source;
};

static const struct source_row source_rows[] = {
#define LOAD(...)
#define SOURCE(load, at, long_s, ...) { SIMLOAD_##load, { .phase = at, .seconds = long_s, __VA_ARGS__ } },
#include "core/simloads.def"
#undef LOAD
#undef SOURCE
};

bool simload_is_open(const struct simload_source *s)
{
	switch (s->kind) {
	case SOURCE_CONST:
	case SOURCE_POISSON:
	case SOURCE_TRAIN: return !(s->of_capacity > 0);
	case SOURCE_CLOSED:
	case SOURCE_TCP:
	case SOURCE_INCAST: return false;
	}
	return false;
}

/* To the host's speed: rates and windows grow with the link, round trips shrink on a fast host. */
static void scale(struct simload_source *s, const struct sim_profile *p)
{
	double x = s->fixed_rate ? 1 : p->rate_scale;

	s->kpps *= x;
	s->kpps_end *= x;
	if (s->of_capacity > 0)
		s->kpps = s->of_capacity * 1000 / (p->packet_usecs + p->segment_usecs);
	if (s->flows_scale)
		s->flows = (unsigned)(s->flows * p->rate_scale / (p->fast ? 2 : 1) + 0.999);
	if (s->window_scales)
		s->window = (unsigned)(s->window * p->rate_scale + 0.999);
	if (p->fast && s->fast_rtt_usecs > 0)
		s->rtt_usecs = s->fast_rtt_usecs;
	if (p->fast && s->fast_bytes)
		s->bytes = s->fast_bytes;
	if (s->of_ring > 0)
		s->burst = (unsigned)(s->of_ring * p->ring);
	if (s->period_usecs > 0)
		s->kpps = 1000 * s->burst / s->period_usecs;
	if (s->flows == 0)
		s->flows = 1;
	s->kpps /= 1000; /* packets/us from here on */
	s->kpps_end /= 1000;
	if (s->kind == SOURCE_TRAIN)
		s->kpps /= s->burst; /* trains/us */
}

static int add(struct simload *l, const struct simload_source *row, const struct sim_profile *p)
{
	struct simload_source *s;

	if (l->n_sources >= SIMLOAD_SOURCES_MAX || row->phase >= SIMLOAD_PHASES_MAX)
		return -EINVAL;
	s = &l->source[l->n_sources++];
	*s = *row;
	scale(s, p);
	if (row->phase + 1 > l->n_phases)
		l->n_phases = row->phase + 1;
	l->phase_usecs[row->phase] = row->seconds > 0 ? row->seconds * 1e6 : 1e12;
	return 0;
}

static int parse(const char *text, struct simload_source *ret)
{
	struct simload_source s = { .bytes = 1500, .flows = 1, .fixed_rate = true };
	int n = -1;

	if (sscanf(text, "udp:%lf,%u", &s.kpps, &s.bytes) >= 1)
		n = s.kind = SOURCE_CONST;
	else if (sscanf(text, "poisson:%lf,%u", &s.kpps, &s.bytes) >= 1)
		n = s.kind = SOURCE_POISSON;
	else if (sscanf(text, "tcp:%u,%u,%lf", &s.flows, &s.window, &s.rtt_usecs) == 3) {
		n = s.kind = SOURCE_TCP;
		s.gro = true;
	} else if (sscanf(text, "closed:%u,%lf", &s.flows, &s.rtt_usecs) == 2) {
		n = s.kind = SOURCE_CLOSED;
		s.bytes = 128;
	} else if (sscanf(text, "train:%lf,%u", &s.kpps, &s.burst) == 2) {
		n = s.kind = SOURCE_TRAIN;
		s.even = true;
	}
	if (n < 0)
		return -ENOENT;
	if (s.kpps < 0 || s.kpps > 1e6 || s.bytes < 60 || s.bytes > 9000 || s.flows < 1 || s.flows > 256 ||
	    s.window > 4096 || s.burst > 4096)
		return -EINVAL;
	if ((s.kind == SOURCE_TCP || s.kind == SOURCE_CLOSED) ? !(s.rtt_usecs >= 1) : !(s.kpps > 0))
		return -EINVAL;
	if ((s.kind == SOURCE_TCP && !s.window) || (s.kind == SOURCE_TRAIN && !s.burst))
		return -EINVAL;
	*ret = s;
	return 0;
}

int simload_build(const char *text, const struct sim_profile *p, struct simload *ret)
{
	struct simload l = { 0 };
	struct simload_source one;
	int r = 0;

	for (unsigned i = 0; i < sizeof(source_rows) / sizeof(*source_rows); i++)
		if (!strcmp(text, simload_table[source_rows[i].id].name)) {
			l.changing = simload_table[source_rows[i].id].changing;
			r = add(&l, &source_rows[i].source, p);
			if (r < 0)
				return r;
		}
	if (!l.n_sources) {
		r = parse(text, &one);
		if (r == 0)
			r = add(&l, &one, p);
		if (r < 0)
			return r;
	}
	snprintf(l.name, sizeof(l.name), "%s", text);
	*ret = l;
	return 0;
}

double simload_period_usecs(const struct simload *l)
{
	double sum = 0;

	for (unsigned i = 0; i < l->n_phases; i++)
		sum += l->phase_usecs[i];
	return sum;
}
