// SPDX-License-Identifier: GPL-2.0-or-later
/* ethtuned: the daemon's command line. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "core/units.h"
#include "daemon/log.h"
#include "daemon/loop.h"
#include "daemon/restore.h"
#include "engine/facts.h"
#include "io/backend-kernel.h"

#define EXIT_USAGE 2

struct options {
	struct policy policy;
	const char *config; /* NULL: the usual places */
	bool dry_run, restore;
};

static const char help[] =
	"ethtuned - keeps the interrupt coalescing of network interfaces right while their traffic changes\n"
	"\n"
	"Usage: ethtuned [OPTION...]\n"
	"  --config FILE        read this instead of ethtuned.conf and policy.d\n"
	"  --mode MODE          for interfaces that no policy fits: latency, balanced (default),\n"
	"                       throughput, powersave, observe or off\n"
	"  --max-latency TIME   longest delay that coalescing may add, e.g. 100us (default: the mode's)\n"
	"  --dry-run            write nothing, say what would be done\n"
	"  --restore            put back what a killed ethtuned left behind, and exit\n"
	"  --help, --version\n"
	"\n"
	"Runs in the foreground. TERM and INT put the original settings back; HUP reads the configuration anew;\n"
	"USR1 logs the full state. State is kept in $RUNTIME_DIRECTORY, else /run/ethtuned.\n";

static int usage(const char *fmt, const char *arg)
{
	fprintf(stderr, "ethtuned: ");
	fprintf(stderr, fmt, arg);
	fprintf(stderr, " (see ethtuned --help)\n");
	return EXIT_USAGE;
}

static int set_mode(struct options *o, const char *arg)
{
	int m = mode_by_name(arg);

	if (m < 0)
		return usage("--mode: '%s' is not a mode", arg);
	o->policy.mode = m;
	return 0;
}

static int set_cap(struct options *o, const char *arg)
{
	nsec_t ns;

	if (units_parse_time(arg, &ns) < 0 || ns < NSEC_PER_USEC || ns > NSEC_PER_SEC)
		return usage("--max-latency: '%s' is not a time between 1us and 1s", arg);
	o->policy.max_latency_usecs = (double)ns / NSEC_PER_USEC;
	return 0;
}

/* Returns -1 to go on, else the exit code. */
static int parse_options(int argc, char **argv, struct options *o)
{
	enum { OPT_CONFIG = 256, OPT_MODE, OPT_MAX_LATENCY, OPT_DRY_RUN, OPT_RESTORE, OPT_HELP, OPT_VERSION };
	static const struct option longs[] = {
		{ "config", required_argument, NULL, OPT_CONFIG },
		{ "mode", required_argument, NULL, OPT_MODE },
		{ "max-latency", required_argument, NULL, OPT_MAX_LATENCY },
		{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
		{ "restore", no_argument, NULL, OPT_RESTORE },
		{ "help", no_argument, NULL, OPT_HELP },
		{ "version", no_argument, NULL, OPT_VERSION },
		{ 0 },
	};
	int c, r = 0;

	opterr = 0;
	while (r == 0 && (c = getopt_long(argc, argv, ":", longs, NULL)) != -1) {
		if (c == OPT_CONFIG) {
			o->config = optarg;
		} else if (c == OPT_MODE) {
			r = set_mode(o, optarg);
		} else if (c == OPT_MAX_LATENCY) {
			r = set_cap(o, optarg);
		} else if (c == OPT_DRY_RUN) {
			o->dry_run = true;
		} else if (c == OPT_RESTORE) {
			o->restore = true;
		} else if (c == OPT_HELP) {
			fputs(help, stdout);
			return 0;
		} else if (c == OPT_VERSION) {
			puts("ethtuned " PACKAGE_VERSION);
			return 0;
		} else {
			r = usage(c == ':' ? "'%s' needs a value" : "unknown option '%s'", argv[optind - 1]);
		}
	}
	if (r == 0 && optind < argc)
		r = usage("unexpected '%s'", argv[optind]);
	return r == 0 ? -1 : r;
}

static int run(const struct log *log, const struct options *o, struct backend *b, struct state_dir *state)
{
	struct fleet f = {
		.backend = b,
		.finder = backend_kernel_finder(b),
		.state = o->dry_run ? NULL : state,
		.policy = o->policy,
		.config_file = o->config,
		.dry_run = o->dry_run,
		.log = *log,
	};
	int r;

	if (o->restore)
		return restore_all(b, f.finder, state, log);
	r = procroot_open(&f.root, "/");
	if (r == 0)
		r = fleet_load(&f);
	if (r < 0) {
		log_line(&f.log, LOG_ERR, NULL, "%s: %s", o->config ? o->config : "configuration", strerror(-r));
		return EXIT_USAGE;
	}
	machine_facts_read(&f.facts);
	r = loop_run(&f, backend_kernel_genl(b));
	config_free(f.config);
	procroot_close(&f.root);
	return r;
}

/* The lock keeps two daemons, or a daemon and --restore, from each other's originals. */
static int open_state(const struct log *log, const struct options *o, struct state_dir *state, int *ret_lock)
{
	const char *path = state_default_path();
	int r = state_open(state, path);

	*ret_lock = -1;
	if (r == 0 && !o->dry_run) {
		*ret_lock = state_lock(state);
		r = *ret_lock < 0 ? *ret_lock : 0;
	}
	if (r == -EWOULDBLOCK)
		log_line(log, LOG_ERR, NULL, "another ethtuned is running with state in %s%s", path,
			 o->restore ? ": stop it, then it puts the originals back itself" : "");
	else if (r < 0)
		log_line(log, LOG_ERR, NULL, "%s: %s", path, strerror(-r));
	return r;
}

int main(int argc, char **argv)
{
	const struct log log = { LOG_INFO }; /* until the configuration says otherwise */
	struct options o = { 0 };
	struct state_dir state = { .fd = -1 };
	struct backend *b;
	char err[ERR_MAX] = "";
	int r, lock = -1;

	policy_default(&o.policy);
	r = parse_options(argc, argv, &o);
	if (r >= 0)
		return r;
	if (!o.restore)
		loop_hold_signals();
	if (!o.dry_run && open_state(&log, &o, &state, &lock) < 0)
		return 1;
	if (backend_kernel_open("/", &b, err) < 0) {
		log_line(&log, LOG_ERR, NULL, "%s", err);
		return 1;
	}
	r = run(&log, &o, b, &state);
	b->ops->close(b);
	state_close(&state);
	return r;
}
