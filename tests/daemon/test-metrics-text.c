// SPDX-License-Identifier: GPL-2.0-or-later
/* metrics-text: the two forms, byte by byte. */
#include <string.h>

#include "../core/suite.h"
#include "daemon/metrics-text.h"

static struct metrics_text t;

static void begin(enum metrics_format format, const char *name, enum metric_type type, const char *unit,
		  const char *help)
{
	struct metric_family f = { name, unit, help, type };

	metrics_buf_free(&t.buf);
	t = (struct metrics_text){ .format = format };
	metrics_begin(&t, &f);
}

static void expect(const char *want)
{
	metrics_end(&t);
	ck_assert_str_eq(t.buf.text ? t.buf.text : "", want);
	ck_assert_uint_eq(t.buf.len, strlen(want));
	metrics_buf_free(&t.buf);
}

START_TEST(counters)
{
	begin(METRICS_TEXT, "polls", METRIC_COUNTER, "", "Polls.");
	metrics_u64(&t, 5, "device", "eth0", NULL);
	metrics_u64(&t, UINT64_MAX, "device", "eth1", "cause", "x", NULL);
	expect("# HELP ethtuned_polls_total Polls.\n# TYPE ethtuned_polls_total counter\n"
	       "ethtuned_polls_total{device=\"eth0\"} 5\n"
	       "ethtuned_polls_total{device=\"eth1\",cause=\"x\"} 18446744073709551615\n");
	begin(METRICS_OPENMETRICS, "bytes", METRIC_COUNTER, "bytes", "Bytes.");
	metrics_u64(&t, 5, NULL);
	expect("# HELP ethtuned_bytes Bytes.\n# TYPE ethtuned_bytes counter\n# UNIT ethtuned_bytes bytes\n"
	       "ethtuned_bytes_total 5\n# EOF\n");
}
END_TEST

START_TEST(info)
{
	begin(METRICS_TEXT, "build", METRIC_INFO, "", "V.");
	metrics_u64(&t, 1, "version", "1", NULL);
	expect("# HELP ethtuned_build_info V.\n# TYPE ethtuned_build_info gauge\n"
	       "ethtuned_build_info{version=\"1\"} 1\n");
	begin(METRICS_OPENMETRICS, "build", METRIC_INFO, "", "V.");
	metrics_u64(&t, 1, "version", "1", NULL);
	expect("# HELP ethtuned_build V.\n# TYPE ethtuned_build info\n"
	       "ethtuned_build_info{version=\"1\"} 1\n# EOF\n");
}
END_TEST

START_TEST(histogram)
{
	static const double bounds[] = { 0.001, 0.5 };
	static const uint64_t counts[] = { 3, 2, 1 };

	begin(METRICS_TEXT, "t_seconds", METRIC_HISTOGRAM, "seconds", "T.");
	metrics_buckets(&t, bounds, counts, 2, 1.5);
	expect("# HELP ethtuned_t_seconds T.\n# TYPE ethtuned_t_seconds histogram\n"
	       "ethtuned_t_seconds_bucket{le=\"0.001\"} 3\nethtuned_t_seconds_bucket{le=\"0.5\"} 5\n"
	       "ethtuned_t_seconds_bucket{le=\"+Inf\"} 6\nethtuned_t_seconds_sum 1.5\nethtuned_t_seconds_count 6\n");
}
END_TEST

START_TEST(numbers_read_back_the_same)
{
	begin(METRICS_TEXT, "x", METRIC_GAUGE, "", "X.");
	metrics_double(&t, 0.00005, NULL);
	metrics_double(&t, 1.0 / 3, NULL);
	metrics_double(&t, 0, NULL);
	metrics_double(&t, 1796075439.712, NULL);
	expect("# HELP ethtuned_x X.\n# TYPE ethtuned_x gauge\nethtuned_x 5e-05\nethtuned_x 0.3333333333333333\n"
	       "ethtuned_x 0\nethtuned_x 1796075439.712\n");
}
END_TEST

START_TEST(without_samples_nothing_is_said)
{
	begin(METRICS_TEXT, "x", METRIC_GAUGE, "", "X.");
	expect("");
	begin(METRICS_OPENMETRICS, "x", METRIC_GAUGE, "", "X.");
	expect("# EOF\n");
}
END_TEST

START_TEST(labels_are_escaped)
{
	begin(METRICS_TEXT, "x", METRIC_GAUGE, "", "X.");
	metrics_u64(&t, 1, "a", "q\"b\\n\nend", "b", "", "c", "{},= é€𝄞", NULL);
	expect("# HELP ethtuned_x X.\n# TYPE ethtuned_x gauge\n"
	       "ethtuned_x{a=\"q\\\"b\\\\n\\nend\",b=\"\",c=\"{},= é€𝄞\"} 1\n");
}
END_TEST

/* A name of a device may be any bytes, but one that is not UTF-8 spoils the whole scrape. */
START_TEST(what_is_not_utf8_is_replaced)
{
	static const char *const broken[] = { "\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
					      "\xe2\x82" };
	static const char bad[] = "\xef\xbf\xbd";

	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		char want[256] = "# HELP ethtuned_x X.\n# TYPE ethtuned_x gauge\nethtuned_x{a=\"";
		char value[16] = "";

		strcat(strcat(value, broken[i]), "z\"");
		for (size_t j = 0; j < strlen(broken[i]); j++)
			strcat(want, bad);
		begin(METRICS_TEXT, "x", METRIC_GAUGE, "", "X.");
		metrics_u64(&t, 1, "a", value, NULL);
		expect(strcat(want, "z\\\"\"} 1\n"));
	}
}
END_TEST

START_TEST(help_is_escaped)
{
	begin(METRICS_TEXT, "x", METRIC_GAUGE, "", "a\\b\n\"c\"");
	metrics_u64(&t, 1, NULL);
	expect("# HELP ethtuned_x a\\\\b\\n\"c\"\n# TYPE ethtuned_x gauge\nethtuned_x 1\n");
	begin(METRICS_OPENMETRICS, "x", METRIC_GAUGE, "", "a\\b\n\"c\"");
	metrics_u64(&t, 1, NULL);
	expect("# HELP ethtuned_x a\\\\b\\n\\\"c\\\"\n# TYPE ethtuned_x gauge\nethtuned_x 1\n# EOF\n");
}
END_TEST

START_TEST(accept_header)
{
	static const struct {
		const char *accept;
		enum metrics_format want;
	} cases[] = {
		{ NULL, METRICS_TEXT },
		{ "", METRICS_TEXT },
		{ "*/*", METRICS_TEXT },
		{ "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", METRICS_TEXT },
		{ "application/openmetrics-text", METRICS_OPENMETRICS },
		{ "application/openmetrics-text; version=1.0.0; charset=utf-8", METRICS_OPENMETRICS },
		/* Prometheus 2.42 */
		{ "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
		  "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", METRICS_OPENMETRICS },
		{ "application/openmetrics-text;version=0.0.1", METRICS_TEXT },
		{ "application/openmetrics-text;version=2.0.0", METRICS_TEXT },
		{ "application/openmetrics-text;q=0.3,text/plain;q=0.5", METRICS_TEXT },
		{ "application/openmetrics-text;q=0", METRICS_TEXT },
		{ "application/openmetrics-textual", METRICS_TEXT },
		{ "APPLICATION/OpenMetrics-Text ; Q=0.9 , text/plain;q=0.8", METRICS_OPENMETRICS },
		{ ",,;;=,q=", METRICS_TEXT },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(metrics_accept(cases[i].accept) == cases[i].want, "%s", cases[i].accept);
}
END_TEST

START_TEST(html_is_escaped)
{
	struct metrics_buf b = { 0 };

	metrics_buf_html(&b, "<a href='x'>&\"</a>");
	ck_assert_str_eq(b.text, "&#60;a href=&#39;x&#39;&#62;&#38;&#34;&#60;/a&#62;");
	metrics_buf_free(&b);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		counters,
		info,
		histogram,
		numbers_read_back_the_same,
		without_samples_nothing_is_said,
		labels_are_escaped,
		what_is_not_utf8_is_replaced,
		help_is_escaped,
		accept_header,
		html_is_escaped,
	};

	return SUITE_RUN("metrics-text", tests);
}
