// SPDX-License-Identifier: GPL-2.0-or-later
/* config-section: what a [section] begins, and what is checked when a policy or quirk is complete. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/config-read.h"
#include "engine/config-value.h"

/* "/x/50-router.conf" -> "50-router", "50-router#2" for the second. */
static void name_it(const struct config_reader *r, char *name, size_t size)
{
	const char *base = strrchr(r->file, '/');
	size_t len;
	char nth[16] = "";

	base = base ? base + 1 : r->file;
	len = strlen(base);
	if (len > 5 && !strcmp(base + len - 5, ".conf"))
		len -= 5;
	if (r->in_file > 1)
		snprintf(nth, sizeof(nth), "#%u", r->in_file);
	if (len > size - 1 - strlen(nth))
		len = size - 1 - strlen(nth);
	snprintf(name, size, "%.*s%s", (int)len, base, nth);
	for (char *p = name; *p; p++) /* it stands in logs and metrics */
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			*p = '_';
}

/* One more element at the end of an array, zeroed. NULL after setting r->error. */
static void *append(struct config_reader *r, void *array, size_t n, size_t size)
{
	char *more = realloc(array, (n + 1) * size);

	if (!more)
		r->error = -ENOMEM;
	else
		memset(more + n * size, 0, size);
	return more;
}

static void open_entry(struct config_reader *r)
{
	struct config *c = r->config;
	void *array;

	r->in_file++;
	if (r->groups & CONFIG_QUIRK) {
		array = append(r, c->quirks, c->n_quirks, sizeof(*c->quirks));
		if (!array)
			return;
		c->quirks = array;
		name_it(r, c->quirks[c->n_quirks++].name, sizeof(c->quirks[0].name));
	} else {
		struct config_policy *p;

		array = append(r, c->policies, c->n_policies, sizeof(*c->policies));
		if (!array)
			return;
		c->policies = array;
		p = &c->policies[c->n_policies++];
		policy_default(&p->policy);
		name_it(r, p->policy.name, sizeof(p->policy.name));
		snprintf(p->file, sizeof(p->file), "%s", r->file);
		p->line = r->line;
	}
	r->open = true;
	r->has_body = r->bad_match = false;
}

/* Refused, it still matches: its interfaces must not fall to a policy that was not meant for them. */
static void check_policy(struct config_reader *r, struct config_policy *p)
{
	const char *here = r->file;
	struct policy observe;
	char err[ERR_MAX];

	if (policy_check(&p->policy, err) == 0)
		return;
	r->file = p->file; /* where it began, perhaps not in the last drop-in */
	config_say(r, CONFIG_ERROR, p->line, "policy refused: %s; what it matches is only observed", err);
	r->file = here;
	policy_default(&observe);
	memcpy(observe.name, p->policy.name, sizeof(observe.name));
	observe.mode = MODE_OBSERVE;
	p->policy = observe;
	p->refused = true;
}

void config_read_end(struct config_reader *r)
{
	struct config *c = r->config;

	if (!r->open)
		return;
	r->open = false;
	if (r->groups & CONFIG_QUIRK)
		c->n_quirks -= r->bad_match;
	else if (r->bad_match)
		c->n_policies--;
	else
		check_policy(r, &c->policies[c->n_policies - 1]);
}

static void *entry(const struct config_reader *r)
{
	return r->groups & CONFIG_QUIRK ? (void *)&r->config->quirks[r->config->n_quirks - 1]
					: (void *)&r->config->policies[r->config->n_policies - 1];
}

/* The queues' part of the open policy; NULL after saying why not. The same range again goes on with the same part. */
static struct policy_queue *queue_part(struct config_reader *r, const char *range)
{
	struct policy *p = &((struct config_policy *)entry(r))->policy;
	unsigned first, last;

	if (config_queue_range(range, &first, &last) < 0) {
		config_say(r, CONFIG_ERROR, r->line, "[queue %.40s]: not a queue or a range A-B below %d; ignored",
			   range, NIC_QUEUES_MAX);
		return NULL;
	}
	for (unsigned i = 0; i < p->n_queues; i++) {
		struct policy_queue *q = &p->queues[i];

		if (first == q->first && last == q->last)
			return q;
		if (first <= q->last && last >= q->first) {
			config_say(r, CONFIG_ERROR, r->line, "[queue %u-%u] overlaps with [queue %u-%u] above; ignored",
				   first, last, q->first, q->last);
			return NULL;
		}
	}
	if (p->n_queues == POLICY_QUEUES_MAX) {
		config_say(r, CONFIG_ERROR, r->line, "more than %d [queue] sections; ignored", POLICY_QUEUES_MAX);
		return NULL;
	}
	p->queues[p->n_queues] = (struct policy_queue){ .first = first, .last = last, .mode = -1 };
	return &p->queues[p->n_queues++];
}

void config_section_begin(struct config_reader *r, const char *name)
{
	char word[32];
	size_t n = strcspn(name, " \t");
	const char *rest = name + n + strspn(name + n, " \t");

	r->section = -1;
	snprintf(word, sizeof(word), "%.*s", (int)n, name);
	if (n < sizeof(word))
		r->section = config_section_by_name(word, r->groups);
	if (r->section >= 0 && *rest && r->section != SECTION_QUEUE)
		r->section = -1;
	if (r->section < 0) {
		config_say(r, CONFIG_WARNING, r->line, "unknown section [%.60s], ignored with its keys", name);
		return;
	}
	if (config_sections[r->section].groups == CONFIG_MAIN) {
		r->base = &r->config->settings;
		return;
	}
	if (r->section == SECTION_MATCH && r->open && r->has_body)
		config_read_end(r);
	if (!r->open)
		open_entry(r);
	if (r->error < 0)
		return;
	r->has_body = r->has_body || r->section != SECTION_MATCH;
	r->base = entry(r);
	if (r->section == SECTION_MATCH)
		r->base = r->groups & CONFIG_QUIRK ? &((struct quirk *)r->base)->match
						   : &((struct config_policy *)r->base)->match;
	if (r->section == SECTION_QUEUE) {
		r->base = queue_part(r, rest);
		r->section = r->base ? SECTION_QUEUE : -1;
	}
}
