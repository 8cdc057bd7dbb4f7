// SPDX-License-Identifier: GPL-2.0-or-later
/* config, whole directories: order, masking, drop-ins, what cannot be read; and the files that we ship. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "confdir.h"
#include "engine/config.h"

static void names(const struct config *c, char *ret, size_t size)
{
	size_t n = 0;

	ret[0] = 0;
	for (size_t i = 0; i < c->n_policies; i++)
		n += (size_t)snprintf(ret + n, size - n, "%s%s=%s", i ? " " : "", c->policies[i].policy.name,
				      mode_table[c->policies[i].policy.mode].name);
}

START_TEST(nothing_there)
{
	struct confdir d;
	struct config_settings s;
	struct config *c;

	confdir_open(&d);
	c = confdir_load(&d);
	config_settings_default(&s);
	ck_assert(config_settings_equal(&s, &c->settings));
	ck_assert_uint_eq(c->n_policies + c->n_quirks + d.n_said, 0);
	config_free(c);
	confdir_close(&d);
}
END_TEST

START_TEST(order_and_masks)
{
	struct confdir d;
	struct config *c;
	char text[512];

	confdir_open(&d);
	confdir_write(&d, "usr/lib/ethtuned/policy.d/10-b.conf", "[policy]\nmode = latency\n");
	confdir_write(&d, "run/ethtuned/policy.d/20-c.conf", "[policy]\nmode = powersave\n");
	confdir_write(&d, "etc/ethtuned/policy.d/30-d.conf", "[policy]\nmode = throughput\n");
	/* the earlier directory wins, but the place in the order is the name's */
	confdir_write(&d, "usr/lib/ethtuned/policy.d/05-a.conf", "[policy]\nmode = off\nnonsense = 1\n");
	confdir_write(&d, "run/ethtuned/policy.d/05-a.conf", "[policy]\nmode = off\n");
	confdir_write(&d, "etc/ethtuned/policy.d/05-a.conf", "[policy]\nmode = observe\n");
	/* switched off, by a link and by an empty file */
	confdir_write(&d, "usr/lib/ethtuned/policy.d/40-e.conf", "[policy]\nnonsense = 1\n");
	confdir_write(&d, "etc/ethtuned/policy.d/40-e.conf", NULL);
	confdir_write(&d, "usr/lib/ethtuned/policy.d/41-f.conf", "[policy]\nnonsense = 1\n");
	confdir_write(&d, "run/ethtuned/policy.d/41-f.conf", "");
	/* no configuration */
	confdir_write(&d, "etc/ethtuned/policy.d/50-g.conf.bak", "[policy]\n");
	confdir_write(&d, "etc/ethtuned/policy.d/.50-h.conf", "[policy]\n");
	confdir_write(&d, "etc/ethtuned/policy.d/.conf", "[policy]\n");
	c = confdir_load(&d);
	names(c, text, sizeof(text));
	ck_assert_str_eq(text, "05-a=observe 10-b=latency 20-c=powersave 30-d=throughput");
	ck_assert_str_eq(d.said, "");
	config_free(c);
	confdir_close(&d);
}
END_TEST

START_TEST(main_file_and_drop_ins)
{
	struct confdir d;
	struct config *c;

	confdir_open(&d);
	d.with_file = true;
	confdir_write(&d, "usr/lib/ethtuned/ethtuned.conf", "[metrics]\nlisten = 127.0.0.1:1\ntextfile = /vendor\n");
	confdir_write(&d, "etc/ethtuned/ethtuned.conf", "[metrics]\nlisten = 127.0.0.1:2\n[policy]\nmode = latency\n");
	confdir_write(&d, "usr/lib/ethtuned/ethtuned.conf.d/10-a.conf",
		      "[metrics]\nper-queue = yes\nlisten = 127.0.0.1:3\n");
	confdir_write(&d, "etc/ethtuned/ethtuned.conf.d/20-b.conf", "[metrics]\nlisten = 127.0.0.1:4\nx = 1\n");
	confdir_write(&d, "run/ethtuned/ethtuned.conf.d/15-c.conf", "[policy]\nmax-latency = 9us\n");
	confdir_write(&d, "etc/ethtuned/policy.d/90-z.conf", "[match]\nname = a\n");
	c = confdir_load(&d);
	ck_assert_str_eq(c->settings.listen, "127.0.0.1:4");
	ck_assert_str_eq(c->settings.textfile, ""); /* the vendor's main file is masked, its drop-in is not */
	ck_assert(c->settings.per_queue);
	ck_assert_uint_eq(c->n_policies, 2);
	ck_assert_str_eq(c->policies[0].policy.name, "90-z");
	ck_assert_str_eq(c->policies[1].policy.name, "ethtuned"); /* last: for what no file of policy.d takes */
	ck_assert_int_eq(c->policies[1].policy.mode, MODE_LATENCY);
	ck_assert_double_eq(c->policies[1].policy.max_latency_usecs, 9); /* a drop-in goes on with it */
	ck_assert_str_eq(d.said, "etc/ethtuned/ethtuned.conf.d/20-b.conf:3: unknown key 'x' in [metrics], ignored\n");
	config_free(c);
	confdir_close(&d);
}
END_TEST

START_TEST(main_file_disabled)
{
	struct confdir d;
	struct config *c;

	confdir_open(&d);
	confdir_write(&d, "usr/lib/ethtuned/ethtuned.conf", "[metrics]\nlisten = 127.0.0.1:1\n");
	confdir_write(&d, "etc/ethtuned/ethtuned.conf", NULL);
	c = confdir_load(&d);
	ck_assert_str_eq(c->settings.listen, "127.0.0.1:9817"); /* the default */
	config_free(c);
	confdir_close(&d);
}
END_TEST

START_TEST(one_bad_file_does_not_stop_the_others)
{
	struct confdir d;
	struct config *c;
	char path[128], text[512];

	confdir_open(&d);
	d.with_file = true;
	confdir_write(&d, "etc/ethtuned/policy.d/10-a.conf", "[limits]\nrx-frames = 8\nrx-usecs = 0\n");
	confdir_write(&d, "etc/ethtuned/policy.d/20-b.conf", "garbage\n");
	confdir_write(&d, "etc/ethtuned/policy.d/30-c.conf/x", "a directory\n");
	confdir_write(&d, "etc/ethtuned/policy.d/40-d.conf", "[policy]\nmode = latency\n");
	confdir_write(&d, "etc/ethtuned/policy.d/50-e.conf", "[policy]\nlisten = 1\n");
	snprintf(path, sizeof(path), "%s/etc/ethtuned/policy.d/60-f.conf", d.root);
	ck_assert_int_eq(mkfifo(path, 0600), 0); /* must not block */
	c = confdir_load(&d);
	names(c, text, sizeof(text));
	ck_assert_str_eq(text, "10-a=observe 40-d=latency 50-e=balanced");
	ck_assert_str_eq(
		d.said,
		"etc/ethtuned/policy.d/10-a.conf:1: error: policy refused: rx-frames = 8 with rx-usecs = 0 could "
		"hold packets for ever; what it matches is only observed\n"
		"etc/ethtuned/policy.d/20-b.conf:1: error: 'garbage' is neither 'key = value' nor a [section]; "
		"ignored\n"
		"etc/ethtuned/policy.d/30-c.conf:0: error: cannot be read: Is a directory; left out\n"
		"etc/ethtuned/policy.d/50-e.conf:2: unknown key 'listen' in [policy], ignored\n"
		"etc/ethtuned/policy.d/60-f.conf:0: error: cannot be read: it is no regular file; left "
		"out\n");
	ck_assert_uint_eq(c->n_errors, 4);
	ck_assert_uint_eq(c->n_warnings, 1);
	config_free(c);
	confdir_close(&d);
}
END_TEST

START_TEST(named_file)
{
	struct confdir d;
	struct config *c = NULL;
	char path[128];

	confdir_open(&d);
	confdir_write(&d, "etc/ethtuned/policy.d/10-a.conf", "[policy]\nmode = off\n");
	confdir_write(&d, "usr/lib/ethtuned/quirks.d/a.conf", "[match]\ndriver = x\n[quirk]\ndeny = rx-usecs\n");
	confdir_write(&d, "my.conf", "listen = 127.0.0.1:9\n[match]\nname = a\n[policy]\nmode = latency\n");
	snprintf(path, sizeof(path), "%s/my.conf", d.root);
	ck_assert_int_eq(config_load(d.root, path, &c, confdir_message, &d), 0);
	ck_assert_str_eq(c->settings.listen, "127.0.0.1:9");
	ck_assert_uint_eq(c->n_policies, 1);
	ck_assert_str_eq(c->policies[0].policy.name, "my");
	ck_assert_uint_eq(c->n_quirks, 1); /* drivers have theirs whoever configures */
	ck_assert_str_eq(d.said, "");
	c = config_free(c);
	snprintf(path, sizeof(path), "%s/missing.conf", d.root);
	ck_assert_int_eq(config_load(d.root, path, &c, confdir_message, &d), -ENOENT);
	ck_assert_ptr_null(c);
	confdir_write(&d, "missing.conf", "x");
	ck_assert_int_eq(truncate(path, 100), 0); /* NUL bytes */
	ck_assert_int_eq(config_load(d.root, path, &c, confdir_message, &d), -EBADMSG);
	ck_assert_int_eq(truncate(path, 2 << 20), 0);
	ck_assert_int_eq(config_load(d.root, path, &c, confdir_message, &d), -EFBIG);
	ck_assert_ptr_null(c);
	confdir_close(&d);
}
END_TEST

START_TEST(named_directory)
{
	struct confdir d;
	struct config *c = NULL;
	char path[128], text[64];

	confdir_open(&d);
	confdir_write(&d, "etc/ethtuned/policy.d/10-a.conf", "[policy]\nmode = off\n");
	confdir_write(&d, "mine/policy.d/20-b.conf", "[policy]\nmode = latency\n");
	snprintf(path, sizeof(path), "%s/mine", d.root);
	ck_assert_int_eq(config_load(d.root, path, &c, confdir_message, &d), 0);
	names(c, text, sizeof(text));
	ck_assert_str_eq(text, "20-b=latency");
	config_free(c);
	confdir_close(&d);
}
END_TEST

/* Whatever stands in a line, the next one is read as itself and numbers stay right. */
START_TEST(long_lines)
{
	struct confdir d;
	struct config *c;
	char text[3000] = "[match]\nname = ", tail[] = "\nname = b\nx = 1\n";

	memset(text + strlen(text), 'a', 1000);
	strcat(text, "\n# ");
	memset(text + strlen(text), 'c', 1000);
	strcat(text, tail);
	confdir_open(&d);
	confdir_write(&d, "a.conf", text);
	c = confdir_load_one(&d, "a.conf");
	ck_assert_str_eq(c->policies[0].match.text[MATCH_NAME], "b");
	ck_assert_ptr_nonnull(strstr(d.said, "2: error: longer than "));
	ck_assert_ptr_nonnull(strstr(d.said, "\n5: unknown key 'x' in [match], ignored\n"));
	ck_assert_uint_eq(d.n_said, 2);
	config_free(c);
	confdir_close(&d);
}
END_TEST

START_TEST(shipped_files)
{
	static const char *const examples[] = { "50-router", "50-realtime", "50-capture", "50-small-board",
						"50-hypervisor" };
	const char *srcdir = getenv("srcdir");
	struct confdir d = { .with_file = true };
	struct config *c = NULL;
	char path[512];

	snprintf(path, sizeof(path), "%s/conf", srcdir ? srcdir : ".");
	ck_assert_int_eq(config_load("", path, &c, confdir_message, &d), 0);
	ck_assert_str_eq(d.said, "");
	ck_assert_uint_ge(c->n_quirks, 20);
	ck_assert_uint_eq(c->n_policies, 0); /* all commented out: what --mode says must hold */
	c = config_free(c);
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		snprintf(path, sizeof(path), "%s/conf/examples/%s.conf", srcdir ? srcdir : ".", examples[i]);
		ck_assert_int_eq(config_load_one(path, &c, confdir_message, &d), 0);
		ck_assert_str_eq(d.said, "");
		ck_assert_uint_ge(c->n_policies, 1);
		c = config_free(c);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("config-files");
	TCase *t = tcase_create("config-files");
	SRunner *r = srunner_create(s);
	int failed;

	suite_add_tcase(s, t);
	tcase_add_test(t, nothing_there);
	tcase_add_test(t, order_and_masks);
	tcase_add_test(t, main_file_and_drop_ins);
	tcase_add_test(t, main_file_disabled);
	tcase_add_test(t, one_bad_file_does_not_stop_the_others);
	tcase_add_test(t, named_file);
	tcase_add_test(t, named_directory);
	tcase_add_test(t, long_lines);
	tcase_add_test(t, shipped_files);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
