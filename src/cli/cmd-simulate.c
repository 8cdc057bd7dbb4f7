// SPDX-License-Identifier: GPL-2.0-or-later
/* ethtune simulate: controllers on the simulated NIC. Needs no hardware and no privileges. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/print.h"
#include "cli/simulate.h"
#include "core/units.h"

enum {
	OPT_NIC = CMD_OPTION,
	OPT_LOAD,
	OPT_CONTROLLER,
	OPT_MODE,
	OPT_SEED,
	OPT_SEEDS,
	OPT_DURATION,
	OPT_SAMPLE,
	OPT_START,
	OPT_JOBS,
	OPT_LIST,
	OPT_TABLE,
	OPT_CHECK,
	OPT_SHORT,
	OPT_QUEUES,
	OPT_ONE_CPU,
	OPT_VERBOSE,
	OPT_JSON,
};

static const struct cmd_option options[] = {
	{ "nic", OPT_NIC, "PROFILE", "host and interface (a53); see --list" },
	{ "load", OPT_LOAD, "LOAD", "traffic (poisson_hi); see --list" },
	{ "controller", OPT_CONTROLLER, "NAME", "what tunes it (law); see --list" },
	{ "mode", OPT_MODE, "MODE", "latency, balanced, throughput, powersave, or all" },
	{ "seed", OPT_SEED, "N", "of all that is random (1)" },
	{ "duration", OPT_DURATION, "TIME", "simulated time of one run" },
	{ "interval", OPT_SAMPLE, "TIME", "between samples (100ms)" },
	{ "start", OPT_START, "TIME", "interval at the start, instead of the driver's default" },
	{ "queues", OPT_QUEUES, "N", "one run: queues over which flows are spread, each tuned by itself (1)" },
	{ "one-cpu", OPT_ONE_CPU, NULL, "one run: one CPU serves all queues; else one each" },
	{ "list", OPT_LIST, NULL, "print interfaces, loads and controllers" },
	{ "table", OPT_TABLE, NULL, "compare all controllers on all loads" },
	{ "check", OPT_CHECK, NULL, "compare the tuner with its acceptance numbers; exit 10 when it falls short" },
	{ "short", OPT_SHORT, NULL, "with --check: only a load of each kind, and a minute of CPU time" },
	{ "seeds", OPT_SEEDS, "N", "with --check: additional seeds per load at 1 Gb/s, fewer on faster NICs (7)" },
	{ "jobs", OPT_JOBS, "N", "processes (as many as CPUs)" },
	{ "verbose", OPT_VERBOSE, NULL, "with --check: print passing rows too; else a line per second" },
	{ "json", OPT_JSON, NULL, "print one JSON object" },
	{ 0 },
};

static json_object *names(const char *name, const char *what)
{
	json_object *o = json_object_new_object();

	json_object_object_add(o, "name", json_object_new_string(name));
	json_object_object_add(o, "what", json_object_new_string(what));
	return o;
}

static void list_json(void)
{
	json_object *o = json_object_new_object(), *nics = json_object_new_array(), *loads = json_object_new_array(),
		    *controllers = json_object_new_array();

	for (int i = 0; i < SIMPROFILE_COUNT; i++)
		json_object_array_add(nics, names(simprofile_table[i].name, simprofile_table[i].what));
	for (int i = 0; i < SIMLOAD_COUNT; i++)
		json_object_array_add(loads, names(simload_table[i].name, simload_table[i].what));
	for (int i = 0; i < CONTENDER_COUNT; i++)
		json_object_array_add(controllers, names(contender_table[i].name, contender_table[i].what));
	json_object_object_add(o, "nics", nics);
	json_object_object_add(o, "loads", loads);
	json_object_object_add(o, "controllers", controllers);
	printf("%s\n", json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY));
	json_object_put(o);
}

static int list(bool json)
{
	if (json) {
		list_json();
		return EXIT_DONE;
	}
	printf("NICs\n");
	for (int i = 0; i < SIMPROFILE_COUNT; i++)
		printf("  %-16s %s\n", simprofile_table[i].name, simprofile_table[i].what);
	printf("Loads\n");
	for (int i = 0; i < SIMLOAD_COUNT; i++)
		printf("  %-16s %s\n", simload_table[i].name, simload_table[i].what);
	printf("  udp:KPPS[,BYTES] poisson:KPPS[,BYTES] tcp:FLOWS,WINDOW,USECS closed:FLOWS,USECS "
	       "train:KPPS,PACKETS\n");
	printf("Controllers\n");
	for (int i = 0; i < CONTENDER_COUNT; i++)
		printf("  %-16s %s\n", contender_table[i].name, contender_table[i].what);
	return EXIT_DONE;
}

static int parse_time_s(const char *text, double *ret_s)
{
	nsec_t ns;
	int r = units_parse_time(text, &ns);

	if (r < 0)
		return r;
	*ret_s = (double)ns / NSEC_PER_SEC;
	return 0;
}

static int parse_modes(const char *text, uint32_t *ret)
{
	int m = mode_by_name(text);

	if (!strcmp(text, "all")) {
		*ret = 0;
		for (int i = 0; i < MODE_COUNT; i++)
			if (mode_table[i].tunes)
				*ret |= 1U << i;
		return 0;
	}
	if (m < 0 || !mode_table[m].tunes)
		return -EINVAL;
	*ret = 1U << m;
	return 0;
}

static int parse_count(const char *text, uint64_t most, uint64_t *ret)
{
	uint64_t v;
	int r = units_parse_u64(text, &v);

	if (r < 0 || v > most)
		return -EINVAL;
	*ret = v;
	return 0;
}

static int parse_profile(const char *text, int *ret)
{
	int r = strcmp(text, "all") ? simprofile_by_name(text) : SIMPROFILE_COUNT;

	if (r < 0)
		return r;
	*ret = r;
	return 0;
}

/* One option with its argument; 0 or negative errno. */
static int take(int id, const char *arg, struct simulate_options *o)
{
	uint64_t n = 0;
	int r = 0;

	switch (id) {
	case OPT_NIC: return parse_profile(arg, &o->profile);
	case OPT_LOAD: o->load = arg; return 0;
	case OPT_CONTROLLER: o->controller = arg; return 0;
	case OPT_MODE: return parse_modes(arg, &o->modes);
	case OPT_SEED:
		r = parse_count(arg, UINT64_C(1) << 62, &n);
		o->seed = n;
		return r;
	case OPT_SEEDS:
		r = parse_count(arg, 100000, &n);
		o->seeds = (unsigned)n;
		return r;
	case OPT_JOBS:
		r = parse_count(arg, 64, &n);
		o->jobs = (unsigned)n;
		return r;
	case OPT_DURATION:
		r = parse_time_s(arg, &o->seconds);
		return r < 0 || (o->seconds >= 2 && o->seconds <= 1e5) ? r : -ERANGE;
	case OPT_SAMPLE:
		r = parse_time_s(arg, &o->sample_s);
		return r < 0 || (o->sample_s >= 0.01 && o->sample_s <= 10) ? r : -ERANGE;
	case OPT_START:
		r = parse_time_s(arg, &o->start_usecs);
		o->start_usecs *= 1e6;
		return r;
	case OPT_QUEUES:
		r = parse_count(arg, NICSIM_QUEUES_MAX, &n);
		o->queues = (unsigned)n;
		return r;
	case OPT_ONE_CPU: o->one_cpu = true; return 0;
	case OPT_SHORT: o->brief = true; return 0;
	case OPT_VERBOSE: o->verbose = true; return 0;
	case OPT_JSON: o->json = true; return 0;
	}
	return -EINVAL;
}

int cmd_simulate(const struct cmd *c, int argc, char **argv)
{
	struct simulate_options o = { .profile = -1, .seed = 1, .seeds = 7, .sample_s = 0.1, .start_usecs = -1 };
	int id, code = EXIT_DONE, what = 0;
	const char *arg;

	o.jobs = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	while ((id = cmd_next_option(c, options, argc, argv, &arg, &code)) >= CMD_OPTION) {
		if (id == OPT_LIST || id == OPT_TABLE || id == OPT_CHECK) {
			what = id;
		} else if (take(id, arg, &o) < 0) {
			return cmd_fail(c, EXIT_USAGE, "'%s' is not valid here (see --list)", arg);
		}
	}
	if (id == CMD_STOP)
		return code;
	if (argv[optind])
		return cmd_fail(c, EXIT_USAGE, "unexpected argument '%s'", argv[optind]);
	if (what == OPT_LIST)
		return list(o.json);
	if (!o.modes)
		parse_modes(what == OPT_CHECK ? "all" : "balanced", &o.modes);
	if (what == OPT_CHECK)
		return simulate_check(c, &o);
	if (o.profile < 0)
		o.profile = SIMPROFILE_A53;
	if (what == OPT_TABLE)
		return simulate_table(c, &o);
	return simulate_one(c, &o);
}
