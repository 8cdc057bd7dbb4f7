// SPDX-License-Identifier: GPL-2.0-or-later
/* metrics: what the rows make of a fleet, and what that costs. `test-metrics --print text|openmetrics` writes a made-up
 * exposition that has every family, for tests with the real readers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../core/suite.h"
#include "daemon/metrics.h"
#include "madeup.h"

static struct madeup m;

static bool line(const char *text, const char *want)
{
	const char *p = strstr(text, want);
	size_t n = strlen(want);

	return p && (p == text || p[-1] == '\n') && p[n] == '\n';
}

static void expect_lines(const char *text, const char *const *want, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(line(text, want[i]), "not there: %s\n%s", want[i], text);
}

START_TEST(what_is_there)
{
	static const char *const want[] = {
		"ethtuned_ticks_missed_total 7",
		"ethtuned_start_time_seconds 1700000000.5",
		"ethtuned_tick_duration_seconds_bucket{le=\"0.002\"} 8",
		"ethtuned_tick_duration_seconds_count 9",
		"ethtuned_interfaces{state=\"active\"} 1",
		"ethtuned_interfaces{state=\"untunable\"} 1",
		"ethtuned_interfaces{state=\"safe\"} 0",
		"ethtuned_cpu_softirq_ratio{cpu=\"3\"} 0.3",
		"ethtuned_device_info{device=\"eth0\",driver=\"made_up\",policy=\"built-in\",mode=\"balanced\","
		"mechanism=\"hardware\"} 1",
		"ethtuned_controller_state{device=\"eth0\",state=\"active\"} 1",
		"ethtuned_controller_state{device=\"eth0\",state=\"yielded\"} 0",
		"ethtuned_controller_state{device=\"dummy2\",state=\"untunable\"} 1",
		"ethtuned_override_active{device=\"eth0\"} 0",
		"ethtuned_override_active{device=\"veth1\"} 1",
		"ethtuned_bottleneck{device=\"eth0\",class=\"interrupt-bound\"} 1",
		"ethtuned_bottleneck{device=\"eth0\",class=\"idle\"} 0",
		"ethtuned_packets_total{device=\"eth0\",direction=\"receive\"} 2000",
		"ethtuned_bytes_total{device=\"eth0\",direction=\"transmit\"} 100000",
		"ethtuned_dropped_packets_total{device=\"eth0\",cause=\"ring\"} 12",
		"ethtuned_dropped_packets_total{device=\"eth0\",cause=\"rx_missed\"} 4",
		"ethtuned_interrupts_total{device=\"eth0\"} 200",
		"ethtuned_polls_total{device=\"eth0\"} 220",
		"ethtuned_empty_polls_total{device=\"eth0\"} 20",
		"ethtuned_latency_cap_seconds{device=\"eth0\"} 0.0001",
		"ethtuned_cpu_target_ratio{device=\"eth0\"} 0.4",
		"ethtuned_changes_total{device=\"eth0\",knob=\"rx-usecs\",reason=\"law\"} 1",
		"ethtuned_rollbacks_total{device=\"eth0\"} 1",
		"ethtuned_apply_errors_total{device=\"eth0\",errno=\"EOPNOTSUPP\"} 1",
		"ethtuned_skipped_intervals_total{device=\"eth0\",reason=\"reset\"} 1",
		"ethtuned_coalesce_rx_seconds{device=\"eth0\"} 5e-05",
		"ethtuned_coalesce_rx_frames{device=\"eth0\"} 50",
		"ethtuned_coalesce_adaptive_rx{device=\"eth0\"} 0",
		"ethtuned_gro_flush_timeout_seconds{device=\"eth0\"} 5e-08",
		"ethtuned_ring_rx_entries{device=\"eth0\"} 50",
	};
	char *text;

	madeup_open(&m, 4, false);
	text = madeup_text(&m, METRICS_TEXT);
	expect_lines(text, want, sizeof(want) / sizeof(want[0]));
	free(text);
	madeup_close(&m);
}
END_TEST

START_TEST(what_is_missing_has_no_sample)
{
	static const char *const never[] = {
		"ethtuned_packets_total{device=\"veth1\"", "ethtuned_interrupts_total{device=\"veth1\"",
		"ethtuned_polls_total{device=\"veth1\"",   "ethtuned_coalesce_rx_seconds{device=\"veth1\"",
		"ethtuned_bottleneck{device=\"veth1\"",	   "ethtuned_added_latency_seconds{device=\"veth1\"",
		"ethtuned_cpu_target_ratio{device=\"v",	   "ethtuned_busiest_cpu_softirq_ratio{device=\"v",
		"ethtuned_cpu_softirq_ratio{cpu=\"2\"",	   "{device=\"dummy2\",state=\"active\"}",
		"ethtuned_override_active{device=\"dummy", "ethtuned_queue_",
	};
	char *text;

	madeup_open(&m, 4, false);
	text = madeup_text(&m, METRICS_TEXT);
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		ck_assert_msg(!strstr(text, never[i]), "%s", never[i]);
	free(text);
	madeup_close(&m);
}
END_TEST

START_TEST(a_source_that_went_away_goes)
{
	struct metrics_buf buf;

	madeup_open(&m, 4, false);
	ck_assert_int_eq(
		metrics_collect(&m.self, &m.fleet, METRICS_TEXT, MADEUP_NOW + 60 * NSEC_PER_SEC, &buf), 0);
	ck_assert(!strstr(buf.text, "ethtuned_packets_total"));
	ck_assert(!strstr(buf.text, "ethtuned_interrupts_total"));
	ck_assert(!strstr(buf.text, "ethtuned_cpu_softirq_ratio"));
	ck_assert(line(buf.text, "ethtuned_rollbacks_total{device=\"eth0\"} 1"));
	metrics_buf_free(&buf);
	madeup_close(&m);
}
END_TEST

/* The CPUs are those of the machine: which interface has their numbers does not matter. */
START_TEST(cpus_are_known_from_any_interface)
{
	char path[] = "/tmp/test-metrics.XXXXXX", text[65536] = "";
	struct metrics *x;
	struct target *t;
	FILE *f;

	madeup_open(&m, 4, false);
	ck_assert_ptr_nonnull(mkdtemp(path));
	m.config.settings.listen[0] = 0;
	snprintf(m.config.settings.textfile, sizeof(m.config.settings.textfile), "%s/x.prom", path);
	/* the first one's numbers were read long ago and are never read again */
	for (int i = 0; i < 2; i++)
		m.fleet.members.v[0]->target->samples[i].now -= 500 * NSEC_PER_SEC;
	x = metrics_open(NULL, &m.fleet);
	ck_assert_ptr_nonnull(x);
	metrics_ticked(x, MADEUP_NOW, MADEUP_NOW, NSEC_PER_SEC);
	t = m.fleet.members.v[1]->target;
	memcpy(t->samples, m.fleet.members.v[0]->target->samples, sizeof(t->samples));
	for (int i = 0; i < 2; i++)
		t->samples[i].now += 500 * NSEC_PER_SEC;
	t->flip = 1;
	t->have_previous = true;
	metrics_ticked(x, MADEUP_NOW, MADEUP_NOW, NSEC_PER_SEC);
	strcpy(m.config.settings.textfile + strlen(path), "/y.prom");
	metrics_ticked(x, MADEUP_NOW, MADEUP_NOW, NSEC_PER_SEC);
	f = fopen(m.config.settings.textfile, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_gt(fread(text, 1, sizeof(text) - 1, f), 0);
	fclose(f);
	metrics_close(x);
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert_ptr_nonnull(strstr(text, "\nethtuned_cpu_softirq_ratio{cpu=\"3\"} 0.3\n"));
	madeup_close(&m);
}
END_TEST

START_TEST(adaptive_delay_is_not_known)
{
	struct knob_set *k;

	madeup_open(&m, 4, false);
	m.fleet.members.v[0]->target->queues.knobs = 0;
	k = &m.fleet.members.v[0]->target->apply.current;
	ck_assert_double_eq_tol(metrics_added_latency(m.fleet.members.v[0], QUEUE_RX), 50.05e-6, 1e-12);
	knob_put(k, KNOB_NAPI_DEFER_HARD_IRQS, 0);
	ck_assert_double_eq_tol(metrics_added_latency(m.fleet.members.v[0], QUEUE_RX), 50e-6, 1e-12);
	knob_put(k, KNOB_ADAPTIVE_RX, 1);
	ck_assert_double_lt(metrics_added_latency(m.fleet.members.v[0], QUEUE_RX), 0);
	madeup_close(&m);
}
END_TEST

START_TEST(queues_on_request)
{
	char *text;

	madeup_open(&m, 4, true);
	text = madeup_text(&m, METRICS_TEXT);
	ck_assert(line(text, "ethtuned_queue_packets_total{device=\"eth0\",queue=\"3\"} 8000987648"));
	ck_assert(line(text, "ethtuned_queue_interrupts_total{device=\"eth0\",queue=\"0\"} 200000"));
	ck_assert(line(text, "ethtuned_packets_total{device=\"eth0\",direction=\"receive\"} 2000"));
	ck_assert(line(text, "ethtuned_queue_coalesce_rx_seconds{device=\"eth0\",queue=\"2\"} 2.2e-05"));
	ck_assert(!strstr(text, "ethtuned_queue_ring"));
	/* the longest of the queues: 23 us, and 50 ns of deferral */
	ck_assert(line(text, "ethtuned_added_latency_seconds{device=\"eth0\",direction=\"receive\"} 2.305e-05"));
	ck_assert(!strstr(text, "queue=\"4\""));
	free(text);
	madeup_close(&m);
}
END_TEST

/* Every line of a form is one that its reader takes: a comment, or name, labels and a number. */
START_TEST(openmetrics_is_one)
{
	char *text, *save = NULL, family[128] = "";
	size_t len;

	madeup_open(&m, 4, true);
	text = madeup_text(&m, METRICS_OPENMETRICS);
	len = strlen(text);
	ck_assert_str_eq(text + len - 7, "\n# EOF\n");
	text[len - 6] = 0;
	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		char unit[32], name[128];

		if (sscanf(l, "# HELP %127s", name) == 1) {
			strcpy(family, name);
			continue;
		}
		if (sscanf(l, "# UNIT %127s %31s", name, unit) == 2) {
			ck_assert_str_eq(name, family);
			ck_assert_str_eq(name + strlen(name) - strlen(unit), unit);
			continue;
		}
		ck_assert_msg(l[0] == '#' || !strncmp(l, family, strlen(family)), "%s in %s", l, family);
		ck_assert_msg(!strstr(l, "TYPE") || !strstr(l, "_total"), "%s", l);
	}
	free(text);
	madeup_close(&m);
}
END_TEST

START_TEST(names_are_distinct_and_begin_right)
{
	static const char *const names[] = {
#define METRIC(name, type, unit, scope, fn, help) name,
#include "daemon/metrics.def"
#undef METRIC
#define KNOB(id, name, json, channel, attr, type, unit, min, max, metric, what) metric,
#include "core/knobs.def"
#undef KNOB
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		ck_assert_uint_eq(strspn(names[i], "abcdefghijklmnopqrstuvwxyz_"), strlen(names[i]));
		ck_assert_msg(!strstr(names[i], "total") && !strstr(names[i], "info"), "%s", names[i]);
		for (size_t j = 0; j < i; j++)
			ck_assert_str_ne(names[i], names[j]);
	}
}
END_TEST

START_TEST(page_for_people)
{
	struct metrics_buf buf;

	madeup_open(&m, 4, false);
	strcpy(m.fleet.members.v[0]->nic.name, "<eth0>");
	ck_assert_int_eq(metrics_page(&m.fleet, &buf), 0);
	ck_assert_ptr_nonnull(strstr(buf.text, "<a href=\"/metrics\">"));
	ck_assert_ptr_nonnull(strstr(buf.text, "<td>&#60;eth0&#62;</td>"));
	ck_assert_ptr_nonnull(strstr(buf.text, "1 more interfaces are left alone"));
	metrics_buf_free(&buf);
	madeup_close(&m);
}
END_TEST

static double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* 64 queues: under 2 ms and 100 kB. The best of many, as the machine may be busy. */
START_TEST(cost_of_a_scrape)
{
	double best = 1, mean, start;
	char *text = NULL;
	size_t len;

	madeup_open(&m, 64, true);
	start = cpu_seconds();
	for (int i = 0; i < 100; i++) {
		double begin = cpu_seconds();

		free(text);
		text = madeup_text(&m, i & 1 ? METRICS_TEXT : METRICS_OPENMETRICS);
		best = cpu_seconds() - begin < best ? cpu_seconds() - begin : best;
	}
	mean = (cpu_seconds() - start) / 100;
	len = strlen(text);
	printf("64 queues: %.3f ms a scrape, %.3f ms at best, %zu bytes\n", mean * 1e3, best * 1e3, len);
	ck_assert_ptr_nonnull(strstr(text, "queue=\"63\""));
	ck_assert_uint_lt(len, 100000);
#ifndef __SANITIZE_ADDRESS__
	ck_assert_double_lt(best, 0.002 * suite_patience());
#endif
	free(text);
	madeup_close(&m);
}
END_TEST

static int print(const char *format)
{
	char *text;

	madeup_open(&m, 4, true);
	text = madeup_text(&m, !strcmp(format, "openmetrics") ? METRICS_OPENMETRICS : METRICS_TEXT);
	fputs(text, stdout);
	free(text);
	madeup_close(&m);
	return 0;
}

int main(int argc, char **argv)
{
	const TTest *const tests[] = {
		what_is_there,
		what_is_missing_has_no_sample,
		a_source_that_went_away_goes,
		cpus_are_known_from_any_interface,
		adaptive_delay_is_not_known,
		queues_on_request,
		openmetrics_is_one,
		names_are_distinct_and_begin_right,
		page_for_people,
		cost_of_a_scrape,
	};

	if (argc == 3 && !strcmp(argv[1], "--print"))
		return print(argv[2]);
	return SUITE_RUN("metrics", tests);
}
