// SPDX-License-Identifier: GPL-2.0-or-later
/* metrics-text: see metrics-text.h. The forms differ in the name of a counter's family, in units, in how help is
 * escaped and in the last line. */
#include "daemon/metrics-text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "daemon/utf8.h"

#define PREFIX "ethtuned_"

const char *const metrics_content_types[METRICS_FORMAT_COUNT] = {
	[METRICS_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
	[METRICS_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/* ---- which form */

/* The value of a parameter of one element, "" when there is none. */
static void parameter(const char *element, const char *name, char *buf, size_t size)
{
	size_t len = strlen(name);

	buf[0] = 0;
	for (const char *p = strchr(element, ';'); p; p = strchr(p, ';')) {
		p += 1 + strspn(p + 1, " \t");
		if (!strncasecmp(p, name, len) && p[len] == '=')
			snprintf(buf, size, "%.*s", (int)strcspn(p + len + 1, "; \t"), p + len + 1);
	}
}

static bool is_type(const char *element, const char *type)
{
	size_t len = strlen(type);

	return !strncasecmp(element, type, len) && strchr("; \t", element[len]);
}

enum metrics_format metrics_accept(const char *accept)
{
	double best[METRICS_FORMAT_COUNT] = { 0 };

	while (accept && *accept) {
		size_t len = strcspn(accept, ",");
		char element[256], q[16], version[16];
		double weight;

		accept += strspn(accept, " \t");
		len = strcspn(accept, ",");
		snprintf(element, sizeof(element), "%.*s", (int)(len < sizeof(element) ? len : 0), accept);
		accept += len + (accept[len] == ',');
		parameter(element, "q", q, sizeof(q));
		parameter(element, "version", version, sizeof(version));
		weight = q[0] ? strtod(q, NULL) : 1;
		if (is_type(element, "application/openmetrics-text") && (!version[0] || !strcmp(version, "1.0.0")) &&
		    weight > best[METRICS_OPENMETRICS])
			best[METRICS_OPENMETRICS] = weight;
		if ((is_type(element, "text/plain") || is_type(element, "text/*") || is_type(element, "*/*")) &&
		    weight > best[METRICS_TEXT])
			best[METRICS_TEXT] = weight;
	}
	return best[METRICS_OPENMETRICS] > 0 && best[METRICS_OPENMETRICS] >= best[METRICS_TEXT] ? METRICS_OPENMETRICS
												: METRICS_TEXT;
}

/* ---- families */

void metrics_begin(struct metrics_text *t, const struct metric_family *f)
{
	t->family = *f;
	t->headed = false;
}

static const char *suffix(enum metric_type type)
{
	switch (type) {
	case METRIC_COUNTER:
		return "_total";
	case METRIC_INFO:
		return "_info";
	case METRIC_GAUGE:
	case METRIC_HISTOGRAM:
		return "";
	}
	return "";
}

static const char *type_word(const struct metrics_text *t)
{
	switch (t->family.type) {
	case METRIC_COUNTER:
		return "counter";
	case METRIC_INFO:
		return t->format == METRICS_OPENMETRICS ? "info" : "gauge";
	case METRIC_GAUGE:
		return "gauge";
	case METRIC_HISTOGRAM:
		return "histogram";
	}
	return "unknown";
}

static void escape(struct metrics_buf *b, const char *text, const char *special)
{
	while (*text) {
		size_t plain = strcspn(text, special);

		metrics_buf_add(b, text, plain);
		text += plain;
		if (!*text)
			return;
		metrics_buf_add(b, *text == '\n' ? "\\n" : *text == '"' ? "\\\"" : "\\\\", 2);
		text++;
	}
}

/* Names of devices may hold any byte but these forms are UTF-8: others are replaced one by one. */
static void label_value(struct metrics_buf *b, const char *p)
{
	while (*p) {
		size_t n = utf8_length(p);

		if (!n)
			metrics_buf_puts(b, UTF8_REPLACEMENT);
		else if (n == 1 && strchr("\\\n\"", *p))
			escape(b, (const char[]){ *p, 0 }, "\\\n\"");
		else
			metrics_buf_add(b, p, n);
		p += n ? n : 1;
	}
}

static void head(struct metrics_text *t)
{
	const struct metric_family *f = &t->family;
	bool open = t->format == METRICS_OPENMETRICS;
	const char *end = open ? "" : suffix(f->type);

	if (t->headed)
		return;
	t->headed = true;
	metrics_buf_printf(&t->buf, "# HELP " PREFIX "%s%s ", f->name, end);
	escape(&t->buf, f->help, open ? "\\\n\"" : "\\\n");
	metrics_buf_printf(&t->buf, "\n# TYPE " PREFIX "%s%s %s\n", f->name, end, type_word(t));
	if (open && f->unit[0])
		metrics_buf_printf(&t->buf, "# UNIT " PREFIX "%s %s\n", f->name, f->unit);
}

/* ---- samples */

static void series(struct metrics_text *t, const char *end, va_list labels)
{
	const char *name = va_arg(labels, const char *);

	head(t);
	metrics_buf_puts(&t->buf, PREFIX);
	metrics_buf_puts(&t->buf, t->family.name);
	metrics_buf_puts(&t->buf, end);
	for (char open = '{'; name; open = ',') {
		const char *value = va_arg(labels, const char *);

		metrics_buf_add(&t->buf, &open, 1);
		metrics_buf_puts(&t->buf, name);
		metrics_buf_puts(&t->buf, "=\"");
		label_value(&t->buf, value);
		metrics_buf_puts(&t->buf, "\"");
		name = va_arg(labels, const char *);
		if (!name)
			metrics_buf_puts(&t->buf, "}");
	}
}

/* The shortest that reads back as the same. */
static void number(struct metrics_buf *b, double value)
{
	char text[32];

	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	metrics_buf_printf(b, " %s\n", text);
}

void metrics_u64(struct metrics_text *t, uint64_t value, ...)
{
	va_list labels;

	va_start(labels, value);
	series(t, suffix(t->family.type), labels);
	va_end(labels);
	metrics_buf_printf(&t->buf, " %" PRIu64 "\n", value);
}

void metrics_double(struct metrics_text *t, double value, ...)
{
	va_list labels;

	va_start(labels, value);
	series(t, suffix(t->family.type), labels);
	va_end(labels);
	number(&t->buf, value);
}

void metrics_buckets(struct metrics_text *t, const double *bounds, const uint64_t *counts, unsigned n, double sum)
{
	uint64_t total = 0;

	head(t);
	for (unsigned i = 0; i <= n; i++) {
		total += counts[i];
		if (i < n)
			metrics_buf_printf(&t->buf, PREFIX "%s_bucket{le=\"%g\"} %" PRIu64 "\n", t->family.name,
					   bounds[i], total);
		else
			metrics_buf_printf(&t->buf, PREFIX "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n", t->family.name,
					   total);
	}
	metrics_buf_printf(&t->buf, PREFIX "%s_sum", t->family.name);
	number(&t->buf, sum);
	metrics_buf_printf(&t->buf, PREFIX "%s_count %" PRIu64 "\n", t->family.name, total);
}

void metrics_end(struct metrics_text *t)
{
	if (t->format == METRICS_OPENMETRICS)
		metrics_buf_puts(&t->buf, "# EOF\n");
}
