// SPDX-License-Identifier: GPL-2.0-or-later
/* ask: see ask.h. */
#include "cli/ask.h"

#include <errno.h>
#include <string.h>

#include "core/units.h"

#define DURATION_DEFAULT_S 5
#define DURATION_MAX_S 86400
#define LATENCY_MAX_USECS 1e6 /* as long as any knob may be */

void ask_init(struct ask *a)
{
	*a = (struct ask){ .duration_s = DURATION_DEFAULT_S, .format = format_by_name("text") };
	policy_default(&a->policy);
}

static int bad(const struct cmd *c, const char *option, const char *arg, const char *want)
{
	return cmd_fail(c, EXIT_USAGE, "--%s: '%s' is not %s", option, arg, want);
}

/* Seconds; a bare number too, although bare times elsewhere are ethtool's microseconds: nobody measures for 5 us. */
static int parse_duration(const char *text, double *ret_s)
{
	nsec_t ns;
	int r = units_parse_time(text, &ns);
	double s;

	if (r < 0)
		return r;
	s = (double)ns / NSEC_PER_SEC;
	if (!text[strspn(text, "0123456789.")])
		s *= (double)USEC_PER_SEC;
	if (!(s > 0 && s <= DURATION_MAX_S))
		return -ERANGE;
	*ret_s = s;
	return 0;
}

static int parse_latency(const char *text, double *ret_usecs)
{
	nsec_t ns;
	int r = units_parse_time(text, &ns);

	if (r < 0)
		return r;
	if (!ns || (double)ns / NSEC_PER_USEC > LATENCY_MAX_USECS)
		return -ERANGE;
	*ret_usecs = (double)ns / NSEC_PER_USEC;
	return 0;
}

static int parse_set(const struct cmd *c, const char *arg, struct ask *a)
{
	char err[ERR_MAX];
	struct knob_set s;

	if (knob_set_parse(arg, &s, err) < 0)
		return cmd_fail(c, EXIT_USAGE, "--set: %s", err);
	if (!s.have)
		return bad(c, "set", arg, "a setting like \"rx-usecs=50 rx-frames=0\"");
	knob_set_overlay(&a->set, &s);
	a->have_set = true;
	return EXIT_DONE;
}

static int parse_mode(const struct cmd *c, const char *arg, struct ask *a)
{
	int mode = mode_by_name(arg);

	if (mode < 0)
		return bad(c, "mode", arg, "latency, balanced, throughput or powersave");
	a->policy.mode = mode;
	a->have_mode = true;
	return EXIT_DONE;
}

static int parse_mechanism(const struct cmd *c, const char *arg, struct ask *a)
{
	int m = mechanism_by_name(arg);

	if (m < 0)
		return bad(c, "mechanism", arg, "auto, hardware, software or adaptive");
	a->policy.mechanism = m;
	a->have_mechanism = true;
	return EXIT_DONE;
}

int ask_option(const struct cmd *c, int id, const char *arg, struct ask *a)
{
	switch (id) {
	case OPT_DURATION:
		return parse_duration(arg, &a->duration_s) < 0 ? bad(c, "duration", arg, "a time like 5s, up to a day")
							       : 0;
	case OPT_MODE: return parse_mode(c, arg, a);
	case OPT_MAX_LATENCY:
		a->have_cap = true;
		return parse_latency(arg, &a->policy.max_latency_usecs) < 0
			       ? bad(c, "max-latency", arg, "a time like 100us, up to 1s")
			       : 0;
	case OPT_MECHANISM: return parse_mechanism(c, arg, a);
	case OPT_FORMAT:
		a->format = format_by_name(arg);
		return a->format ? EXIT_DONE : bad(c, "format", arg, "text, json, ethtool, link, nm or policy");
	case OPT_JSON: a->format = format_by_name("json"); return EXIT_DONE;
	case OPT_PROBE: a->probe = true; return EXIT_DONE;
	case OPT_DRY_RUN: a->dry_run = true; return EXIT_DONE;
	case OPT_SET: return parse_set(c, arg, a);
	}
	return EXIT_USAGE;
}

void ask_rules(const struct session *s, const struct ask *a, const struct nic_info *nic, struct target_rules *ret)
{
	struct policy *p = &ret->policy;

	session_rules(s, nic, &a->policy, ret);
	if (a->have_mode) {
		p->mode = a->policy.mode;
		p->max_latency_usecs = 0; /* the cap that a policy gives belongs to its own mode */
	}
	if (a->have_cap)
		p->max_latency_usecs = a->policy.max_latency_usecs;
	if (a->have_mechanism)
		p->mechanism = a->policy.mechanism;
}
