// SPDX-License-Identifier: GPL-2.0-or-later
/* Forms of /proc/interrupts over architectures and kernels. */
#include "io/irqtable.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct seen {
	char text[2048]; /* "IRQ[cpu=count ...]action|action;" for each row */
	int stop_at;
};

static int see(const struct irqtable_row *row, void *arg)
{
	char action[IRQ_ACTION_MAX];
	struct seen *s = arg;
	char *p = s->text + strlen(s->text);
	size_t pos = 0;

	p += sprintf(p, "%u[", row->irq);
	for (unsigned i = 0; i < row->n_cpus; i++)
		p += sprintf(p, "%s%u=%u", i ? " " : "", row->cpu[i], row->count[i]);
	p += sprintf(p, "]");
	while (irqtable_next_action(row->actions, row->actions_len, &pos, action))
		p += sprintf(p, "%s|", action);
	sprintf(p, ";");
	return (int)row->irq == s->stop_at ? 42 : 0;
}

static const struct {
	const char *row, *want; /* below a head of CPU0 and CPU2 */
} rows[] = {
	{ " 34: 256407 2758558739  IR-PCI-MSI-edge  eth4-TxRx-0", "34[0=256407 2=2758558739]eth4-TxRx-0|;" },
	{ " 41:       3499          0 PCI-MSIX-0000:00:04.0   1-edge      virtio3-rx", "41[0=3499 2=0]virtio3-rx|;" },
	{ " 18: 1 2   IO-APIC  18-fasteoi   ehci_hcd:usb1, eth0, eth1", "18[0=1 2=2]ehci_hcd:usb1|eth0|eth1|;" },
	{ "142: 1 2  MT_SYSIRQ 224 Level     1b100000.ethernet", "142[0=1 2=2]1b100000.ethernet|;" },
	{ " 20: 1 2  MIPS GIC  10  1e100000.ethernet", "20[0=1 2=2]1e100000.ethernet|;" },
	{ "  8: 1 2  MIPS GIC Local   1  timer", "8[0=1 2=2]timer|;" },
	{ " 47: 1 2  armada_370_xp_irq  59  mwlwifi", "47[0=1 2=2]mwlwifi|;" },
	{ " 12: 1 2  SiFive PLIC 131 Edge      eth0", "12[0=1 2=2]eth0|;" },
	{ " 60: 1 2  ITS-MSI 134742016 Edge      eth2-0", "60[0=1 2=2]eth2-0|;" },
	{ "200: 1 2  MSI-INTA 1716736 Level     8000000.ethernet-rx0", "200[0=1 2=2]8000000.ethernet-rx0|;" },
	{ " 30: 1 2  GICv3  27 Level arch_timer", "30[0=1 2=2]arch_timer|;" },
	{ " 31: 1 2  gpio-mxc   9 Edge      30be0000.ethernet-1:00", "31[0=1 2=2]30be0000.ethernet-1:00|;" },
	{ " 32: 1 2  dummy  10-0029", "32[0=1 2=2]10-0029|;" },
	{ " 33: 1 2  x  1  two words, and more", "33[0=1 2=2]two words|and more|;" },
	/* nobody has requested these */
	{ " 27: 4 0 PCI-MSIX-0000:00:01.0   0-edge    ", "27[0=4 2=0];" },
	{ " 27: 4 0 PCI-MSIX-0000:00:01.0   0-edge", "27[0=4 2=0];" },
	{ " 76: 4 0  GICv2  77 Level    ", "76[0=4 2=0];" },
	{ " 76: 4 0  GICv2  77 Level", "76[0=4 2=0];" },
	{ " 76: 4 0  MIPS GIC  77", "76[0=4 2=0];" },
	{ " 76: 4 0  dummy          ", "76[0=4 2=0];" },
	{ " 76: 4 0", "76[0=4 2=0];" },
	/* wide numbers, left aligned chips, tabs */
	{ "1234567: 4294967295 4294967295  IR-PCI-MSIX-0000:19:00.0  0-edge      eth0",
	  "1234567[0=4294967295 2=4294967295]eth0|;" },
	{ " 41:\t3499\t0\tPCI-MSIX  1-edge  eth0", "41[0=3499 2=0]eth0|;" },
	{ " 41: 4294967299 0  x  eth0", "41[0=3 2=0]eth0|;" },
	/* not numbered, or torn */
	{ "NMI:        192        187   Non-maskable interrupts", "" },
	{ "ERR:          0", "" },
	{ "Err:          0", "" },
	{ "IPI0:12 13  Rescheduling interrupts", "" },
	{ " 41: 3499  eth0", "" },
	{ " 41: 3499 1b100000.ethernet", "" },
	{ " 41", "" },
	{ "", "" },
};

START_TEST(test_row)
{
	struct seen s = { .stop_at = -1 };
	char text[512];

	for (int newline = 0; newline < 2; newline++) {
		s.text[0] = '\0';
		snprintf(text, sizeof(text), "           CPU0       CPU2       \n%s%s", rows[_i].row,
			 newline ? "\n" : "");
		ck_assert_int_eq(irqtable_parse(text, see, &s), 0);
		ck_assert_str_eq(s.text, rows[_i].want);
	}
}
END_TEST

START_TEST(test_table)
{
	struct seen s = { .stop_at = -1 };

	ck_assert_int_eq(irqtable_parse(" CPU1\n 5: 6  x  a\nERR: 0\n 7: 8  x  b\nMIS: 0\n", see, &s), 0);
	ck_assert_str_eq(s.text, "5[1=6]a|;7[1=8]b|;");
	s = (struct seen){ .stop_at = 5 };
	ck_assert_int_eq(irqtable_parse(" CPU1\n 5: 6  x  a\n 7: 8  x  b\n", see, &s), 42);
	ck_assert_str_eq(s.text, "5[1=6]a|;");
	ck_assert_int_eq(irqtable_parse("", see, &s), -EINVAL);
	ck_assert_int_eq(irqtable_parse(" 5: 6  x  a\n", see, &s), -EINVAL);
}
END_TEST

START_TEST(test_many_cpus)
{
	static char text[64000];
	struct seen s = { .stop_at = -1 };
	char *p = text;

	for (int i = 0; i < 64; i++)
		p += sprintf(p, "     CPU%d", i * 9);
	p += sprintf(p, "\n  5: ");
	for (int i = 0; i < 64; i++)
		p += sprintf(p, " %10u", 4000000000U + (unsigned)i);
	sprintf(p, "  PCI-MSI 1-edge      eth0\n");
	ck_assert_int_eq(irqtable_parse(text, see, &s), 0);
	ck_assert_ptr_nonnull(strstr(s.text, " 567=4000000063]eth0|;"));
}
END_TEST

START_TEST(test_counts)
{
	uint32_t v[3] = { 9, 9, 9 };

	ck_assert_int_eq(irqtable_parse_counts("0,4294967295\n", v, 3), 2);
	ck_assert_uint_eq(v[1], 4294967295U);
	ck_assert_uint_eq(v[2], 9);
	ck_assert_int_eq(irqtable_parse_counts("1,2,3,4", v, 3), 4);
	ck_assert_int_eq(irqtable_parse_counts("1,2,", v, 3), 2);
	ck_assert_int_eq(irqtable_parse_counts("1,x", v, 3), -EINVAL);
	ck_assert_int_eq(irqtable_parse_counts("1 2", v, 3), -EINVAL);
	ck_assert_int_eq(irqtable_parse_counts("", v, 3), 0);
}
END_TEST

START_TEST(test_actions)
{
	char a[IRQ_ACTION_MAX], longest[100];
	size_t pos = 0;

	ck_assert(irqtable_next_action("eth0,usb1", 9, &pos, a));
	ck_assert_str_eq(a, "eth0");
	ck_assert(irqtable_next_action("eth0,usb1", 9, &pos, a));
	ck_assert_str_eq(a, "usb1");
	ck_assert(!irqtable_next_action("eth0,usb1", 9, &pos, a));
	memset(longest, 'x', sizeof(longest));
	pos = 0;
	ck_assert(irqtable_next_action(longest, sizeof(longest), &pos, a));
	ck_assert_uint_eq(strlen(a), IRQ_ACTION_MAX - 1);
	ck_assert(!irqtable_next_action(longest, sizeof(longest), &pos, a));
}
END_TEST

/* No text whatever may lead outside of it. */
START_TEST(test_garbage)
{
	static const char bits[] = " 0127:,\nCPU-eth.Level\t";
	unsigned seed = (unsigned)getpid();
	char *text = malloc(201);

	printf("seed %u\n", seed);
	srandom(seed);
	for (int i = 0; i < 20000; i++) {
		struct seen s = { .stop_at = -1 };
		int n = snprintf(text, 201, "%s", i % 2 ? "CPU0 CPU1\n" : "");

		for (; n < 200; n++)
			text[n] = bits[(size_t)random() % (sizeof(bits) - 1)];
		text[200] = '\0';
		irqtable_parse(text, see, &s);
	}
	free(text);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("irqtable");
	TCase *tc = tcase_create("all");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_loop_test(tc, test_row, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_test(tc, test_table);
	tcase_add_test(tc, test_many_cpus);
	tcase_add_test(tc, test_counts);
	tcase_add_test(tc, test_actions);
	tcase_add_test(tc, test_garbage);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
