// SPDX-License-Identifier: GPL-2.0-or-later
/* The simulated hosts beside numbers that were published for the real ones: 10 % apart at most, each printed. Where
 * only the shape is known (which delay is best at which load), the shape is checked. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/contender.h"
#include "core/nicsim.h"
#include "suite.h"

#define SECONDS 4.0

struct measured {
	double pps, mbps, host_percent, softirq_percent, interrupts_ps, packets_per_poll, rtt_usecs, mean_usecs;
	double usecs_per_kb;
};

struct driver { /* moderation inside the driver */
	struct contender contender;
};

static void on_poll(void *ctx, struct nicsim *sim, const struct nicsim_poll *poll)
{
	struct driver *d = ctx;

	if (contender_poll(&d->contender, poll))
		nicsim_set(sim, (int)poll->queue, d->contender.interval_usecs, d->contender.frames);
}

static struct measured measure(struct nicsim_config cfg, const char *text, unsigned payload)
{
	struct simload load;
	struct nicsim_counters n, half;
	struct nicsim_delays d;
	struct measured m = { 0 };
	struct nicsim *s;
	double seconds = SECONDS / 2;
	void *mem;

	ck_assert_int_eq(simload_build(text, cfg.profile, &load), 0);
	cfg.load = &load;
	cfg.seed = 1;
	mem = malloc(nicsim_size(&cfg));
	s = nicsim_init(mem, &cfg);
	nicsim_run(s, SECONDS / 2 * 1e6); /* first half: windows open, adaptive drivers settle */
	nicsim_counters(s, -1, &half);
	nicsim_delays(s, &d);
	nicsim_run(s, SECONDS * 1e6);
	nicsim_counters(s, -1, &n);
	nicsim_delays(s, &d);
	free(mem);
	m.pps = (n.delivered[0] - half.delivered[0]) / seconds;
	m.mbps = m.pps * payload * 8 / 1e6;
	m.softirq_percent = (n.busy_usecs - half.busy_usecs) / seconds / 1e4;
	m.host_percent = (m.softirq_percent + (n.other_usecs - half.other_usecs) / seconds / 1e4) / cfg.profile->cpus;
	m.usecs_per_kb = m.host_percent / 100 * cfg.profile->cpus * 1e6 / (m.pps * payload / 1024);
	m.interrupts_ps = (n.interrupts - half.interrupts) / seconds;
	m.packets_per_poll = m.pps * seconds / (n.polls - half.polls - (n.empty_polls - half.empty_polls));
	m.rtt_usecs = 1e6 / m.pps;
	m.mean_usecs = d.mean_usecs;
	return m;
}

static void compare(const char *what, double model, double published, double tolerance)
{
	printf("%-52s model %9.2f  published %9.2f  %+5.1f%%\n", what, model, published, 100 * (model / published - 1));
	ck_assert_msg(fabs(model / published - 1) <= tolerance, "%s: model %g, published %g", what, model, published);
}

static struct measured fixed(enum simprofile_id profile, const char *load, unsigned payload, double usecs,
			     unsigned frames)
{
	return measure((struct nicsim_config){ .profile = &simprofile_table[profile],
					       .interval_usecs = usecs,
					       .frames = frames },
		       load, payload);
}

START_TEST(stmmac)
{
	struct measured m = fixed(SIMPROFILE_STMMAC_GMAC5, "udp:78.6,1400", 1400, 0, 0);

	compare("stmmac GMAC5 before: CPU %", m.host_percent, 34.71, 0.1);
	compare("stmmac GMAC5 before: us/KB", m.usecs_per_kb, 12.923, 0.1);
	compare("stmmac GMAC5 before: Mb/s", m.mbps, 880.2, 0.1);
	m = fixed(SIMPROFILE_STMMAC_GMAC5, "udp:84.265,1400", 1400, 327, 25);
	compare("stmmac GMAC5 after: CPU %", m.host_percent, 14.12, 0.1);
	compare("stmmac GMAC5 after: us/KB", m.usecs_per_kb, 4.903, 0.1);
	compare("stmmac GMAC5 after: Mb/s", m.mbps, 943.7, 0.1);
	m = fixed(SIMPROFILE_STMMAC_XGMAC, "udp:210.06,1400", 1400, 0, 0);
	compare("stmmac XGMAC before: CPU %", m.host_percent, 36.69, 0.1);
	compare("stmmac XGMAC before: us/KB", m.usecs_per_kb, 5.112, 0.1);
	compare("stmmac XGMAC before: Mb/s", m.mbps, 2351.7, 0.1);
	m = fixed(SIMPROFILE_STMMAC_XGMAC, "udp:210.9,1400", 1400, 327, 25);
	compare("stmmac XGMAC after: CPU %", m.host_percent, 21.73, 0.1);
	compare("stmmac XGMAC after: us/KB", m.usecs_per_kb, 3.015, 0.1);
	compare("stmmac XGMAC after: Mb/s", m.mbps, 2361.5, 0.1);
}
END_TEST

START_TEST(stmmac_transmit_timer)
{
	struct measured m = fixed(SIMPROFILE_STMMAC_TX, "udp:80.9,1450", 1450, 1000, 25);

	compare("stmmac TX, 1 ms timer, 25 frames: CPU %", m.host_percent, 40, 0.1);
	compare("stmmac TX, 1 ms timer, 25 frames: Mb/s", m.mbps, 938, 0.1);
	m = fixed(SIMPROFILE_STMMAC_TX, "udp:80.9,1450", 1450, 40000, 64);
	compare("stmmac TX, 40 ms timer, 64 frames: CPU %", m.host_percent, 30, 0.1);
}
END_TEST

START_TEST(icssg)
{
	struct measured m = fixed(SIMPROFILE_ICSSG, "udp:43.96,1470", 1470, 0, 0);

	compare("icssg RX before: CPU %", m.host_percent, 38, 0.1);
	compare("icssg RX before: Mb/s", m.mbps, 517, 0.1);
	m = fixed(SIMPROFILE_ICSSG, "udp:43.96,1470", 1470, 50, 0);
	compare("icssg RX after: CPU %", m.host_percent, 25, 0.1);
	compare("icssg RX after: Mb/s", m.mbps, 518, 0.1);
	m = fixed(SIMPROFILE_ICSSG_TX, "udp:80.2,1470", 1470, 0, 0);
	compare("icssg TX before: CPU %", m.host_percent, 31, 0.1);
	m = fixed(SIMPROFILE_ICSSG_TX, "udp:80.2,1470", 1470, 50, 0);
	compare("icssg TX after: CPU %", m.host_percent, 28, 0.1);
	compare("icssg TX after: Mb/s", m.mbps, 943, 0.1);
}
END_TEST

START_TEST(cpu_bound_boards)
{
	struct measured m = fixed(SIMPROFILE_LAN743X_OLD, "tcp:4,64,200", 1448, 0, 0);

	compare("lan743x, 9 KB buffers: Mb/s", m.mbps, 231, 0.1);
	m = fixed(SIMPROFILE_LAN743X, "tcp:4,64,200", 1448, 0, 0);
	compare("lan743x, MTU buffers: Mb/s", m.mbps, 570, 0.1);
	m = fixed(SIMPROFILE_MTK_OLD, "tcp:4,256,200", 1448, 20, 0);
	compare("mtk_eth_soc before: Mb/s", m.mbps, 4710, 0.1);
	m = fixed(SIMPROFILE_MTK, "tcp:4,256,200", 1448, 20, 0);
	compare("mtk_eth_soc after: Mb/s", m.mbps, 5480, 0.1);
}
END_TEST

START_TEST(macb)
{
	struct measured m = fixed(SIMPROFILE_MACB, "udp:69.5,1448", 1448, 0, 0);
	struct nicsim_config cfg = { .profile = &simprofile_table[SIMPROFILE_MACB],
				     .interval_usecs = 20,
				     .defer_polls = 1 };

	compare("macb: interrupts/s", m.interrupts_ps, 69489, 0.1);
	compare("macb: CPU %", m.host_percent, 27, 0.1);
	m = measure(cfg, "udp:77.3,1448", 1448);
	compare("macb, deferral 20 us: CPU %", m.host_percent, 14, 0.1);
	ck_assert_double_lt(m.interrupts_ps, 2016);
}
END_TEST

START_TEST(enetc_dim)
{
	const struct sim_profile *p = &simprofile_table[SIMPROFILE_ENETC];
	struct driver d;
	struct nicsim_config cfg = { .profile = p, .poll_done = on_poll, .ctx = &d };
	struct measured before = fixed(SIMPROFILE_ENETC, "tcp:2,128,150", 1448, 0, 0), after;
	struct policy policy;

	policy_default(&policy);
	ck_assert_int_eq(contender_init(&d.contender, "dim", p, &policy, -1, 0), 0);
	cfg.interval_usecs = d.contender.interval_usecs;
	cfg.frames = d.contender.frames;
	after = measure(cfg, "tcp:2,128,150", 1448);
	printf("enetc with dim: %.0f -> %.0f interrupts/s (92k -> 3.5..12k), CPU %.0f -> %.0f%% (50..60 -> 13..22)\n",
	       before.interrupts_ps, after.interrupts_ps, before.host_percent, after.host_percent);
	ck_assert_double_ge(before.interrupts_ps, 75000);
	ck_assert_double_ge(after.interrupts_ps, 3000);
	ck_assert_double_le(after.interrupts_ps, 12500);
	ck_assert_double_le(fabs(before.host_percent - 55), 8);
	ck_assert_double_le(fabs(after.host_percent - 17.5), 6);
}
END_TEST

START_TEST(veth)
{
	static const struct {
		double usecs, packets_per_poll, rtt_usecs;
	} rows[] = { { 0, 1.0, 51 },	 { 50, 5.35, 88 },   { 100, 7.9, 135 },
		     { 200, 13.3, 235 }, { 500, 28.5, 536 }, { 1000, 54.9, 1038 } };
	char what[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(what, sizeof(what), "veth, 50k packets/s, %.0f us: packets/poll", rows[i].usecs);
		compare(what, fixed(SIMPROFILE_VETH, "udp:50,64", 64, rows[i].usecs, 0).packets_per_poll,
			rows[i].packets_per_poll, 0.1);
		snprintf(what, sizeof(what), "veth, one request at a time, %.0f us: round trip", rows[i].usecs);
		compare(what, fixed(SIMPROFILE_VETH, "closed:1,46", 64, rows[i].usecs, 0).rtt_usecs, rows[i].rtt_usecs,
			0.1);
	}
	compare("veth, 400k packets/s offered, 1000 us: delivered",
		fixed(SIMPROFILE_VETH, "udp:400,64", 64, 1000, 0).pps, 190600, 0.15);
	compare("veth, 400k packets/s offered, 2000 us: delivered",
		fixed(SIMPROFILE_VETH, "udp:400,64", 64, 2000, 0).pps, 107900, 0.15);
	compare("veth, 400k packets/s offered, 100 us: delivered", fixed(SIMPROFILE_VETH, "udp:400,64", 64, 100, 0).pps,
		393800, 0.1);
}
END_TEST

/* A key-value store on the CPUs that take the interrupts: 200k .. 800k requests/s over 8 queues, one of them here. */
START_TEST(deferral_grows_with_load)
{
	static const double delays[4] = { 10, 20, 50, 200 };
	static const struct {
		const char *load;
		double usecs[4], percent[4];
	} rows[] = {
		{ "poisson:25,100", { 53, 59, 78, 164 }, { 31, 26, 22, 18 } },
		{ "poisson:50,100", { 59, 67, 88, 182 }, { 53, 46, 39, 34 } },
		{ "poisson:75,100", { 72, 78, 97, 204 }, { 76, 68, 58, 48 } },
		{ "poisson:100,100", { 656, 250, 177, 253 }, { 97, 89, 81, 73 } },
	};
	const double network_usecs = 38; /* the client's part */
	double mean[4][4];

	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 4; k++) {
			struct nicsim_config cfg = { .profile = &simprofile_table[SIMPROFILE_EPYC],
						     .interval_usecs = delays[k],
						     .defer_polls = 100,
						     .app_on_cpu = true };
			struct measured m = measure(cfg, rows[i].load, 100);

			mean[i][k] = m.mean_usecs + network_usecs;
			printf("key-value store, %3.0fk requests/s, %3.0f us: model %6.0f us %3.0f%%  published %6.0f "
			       "us %3.0f%%\n",
			       8 * atof(rows[i].load + 8), delays[k], mean[i][k], m.host_percent * 8, rows[i].usecs[k],
			       rows[i].percent[k]);
			if (i < 3)
				ck_assert_double_le(fabs(mean[i][k] / rows[i].usecs[k] - 1), 0.25);
			ck_assert_double_le(fabs(m.host_percent * 8 - rows[i].percent[k]), 12);
		}
	for (int i = 0; i < 3; i++) { /* short is best while the CPU has time ... */
		ck_assert_double_lt(fmin(mean[i][0], mean[i][1]), mean[i][2]);
		ck_assert_double_lt(mean[i][2], mean[i][3]);
	}
	ck_assert_double_lt(mean[3][2], mean[3][0]); /* ... and not when it has none */
}
END_TEST

/* The law, told nothing but the mode, from the old default: 20 s of samples, then the last half is measured. */
static struct measured tuned(enum simprofile_id profile, const char *mode, const char *text, unsigned payload,
			     double *ret_usecs)
{
	const struct sim_profile *p = &simprofile_table[profile];
	struct nicsim_config cfg = { .profile = p, .seed = 1 };
	struct nicsim_counters n, old = { 0 }, half = { 0 };
	struct contender law;
	struct policy policy;
	struct simload load;
	struct measured m = { 0 };
	struct nicsim *s;
	void *mem;

	policy_default(&policy);
	policy.mode = (enum mode)mode_by_name(mode);
	ck_assert_int_eq(contender_init(&law, "law", p, &policy, -1, 0), 0);
	ck_assert_int_eq(simload_build(text, p, &load), 0);
	cfg.load = &load;
	mem = malloc(nicsim_size(&cfg));
	s = nicsim_init(mem, &cfg);
	for (int i = 1; i <= 200; i++) {
		struct ctl_input in = { .now_s = i * 0.1,
					.dt_s = 0.1,
					.have_pps = true,
					.have_polls = true,
					.have_cpu = true,
					.have_drops = true };

		nicsim_run(s, i * 1e5);
		nicsim_counters(s, -1, &n);
		in.pps = (n.delivered[0] - old.delivered[0]) / 0.1;
		in.bytes_ps = (n.bytes - old.bytes) / 0.1;
		in.polls_ps = (n.interrupts - old.interrupts) / 0.1;
		in.cpu_ratio = (n.busy_usecs - old.busy_usecs) / 1e5;
		in.drops_ps = (n.drops - old.drops) / 0.1;
		old = n;
		if (i == 100)
			half = n;
		if (contender_step(&law, &in))
			nicsim_set(s, -1, law.interval_usecs, law.frames);
		ck_assert_msg(law.interval_usecs == 0 || law.interval_usecs >= p->min_on_usecs, "%s set to %g us",
			      p->name, law.interval_usecs);
	}
	free(mem);
	m.pps = (n.delivered[0] - half.delivered[0]) / 10;
	m.mbps = m.pps * payload * 8 / 1e6;
	m.host_percent = (n.busy_usecs + n.other_usecs - half.busy_usecs - half.other_usecs) / 1e5 / p->cpus;
	*ret_usecs = law.interval_usecs;
	return m;
}

START_TEST(law_beside_the_published_settings)
{
	static const struct {
		enum simprofile_id profile;
		const char *load;
		unsigned payload;
		double mbps, percent, most[3]; /* most: CPU % by mode, as parts of what was published */
	} rows[] = {
		{ SIMPROFILE_STMMAC_GMAC5, "udp:84.265,1400", 1400, 943.7, 14.12, { 1.18, 1.03, 1 } },
		{ SIMPROFILE_STMMAC_XGMAC, "udp:210.9,1400", 1400, 2361.5, 21.73, { 1.01, 1, 1 } },
		{ SIMPROFILE_ICSSG, "udp:43.96,1470", 1470, 517, 25, { 1, 1, 1 } },
		{ SIMPROFILE_ICSSG_TX, "udp:80.2,1470", 1470, 943, 28, { 1.01, 1, 1 } },
	};
	static const char *const modes[3] = { "balanced", "throughput", "powersave" };
	double usecs;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (int k = 0; k < 3; k++) {
			struct measured m = tuned(rows[i].profile, modes[k], rows[i].load, rows[i].payload, &usecs);

			printf("law on %-13s %-10s %4.0f us: CPU %5.2f%%, %6.1f Mb/s; published setting %5.2f%%, %6.1f "
			       "Mb/s\n",
			       simprofile_table[rows[i].profile].name, modes[k], usecs, m.host_percent, m.mbps,
			       rows[i].percent, rows[i].mbps);
			ck_assert_double_ge(m.mbps, 0.999 * rows[i].mbps);
			ck_assert_double_le(m.host_percent, rows[i].most[k] * rows[i].percent);
		}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		stmmac,
		stmmac_transmit_timer,
		icssg,
		cpu_bound_boards,
		macb,
		enetc_dim,
		veth,
		deferral_grows_with_load,
		law_beside_the_published_settings,
	};

	return SUITE_RUN("nicsim-published", tests);
}
