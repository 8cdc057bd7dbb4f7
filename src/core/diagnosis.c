// SPDX-License-Identifier: GPL-2.0-or-later
/* diagnosis: see diagnosis.h. The rules are a table, tried in order; the first that holds names the class. First comes
 * what makes every other question pointless: counters, traffic, and packets that are held back or lost elsewhere. */
#include "core/diagnosis.h"

#include "core/model.h"

/* One packet takes one interrupt on its way in or out, two where a device has two lines for it; four are a storm. As
 * many as a CPU that should sleep feels: one every 2 ms. */
#define STORM_PS 500
#define STORM_PACKETS 0.25
/* Full frames back to back are 1.00 of it; a TCP stream that fills the wire leaves a few gaps. */
#define LINK_FULL_RATIO 0.95
/* Preamble, FCS and the gap between frames: on the wire, but in no byte counter. */
#define WIRE_OVERHEAD_BYTES 24
/* One drop in a while is a burst; a rate of them, or one packet in 1000, is something that is too short. */
#define DROPS_PS 10
#define DROPS_RATIO 0.001
/* A PAUSE frame stops the sender for up to 65535 * 512 bits: at 1 Gb/s 10 a second may be a third of it. */
#define PAUSES_PS 10
/* A CPU above this has no time left; drops then come from the CPU and not from the interval. */
#define CPU_FULL_RATIO 0.9
/* Packet work beside the receivers' own: 60 % of a CPU for packets leaves less for what they are for. */
#define PACKET_FULL_RATIO 0.6
/* Each squeeze means that a softirq used up 300 packets or 2 ms and left work behind: ten a second are 20 ms. */
#define SQUEEZE_PS 10
/* Fewer packets than this per interrupt: the interrupt costs more than the packets it brings. Where both costs are
 * known it is their quotient, within these bounds, as costs are means over a long time. */
#define FEW_PACKETS 2
#define FEW_PACKETS_MAX 4
/* From here on the interrupt's share of the cost is small (1/8 of about twice a packet's cost). */
#define MANY_PACKETS 8
/* Interrupts are worth a sentence from 3 % of a CPU: 10k/s at 3 us each, where the cost is not known ... */
#define POLLS_MATTER_RATIO 0.03
#define POLLS_MATTER_PS 10000
/* ... or fewer where softirqs visibly load a CPU anyway (slow single core boards). */
#define POLLS_MATTER_SLOW_PS 3000
#define SOFTIRQ_MATTERS_RATIO 0.25
/* Half the clock is half the CPU. */
#define CLOCK_LOW_RATIO 0.5
/* Shallow idle states wake in 1 to 10 us; from here on it is longer than an interrupt and a packet cost together, ten
 * times over. */
#define IDLE_EXIT_USECS 50
/* One question, one answer: as many packets in as out, and small ones. */
#define ANSWER_RATIO 0.8
#define ANSWER_BYTES 400
/* A CPU that answers more than this hardly sleeps deeply in between. */
#define SLEEPY_PPS 10000
/* The wait makes up this part of the time from one question to the next. */
#define WAIT_PART 0.3
/* Interrupts that bring this many although no knob gathers them and the CPU has time, at a rate at which packets do not
 * meet by chance in the 5 us that an interrupt takes. */
#define HIDDEN_PACKETS 2
#define HIDDEN_MAX_PPS 100000
#define HIDDEN_MIN_PPS 1000

const struct bottleneck_desc bottleneck_table[BOTTLENECK_COUNT] = {
#define BOTTLENECK(id, slug, coalescing, sentence, advice) [BOTTLENECK_##id] = { slug, sentence, advice, coalescing },
#include "core/bottlenecks.def"
#undef BOTTLENECK
};

struct view {
	const struct symptoms *s;
	const struct rates *r;
	const struct diagnosis *d;
	double packets_ps; /* both directions */
	bool full;	   /* the busiest CPU has no time left */
	bool works;	   /* ... and packets are visibly why */
	bool beside;	   /* asked for a word beside another class */
};

static bool rate_matters(double rate_ps, double packets_ps)
{
	return rate_ps >= DROPS_PS || (rate_ps > 0 && rate_ps >= DROPS_RATIO * (packets_ps + rate_ps));
}

static bool evidence_matters(const struct view *v, enum evidence_id id)
{
	return rate_matters(evidence_or(&v->d->evidence, id, 0), v->packets_ps);
}

static bool no_counters(const struct view *v)
{
	return !(v->r->have & SAMPLE_LINK);
}

/* Counts of interrupts only: polls without packets are what a deferral's timer makes. */
static bool storm(const struct view *v)
{
	return v->d->interrupts_ps >= STORM_PS && v->packets_ps < STORM_PACKETS * v->d->interrupts_ps &&
	       evidence_or(&v->d->evidence, EVIDENCE_IRQ_SHARED, 0) < 1;
}

static bool starved(const struct view *v)
{
	return evidence_matters(v, EVIDENCE_XSK_STARVED);
}

static bool idle(const struct view *v)
{
	return v->packets_ps < MODEL_IDLE_PPS;
}

static bool shaped(const struct view *v)
{
	return evidence_matters(v, EVIDENCE_SHAPED);
}

/* With a full CPU the pauses only tell that it is full. */
static bool flow_control(const struct view *v)
{
	return evidence_or(&v->d->evidence, EVIDENCE_PAUSE_RECEIVED, 0) >= PAUSES_PS ||
	       (evidence_or(&v->d->evidence, EVIDENCE_PAUSE_SENT, 0) >= PAUSES_PS && !v->full);
}

static bool ring(const struct view *v)
{
	return rate_matters(v->d->drops_ps, v->r->rx_pps) && (v->r->have & SAMPLE_CPU) && !v->full;
}

/* What arrives at the speed of the wire and fills the CPU may still reach nobody. */
static bool link_full(const struct view *v)
{
	return v->d->link_ratio >= LINK_FULL_RATIO && !v->works;
}

static bool questions(const struct view *v)
{
	double rx = v->r->rx_pps, tx = v->r->tx_pps;
	double bytes = v->r->rx_bytes_ps + v->r->tx_bytes_ps;

	return rx >= ANSWER_RATIO * tx && tx >= ANSWER_RATIO * rx && bytes <= ANSWER_BYTES * v->packets_ps;
}

/* The clock matters once the CPU is full, deep sleep while it has nothing to do between question and answer. */
static bool power(const struct view *v)
{
	if (v->full && evidence_or(&v->d->evidence, EVIDENCE_CLOCK_RATIO, 1) <= CLOCK_LOW_RATIO)
		return true;
	return questions(v) && v->packets_ps < SLEEPY_PPS && v->d->busiest_ratio < 0.5 &&
	       evidence_or(&v->d->evidence, EVIDENCE_IDLE_EXIT_USECS, 0) >=
		       (v->d->wait_usecs > IDLE_EXIT_USECS ? v->d->wait_usecs : IDLE_EXIT_USECS);
}

/* One packet a wait, and the wait a large part of the time between them: each is an answer that was waited for. */
static bool latency(const struct view *v)
{
	return v->s->closed || (questions(v) && v->d->packets_per_poll >= 0 && v->d->packets_per_poll < FEW_PACKETS &&
				v->r->rx_pps * 1e-6 * v->d->wait_usecs >= WAIT_PART);
}

static double few_packets(const struct symptoms *s)
{
	double few = s->packet_usecs > 0 ? s->poll_usecs / s->packet_usecs : FEW_PACKETS;

	return few < FEW_PACKETS ? FEW_PACKETS : few > FEW_PACKETS_MAX ? FEW_PACKETS_MAX : few;
}

static bool few_each(const struct view *v, double per_s, double packets_each)
{
	double matters_ps = v->s->poll_usecs > 0 ? POLLS_MATTER_RATIO * 1e6 / v->s->poll_usecs : POLLS_MATTER_PS;

	if (packets_each < few_packets(v->s))
		return per_s >= matters_ps ||
		       (per_s >= POLLS_MATTER_SLOW_PS && v->d->packet_work_ratio >= SOFTIRQ_MATTERS_RATIO);
	/* with a full CPU somewhat larger groups still leave something to save */
	return packets_each < MANY_PACKETS && per_s >= POLLS_MATTER_PS && v->works;
}

static bool interrupts(const struct view *v)
{
	if (v->d->packets_per_poll >= 0 && v->r->rx_pps >= MODEL_IDLE_PPS &&
	    few_each(v, v->d->polls_ps, v->d->packets_per_poll))
		return true;
	/* all of them, for those of transmit completions */
	return v->d->interrupts_ps > 0 && few_each(v, v->d->interrupts_ps, v->packets_ps / v->d->interrupts_ps);
}

static bool enough_each(const struct view *v)
{
	return v->d->packets_per_poll >= MANY_PACKETS ||
	       (v->d->interrupts_ps > 0 && v->packets_ps >= MANY_PACKETS * v->d->interrupts_ps);
}

/* Spreading needs something to spread: several queues that have packets, or a router's many flows (as many out as in,
 * and of the same size). */
static bool spreadable(const struct view *v)
{
	const struct rates *r = v->r;

	if (r->have & SAMPLE_QUEUES && r->busy_queues > 1)
		return true;
	if (v->s->nic->rx_queues > 1 || evidence_or(&v->d->evidence, EVIDENCE_RPS, 0) >= 1)
		return false; /* the flows had their chance, and are one */
	return r->rx_pps >= ANSWER_RATIO * r->tx_pps && r->tx_pps >= ANSWER_RATIO * r->rx_pps &&
	       r->rx_bytes_ps >= ANSWER_RATIO * r->tx_bytes_ps && r->tx_bytes_ps >= ANSWER_RATIO * r->rx_bytes_ps;
}

static bool one_cpu(const struct view *v)
{
	return v->works && v->r->cpus > 1 && 2 * v->r->idle_cpus >= v->r->cpus - 1 && (v->beside || spreadable(v));
}

static bool packets(const struct view *v)
{
	return enough_each(v) && (v->works || v->d->packet_work_ratio >= PACKET_FULL_RATIO);
}

static bool budget(const struct view *v)
{
	return v->d->squeeze_ps >= SQUEEZE_PS;
}

static bool gathers(const struct view *v)
{
	const struct knob_set *k = v->s->current;

	return v->d->wait_usecs > 0 || (knob_has(k, KNOB_RX_FRAMES) && k->value[KNOB_RX_FRAMES] > 1) ||
	       (knob_has(k, KNOB_ADAPTIVE_RX) && k->value[KNOB_ADAPTIVE_RX]);
}

/* Only from interrupts: a deferral's polls gather by design. */
static bool hidden(const struct view *v)
{
	return v->s->current && v->s->nic->has_device && !gathers(v) && v->d->interrupts_ps > 0 &&
	       v->r->rx_pps >= HIDDEN_MIN_PPS && v->r->rx_pps <= HIDDEN_MAX_PPS &&
	       v->r->rx_pps >= HIDDEN_PACKETS * v->d->interrupts_ps && v->d->busiest_ratio < PACKET_FULL_RATIO;
}

static bool unseen(const struct view *v)
{
	return v->d->packets_per_poll < 0 && v->d->packet_work_ratio >= SOFTIRQ_MATTERS_RATIO;
}

/* also: worth a word beside a class that comes before it. */
static const struct {
	enum bottleneck class;
	bool (*holds)(const struct view *v);
	bool also;
} rules[] = {
	{ BOTTLENECK_UNKNOWN, no_counters, false },
	{ BOTTLENECK_STORM, storm, false },
	{ BOTTLENECK_STARVED, starved, true },
	{ BOTTLENECK_IDLE, idle, false },
	{ BOTTLENECK_SHAPED, shaped, true },
	{ BOTTLENECK_FLOW, flow_control, true },
	{ BOTTLENECK_RING, ring, true },
	{ BOTTLENECK_LINK, link_full, false },
	{ BOTTLENECK_POWER, power, true },
	{ BOTTLENECK_LATENCY, latency, false },
	{ BOTTLENECK_INTERRUPT, interrupts, false }, /* before what follows: fewer of them make room for the rest */
	{ BOTTLENECK_ONE_CPU, one_cpu, true },
	{ BOTTLENECK_PACKET, packets, false }, /* before squeezes: with a full CPU there are always some */
	{ BOTTLENECK_BUDGET, budget, true },
	{ BOTTLENECK_HIDDEN, hidden, false },
	{ BOTTLENECK_UNKNOWN, unseen, false }, /* busy with packets, and what interrupts bring is not seen */
};
#define N_RULES (sizeof(rules) / sizeof(rules[0]))

static void classify(struct view *v, struct diagnosis *ret)
{
	size_t i = 0;

	while (i < N_RULES && !rules[i].holds(v))
		i++;
	ret->class = i < N_RULES ? rules[i].class : BOTTLENECK_NONE;
	if (ret->class == BOTTLENECK_IDLE || ret->class == BOTTLENECK_UNKNOWN)
		return;
	v->beside = true;
	for (size_t j = 0; j < N_RULES; j++)
		if (j != i && rules[j].also && rules[j].holds(v))
			ret->also |= 1U << rules[j].class;
}

static double link_ratio(const struct nic_info *nic, const struct rates *r)
{
	double rx = r->rx_bytes_ps + WIRE_OVERHEAD_BYTES * r->rx_pps;
	double tx = r->tx_bytes_ps + WIRE_OVERHEAD_BYTES * r->tx_pps;

	if (!nic->speed_mbps || !nic->has_device)
		return -1; /* unknown, or a made-up number: a veth says 10 Gb/s and has no wire */
	return 8e-6 * (rx > tx ? rx : tx) / nic->speed_mbps;
}

static double longest_wait(const struct knob_set *k)
{
	double wait = knob_has(k, KNOB_RX_USECS) ? (double)k->value[KNOB_RX_USECS] : -1, defer;

	if (!knob_has(k, KNOB_GRO_FLUSH_TIMEOUT) || !knob_has(k, KNOB_NAPI_DEFER_HARD_IRQS))
		return wait;
	defer = k->value[KNOB_NAPI_DEFER_HARD_IRQS] ? (double)k->value[KNOB_GRO_FLUSH_TIMEOUT] / 1e3 : 0;
	return defer > wait ? defer : wait;
}

static void fill(const struct symptoms *s, struct diagnosis *d)
{
	const struct rates *r = s->rates;

	if (s->evidence)
		d->evidence = *s->evidence;
	if (s->current)
		d->wait_usecs = longest_wait(s->current);
	if (r->have & SAMPLE_IRQS)
		d->interrupts_ps = r->interrupts_ps;
	if (r->have & SAMPLE_LINK) {
		d->link_ratio = link_ratio(s->nic, r);
		if (s->polls_ps >= 1)
			d->packets_per_poll = r->rx_pps / s->polls_ps;
	}
	if (r->have & SAMPLE_CPU) {
		d->busiest_ratio = r->busiest_ratio;
		d->packet_work_ratio = r->busiest_softirq_ratio;
	}
	/* from a better source than ticks, and with NAPI threads */
	if (r->packet_cpu.by != CPU_TIME_BY_NONE && r->packet_cpu.ratio > d->packet_work_ratio &&
	    r->packet_cpu.ratio > 0)
		d->packet_work_ratio = r->packet_cpu.ratio;
	if (r->have & SAMPLE_RING_DROPS)
		d->drops_ps = r->ring_drops_ps;
	if (evidence_or(&d->evidence, EVIDENCE_RING_FULL, -1) > d->drops_ps)
		d->drops_ps = d->evidence.value[EVIDENCE_RING_FULL];
	if (r->have & SAMPLE_SOFTNET)
		d->squeeze_ps = r->time_squeeze_ps;
}

void diagnose(const struct symptoms *s, struct diagnosis *ret)
{
	const struct rates *r = s->rates;
	struct diagnosis d = {
		.polls_ps = s->polls_ps,
		.packets_per_poll = -1,
		.link_ratio = -1,
		.busiest_ratio = -1,
		.drops_ps = -1,
		.squeeze_ps = -1,
		.interrupts_ps = -1,
		.packet_work_ratio = -1,
		.packet_usecs = -1,
		.wait_usecs = -1,
	};
	struct view v = { s, r, &d, r->rx_pps + r->tx_pps, false, false, false };

	fill(s, &d);
	if (d.packet_work_ratio >= 0 && (r->have & SAMPLE_LINK) && v.packets_ps >= MODEL_IDLE_PPS)
		d.packet_usecs = 1e6 * d.packet_work_ratio / (r->rx_pps > r->tx_pps ? r->rx_pps : r->tx_pps);
	v.full = d.busiest_ratio > CPU_FULL_RATIO;
	v.works = v.full && d.packet_work_ratio >= SOFTIRQ_MATTERS_RATIO;
	d.answers = (r->have & SAMPLE_LINK) && v.packets_ps >= MODEL_IDLE_PPS && questions(&v);
	classify(&v, &d);
	*ret = d;
}

enum bottleneck diagnosis_vote(struct diagnosis_memory *m, enum bottleneck fresh)
{
	unsigned votes[BOTTLENECK_COUNT] = { 0 }, n;
	enum bottleneck best = fresh;

	m->class[m->n++ % DIAGNOSIS_LOOKS] = (unsigned char)fresh;
	n = m->n < DIAGNOSIS_LOOKS ? m->n : DIAGNOSIS_LOOKS;
	for (unsigned i = 0; i < n; i++)
		votes[m->class[i]]++;
	for (int i = 0; i < BOTTLENECK_COUNT; i++)
		if (votes[i] > votes[best])
			best = i;
	return best;
}
