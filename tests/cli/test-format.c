// SPDX-License-Identifier: GPL-2.0-or-later
/* format: the words in which advice leaves the program, for every knob, and names that a shell must not believe.
 * Includes the sources: the programs have no library to link with. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../core/capture.h"
#include "cli/format-files.c"
#include "cli/format.c"

static struct advice advice;
static struct policy policy;
static char out[8192];

void advice_text(const struct advice *a, const struct policy *p)
{
	(void)a, (void)p;
}

static void print(void (*function)(const struct advice *a, const struct policy *p))
{
	struct capture c = capture_begin(stdout);

	function(&advice, &policy);
	capture_end(&c, out, sizeof(out));
}

/* The lines that are not comments. */
static const char *bare(void)
{
	char *to = out;

	for (char *line = out, *end; *line; line = end) {
		end = strchr(line, '\n');
		end = end ? end + 1 : line + strlen(line);
		if (*line == '#')
			continue;
		memmove(to, line, (size_t)(end - line));
		to += end - line;
	}
	*to = 0;
	return out;
}

static void setup(void)
{
	memset(&advice, 0, sizeof(advice));
	policy_default(&policy);
	strcpy(advice.nic.name, "eth0");
	advice.tunable = true;
	for (int k = 0; k < KNOB_COUNT; k++)
		knob_put(&advice.current, k, 0);
}

static void advise_coalescing(void)
{
	knob_put(&advice.advised, KNOB_RX_USECS, 50);
	knob_put(&advice.advised, KNOB_RX_FRAMES, 32);
	knob_put(&advice.advised, KNOB_TX_USECS, 60);
	knob_put(&advice.advised, KNOB_TX_FRAMES, 33);
	knob_put(&advice.advised, KNOB_ADAPTIVE_RX, 0);
	knob_put(&advice.advised, KNOB_ADAPTIVE_TX, 1);
	knob_put(&advice.advised, KNOB_RX_RING, 512);
	knob_put(&advice.advised, KNOB_TX_RING, 256);
}

static void advise_deferral(uint64_t timeout_ns, uint64_t polls)
{
	knob_put(&advice.advised, KNOB_GRO_FLUSH_TIMEOUT, timeout_ns);
	knob_put(&advice.advised, KNOB_NAPI_DEFER_HARD_IRQS, polls);
}

START_TEST(ethtool_commands)
{
	advise_coalescing();
	print(advice_ethtool);
	ck_assert_str_eq(bare(), "ethtool -C eth0 adaptive-rx off adaptive-tx on\n"
				 "ethtool -C eth0 rx-usecs 50 rx-frames 32 tx-usecs 60 tx-frames 33\n"
				 "ethtool -G eth0 rx 512 tx 256\n");
}
END_TEST

START_TEST(deferral_in_the_right_order)
{
	advise_deferral(100000, 2);
	print(advice_ethtool);
	ck_assert_str_eq(bare(), "echo 2 > /sys/class/net/eth0/napi_defer_hard_irqs\n"
				 "echo 100000 > /sys/class/net/eth0/gro_flush_timeout\n");
	advise_deferral(0, 0);
	print(advice_ethtool);
	ck_assert_str_eq(bare(), "echo 0 > /sys/class/net/eth0/gro_flush_timeout\n"
				 "echo 0 > /sys/class/net/eth0/napi_defer_hard_irqs\n");
}
END_TEST

START_TEST(nothing_advised_is_no_command)
{
	print(advice_ethtool);
	ck_assert_str_eq(bare(), "");
	print(advice_nm);
	ck_assert_str_eq(bare(), "");
}
END_TEST

START_TEST(names_are_words_for_the_shell)
{
	static const char *const odd[] = { "a;reboot", "$(id)", "a'b", "x*y", "`id`", "a\"b", "~root" };
	char quoted[80], line[160];

	ck_assert_str_eq(quote_shell("enp3s0f0.100@x", quoted, sizeof(quoted)), "enp3s0f0.100@x");
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		FILE *p;

		snprintf(line, sizeof(line), "printf %%s %s", quote_shell(odd[i], quoted, sizeof(quoted)));
		p = popen(line, "r");
		ck_assert_ptr_nonnull(p);
		ck_assert_ptr_nonnull(fgets(out, sizeof(out), p));
		pclose(p);
		ck_assert_str_eq(out, odd[i]);
	}
}
END_TEST

START_TEST(link_file)
{
	advise_coalescing();
	print(advice_link);
	ck_assert_str_eq(bare(), "[Match]\nOriginalName=eth0\n\n[Link]\n"
				 "NamePolicy=keep kernel database onboard slot path\n"
				 "AlternativeNamesPolicy=database onboard slot path\nMACAddressPolicy=persistent\n"
				 "RxCoalesceSec=50us\nRxMaxCoalescedFrames=32\nTxCoalesceSec=60us\n"
				 "TxMaxCoalescedFrames=33\nUseAdaptiveRxCoalesce=no\nUseAdaptiveTxCoalesce=yes\n"
				 "RxBufferSize=512\nTxBufferSize=256\n");
	strcpy(advice.nic.bus_info, "0000:03:00.0");
	print(advice_link);
	ck_assert_ptr_nonnull(strstr(out, "\nPath=pci-0000:03:00.0 pci-0000:03:00.0-*\n"));
	strcpy(advice.nic.bus_info, "11400000.ethernet");
	print(advice_link);
	ck_assert_ptr_nonnull(strstr(out, "\nOriginalName=eth0\n"));
}
END_TEST

START_TEST(link_file_says_what_it_cannot)
{
	advise_deferral(100000, 2);
	print(advice_link);
	ck_assert_ptr_nonnull(strstr(out, "no key here"));
	ck_assert_ptr_nonnull(strstr(out, "ATTR{gro_flush_timeout}=\"100000\""));
	ck_assert_ptr_nonnull(strstr(out, "ATTR{napi_defer_hard_irqs}=\"2\""));
	ck_assert_ptr_null(strstr(bare(), "gro_flush"));
}
END_TEST

START_TEST(networkmanager_settings)
{
	static const char *const words[] = {
		"ethtool.coalesce-rx-usecs 50",
		"ethtool.coalesce-rx-frames 32",
		"ethtool.coalesce-tx-usecs 60",
		"ethtool.coalesce-tx-frames 33",
		"ethtool.coalesce-adaptive-rx 0",
		"ethtool.coalesce-adaptive-tx 1",
		"ethtool.ring-rx 512",
		"ethtool.ring-tx 256",
	};

	advise_coalescing();
	print(advice_nm);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		ck_assert_msg(strstr(out, words[i]) != NULL, "%s is missing in: %s", words[i], out);
	ck_assert_ptr_nonnull(strstr(out, "nmcli connection modify "));
}
END_TEST

START_TEST(policy_file)
{
	advise_deferral(100000, 2);
	policy.mode = MODE_THROUGHPUT;
	print(advice_policy);
	ck_assert_str_eq(bare(), "[match]\nname = eth0\n\n[policy]\nmode = throughput\nmax-latency = 250us\n"
				 "mechanism = auto\nrings = keep\n\n[limits]\n"
				 "gro-flush-timeout = 100000\nnapi-defer-hard-irqs = 2\n");
}
END_TEST

START_TEST(every_knob_has_a_word)
{
	uint32_t named = knob_channel_mask(CHANNEL_NAPI); /* those stand in comments */

	for (size_t i = 0; i < N_NAMES; i++)
		named |= KNOB_BIT(names[i].knob);
	ck_assert_uint_eq(named, KNOB_ALL);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		ethtool_commands,
		deferral_in_the_right_order,
		nothing_advised_is_no_command,
		names_are_words_for_the_shell,
		link_file,
		link_file_says_what_it_cannot,
		networkmanager_settings,
		policy_file,
		every_knob_has_a_word,
	};
	Suite *s = suite_create("format");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(t, setup, NULL);
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
