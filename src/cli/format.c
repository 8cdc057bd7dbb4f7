// SPDX-License-Identifier: GPL-2.0-or-later
/* format: see format.h. Here: the table, ethtool commands, and an ethtuned policy. */
#include "cli/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/quote.h"

static const struct format formats[] = {
	{ "text", advice_text }, { "json", NULL },    { "ethtool", advice_ethtool },
	{ "link", advice_link }, { "nm", advice_nm }, { "policy", advice_policy },
};

const struct format *format_by_name(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

/* One line, whatever it holds. */
static void comment(const char *text)
{
	printf("# ");
	for (; *text; text++)
		putchar(*text == '\n' ? ' ' : *text);
	putchar('\n');
}

void format_comment(const struct advice *a)
{
	char line[512];

	diagnosis_explain(&a->diagnosis, &a->rates, line, sizeof(line));
	printf("# %s: ", a->nic.name);
	puts(line);
	if (!bottleneck_table[a->diagnosis.class].coalescing)
		comment("coalescing is not the cause");
	for (int dir = QUEUE_RX; dir <= QUEUE_TX; dir++)
		if (a->decided[dir]) {
			decision_explain(&a->decision[dir], line, sizeof(line));
			comment(line);
		}
	if (!a->tunable)
		comment(a->message);
	else if (!a->advised.have)
		comment("nothing to change");
}

/* Knobs of `mask` that are advised, as " name value" words. */
static void ethtool_line(const struct advice *a, const char *option, uint32_t mask, const char *(*word)(enum knob))
{
	char name[80], value[32];

	if (!(a->advised.have & mask))
		return;
	printf("ethtool -%s %s", option, quote_shell(a->nic.name, name, sizeof(name)));
	for (int k = 0; k < KNOB_COUNT; k++)
		if (a->advised.have & mask & KNOB_BIT(k))
			printf(" %s %s", word(k), knob_format(k, a->advised.value[k], value, sizeof(value)));
	puts("");
}

static const char *knob_word(enum knob k)
{
	return knob_table[k].name;
}

static const char *ring_word(enum knob k)
{
	return k == KNOB_RX_RING ? "rx" : "tx"; /* ethtool -G has no prefix */
}

static void sysfs_line(const struct advice *a, enum knob k, const char *file)
{
	char quoted[80];

	if (knob_has(&a->advised, k))
		printf("echo %" PRIu64 " > /sys/class/net/%s/%s\n", a->advised.value[k],
		       quote_shell(a->nic.name, quoted, sizeof(quoted)), file);
}

void advice_ethtool(const struct advice *a, const struct policy *p)
{
	uint32_t adaptive = KNOB_BIT(KNOB_ADAPTIVE_RX) | KNOB_BIT(KNOB_ADAPTIVE_TX);

	(void)p;
	format_comment(a);
	/* the driver's own loop in a message of its own, first: else it may overwrite the values at once */
	ethtool_line(a, "C", adaptive, knob_word);
	ethtool_line(a, "C", knob_channel_mask(CHANNEL_COALESCE) & ~adaptive, knob_word);
	ethtool_line(a, "G", knob_channel_mask(CHANNEL_RINGS), ring_word);
	/* deferral begins with the timeout, when the count already stands; it ends with the timeout too */
	if (knob_has(&a->advised, KNOB_GRO_FLUSH_TIMEOUT) && a->advised.value[KNOB_GRO_FLUSH_TIMEOUT]) {
		sysfs_line(a, KNOB_NAPI_DEFER_HARD_IRQS, "napi_defer_hard_irqs");
		sysfs_line(a, KNOB_GRO_FLUSH_TIMEOUT, "gro_flush_timeout");
	} else {
		sysfs_line(a, KNOB_GRO_FLUSH_TIMEOUT, "gro_flush_timeout");
		sysfs_line(a, KNOB_NAPI_DEFER_HARD_IRQS, "napi_defer_hard_irqs");
	}
}

void advice_policy(const struct advice *a, const struct policy *p)
{
	char text[40];

	format_comment(a);
	printf("[match]\nname = %s\n\n[policy]\nmode = %s\nmax-latency = %s\nmechanism = %s\nrings = keep\n",
	       a->nic.name, mode_table[p->mode].name,
	       units_format_time(text, sizeof(text), units_usecs_to_ns(policy_cap_usecs(p))),
	       mechanism_name(p->mechanism));
	if (!a->advised.have)
		return;
	puts("\n# Fixed values pin these knobs; without this section ethtuned follows the load.\n[limits]");
	for (int k = 0; k < KNOB_COUNT; k++)
		if (knob_has(&a->advised, k))
			printf("%s = %s\n", knob_table[k].name,
			       knob_format(k, a->advised.value[k], text, sizeof(text)));
}
