// SPDX-License-Identifier: GPL-2.0-or-later
/* irqname: names of interrupt actions, read from their end: "...<role><separator><number>". What stands before it
 * differs from device to device and is not looked at, apart from the owner. */
#include "io/irqname.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Words of letters only, any case. `needs_number`: too common a word to mean something alone. */
static const struct role_word {
	const char *word;
	enum irq_role role;
	bool needs_number;
} role_words[] = {
	{ "txrx", IRQ_ROLE_RXTX, false },      { "rxtx", IRQ_ROLE_RXTX, false },
	{ "combined", IRQ_ROLE_RXTX, false },  { "virtqueues", IRQ_ROLE_RXTX, false },
	{ "comp", IRQ_ROLE_RXTX, true },       { "qp", IRQ_ROLE_RXTX, true },
	{ "fp", IRQ_ROLE_RXTX, true },	       { "queue", IRQ_ROLE_RXTX, true },
	{ "q", IRQ_ROLE_RXTX, true },	       { "rx", IRQ_ROLE_RX, false },
	{ "rxq", IRQ_ROLE_RX, false },	       { "input", IRQ_ROLE_RX, false },
	{ "tx", IRQ_ROLE_TX, false },	       { "txq", IRQ_ROLE_TX, false },
	{ "output", IRQ_ROLE_TX, false },      { "mac", IRQ_ROLE_CONTROL, false },
	{ "emac", IRQ_ROLE_CONTROL, false },   { "wol", IRQ_ROLE_CONTROL, false },
	{ "lpi", IRQ_ROLE_CONTROL, false },    { "safety", IRQ_ROLE_CONTROL, false },
	{ "sfty", IRQ_ROLE_CONTROL, false },   { "ts", IRQ_ROLE_CONTROL, false },
	{ "misc", IRQ_ROLE_CONTROL, false },   { "config", IRQ_ROLE_CONTROL, false },
	{ "async", IRQ_ROLE_CONTROL, false },  { "pages", IRQ_ROLE_CONTROL, false },
	{ "event", IRQ_ROLE_CONTROL, false },  { "fdir", IRQ_ROLE_CONTROL, false },
	{ "ctrl", IRQ_ROLE_CONTROL, false },   { "control", IRQ_ROLE_CONTROL, false },
	{ "mgmnt", IRQ_ROLE_CONTROL, false },  { "mgmt", IRQ_ROLE_CONTROL, false },
	{ "mbx", IRQ_ROLE_CONTROL, false },    { "mailbox", IRQ_ROLE_CONTROL, false },
	{ "aeq", IRQ_ROLE_CONTROL, false },    { "ceq", IRQ_ROLE_CONTROL, false },
	{ "other", IRQ_ROLE_CONTROL, false },  { "link", IRQ_ROLE_CONTROL, false },
	{ "lsc", IRQ_ROLE_CONTROL, false },    { "err", IRQ_ROLE_CONTROL, false },
	{ "notify", IRQ_ROLE_CONTROL, false }, { "pps", IRQ_ROLE_CONTROL, false },
	{ "ptp", IRQ_ROLE_CONTROL, false },    { "multi", IRQ_ROLE_CONTROL, false },
	{ "hwc", IRQ_ROLE_CONTROL, false },    { "exn", IRQ_ROLE_CONTROL, false },
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

const char *irq_name_owner(const char *action, const char *owner)
{
	size_t len = strlen(owner);

	if (len == 0)
		return NULL;
	for (const char *p = strstr(action, owner); p; p = strstr(p + 1, owner)) {
		bool begins = p == action || strchr("-:@_ /", p[-1]);
		/* '.' before digits would be a VLAN's or a bus function's, still of the same owner */
		bool ends = p[len] == '\0' || strchr("-:.@_ ", p[len]);

		if (begins && ends)
			return p;
	}
	return NULL;
}

static const struct role_word *look_up(const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof(role_words) / sizeof(role_words[0]); i++)
		if (strlen(role_words[i].word) == len && strncasecmp(role_words[i].word, word, len) == 0)
			return &role_words[i];
	return NULL;
}

/* The number right after a role: "rx0", "rx-0", "input.0"; -1: none. */
static int number_after(const char *p, const char *end)
{
	int v = 0, digits = 0;

	if (p < end && strchr("-._: #", *p))
		p++;
	for (; p < end && is_digit(*p) && digits < 6; p++, digits++)
		v = v * 10 + (*p - '0');
	return digits > 0 && digits < 6 ? v : -1;
}

/* The word that ends one separator before `start`; NULL when a digit or nothing is there. */
static const struct role_word *word_before(const char *text, const char *start)
{
	const char *end = start - 1, *p = end;

	if (start <= text + 1 || is_digit(*end) || is_letter(*end))
		return NULL;
	while (p > text && is_letter(p[-1]))
		p--;
	return p < end ? look_up(p, (size_t)(end - p)) : NULL;
}

static struct irq_name parse_part(const char *text, const char *end)
{
	struct irq_name ret = { IRQ_ROLE_UNKNOWN, -1 };
	const char *q = end;

	while (q > text) {
		const struct role_word *w, *before;
		const char *p;

		while (q > text && !is_letter(q[-1]))
			q--;
		for (p = q; p > text && is_letter(p[-1]);)
			p--;
		w = p < q ? look_up(p, (size_t)(q - p)) : NULL;
		if (w && (!w->needs_number || number_after(q, end) >= 0)) {
			before = word_before(text, p);
			ret.role = w->role;
			ret.number = number_after(q, end);
			if (before && before->role == IRQ_ROLE_CONTROL)
				ret.role = IRQ_ROLE_CONTROL;
			else if (before && (w->role == IRQ_ROLE_RX || w->role == IRQ_ROLE_TX) &&
				 (before->role == IRQ_ROLE_RX || before->role == IRQ_ROLE_TX) &&
				 before->role != w->role)
				ret.role = IRQ_ROLE_RXTX;
			break;
		}
		q = p;
	}
	return ret;
}

/* "-0", "_0": all that is left of "eth0-0". */
static bool only_number(const char *p)
{
	if (*p == '\0' || !strchr("-_.:", *p))
		return false;
	p++;
	if (*p == '\0')
		return false;
	while (is_digit(*p))
		p++;
	return *p == '\0';
}

struct irq_name irq_name_parse(const char *action, const char *owner)
{
	const char *at = owner ? irq_name_owner(action, owner) : NULL;
	const char *rest = at ? at + strlen(owner) : action;

	if (at && only_number(rest))
		return (struct irq_name){ IRQ_ROLE_RXTX, number_after(rest, rest + strlen(rest)) };
	if (at && *rest == '\0')
		return parse_part(action, at);
	return parse_part(rest, rest + strlen(rest));
}

struct order_item {
	enum irq_role role;
	bool star;
};
#define ORDER_ITEMS_MAX 16

/* Returns the number of items, or -EINVAL with *bad at what is wrong. */
static int order_parse(const char *order, struct order_item items[ORDER_ITEMS_MAX], const char **bad)
{
	static const struct {
		const char *word;
		enum irq_role role;
	} roles[] = {
		{ "rx", IRQ_ROLE_RX }, { "tx", IRQ_ROLE_TX }, { "rxtx", IRQ_ROLE_RXTX }, { "other", IRQ_ROLE_CONTROL }
	};
	int n = 0, first_star = -1, stars = 0;

	for (const char *p = order; *p;) {
		size_t len = strcspn(p, ","), word = len;
		size_t i = 0;

		*bad = p;
		if (n == ORDER_ITEMS_MAX)
			return -EINVAL;
		items[n].star = len > 0 && p[len - 1] == '*';
		word -= items[n].star;
		while (i < 4 && (strlen(roles[i].word) != word || strncmp(roles[i].word, p, word) != 0))
			i++;
		if (i == 4)
			return -EINVAL;
		items[n].role = roles[i].role;
		if (items[n].star && ++stars > 1 &&
		    (stars > 2 || items[first_star].role == items[n].role ||
		     items[first_star].role == IRQ_ROLE_CONTROL))
			return -EINVAL;
		if (items[n].star && stars == 1)
			first_star = n;
		n++;
		p += len;
		if (*p == ',' && *++p == '\0')
			return -EINVAL;
	}
	return n;
}

int irq_rule_check(const struct irq_rule *rule, char err[ERR_MAX])
{
	struct order_item items[ORDER_ITEMS_MAX];
	const char *bad = rule->order;
	int n = order_parse(rule->order, items, &bad);

	if (n < 0)
		snprintf(err, ERR_MAX,
			 "order of interrupts: not understood at \"%s\" (rx, tx, rxtx or other, at most two with *)",
			 bad);
	return n < 0 ? n : 0;
}

int irq_rule_words(const char *words, struct irq_rule *ret)
{
	struct irq_rule rule = { .number_is_vector = ret->number_is_vector };
	char err[ERR_MAX];
	size_t len = 0;

	for (const char *p = words + strspn(words, " \t"); *p; p += strspn(p, " \t")) {
		size_t n = strcspn(p, " \t");

		if (len + n + 2 > sizeof(rule.order))
			return -EINVAL;
		if (len)
			rule.order[len++] = ',';
		memcpy(rule.order + len, p, n);
		len += n;
		p += n;
	}
	if (irq_rule_check(&rule, err) < 0)
		return -EINVAL;
	*ret = rule;
	return 0;
}

static unsigned queues_of(enum irq_role role, unsigned rx_queues, unsigned tx_queues)
{
	if (role == IRQ_ROLE_RX)
		return rx_queues;
	if (role == IRQ_ROLE_TX)
		return tx_queues;
	return rx_queues > tx_queues ? rx_queues : tx_queues;
}

/* How many interrupts each item stands for. */
static int order_spread(const struct order_item *items, int n_items, unsigned rx_queues, unsigned tx_queues, size_t n,
			size_t width[ORDER_ITEMS_MAX])
{
	int stars = 0;
	size_t left = n;

	for (int i = 0; i < n_items; i++) {
		stars += items[i].star;
		width[i] = !items[i].star;
		if (width[i] > left)
			return -ERANGE;
		left -= width[i];
	}
	for (int i = 0; i < n_items; i++) {
		unsigned queues = queues_of(items[i].role, rx_queues, tx_queues);

		if (!items[i].star)
			continue;
		if (stars == 2 && queues == 0)
			return -ERANGE; /* nothing says where the second begins */
		width[i] = stars == 2 && queues < left ? queues : left;
		left -= width[i];
		stars--;
	}
	return left == 0 ? 0 : -ERANGE;
}

int irq_rule_apply(const struct irq_rule *rule, unsigned rx_queues, unsigned tx_queues, struct irq_name *ret, size_t n)
{
	struct order_item items[ORDER_ITEMS_MAX];
	size_t width[ORDER_ITEMS_MAX] = { 0 }, at = 0;
	unsigned next_rx = 0, next_tx = 0;
	const char *bad;
	int n_items = order_parse(rule->order, items, &bad), r;

	if (n_items <= 0)
		return n_items < 0 ? n_items : -ENOENT;
	r = order_spread(items, n_items, rx_queues, tx_queues, n, width);
	if (r < 0)
		return r;
	for (int i = 0; i < n_items; i++) {
		enum irq_role role = items[i].role;
		unsigned queues = queues_of(role, rx_queues, tx_queues);

		for (size_t k = 0; k < width[i]; k++, at++) {
			unsigned number = role == IRQ_ROLE_TX ? next_tx : next_rx;

			next_rx += role == IRQ_ROLE_RX || role == IRQ_ROLE_RXTX;
			next_tx += role == IRQ_ROLE_TX || role == IRQ_ROLE_RXTX;
			ret[at].role = role;
			ret[at].number = role == IRQ_ROLE_CONTROL || (queues && number >= queues) ? -1 : (int)number;
		}
	}
	return 0;
}
