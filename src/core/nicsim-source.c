// SPDX-License-Identifier: GPL-2.0-or-later
/* nicsim-source: who sends, and what comes back to senders; the wire serialises everything. */
#include "core/nicsim-int.h"

#define TWO_PI 6.283185307179586
#define LINK_SHARE_MAX 0.95 /* of the link, for a rate that wanders */

/* Something comes back to a sender. */
static void come_back(struct nicsim *s, double at, uint32_t flow, enum feedback_kind kind, unsigned source)
{
	sim_later_push(&s->later, at, flow, kind, source);
	if (at < s->next_input)
		s->next_input = at;
}

/* When the last bit of a packet that is sent at t arrives. */
static inline double wire_arrival(struct nicsim *s, const struct sim_source *src, double t)
{
	s->link_free = (t > s->link_free ? t : s->link_free) + src->wire_usecs;
	return s->link_free;
}

static inline struct sim_packet packet_of(const struct nicsim *s, const struct sim_source *src, double arrival,
					  uint32_t flow)
{
	return (struct sim_packet){ arrival, flow, (uint16_t)(src - s->source),
				    (uint16_t)(s->n_queues > 1 ? flow % s->n_queues : 0) };
}

static void send(struct nicsim *s, const struct sim_source *src, double t, uint32_t flow)
{
	if (((s->wire_tail + 1) & s->wire_mask) == s->wire_head)
		return; /* sized for all that can be under way */
	s->wire[s->wire_tail] = packet_of(s, src, wire_arrival(s, src, t), flow);
	s->wire_tail = (s->wire_tail + 1) & s->wire_mask;
}

static double gaussian(struct sim_rng *r)
{
	double u = 1 - sim_uniform(r);

	return sqrt(-2 * log(u)) * cos(TWO_PI * sim_uniform(r));
}

/* Packets (or trains) per us at t. */
static inline double rate(struct nicsim *s, struct sim_source *src, double t)
{
	const struct simload_source *is = &src->is;

	if (is->sigma > 0) {
		if (t >= src->rate_until) {
			double most = LINK_SHARE_MAX / src->wire_usecs;

			src->rate_now = is->kpps * exp(is->sigma * gaussian(&src->rng) - is->sigma * is->sigma / 2);
			if (src->rate_now > most)
				src->rate_now = most;
			src->rate_until = t + sim_exponential(&src->rng, is->modulation_usecs);
		}
		return src->rate_now;
	}
	if (is->kpps_end > 0)
		return is->kpps + (is->kpps_end - is->kpps) * (t - s->phase_start) / s->load.phase_usecs[s->phase];
	return is->kpps;
}

/* Many at once: each takes long, and they do not depend on each other. */
static void draw(struct sim_source *src)
{
	for (unsigned i = 0; i < GAPS_DRAWN; i++)
		src->drawn[i] = sim_uniform(&src->rng);
	for (unsigned i = 0; i < GAPS_DRAWN; i++)
		src->drawn[i] = -sim_log(1 - src->drawn[i]);
	src->n_drawn = 0;
}

static inline double gap(struct nicsim *s, struct sim_source *src, double t)
{
	double mean = src->mean_gap > 0 ? src->mean_gap : 1 / rate(s, src, t);

	if (src->is.kind == SOURCE_CONST || src->is.even)
		return mean;
	if (!src->draws_ahead)
		return sim_exponential(&src->rng, mean);
	if (src->n_drawn == GAPS_DRAWN)
		draw(src);
	return mean * src->drawn[src->n_drawn++];
}

static inline uint32_t any_flow(struct sim_source *src)
{
	if (src->is.flows < 2)
		return src->flow0;
	return src->flow0 + (uint32_t)(sim_uniform(&src->rng) * src->is.flows);
}

static void tcp_send(struct nicsim *s, struct sim_source *src, uint32_t flow, double t)
{
	struct sim_flow *f = &s->flows[src->first_flow + flow - src->flow0];
	int window = (int)f->window, train = (int)src->is.window / 4;

	if (train > 8)
		train = 8; /* segmentation offload sends in trains */
	if (train > window / 2)
		train = window / 2;
	if (train < 1)
		train = 1;
	if (window - f->in_flight < train && f->in_flight)
		return;
	while (f->in_flight < window) {
		f->in_flight++;
		send(s, src, t, flow);
	}
}

static void feedback_fire(struct nicsim *s)
{
	struct sim_feedback e = sim_later_pop(&s->later);
	struct sim_source *src = &s->source[e.source];
	struct sim_flow *f = &s->flows[(src->first_flow + e.flow - src->flow0) % SIM_FLOWS_MAX];

	switch ((enum feedback_kind)e.kind) {
	case FEEDBACK_SEND: send(s, src, e.at, e.flow); return;
	case FEEDBACK_BURST:
		src->outstanding = src->is.burst;
		for (unsigned i = 0; i < src->is.burst; i++)
			send(s, src, e.at, src->flow0 + i % src->is.flows);
		return;
	case FEEDBACK_START: break;
	case FEEDBACK_LOSS:
		f->in_flight--;
		if (e.at - f->loss_at > src->is.rtt_usecs) { /* once a round trip */
			f->window = f->window / 2 < 2 ? 2 : f->window / 2;
			f->loss_at = e.at;
		}
		break;
	case FEEDBACK_ACK:
		f->in_flight--;
		f->window += 1 / f->window;
		if (f->window > src->is.window)
			f->window = src->is.window;
		break;
	}
	tcp_send(s, src, e.flow, e.at);
}

void sim_feedback(struct nicsim *s, const struct sim_packet *p, bool lost, double t)
{
	struct sim_source *src = &s->source[p->source];
	double rtt = src->is.rtt_usecs;

	if (src->is.phase != s->phase)
		return; /* sent before the load changed: nobody waits for it */
	switch (src->is.kind) {
	case SOURCE_CONST:
	case SOURCE_POISSON:
	case SOURCE_TRAIN: return;
	case SOURCE_CLOSED:
		rtt = lost ? 10 * rtt : rtt * (0.95 + 0.1 * sim_uniform(&src->jitter));
		if (src->is.think_usecs > 0)
			rtt += sim_exponential(&src->jitter, src->is.think_usecs);
		come_back(s, t + rtt, p->flow, FEEDBACK_SEND, p->source);
		return;
	case SOURCE_TCP:
		rtt *= 0.95 + 0.1 * sim_uniform(&src->jitter);
		if (s->flows[src->first_flow + p->flow - src->flow0].in_flight > 0)
			come_back(s, t + rtt, p->flow, lost ? FEEDBACK_LOSS : FEEDBACK_ACK, p->source);
		return;
	case SOURCE_INCAST:
		if (src->outstanding && --src->outstanding == 0)
			come_back(s, t + rtt, src->flow0, FEEDBACK_BURST, p->source);
		return;
	}
}

static void source_start(struct nicsim *s, struct sim_source *src, double t)
{
	unsigned i = (unsigned)(src - s->source);

	src->next = SIM_NEVER;
	switch (src->is.kind) {
	case SOURCE_CONST:
	case SOURCE_POISSON:
	case SOURCE_TRAIN:
		src->rate_until = 0;
		src->next = t + gap(s, src, t);
		return;
	case SOURCE_INCAST:
		src->outstanding = 0;
		come_back(s, t + src->is.rtt_usecs, src->flow0, FEEDBACK_BURST, i);
		return;
	case SOURCE_CLOSED:
		for (unsigned j = 0; j < src->is.flows; j++)
			come_back(s, t + sim_uniform(&src->jitter) * (src->is.rtt_usecs + src->is.think_usecs),
				  src->flow0 + j, FEEDBACK_SEND, i);
		return;
	case SOURCE_TCP:
		for (unsigned j = 0; j < src->is.flows; j++) {
			s->flows[src->first_flow + j] = (struct sim_flow){ src->is.window, -1e9, 0 };
			come_back(s, t + sim_uniform(&src->jitter) * src->is.rtt_usecs, src->flow0 + j, FEEDBACK_START,
				  i);
		}
		return;
	}
}

/* What a sender waits for, and some more, as the receiver takes its time too. */
static double turn_usecs(const struct nicsim *s, unsigned phase)
{
	double most = 1;

	for (unsigned i = 0; i < s->load.n_sources; i++)
		if (s->source[i].is.phase == phase)
			most = fmax(most, s->source[i].is.rtt_usecs + s->source[i].is.think_usecs);
	return 4 * most;
}

void sim_phase_start(struct nicsim *s, unsigned phase, double t)
{
	s->phase = phase;
	s->phase_start = t;
	s->phase_end = t + s->load.phase_usecs[phase];
	sim_later_clear(&s->later, turn_usecs(s, phase));
	s->first_source = 0;
	while (s->first_source < s->load.n_sources && s->source[s->first_source].is.phase != phase)
		s->first_source++;
	s->n_sources = 0;
	while (s->first_source + s->n_sources < s->load.n_sources &&
	       s->source[s->first_source + s->n_sources].is.phase == phase)
		source_start(s, &s->source[s->first_source + s->n_sources++], t);
	s->lone = &s->source[s->first_source];
	if (s->n_sources != 1 || (s->lone->is.kind != SOURCE_CONST && s->lone->is.kind != SOURCE_POISSON))
		s->lone = NULL;
	s->next_input = 0;
}

void sim_sources_init(struct nicsim *s)
{
	uint32_t flow = 1;
	unsigned tcp = 0;

	for (unsigned i = 0; i < s->load.n_sources; i++) {
		struct sim_source *src = &s->source[i];

		src->is = s->load.source[i];
		src->flow0 = flow;
		flow += src->is.flows;
		if (src->is.kind == SOURCE_TCP) {
			if (tcp + src->is.flows > SIM_FLOWS_MAX)
				src->is.flows = SIM_FLOWS_MAX - tcp;
			src->first_flow = tcp;
			tcp += src->is.flows;
		}
		if (!(src->is.sigma > 0) && !(src->is.kpps_end > 0) && src->is.kpps > 0)
			src->mean_gap = 1 / src->is.kpps;
		src->draws_ahead = src->is.kind == SOURCE_POISSON && src->is.flows < 2 && !(src->is.sigma > 0);
		src->n_drawn = GAPS_DRAWN;
		src->wire_usecs = (src->is.bytes + 24) * 8.0 / s->p.link_mbps;
		src->rng.state =
			(s->cfg.seed + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (i + 1) * UINT64_C(0xd1b54a32d192ed03);
		src->jitter.state = sim_random(&src->rng);
	}
}

static void source_fire(struct nicsim *s, struct sim_source *src)
{
	uint32_t flow = any_flow(src);
	unsigned n = src->is.kind == SOURCE_TRAIN ? src->is.burst : 1;

	for (unsigned i = 0; i < n; i++)
		send(s, src, src->next, flow);
	src->next += gap(s, src, src->next);
}

/* The common case, past the queue of the wire: that holds one packet at most. */
static bool lone_inputs(struct nicsim *s, struct sim_source *src, double bound)
{
	struct sim_packet p;

	if (s->wire_head != s->wire_tail) {
		p = s->wire[s->wire_head];
		s->next_input = p.arrival;
		if (p.arrival > bound)
			return false;
		s->wire_head = (s->wire_head + 1) & s->wire_mask;
		s->next_input = src->next;
		s->now = p.arrival;
		if (sim_arrive(s, &p))
			return true;
	}
	while (src->next <= bound && s->wire_head == s->wire_tail) {
		double t = src->next;

		p = packet_of(s, src, wire_arrival(s, src, t), any_flow(src));
		src->next = t + gap(s, src, t);
		if (p.arrival > bound) {
			s->wire[s->wire_tail] = p;
			s->wire_tail = (s->wire_tail + 1) & s->wire_mask;
			s->next_input = p.arrival;
			return false;
		}
		s->now = p.arrival;
		if (sim_arrive(s, &p)) {
			s->next_input = src->next;
			return true;
		}
	}
	s->next_input = src->next;
	return false;
}

enum input { INPUT_NONE, INPUT_WIRE, INPUT_FEEDBACK, INPUT_SOURCE };

static enum input next_input(struct nicsim *s, struct sim_source **ret)
{
	enum input what = INPUT_NONE;
	double t = SIM_NEVER;

	if (s->wire_head != s->wire_tail) {
		t = s->wire[s->wire_head].arrival;
		what = INPUT_WIRE;
	}
	if (s->later.first_at < t) {
		t = s->later.first_at;
		what = INPUT_FEEDBACK;
	}
	for (unsigned i = 0; i < s->n_sources; i++) {
		struct sim_source *src = &s->source[s->first_source + i];

		if (src->next < t) {
			t = src->next;
			what = INPUT_SOURCE;
			*ret = src;
		}
	}
	s->next_input = t;
	return what;
}

bool sim_inputs(struct nicsim *s, double bound)
{
	struct sim_source *from = NULL;
	struct sim_packet p;

	if (s->next_input > bound)
		return false;
	if (s->lone && ((s->wire_tail - s->wire_head) & s->wire_mask) <= 1 && !s->later.fill)
		return lone_inputs(s, s->lone, bound);
	for (;;) {
		enum input what = next_input(s, &from);

		if (s->next_input > bound)
			return false;
		s->now = s->next_input;
		switch (what) {
		case INPUT_WIRE:
			p = s->wire[s->wire_head];
			s->wire_head = (s->wire_head + 1) & s->wire_mask;
			if (sim_arrive(s, &p)) {
				s->next_input = 0;
				return true;
			}
			break;
		case INPUT_FEEDBACK: feedback_fire(s); break;
		case INPUT_SOURCE: source_fire(s, from); break;
		case INPUT_NONE: return false;
		}
	}
}
