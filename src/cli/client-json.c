// SPDX-License-Identifier: GPL-2.0-or-later
/* client-json: messages of the bus as JSON, and the words and numbers in it. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/print.h"
#include "core/line.h"

/* "MaxLatencyUsecs" -> "max_latency_usecs"; others, such as names of interfaces, stay. */
static const char *snake(const char *word, char *buf, size_t size)
{
	size_t n = 0;

	if (!isupper((unsigned char)word[0]))
		return word;
	for (; *word && n + 2 < size; word++) {
		if (isupper((unsigned char)*word) && n)
			buf[n++] = '_';
		buf[n++] = (char)tolower((unsigned char)*word);
	}
	buf[n] = 0;
	return buf;
}

static int read_basic(sd_bus_message *m, char type, json_object **ret)
{
	union {
		const char *s;
		uint8_t y;
		int16_t n;
		uint16_t q;
		int32_t i;
		uint32_t u;
		int64_t x;
		uint64_t t;
		double d;
		int b;
	} v;
	int r = sd_bus_message_read_basic(m, type, &v);

	if (r < 0)
		return r;
	switch (type) {
	case 's':
	case 'o':
	case 'g': *ret = json_object_new_string(v.s); return 0;
	case 'b': *ret = json_object_new_boolean(v.b); return 0;
	case 'd': *ret = json_number(v.d); return 0;
	case 'i': *ret = json_object_new_int64(v.i); return 0;
	case 'u': *ret = json_object_new_int64(v.u); return 0;
	case 't': *ret = json_object_new_uint64(v.t); return 0;
	}
	return -EOPNOTSUPP; /* the daemon has no other types */
}

static int read_dict(sd_bus_message *m, const char *entry, json_object **ret)
{
	char types[64], word[64];
	json_object *o = json_object_new_object(), *value = NULL;
	int r = 0;

	/* "{sv}" -> "sv" */
	snprintf(types, sizeof(types), "%.*s", (int)strlen(entry) - 2, entry + 1);
	while (r >= 0 && (r = sd_bus_message_enter_container(m, 'e', types)) > 0) {
		const char *key;

		r = sd_bus_message_read_basic(m, types[0], &key);
		if (r >= 0)
			r = client_json(m, &value);
		if (r >= 0) {
			json_object_object_add(o, snake(key, word, sizeof(word)), value);
			r = sd_bus_message_exit_container(m);
		}
	}
	if (r < 0) {
		json_object_put(o);
		return r;
	}
	*ret = o;
	return 0;
}

static int read_list(sd_bus_message *m, json_object **ret)
{
	json_object *a = json_object_new_array(), *value = NULL;
	int r = 0;

	while (r >= 0 && (r = sd_bus_message_at_end(m, false)) == 0) {
		r = client_json(m, &value);
		if (r >= 0)
			json_object_array_add(a, value);
	}
	if (r < 0) {
		json_object_put(a);
		return r;
	}
	*ret = a;
	return 0;
}

int client_json(sd_bus_message *m, json_object **ret)
{
	const char *contents;
	char type;
	int r = sd_bus_message_peek_type(m, &type, &contents);

	if (r <= 0)
		return r < 0 ? r : -ENODATA;
	if (!contents)
		return read_basic(m, type, ret);
	r = sd_bus_message_enter_container(m, type, contents);
	if (r < 0)
		return r;
	if (type == 'v')
		r = client_json(m, ret);
	else if (type == 'a' && contents[0] == '{')
		r = read_dict(m, contents, ret);
	else
		r = read_list(m, ret);
	if (r < 0)
		return r;
	r = sd_bus_message_exit_container(m);
	return r < 0 ? r : 0;
}

static void fill_knobs(json_object *nic, const char *key)
{
	json_object *knobs, *v, *o = json_object_new_object();

	if (!json_object_object_get_ex(nic, key, &knobs))
		knobs = NULL;
	for (int k = 0; k < KNOB_COUNT; k++) {
		json_object *value = NULL;

		if (knobs && json_object_object_get_ex(knobs, knob_table[k].json, &v))
			value = knob_table[k].type == KNOB_TYPE_BOOL ? json_object_new_boolean(json_object_get_int(v))
								     : json_object_get(v);
		json_object_object_add(o, knob_table[k].json, value);
	}
	json_object_object_add(nic, key, o);
}

static const char *const rate_keys[] = {
	"rx_packets_per_second", "tx_packets_per_second", "rx_bytes_per_second",   "tx_bytes_per_second",
	"interrupts_per_second", "polls_per_second",	  "ring_drops_per_second", "softirq_cpu_ratio",
	"busiest_cpu_ratio",	 "rx_interval_usecs",	  "tx_interval_usecs",	   "packets_per_poll",
};

static void fill_rates(json_object *nic)
{
	json_object *rates, *v;

	if (!json_object_object_get_ex(nic, "rates", &rates))
		json_object_object_add(nic, "rates", rates = json_object_new_object());
	for (size_t i = 0; i < sizeof(rate_keys) / sizeof(rate_keys[0]); i++)
		if (!json_object_object_get_ex(rates, rate_keys[i], &v))
			json_object_object_add(rates, rate_keys[i], NULL);
}

void client_json_nic(json_object *nic)
{
	static const char *const zero_is_unknown[] = { "speed_mbps", "control_until_usec" };

	json_object_object_foreach(nic, key, value)
	{
		if (json_object_is_type(value, json_type_string) && !json_object_get_string_len(value))
			json_object_object_add(nic, key, NULL);
	}
	for (size_t i = 0; i < 2; i++)
		if (nic_number(nic, zero_is_unknown[i]) <= 0)
			json_object_object_add(nic, zero_is_unknown[i], NULL);
	fill_knobs(nic, "knobs");
	fill_knobs(nic, "originals");
	fill_rates(nic);
}

const char *nic_word(json_object *nic, const char *key)
{
	json_object *v;

	return json_object_object_get_ex(nic, key, &v) && v ? json_object_get_string(v) : "";
}

double nic_number(json_object *nic, const char *key)
{
	json_object *v;

	return json_object_object_get_ex(nic, key, &v) && v ? json_object_get_double(v) : -1;
}

double nic_rate(json_object *nic, const char *key)
{
	json_object *rates;

	return json_object_object_get_ex(nic, "rates", &rates) ? nic_number(rates, key) : -1;
}

const char *nic_knobs(json_object *nic, const char *key, char *buf, size_t size)
{
	json_object *knobs, *v;
	char text[40];
	struct line l = { buf, size, 0 };

	buf[0] = 0;
	if (!json_object_object_get_ex(nic, key, &knobs))
		return buf;
	for (int k = 0; k < KNOB_COUNT; k++)
		if (json_object_object_get_ex(knobs, knob_table[k].json, &v) && v)
			line_add(&l, "%s%s %s", l.n ? ", " : "", knob_table[k].name,
				 print_knob(k, (uint64_t)json_object_get_int64(v), text, sizeof(text)));
	return buf;
}

const char *nic_state(json_object *nic)
{
	const char *control = nic_word(nic, "control");

	return strcmp(control, "paused") && strcmp(control, "restored") ? nic_word(nic, "state") : control;
}
