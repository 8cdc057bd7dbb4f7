// SPDX-License-Identifier: GPL-2.0-or-later
/* simload: the table of simloads.def, and its scaling to a host. */
#include "core/simload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Loads that are written out: their kind and the numbers after the colon. */
static const struct written {
	const char *word;
	enum simload_kind kind;
	unsigned least, most;
} written[] = {
	{ "udp:", SOURCE_CONST, 1, 2 },	    { "poisson:", SOURCE_POISSON, 1, 2 }, { "tcp:", SOURCE_TCP, 3, 3 },
	{ "closed:", SOURCE_CLOSED, 2, 2 }, { "train:", SOURCE_TRAIN, 2, 2 },
};

#define NUMBERS_MAX 3

/* "1,2.5,3": how many numbers, all of them above 0; -EINVAL. */
static int parse_numbers(const char *text, double ret[NUMBERS_MAX])
{
	for (int n = 0; n < NUMBERS_MAX; n++) {
		char *end;

		ret[n] = strtod(text, &end);
		if (end == text || !(ret[n] > 0 && ret[n] <= 1e6))
			return -EINVAL;
		if (!*end)
			return n + 1;
		if (*end != ',')
			return -EINVAL;
		text = end + 1;
	}
	return -EINVAL;
}

static int parse(const char *text, struct simload_source *ret)
{
	struct simload_source s = { .bytes = 1500, .flows = 1, .fixed_rate = true };
	const struct written *w = written, *end = written + sizeof(written) / sizeof(*written);
	double v[NUMBERS_MAX];
	int n;

	while (w < end && strncmp(text, w->word, strlen(w->word)))
		w++;
	if (w == end)
		return -ENOENT;
	n = parse_numbers(text + strlen(w->word), v);
	if (n < (int)w->least || n > (int)w->most)
		return -EINVAL;
	s.kind = w->kind;
	switch (s.kind) {
	case SOURCE_CONST:
	case SOURCE_POISSON:
		s.kpps = v[0];
		s.bytes = n > 1 ? (unsigned)v[1] : s.bytes;
		break;
	case SOURCE_TRAIN:
		s.kpps = v[0];
		s.burst = (unsigned)v[1];
		s.even = true;
		break;
	case SOURCE_CLOSED:
		s.flows = (unsigned)v[0];
		s.rtt_usecs = v[1];
		s.bytes = 128;
		break;
	case SOURCE_TCP:
		s.flows = (unsigned)v[0];
		s.window = (unsigned)v[1];
		s.rtt_usecs = v[2];
		s.gro = true;
		break;
	case SOURCE_INCAST: return -EINVAL;
	}
	if (s.bytes < 60 || s.bytes > 9000 || s.flows < 1 || s.flows > 256 || s.window > 4096 || s.burst > 4096 ||
	    (s.kind == SOURCE_TCP && (s.window < 1 || s.flows > 64)) || (s.kind == SOURCE_TRAIN && s.burst < 1) ||
	    (s.rtt_usecs > 0 && s.rtt_usecs < 1))
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
