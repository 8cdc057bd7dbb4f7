// SPDX-License-Identifier: GPL-2.0-or-later
/* state-text: the text form of saved originals. One fact a line; "end" proves that the file is whole. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/state.h"

#define STATE_MAGIC "ethtuned-originals 1"
#define LINE_LEN 512

/* Appends to buf as far as it fits; *n counts what was wanted. */
static void put(char *buf, size_t size, size_t *n, const char *text)
{
	size_t len = strlen(text);

	if (*n + len < size)
		memcpy(buf + *n, text, len + 1);
	*n += len;
}

size_t state_format(const struct nic_info *nic, uint64_t netns, const struct nic_settings *s, char *buf, size_t size)
{
	char line[LINE_LEN], set[LINE_LEN - 32];
	size_t n = 0;

	snprintf(line, sizeof(line), STATE_MAGIC "\nifindex %d\nnetns %" PRIu64 "\nname %s\n", nic->ifindex, netns,
		 nic->name);
	put(buf, size, &n, line);
	knob_set_format(&s->device, set, sizeof(set));
	snprintf(line, sizeof(line), "device %s\n", set);
	put(buf, size, &n, line);
	for (unsigned i = 0; i < s->n_napi; i++) {
		snprintf(line, sizeof(line), "napi %" PRIu32 " %" PRIu32 " %" PRIu64 "\n", s->napi[i].id,
			 s->napi[i].defer_hard_irqs, s->napi[i].gro_flush_timeout_ns);
		put(buf, size, &n, line);
	}
	for (unsigned i = 0; i < s->n_queue; i++) {
		knob_set_format(&s->queue[i].knobs, set, sizeof(set));
		snprintf(line, sizeof(line), "queue %u %s\n", s->queue[i].queue, set);
		put(buf, size, &n, line);
	}
	put(buf, size, &n, "end\n");
	return n;
}

struct parse {
	int *ifindex;
	uint64_t *netns;
	char *name;
	struct nic_settings *s;
	bool ended;
};

static int parse_ifindex(struct parse *p, const char *arg)
{
	return sscanf(arg, "%d", p->ifindex) == 1 && *p->ifindex > 0 ? 0 : -EBADMSG;
}

static int parse_netns(struct parse *p, const char *arg)
{
	return sscanf(arg, "%" SCNu64, p->netns) == 1 ? 0 : -EBADMSG;
}

static int parse_name(struct parse *p, const char *arg)
{
	if (!arg[0] || strlen(arg) >= NIC_NAME_MAX)
		return -EBADMSG;
	memcpy(p->name, arg, strlen(arg) + 1);
	return 0;
}

static int parse_device(struct parse *p, const char *arg)
{
	char err[ERR_MAX];

	return knob_set_parse(arg, &p->s->device, err) < 0 ? -EBADMSG : 0;
}

static int parse_napi(struct parse *p, const char *arg)
{
	struct napi_setting *n = &p->s->napi[p->s->n_napi];

	if (p->s->n_napi >= NIC_NAPI_MAX ||
	    sscanf(arg, "%" SCNu32 " %" SCNu32 " %" SCNu64, &n->id, &n->defer_hard_irqs, &n->gro_flush_timeout_ns) != 3)
		return -EBADMSG;
	p->s->n_napi++;
	return 0;
}

static int parse_queue(struct parse *p, const char *arg)
{
	struct queue_setting *q = &p->s->queue[p->s->n_queue];
	char err[ERR_MAX], *end;

	if (p->s->n_queue >= NIC_QUEUES_MAX || arg[0] < '0' || arg[0] > '9')
		return -EBADMSG;
	q->queue = (unsigned)strtoul(arg, &end, 10);
	if (knob_set_parse(end, &q->knobs, err) < 0)
		return -EBADMSG;
	p->s->n_queue++;
	return 0;
}

static int parse_end(struct parse *p, const char *arg)
{
	p->ended = true;
	return arg[0] ? -EBADMSG : 0;
}

static const struct {
	const char *word;
	int (*parse)(struct parse *p, const char *arg);
} lines[] = {
	{ "ifindex", parse_ifindex }, { "netns", parse_netns }, { "name", parse_name }, { "device", parse_device },
	{ "napi", parse_napi },	      { "queue", parse_queue }, { "end", parse_end },
};

static int parse_line(struct parse *p, char *line)
{
	size_t word = strcspn(line, " ");
	const char *arg = line[word] ? line + word + 1 : "";

	line[word] = 0;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!strcmp(line, lines[i].word))
			return lines[i].parse(p, arg);
	return -EBADMSG;
}

int state_parse(const char *text, int *ret_ifindex, uint64_t *ret_netns, char name[NIC_NAME_MAX],
		struct nic_settings *ret)
{
	int ifindex = 0;
	uint64_t netns = 0;
	char nic_name[NIC_NAME_MAX] = "", line[LINE_LEN];
	struct parse p = { &ifindex, &netns, nic_name, ret, false };

	if (strncmp(text, STATE_MAGIC "\n", strlen(STATE_MAGIC) + 1))
		return -EBADMSG;
	*ret = (struct nic_settings){ 0 };
	for (text += strlen(STATE_MAGIC) + 1; *text && !p.ended;) {
		size_t len = strcspn(text, "\n");

		if (len >= sizeof(line))
			return -EBADMSG;
		memcpy(line, text, len);
		line[len] = 0;
		if (parse_line(&p, line) < 0)
			return -EBADMSG;
		text += len + (text[len] == '\n');
	}
	if (!p.ended || !ifindex || !nic_name[0])
		return -EBADMSG;
	*ret_ifindex = ifindex;
	*ret_netns = netns;
	memcpy(name, nic_name, NIC_NAME_MAX);
	return 0;
}
