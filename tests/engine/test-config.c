// SPDX-License-Identifier: GPL-2.0-or-later
/* config, one file at a time: what is taken, what is said (file:line), what holds after something bad. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "confdir.h"
#include "engine/config.h"

#define P(text) "[policy]\n" text

/* The messages that one file brings, all of them, in order. */
static const struct {
	const char *text, *messages;
} files[] = {
	{ "", "" },
	{ "# nothing\n; either\n\n", "" },
	{ "[daemon]\ninterval = 50ms\nlog-level = debug # x\nlink-wait=5\n", "" },
	{ "interval = 50ms\nlisten = 127.0.0.1:9817 ; no section needed\n", "" },
	{ "[metrics]\nlisten = unix:/run/x\ntextfile = /a/b\nper-queue = yes\n", "" },
	{ "\xEF\xBB\xBF[daemon]\r\n\tinterval = 1s\r\n", "" },
	{ "[daemon]\ninterval = 5s\n",
	  "2: interval: '5s' is not a time from 20ms to 1s; ignored, it keeps its default\n" },
	{ "[daemon]\nlog-level = loud\n",
	  "2: log-level: 'loud' is not one of: err warning notice info debug; ignored, it keeps its default\n" },
	{ "[metrics]\nlisten = 9817\n",
	  "2: listen: '9817' is not ADDRESS:PORT or unix:PATH; ignored, it keeps its default\n" },
	{ "[metrics]\nlisten = a:99999\ntextfile = x\nper-queue = maybe\n",
	  "2: listen: 'a:99999' is not ADDRESS:PORT or unix:PATH; ignored, it keeps its default\n"
	  "3: textfile: 'x' is not an absolute path; ignored, it keeps its default\n"
	  "4: per-queue: 'maybe' is not yes or no; ignored, it keeps its default\n" },
	{ "mode = off\n", "1: 'mode' stands before any section (it belongs in [policy]), ignored\n" },
	{ P("colour = red\n"), "2: unknown key 'colour' in [policy], ignored\n" },
	{ P("rx-usecs = 1\n"), "2: unknown key 'rx-usecs' in [policy] (it belongs in [limits]), ignored\n" },
	{ P("driver = igb\n"), "2: unknown key 'driver' in [policy] (it belongs in [match]), ignored\n" },
	{ "[match]\nmode = off\n", "2: unknown key 'mode' in [match] (it belongs in [policy]), ignored\n" },
	{ "[colour]\nred = 1\nblue = 2\n", "1: unknown section [colour], ignored with its keys\n" },
	{ "[policy 3]\nmode = off\n", "1: unknown section [policy 3], ignored with its keys\n" },
	{ P("mode = fast\n"), "2: mode: 'fast' is none of: latency balanced throughput powersave observe off; ignored, "
			      "it keeps its default\n" },
	{ P("rings = -\n"), "2: rings: '-' is none of: keep idle live; ignored, it keeps its default\n" },
	{ P("max-latency = 0\n"), "2: max-latency: '0' is not a time above 0 and at most 1s, such as 100us; ignored, "
				  "it keeps its default\n" },
	{ P("\n\ncpu-target = 140%\n"),
	  "4: cpu-target: '140%' is not a share of a CPU, such as 40% or 0.4; ignored, it "
	  "keeps its default\n" },
	{ P("override-hold = 10min\nmechanism = software\nrings = idle\n"), "" },
	{ P("mode balanced\n"), "2: error: 'mode balanced' is neither 'key = value' nor a [section]; ignored\n" },
	{ P("= 3\n"), "2: error: '= 3' is neither 'key = value' nor a [section]; ignored\n" },
	{ "[policy\nmode = off\n", "1: error: '[policy' is no [section]; its keys are ignored\n" },
	{ "[match]\ndriver = a \\\n b\n",
	  "2: error: a line cannot be continued, ignored; lists: repeat the key instead\n"
	  "3: error: 'b' is neither 'key = value' nor a [section]; ignored\n" },
	{ "[match]\nkernel = >=x\n", "2: error: kernel: '>=x' can match nothing; this policy is left out\n" },
	{ "[limits]\nrx-usecs = 0..200\ntx-usecs = ..50us\nrx-frames = 4..\nadaptive-rx = off\n", "" },
	{ "[limits]\nrx-usecs = 9..3\n",
	  "2: rx-usecs: '9..3': the lower end is above the upper one; ignored, no limit from this line\n" },
	{ "[limits]\nrx-usecs = a..3\n",
	  "2: rx-usecs: 'a' is not a value of rx-usecs; ignored, no limit from this line\n" },
	{ "[limits]\nrx-usecs = 2000000\n",
	  "2: rx-usecs: '2000000' is outside 0..1000000; ignored, no limit from this line\n" },
	{ "[limits]\nrx-usecs = ..\n",
	  "2: rx-usecs: '..' is neither a value nor a range A..B; ignored, no limit from this line\n" },
	{ "[queue 2-3]\nmode = latency\nrx-usecs = 0\n[queue 4]\nmax-latency = 5us\n", "" },
	{ "[queue x]\nmode = off\n", "1: error: [queue x]: not a queue or a range A-B below 128; ignored\n" },
	{ "[queue 3-2]\n", "1: error: [queue 3-2]: not a queue or a range A-B below 128; ignored\n" },
	{ "[queue]\n", "1: error: [queue ]: not a queue or a range A-B below 128; ignored\n" },
	{ "[queue 0-3]\nmode = off\n[queue 2]\nmode = latency\n",
	  "3: error: [queue 2-2] overlaps with [queue 0-3] above; ignored\n" },
	{ "[queue 1]\nrx-ring = 64\n", "2: rx-ring: rings cannot differ by queue; ignored, no limit from this line\n" },
	{ "\n[limits]\nrx-frames = 32\nrx-usecs = 0\n", "2: error: policy refused: rx-frames = 32 with rx-usecs = 0 "
							"could hold packets for ever; what it matches is only "
							"observed\n" },
	{ "[limits]\ntx-frames = 2..9\n[queue 1-2]\ntx-usecs = 0\n",
	  "1: error: policy refused: [queue 1-2]: tx-frames = 2 with tx-usecs = 0 could hold packets for ever; what it "
	  "matches is only observed\n" },
	{ "[limits]\nrx-frames = 1\nrx-usecs = 0\n", "" },
	{ P("mode = \x1b[31m\n"),
	  "2: mode: '?[31m' is none of: latency balanced throughput powersave observe off; ignored, "
	  "it keeps its default\n" },
	{ "[quirk]\ndeny = rx-usecs\nrx-frames-mean = switch\nsettle = 1ms\nirq-order = other tx* rx*\n[step]\n"
	  "rx-usecs = 0.5%\n[min-on]\nrx-usecs = 10\n[magic]\nrx-usecs = 1 3\n[limits]\nrx-usecs = 10%..90%\n",
	  "" },
	{ "[quirk]\ndeny = speed\nmode = off\nirq-order = left\n[magic]\nrx-usecs = 64\n[limits]\nrx-usecs = 1..5%\n",
	  "2: deny: 'speed' is not a setting; ignored, it keeps its default\n"
	  "3: unknown key 'mode' in [quirk], ignored\n"
	  "4: irq-order: 'left' is not one of: other rx tx rxtx, with * for as many as there are; ignored, it keeps "
	  "its "
	  "default\n"
	  "6: rx-usecs: '64' is not a list of numbers below 64; ignored, no limit from this line\n"
	  "8: rx-usecs: '1..5%' is neither A..B nor A%..B%; ignored, no limit from this line\n" },
};

START_TEST(messages)
{
	struct confdir d;
	struct config *c;

	confdir_open(&d);
	confdir_write(&d, "a.conf", files[_i].text);
	c = confdir_load_one(&d, "a.conf");
	ck_assert_str_eq(d.said, files[_i].messages);
	ck_assert_uint_eq(c->n_warnings + c->n_errors, d.n_said);
	config_free(c);
	confdir_close(&d);
}
END_TEST

static struct config *load(struct confdir *d, const char *text)
{
	confdir_open(d);
	confdir_write(d, "50-a.conf", text);
	return confdir_load_one(d, "50-a.conf");
}

static void done(struct confdir *d, struct config *c)
{
	config_free(c);
	confdir_close(d);
}

START_TEST(settings)
{
	struct config_settings s;
	struct confdir d;
	struct config *c = load(&d, "[daemon]\ninterval = 0.2\nlog-level = err\nlink-wait = 2min\n"
				    "[metrics]\nlisten = [::1]:80\nper-queue = on\n");

	ck_assert_uint_eq(c->settings.interval_ns, 200 * NSEC_PER_MSEC); /* bare: seconds */
	ck_assert_int_eq(c->settings.log_level, LOG_ERR);
	ck_assert_uint_eq(c->settings.link_wait_ns, 120 * NSEC_PER_SEC);
	ck_assert_str_eq(c->settings.listen, "[::1]:80");
	ck_assert(c->settings.per_queue);
	config_settings_default(&s);
	ck_assert(!config_settings_equal(&s, &c->settings));
	s = c->settings;
	ck_assert(config_settings_equal(&s, &c->settings));
	ck_assert_uint_eq(c->n_policies, 0);
	done(&d, c);
}
END_TEST

START_TEST(whole_policy)
{
	struct confdir d;
	struct config *c =
		load(&d, "[match]\ndriver = a b\ndriver = c\n[policy]\nmode = throughput\nmax-latency = 80us\n"
			 "cpu-target = 40%\nmechanism = hardware\nrings = live\noverride-hold = 600\n"
			 "[limits]\nrx-usecs = 5..50us\ntx-frames = 16\n[queue 2-3]\nmode = latency\nrx-usecs = 1\n"
			 "[queue 5]\nmode = throughput\n");
	const struct policy *p = &c->policies[0].policy;
	struct policy q;

	ck_assert_uint_eq(c->n_policies, 1);
	ck_assert_str_eq(p->name, "50-a");
	ck_assert_str_eq(c->policies[0].match.text[MATCH_DRIVER], "a b c");
	ck_assert_int_eq(p->mode, MODE_THROUGHPUT);
	ck_assert_double_eq(p->max_latency_usecs, 80);
	ck_assert_double_eq_tol(p->cpu_target_ratio, 0.4, 1e-9);
	ck_assert_int_eq(p->mechanism, MECHANISM_HARDWARE);
	ck_assert_int_eq(p->rings, RINGS_LIVE);
	ck_assert_uint_eq(p->override_hold_ns, 600 * NSEC_PER_SEC);
	ck_assert_uint_eq(p->limited, KNOB_BIT(KNOB_RX_USECS) | KNOB_BIT(KNOB_TX_FRAMES));
	ck_assert_uint_eq(p->limit_min[KNOB_RX_USECS], 5);
	ck_assert_uint_eq(p->limit_max[KNOB_RX_USECS], 50);
	ck_assert_uint_eq(p->limit_min[KNOB_TX_FRAMES], p->limit_max[KNOB_TX_FRAMES]);
	policy_for_queue(p, 1, &q);
	ck_assert_int_eq(q.mode, MODE_THROUGHPUT);
	policy_for_queue(p, 3, &q);
	ck_assert_int_eq(q.mode, MODE_LATENCY);
	ck_assert_double_eq(policy_cap_usecs(&q), mode_table[MODE_LATENCY].cap_usecs);
	ck_assert_uint_eq(q.limit_max[KNOB_RX_USECS], 1);
	ck_assert_uint_eq(q.limit_max[KNOB_TX_FRAMES], 16);
	policy_for_queue(p, 5, &q); /* never longer than the device */
	ck_assert_double_eq(policy_cap_usecs(&q), 80);
	done(&d, c);
}
END_TEST

START_TEST(several_in_one_file)
{
	struct confdir d;
	struct match_subject s = { 0 };
	struct config *c =
		load(&d, "[match]\nname = a*\n[policy]\nmode = off\n[match]\nname = a* b*\n[policy]\nmode = "
			 "latency\n[match]\nname = [\n[match]\nkernel = >x\n[policy]\nmode = off\n[policy]\n");

	ck_assert_uint_eq(c->n_policies, 2); /* the last one has a [match] that cannot be understood */
	ck_assert_str_eq(c->policies[1].policy.name, "50-a#2");
	match_subject_add(&s, MATCH_NAME, "b0");
	ck_assert_ptr_eq(config_policy_for(c, &s), &c->policies[1]);
	match_subject_add(&s, MATCH_NAME, "a0");
	ck_assert_ptr_eq(config_policy_for(c, &s), &c->policies[0]); /* the first wins */
	memset(&s, 0, sizeof(s));
	match_subject_add(&s, MATCH_NAME, "c0");
	ck_assert_ptr_null(config_policy_for(c, &s));
	done(&d, c);
}
END_TEST

START_TEST(refused_is_observed)
{
	struct confdir d;
	struct match_subject s = { 0 };
	struct config *c =
		load(&d, "[match]\nname = x\n[policy]\nmode = throughput\n[limits]\nrx-frames = 9\nrx-usecs = 0\n"
			 "[match]\nname = *\n[policy]\nmode = latency\n");

	match_subject_add(&s, MATCH_NAME, "x");
	ck_assert_uint_eq(c->n_policies, 2); /* the other one goes on */
	ck_assert_uint_eq(c->n_errors, 1);
	ck_assert_ptr_eq(config_policy_for(c, &s), &c->policies[0]);
	ck_assert(c->policies[0].refused && !c->policies[1].refused);
	ck_assert(!mode_table[c->policies[0].policy.mode].tunes);
	ck_assert_uint_eq(c->policies[0].policy.limited, 0);
	done(&d, c);
}
END_TEST

START_TEST(bad_value_keeps_default)
{
	struct confdir d;
	struct config *c = load(&d, "[policy]\nmode = x\nmax-latency = x\ncpu-target = x\nmechanism = x\nrings = x\n"
				    "override-hold = x\n[limits]\nrx-usecs = x\n[queue 0]\nmode = x\n");
	struct policy p;

	policy_default(&p);
	ck_assert_uint_eq(c->n_warnings, 8);
	p.n_queues = 1;
	p.queues[0] = (struct policy_queue){ .mode = -1 };
	ck_assert(policy_equal(&p, &c->policies[0].policy));
	done(&d, c);
}
END_TEST

START_TEST(equality)
{
	static const char *const texts[] = {
		"[policy]\n",
		"[policy]\nmode = latency\n",
		"[policy]\nmax-latency = 1us\n",
		"[policy]\ncpu-target = 1%\n",
		"[policy]\nmechanism = software\n",
		"[policy]\nrings = idle\n",
		"[policy]\noverride-hold = 1\n",
		"[limits]\nrx-usecs = 1\n",
		"[limits]\nrx-usecs = 0..1\n",
		"[limits]\ntx-usecs = 1\n",
		"[queue 1]\n",
		"[queue 1-2]\n",
		"[queue 1]\nmode = off\n",
		"[queue 1]\nrx-usecs = 1\n",
		"[queue 1]\nmax-latency = 1us\n",
	};
	enum { N = sizeof(texts) / sizeof(texts[0]) };
	struct confdir d[N];
	struct config *c[N];

	for (int i = 0; i < N; i++)
		c[i] = load(&d[i], texts[i]);
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++)
			ck_assert_msg(policy_equal(&c[i]->policies[0].policy, &c[k]->policies[0].policy) == (i == k),
				      "%s and %s", texts[i], texts[k]);
	for (int i = 0; i < N; i++)
		done(&d[i], c[i]);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("config");
	TCase *t = tcase_create("config");
	SRunner *r = srunner_create(s);
	int failed;

	suite_add_tcase(s, t);
	tcase_add_loop_test(t, messages, 0, sizeof(files) / sizeof(files[0]));
	tcase_add_test(t, settings);
	tcase_add_test(t, whole_policy);
	tcase_add_test(t, several_in_one_file);
	tcase_add_test(t, refused_is_observed);
	tcase_add_test(t, bad_value_keeps_default);
	tcase_add_test(t, equality);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
