// SPDX-License-Identifier: GPL-2.0-or-later
/* irqtable: parser of /proc/interrupts. Blanks between columns vary with architecture and kernel, and chip names may
 * hold blanks and colons; what holds everywhere: a head of CPUn labels, "N:" and one number per label, and the actions
 * last, after two or more blanks. */
#include "io/irqtable.h"

#include <errno.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

static const char *line_end(const char *p)
{
	const char *nl = strchr(p, '\n');

	return nl ? nl : p + strlen(p);
}

/* Digits modulo 2^32. Returns what follows, or NULL when there is none or a letter sticks to it. */
static const char *number(const char *p, const char *end, uint32_t *ret)
{
	uint32_t v = 0;
	const char *start = p;

	for (; p < end && is_digit(*p); p++)
		v = v * 10 + (uint32_t)(*p - '0');
	if (p == start || (p < end && *p != ' ' && *p != '\t'))
		return NULL;
	*ret = v;
	return p;
}

unsigned irqtable_parse_head(const char *text, uint16_t *ret, unsigned max)
{
	const char *end = line_end(text);
	unsigned n = 0;

	for (const char *p = skip_blanks(text, end); p < end && n < max; p = skip_blanks(p, end)) {
		uint32_t id;

		if (end - p < 4 || strncmp(p, "CPU", 3) != 0)
			break;
		p = number(p + 3, end, &id);
		if (!p)
			break;
		ret[n++] = (uint16_t)id;
	}
	return n;
}

/* Length of the first word of [p, end) when it is only a trigger: "27", "1-edge", "Level". 0: it is not. */
static size_t trigger_word(const char *p, const char *end)
{
	const char *q = p;

	while (q < end && *q != ' ')
		q++;
	if ((size_t)(q - p) == 5 && strncmp(p, "Level", 5) == 0)
		return 5;
	if ((size_t)(q - p) == 4 && strncmp(p, "Edge", 4) == 0)
		return 4;
	if (!is_digit(*p))
		return 0;
	for (const char *d = p; d < q; d++) {
		if (*d == '-' && d + 1 < q && !is_digit(d[1]))
			return (size_t)(q - p);
		if (!is_digit(*d))
			return 0;
	}
	return (size_t)(q - p);
}

/* The actions follow the last run of two or more blanks. Rows that nobody requested (shown up to 6.11 or so) end with
 * the hardware number and trigger, which must not be taken for a name. */
static const char *find_actions(const char *p, const char *end)
{
	const char *tail = end;

	for (const char *q = p; q + 1 < end; q++)
		if (q[0] == ' ' && q[1] == ' ')
			tail = q + 2;
	for (tail = skip_blanks(tail, end); tail < end; tail = skip_blanks(tail, end)) {
		size_t n = trigger_word(tail, end);

		if (n == 0)
			break;
		tail += n;
	}
	return tail;
}

/* 1: a row was read; 0: not a numbered interrupt, or torn. */
static int parse_row(const char *p, const char *end, uint32_t *count, struct irqtable_row *row)
{
	uint32_t irq = 0;

	p = skip_blanks(p, end);
	if (p == end || !is_digit(*p))
		return 0;
	for (; p < end && is_digit(*p); p++)
		irq = irq * 10 + (uint32_t)(*p - '0');
	if (p == end || *p != ':')
		return 0;
	p++;
	for (unsigned i = 0; i < row->n_cpus; i++) {
		p = number(skip_blanks(p, end), end, &count[i]);
		if (!p)
			return 0;
	}
	row->irq = irq;
	row->actions = find_actions(p, end);
	row->actions_len = (size_t)(end - row->actions);
	return 1;
}

int irqtable_parse(const char *text, irqtable_fn *fn, void *arg)
{
	uint16_t cpu[IRQTABLE_CPUS_MAX];
	uint32_t count[IRQTABLE_CPUS_MAX];
	struct irqtable_row row = { .cpu = cpu, .count = count };
	const char *p, *end = line_end(text);

	row.n_cpus = irqtable_parse_head(text, cpu, IRQTABLE_CPUS_MAX);
	if (row.n_cpus == 0)
		return -EINVAL;
	while (*end) {
		p = end + 1;
		end = line_end(p);
		if (parse_row(p, end, count, &row)) {
			int r = fn(&row, arg);

			if (r != 0)
				return r;
		}
	}
	return 0;
}

int irqtable_parse_counts(const char *text, uint32_t *ret, size_t max)
{
	const char *p = text;
	size_t n = 0;

	while (is_digit(*p)) {
		uint32_t v = 0;

		for (; is_digit(*p); p++)
			v = v * 10 + (uint32_t)(*p - '0');
		if (n < max)
			ret[n] = v;
		n++;
		if (*p != ',')
			break;
		p++;
	}
	return *p == '\0' || (*p == '\n' && p[1] == '\0') ? (int)n : -EINVAL;
}

bool irqtable_next_action(const char *actions, size_t len, size_t *pos, char ret[IRQ_ACTION_MAX])
{
	const char *p = skip_blanks(actions + *pos, actions + len), *end = actions + len, *q;
	size_t n;

	if (p >= end)
		return false;
	q = memchr(p, ',', (size_t)(end - p));
	if (!q)
		q = end;
	n = (size_t)(q - p);
	if (n >= IRQ_ACTION_MAX)
		n = IRQ_ACTION_MAX - 1;
	memcpy(ret, p, n);
	ret[n] = '\0';
	*pos = (size_t)(q - actions) + (q < end);
	return true;
}
