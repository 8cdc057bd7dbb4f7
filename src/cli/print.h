// SPDX-License-Identifier: GPL-2.0-or-later
/* print: text tables and JSON. Knobs come out of the knob table; what is not supported is null and never 0. */
#pragma once
#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/knob.h"
#include "core/nic.h"

/* A table whose columns are as wide as their widest cell; the first row is the head. Cells are copied. */
struct table {
	char **cells;
	size_t n, size, columns;
};
void table_init(struct table *t, size_t columns);
__attribute__((format(printf, 2, 3))) void table_add(struct table *t, const char *format, ...); /* one more cell */
void table_end(struct table *t, bool print, const char *indent); /* prints it or not, and frees it */

/* "50.1k", "3", "1.25M"; "-" for less than 0. Returns buf. */
const char *print_rate(double per_second, char *buf, size_t size);
/* With its unit: "50 us", "on", "100000 ns". Returns buf. */
const char *print_knob(enum knob k, uint64_t v, char *buf, size_t size);
const char *print_speed(uint32_t mbps, char *buf, size_t size); /* "10 Gb/s", "unknown" */
const char *print_link(const struct nic_info *nic);		/* "up", "no carrier", "down" */

/* What kinds of tuning a device offers, as bits in the order of print_tunable_names. */
#define PRINT_TUNABLES 5
extern const char *const print_tunable_names[PRINT_TUNABLES];
unsigned print_tunables(const struct nic_caps *caps);

/* A number without the noise of binary fractions; null below 0 with `json_known`. */
json_object *json_number(double v);
json_object *json_known(double v);
json_object *json_word(const char *text); /* null for NULL and "" */
/* {"rx_usecs": 50, "rx_frames": null, ...}: every knob. */
json_object *json_knobs(const struct knob_set *s);
json_object *json_knob(const struct knob_set *s, enum knob k);
json_object *json_nic(const struct nic_info *nic); /* name, driver, link, speed, queues */
void json_end(json_object *o, bool print);	   /* prints it or not, and frees it */
