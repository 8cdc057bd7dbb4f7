// SPDX-License-Identifier: GPL-2.0-or-later
/* casefile: see casefile.h. */
#include "casefile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 4096

/* "key=value" words of a line, one after the other. */
static char *word(char **rest, char **ret_value)
{
	char *w = strtok_r(*rest ? *rest : NULL, " \t\n", rest);

	if (w && *w == '#')
		return NULL;
	*ret_value = w ? strchr(w, '=') : NULL;
	if (*ret_value)
		*(*ret_value)++ = 0;
	else if (w)
		*ret_value = w + strlen(w);
	return w;
}

static int within(struct knob_caps *c, enum knob k, const char *v)
{
	unsigned long lo, hi;
	int n = sscanf(v, "%lu..%lu", &lo, &hi);

	if (n < 1)
		return -EINVAL;
	c->settable |= KNOB_BIT(k);
	c->min[k] = lo;
	c->max[k] = n == 2 ? hi : lo;
	return 0;
}

static int expectation(struct casefile *c, const char *key, const char *v)
{
	const struct {
		const char *key;
		char *into;
		size_t size;
	} texts[] = {
		{ "class", c->class, sizeof(c->class) },
		{ "also", c->also, sizeof(c->also) },
		{ "decision", c->decision, sizeof(c->decision) },
		{ "says", c->says, sizeof(c->says) },
		{ "rolled-back", c->rolled_back, sizeof(c->rolled_back) },
		{ "dead", c->dead, sizeof(c->dead) },
		{ "yielded", c->yielded, sizeof(c->yielded) },
	};
	int k = knob_by_name(key);

	if (k >= 0)
		return within(&c->values, k, v);
	if (!strcmp(key, "changes"))
		return sscanf(v, "%d..%d", &c->min_changes, &c->max_changes) == 2 ? 0 : -EINVAL;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!strcmp(key, texts[i].key)) {
			snprintf(texts[i].into, texts[i].size, "%s", v);
			return 0;
		}
	return -EINVAL;
}

static int policy_word(struct casefile *c, const char *key, const char *v)
{
	struct policy *p = &c->policy;
	nsec_t ns;
	int k = knob_by_name(key);

	if (!strcmp(key, "mode")) {
		int mode = mode_by_name(v);

		p->mode = mode < 0 ? p->mode : (enum mode)mode;
		return mode < 0 ? mode : 0;
	}
	if (!strcmp(key, "mechanism")) {
		int m = mechanism_by_name(v);

		p->mechanism = m < 0 ? p->mechanism : (enum mechanism)m;
		return m < 0 ? m : 0;
	}
	if (!strcmp(key, "rings")) {
		int r = rings_policy_by_name(v);

		p->rings = r < 0 ? p->rings : (enum rings_policy)r;
		return r < 0 ? r : 0;
	}
	if (!strcmp(key, "max-latency") && units_parse_time(v, &ns) == 0) {
		p->max_latency_usecs = (double)ns / 1e3;
		return 0;
	}
	if (k < 0)
		return -EINVAL;
	p->limited |= KNOB_BIT(k);
	return sscanf(v, "%" SCNu64 "..%" SCNu64, &p->limit_min[k], &p->limit_max[k]) == 2 ? 0 : -EINVAL;
}

/* What the fake NIC is like. */
static int plant_word(struct casefile *c, const char *key, const char *v)
{
	struct fakenic *f = &c->rig.fake;
	double number = strtod(v, NULL);
	int k;

	if (!strcmp(key, "timers"))
		rig_hardware(&c->rig);
	else if (!strcmp(key, "deferral"))
		rig_init(&c->rig);
	else if (!strcmp(key, "drops"))
		f->has_drops = true, f->drops_ps = number;
	else if (!strcmp(key, "burst-of-drops"))
		f->has_drops = true, f->carry_drops = number;
	else if (!strcmp(key, "drops-below-ring"))
		f->drops_below_ring = (uint64_t)number;
	else if (!strcmp(key, "collapse"))
		f->collapse = number;
	else if (!strcmp(key, "collapse-above"))
		f->collapse_above = (uint64_t)number;
	else if (!strcmp(key, "poll-cost"))
		f->has_cpu = true, f->poll_cost_usecs = number;
	else if (!strcmp(key, "error"))
		f->write_error = (int)number;
	else if (!strcmp(key, "dead-timer"))
		f->dead_timer = number > 0;
	else if (!strcmp(key, "ignore") && (k = knob_by_name(v)) >= 0)
		f->ignore |= KNOB_BIT(k);
	else if (!strncmp(key, "clamp-", 6) && (k = knob_by_name(key + 6)) >= 0)
		f->clamp_max[k] = (uint64_t)number;
	else if (!strncmp(key, "most-", 5) && (k = knob_by_name(key + 5)) >= 0)
		f->caps.knobs.max[k] = (uint64_t)number;
	else if ((k = knob_by_name(key)) >= 0)
		fakenic_knob(f, k, (uint64_t)number);
	else
		return -EINVAL;
	return 0;
}

static int step_word(struct casefile *c, const char *key, const char *v)
{
	struct case_step *s = &c->steps[c->n_steps - 1];
	uint64_t number = 0;
	int k = knob_by_name(key);

	if (!strcmp(key, "restart")) {
		s->restart = true;
		return 0;
	}
	if (trace_number(v, &number) < 0)
		return -EINVAL;
	if (!strcmp(key, "seconds"))
		s->seconds = (double)number;
	else if (!strcmp(key, "pps"))
		s->pps = (double)number;
	else if (!strcmp(key, "tx-pps"))
		s->tx_pps = (double)number;
	else if (k >= 0)
		knob_put(&s->foreign, k, number);
	else
		return -EINVAL;
	return 0;
}

static int own_line(struct casefile *c, const char *kind, char *rest, char err[ERR_MAX])
{
	static const struct {
		const char *kind;
		int (*take)(struct casefile *c, const char *key, const char *v);
	} kinds[] = {
		{ "expect", expectation }, { "policy", policy_word }, { "plant", plant_word }, { "run", step_word }
	};
	char *key, *v;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kind, kinds[i].kind))
			continue;
		c->plant |= kinds[i].take == plant_word;
		if (kinds[i].take == step_word && c->n_steps++ >= CASE_STEPS_MAX)
			return -EINVAL;
		while ((key = word(&rest, &v)))
			if (kinds[i].take(c, key, v) < 0) {
				snprintf(err, ERR_MAX, "%s: bad word %.100s", kind, key);
				return -EINVAL;
			}
		return 0;
	}
	return -ENOENT;
}

static int trace_line(struct casefile *c, struct trace *t, const char *line, char err[ERR_MAX])
{
	int kind = trace_read(t, line, err);

	if (kind != TRACE_AT)
		return kind < 0 ? kind : 0;
	if (c->n_samples && c->samples[c->n_samples - 1].sample.now == t->sample.now) {
		c->samples[c->n_samples - 1] = *t;
		return 0;
	}
	if (c->n_samples == CASE_SAMPLES_MAX)
		return -ENOSPC;
	c->samples = realloc(c->samples, (c->n_samples + 1) * sizeof(*t));
	c->samples[c->n_samples++] = *t;
	return 0;
}

static int take_line(struct casefile *c, struct trace *t, char *line, char err[ERR_MAX])
{
	char kind[16] = "", rest[LINE_MAX_BYTES] = "";
	int r;

	if (sscanf(line, "%15s %4095[^\n]", kind, rest) < 1 || kind[0] == '#')
		return 0;
	if (!strcmp(kind, "case")) {
		snprintf(c->title, sizeof(c->title), "%.127s", rest);
		return 0;
	}
	if (!strcmp(kind, "wrong")) {
		snprintf(c->wrong, sizeof(c->wrong), "%.255s", rest);
		return 0;
	}
	if (!strcmp(kind, "machine")) {
		c->prior = *model_prior_by_name(rest);
		return 0;
	}
	if (!strcmp(kind, "covered"))
		return sscanf(rest, "%63s %63s", c->covered, c->by) == 2 ? 0 : -EINVAL;
	r = own_line(c, kind, rest, err);
	return r == -ENOENT ? trace_line(c, t, line, err) : r;
}

struct casefile *casefile_read(const char *path, char err[ERR_MAX])
{
	struct casefile *c = calloc(1, sizeof(*c));
	struct trace *t = calloc(1, sizeof(*t));
	const char *base = strrchr(path, '/');
	FILE *f = fopen(path, "r");
	char line[LINE_MAX_BYTES];
	int n = 0, r = f ? 0 : -errno;

	ck_assert(c && t);
	snprintf(c->file, sizeof(c->file), "%.63s", base ? base + 1 : path);
	policy_default(&c->policy);
	c->prior = *model_prior_by_name("fallback");
	c->max_changes = -1;
	t->nic = (struct nic_info){ .ifindex = 2,
				    .name = "eth0",
				    .has_device = true,
				    .up = true,
				    .carrier = true,
				    .speed_mbps = 1000,
				    .rx_queues = 1,
				    .tx_queues = 1 };
	snprintf(err, ERR_MAX, "cannot be read");
	while (r == 0 && fgets(line, sizeof(line), f)) {
		n++;
		snprintf(err, ERR_MAX, "bad line");
		r = take_line(c, t, line, err);
	}
	if (f)
		fclose(f);
	free(t);
	if (r == 0)
		return c;
	base = strdup(err);
	snprintf(err, ERR_MAX, "%s:%d: %.100s", c->file, n, base);
	free((char *)base);
	casefile_free(c);
	return NULL;
}

void casefile_free(struct casefile *c)
{
	free(c->samples);
	free(c);
}
