// SPDX-License-Identifier: GPL-2.0-or-later
/* print: see print.h. */
#include "cli/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void table_init(struct table *t, size_t columns)
{
	*t = (struct table){ .columns = columns };
}

void table_add(struct table *t, const char *format, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (t->n == t->size) {
		size_t size = t->size ? 2 * t->size : 64;
		char **p = realloc(t->cells, size * sizeof(*p));

		if (!p)
			return;
		t->cells = p;
		t->size = size;
	}
	t->cells[t->n++] = strdup(text);
}

static const char *cell(const struct table *t, size_t i)
{
	return i < t->n && t->cells[i] ? t->cells[i] : "";
}

static void table_print(const struct table *t, const char *indent)
{
	size_t width[16] = { 0 };

	for (size_t i = 0; i < t->n; i++)
		if (strlen(cell(t, i)) > width[i % t->columns])
			width[i % t->columns] = strlen(cell(t, i));
	for (size_t i = 0; i < t->n; i += t->columns) {
		fputs(indent, stdout);
		for (size_t c = 0; c < t->columns; c++) {
			if (c + 1 < t->columns)
				printf("%-*s  ", (int)width[c], cell(t, i + c));
			else
				printf("%s\n", cell(t, i + c)); /* no blanks at the end of a line */
		}
	}
}

void table_end(struct table *t, bool print, const char *indent)
{
	if (print)
		table_print(t, indent);
	for (size_t i = 0; i < t->n; i++)
		free(t->cells[i]);
	free(t->cells);
	table_init(t, t->columns);
}

const char *print_rate(double v, char *buf, size_t size)
{
	if (v < 0)
		snprintf(buf, size, "-");
	else if (v >= 999950)
		snprintf(buf, size, "%.2fM", v / 1e6);
	else if (v >= 999.5)
		snprintf(buf, size, "%.1fk", v / 1e3);
	else
		snprintf(buf, size, "%.0f", v);
	return buf;
}

const char *print_knob(enum knob k, uint64_t v, char *buf, size_t size)
{
	static const char *const units[] = {
		[UNIT_USEC] = " us", [UNIT_NSEC] = " ns", [UNIT_FRAMES] = "",
		[UNIT_ENTRIES] = "", [UNIT_COUNT] = "",	  [UNIT_SWITCH] = "",
	};
	char number[32];

	snprintf(buf, size, "%s%s", knob_format(k, v, number, sizeof(number)), units[knob_table[k].unit]);
	return buf;
}

const char *print_speed(uint32_t mbps, char *buf, size_t size)
{
	if (!mbps)
		snprintf(buf, size, "unknown");
	else if (mbps >= 1000)
		snprintf(buf, size, "%g Gb/s", mbps / 1000.0);
	else
		snprintf(buf, size, "%" PRIu32 " Mb/s", mbps);
	return buf;
}

const char *print_link(const struct nic_info *nic)
{
	if (!nic->up)
		return "down";
	return nic->carrier ? "up" : "no carrier";
}

const char *const print_tunable_names[PRINT_TUNABLES] = { "hardware", "per-queue", "software", "adaptive", "rings" };

unsigned print_tunables(const struct nic_caps *caps)
{
	uint32_t adaptive = KNOB_BIT(KNOB_ADAPTIVE_RX) | KNOB_BIT(KNOB_ADAPTIVE_TX), can = caps->knobs.settable;
	bool has[PRINT_TUNABLES] = {
		can & knob_channel_mask(CHANNEL_COALESCE) & ~adaptive,
		caps->per_queue,
		caps->napi_path != NAPI_NONE && (can & knob_channel_mask(CHANNEL_NAPI)),
		can & adaptive,
		can & knob_channel_mask(CHANNEL_RINGS),
	};
	unsigned bits = 0;

	for (unsigned i = 0; i < PRINT_TUNABLES; i++)
		bits |= (unsigned)has[i] << i;
	return bits;
}

json_object *json_number(double v)
{
	char text[40];

	if (!isfinite(v))
		return NULL;
	if (v == floor(v) && fabs(v) < 1e15)
		return json_object_new_int64((int64_t)v);
	snprintf(text, sizeof(text), "%.6g", v);
	return json_object_new_double_s(v, text);
}

json_object *json_known(double v)
{
	return v < 0 ? NULL : json_number(v);
}

json_object *json_word(const char *text)
{
	return text && text[0] ? json_object_new_string(text) : NULL;
}

json_object *json_knob(const struct knob_set *s, enum knob k)
{
	if (!knob_has(s, k))
		return NULL;
	if (knob_table[k].type == KNOB_TYPE_BOOL)
		return json_object_new_boolean(s->value[k] != 0);
	return json_object_new_uint64(s->value[k]);
}

json_object *json_knobs(const struct knob_set *s)
{
	json_object *o = json_object_new_object();

	for (int k = 0; k < KNOB_COUNT; k++)
		json_object_object_add(o, knob_table[k].json, json_knob(s, k));
	return o;
}

json_object *json_nic(const struct nic_info *nic)
{
	json_object *o = json_object_new_object();

	json_object_object_add(o, "name", json_object_new_string(nic->name));
	json_object_object_add(o, "driver", json_word(nic->driver));
	json_object_object_add(o, "link", json_object_new_string(print_link(nic)));
	json_object_object_add(o, "speed_mbps", nic->speed_mbps ? json_number(nic->speed_mbps) : NULL);
	json_object_object_add(o, "rx_queues", nic->rx_queues ? json_number(nic->rx_queues) : NULL);
	json_object_object_add(o, "tx_queues", nic->tx_queues ? json_number(nic->tx_queues) : NULL);
	return o;
}

void json_end(json_object *o, bool print)
{
	if (print)
		puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
							       JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
}
