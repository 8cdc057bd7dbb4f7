// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vload: runs traffic phases from one network namespace to another and prints what arrived, at
 * which latency, with how many polls and how much CPU. Needs root; relies on the two namespaces,
 * their addresses and the device pair being set up (tests/lib/netns.sh).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vload-probe.h"

#define PROBE_RR_PPS 1000.0	/* gaps of 0.5 .. 1.5 ms */

static const char usage[] =
	"usage: vload --tx-ns NS --rx-ns NS [--dev vb0] [--peer va0] [--dst 192.0.2.2]\n"
	"             --phase LOAD:SECONDS[,LOAD:SECONDS...] [--interval 1] [--skip 0.1]\n"
	"             [--json] [--no-perf] [--summary] [--awake]\n"
	"LOAD: udp:PPS[+rr|-rr]  paced UDP, with a light request/response probe unless -rr\n"
	"      udpflood:PPS      the same, for rates above what the path carries\n"
	"      rr:PPS            request/response, 1 outstanding, random gaps\n"
	"      rrcl              request/response without gaps\n"
	"      tcp[-rr]          one stream, with the probe\n"
	"      idle\n"
	"--skip: seconds at a phase's beginning that its summary row leaves out\n"
	"--awake: keep both CPUs from idling (steadier round trips, no CPU columns)\n";

struct load_kind {
	const char *name;
	unsigned int parts;
	bool has_rate;
};

static const struct load_kind load_kinds[] = {
	{ "udp", LOAD_UDP | LOAD_RR, true },
	{ "udpflood", LOAD_UDP | LOAD_RR, true },
	{ "rr", LOAD_RR, true },
	{ "rrcl", LOAD_RR_CLOSED, false },
	{ "tcp", LOAD_TCP | LOAD_RR, false },
	{ "idle", 0, false },
};

/* "NAME[:RATE][+rr|-rr]:SECONDS" */
static int parse_phase(const char *text, struct phase *p)
{
	const char *last = strrchr(text, ':');
	char name[40], *end, *suffix, *rate;

	if (!last || (size_t)(last - text) >= sizeof(name))
		return -EINVAL;
	p->seconds = strtod(last + 1, &end);
	if (*end || !(p->seconds > 0))
		return -EINVAL;
	snprintf(name, sizeof(name), "%.*s", (int)(last - text), text);
	snprintf(p->name, sizeof(p->name), "%s", name);
	suffix = strpbrk(name, "+-");
	if (suffix && strcmp(suffix + 1, "rr"))
		return -EINVAL;
	p->rr_pps = PROBE_RR_PPS;
	for (size_t i = 0; i < sizeof(load_kinds) / sizeof(load_kinds[0]); i++) {
		const struct load_kind *k = &load_kinds[i];
		size_t n = strlen(k->name);
		double pps = 0;

		if (strncmp(name, k->name, n) || !strchr(":+-", name[n]))
			continue;
		rate = name + n;
		if ((*rate == ':') != k->has_rate)
			return -EINVAL;
		if (k->has_rate)
			pps = strtod(rate + 1, &end);
		if (k->has_rate && (!(pps >= 1) || (*end && end != suffix)))
			return -EINVAL;
		p->parts = k->parts;
		if (k->parts & LOAD_UDP)
			p->udp_pps = pps;
		else if (k->has_rate)
			p->rr_pps = pps;
		if (suffix && *suffix == '-')
			p->parts &= ~(unsigned int)LOAD_RR;
		return 0;
	}
	return -EINVAL;
}

static int parse_phases(struct options *o, char *list)
{
	char *save = NULL;

	for (char *t = strtok_r(list, ",", &save); t; t = strtok_r(NULL, ",", &save)) {
		if (o->n_phases == VLOAD_PHASES_MAX || parse_phase(t, &o->phases[o->n_phases])) {
			fprintf(stderr, "vload: bad phase: %s\n", t);
			return -EINVAL;
		}
		o->n_phases++;
	}
	return 0;
}

enum { OPT_TX_NS = 256, OPT_RX_NS, OPT_DEV, OPT_PEER, OPT_DST, OPT_PHASE, OPT_INTERVAL, OPT_SKIP,
       OPT_JSON, OPT_NO_PERF, OPT_SUMMARY, OPT_AWAKE };

static const struct option long_options[] = {
	{ "tx-ns", required_argument, NULL, OPT_TX_NS },
	{ "rx-ns", required_argument, NULL, OPT_RX_NS },
	{ "dev", required_argument, NULL, OPT_DEV },
	{ "peer", required_argument, NULL, OPT_PEER },
	{ "dst", required_argument, NULL, OPT_DST },
	{ "phase", required_argument, NULL, OPT_PHASE },
	{ "interval", required_argument, NULL, OPT_INTERVAL },
	{ "skip", required_argument, NULL, OPT_SKIP },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "no-perf", no_argument, NULL, OPT_NO_PERF },
	{ "summary", no_argument, NULL, OPT_SUMMARY },
	{ "awake", no_argument, NULL, OPT_AWAKE },
	{ NULL, 0, NULL, 0 },
};

static int parse_options(struct options *o, int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		switch (c) {
		case OPT_TX_NS: o->tx_ns = optarg; break;
		case OPT_RX_NS: o->rx_ns = optarg; break;
		case OPT_DEV: o->rx_dev = optarg; break;
		case OPT_PEER: o->tx_dev = optarg; break;
		case OPT_DST: o->dst = optarg; break;
		case OPT_INTERVAL: o->interval_s = strtod(optarg, NULL); break;
		case OPT_SKIP: o->skip_s = strtod(optarg, NULL); break;
		case OPT_JSON: o->json = true; break;
		case OPT_NO_PERF: o->no_perf = true; break;
		case OPT_AWAKE: o->awake = true; break;
		case OPT_SUMMARY: o->summary_only = true; break;
		case OPT_PHASE:
			if (parse_phases(o, optarg))
				return -EINVAL;
			break;
		default:
			return -EINVAL;
		}
	}
	if (optind < argc || !o->tx_ns || !o->rx_ns || !o->n_phases || !(o->interval_s > 0.001))
		return -EINVAL;
	return 0;
}

/* Sleeps until t_ns; true when a signal asks to end. */
static bool wait_until(uint64_t t_ns, const sigset_t *signals)
{
	for (;;) {
		uint64_t now = now_ns(), left = t_ns > now ? t_ns - now : 0;
		struct timespec ts = { (time_t)(left / NSEC_PER_SEC), (long)(left % NSEC_PER_SEC) };

		if (sigtimedwait(signals, NULL, &ts) > 0)
			return true;
		if (errno == EAGAIN && now_ns() >= t_ns)
			return false;
	}
}

struct run {
	struct load load;
	struct probe probe;
	struct sample first, last, now;
};

static int take(struct run *r, struct sample *s)
{
	int rc = probe_read(&r->probe, s);

	sample_tally(s, &r->load.tally);
	return rc;
}

/* 1 when interrupted, negative errno on failure. */
static int run_phase(struct run *r, const struct options *o, const struct phase *p,
		     const sigset_t *signals, char err[static VLOAD_ERR_MAX])
{
	uint64_t start = now_ns(), end = start + (uint64_t)(p->seconds * 1e9), next = start;
	double skip_s = o->skip_s < p->seconds ? o->skip_s : p->seconds / 2;
	bool interrupted;
	int rc = load_start(&r->load, p, err);

	if (rc)
		return rc;
	interrupted = wait_until(start + (uint64_t)(skip_s * 1e9), signals);
	rc = take(r, &r->first);
	r->last = r->first;
	while (!rc && !interrupted && next < end) {
		next += (uint64_t)(o->interval_s * 1e9);
		/* A rest shorter than half an interval goes with the row before it. */
		if (next + (uint64_t)(o->interval_s * 5e8) > end)
			next = end;
		if (next <= r->last.t_ns)
			continue;
		interrupted = wait_until(next, signals);
		rc = take(r, &r->now);
		if (!rc && !o->summary_only)
			report_row(o, &r->probe, p, "interval", &r->last, &r->now);
		r->last = r->now;
	}
	load_stop(&r->load);
	if (rc)
		snprintf(err, VLOAD_ERR_MAX, "counters of %s or %s: %s", o->rx_dev, o->tx_dev,
			 strerror(-rc));
	else if (r->last.t_ns > r->first.t_ns)
		report_row(o, &r->probe, p, "phase", &r->first, &r->last);
	return rc ? rc : interrupted;
}

int main(int argc, char **argv)
{
	struct options o = { .rx_dev = "vb0", .tx_dev = "va0", .dst = "192.0.2.2",
			     .interval_s = 1, .skip_s = 0.1 };
	char err[VLOAD_ERR_MAX] = "";
	sigset_t signals;
	struct run *r;
	int rc;

	if (parse_options(&o, argc, argv)) {
		fputs(usage, stderr);
		return 2;
	}
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	r = calloc(1, sizeof(*r));
	if (!r)
		return 1;
	rc = probe_open(&r->probe, &o, err);
	if (!rc)
		rc = load_open(&r->load, &o, err);
	if (!rc) {
		if (!o.json && !r->probe.n_cpus)
			fprintf(stderr, "vload: polls not counted: %s\n", r->probe.reason);
		report_header(&o);
	}
	for (size_t i = 0; !rc && i < o.n_phases; i++)
		rc = run_phase(r, &o, &o.phases[i], &signals, err);
	load_close(&r->load);
	probe_close(&r->probe);
	free(r);
	if (rc < 0)
		fprintf(stderr, "vload: %s\n", err);
	return rc < 0 ? 1 : rc ? 130 : 0;
}
