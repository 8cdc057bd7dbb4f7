// SPDX-License-Identifier: GPL-2.0-or-later
/* source-drvstats: which counter names are a queue's received packets, and which only look like it. */
#include <check.h>
#include <errno.h>
#include <stdio.h>

#include "io/source-drvstats.h"

static const struct {
	const char *name;
	int queue;
} names[] = {
	{ "rx_queue_0_packets", 0 },
	{ "rx_queue_17_packets", 17 },
	{ "     rx_queue_3_packets", 3 },
	{ "rx-2.packets", 2 },
	{ "rx5_packets", 5 },
	{ "[4]: rx_ucast_packets", 4 },
	{ "queue_6_rx_cnt", 6 },
	{ "q1_rx_packets", 1 },
	{ "q7_rx_pkt_n", 7 },
	{ "RX Queue 3 Frames", 3 },
	{ "rx_queue_0_bytes", -1 },
	{ "rx_queue_0_xdp_packets", -1 },
	{ "rx_packets", -1 },
	{ "tx_queue_0_packets", -1 },
	{ "tx0_packets", -1 },
	{ "q7_tx_pkt_n", -1 },
	{ "queue_6_tx_cnt", -1 },
	{ "rx_queue__packets", -1 },
	{ "rx_queue_-1_packets", -1 },
	{ "rx_queue_128_packets", -1 }, /* beyond what is seen one by one */
	{ "rx_queue_99999999999999999999_packets", -1 },
	{ "RX Dropped Frames", -1 },
	{ "", -1 },
};

START_TEST(queue_of_a_name)
{
	ck_assert_msg(drvstats_rx_queue(names[_i].name) == names[_i].queue, "'%s': %d, not %d", names[_i].name,
		      drvstats_rx_queue(names[_i].name), names[_i].queue);
}
END_TEST

START_TEST(no_device_no_bit)
{
	static struct sample sample;
	struct drvstats_source s = { 0 };
	struct nic_info nic = { .ifindex = 1 << 30, .name = "no-such" };
	char err[ERR_MAX];
	int fd = ethtool_open(err);

	if (fd == -EPROTONOSUPPORT) {
		fprintf(stderr, "not tried: %s\n", err);
		return;
	}
	ck_assert_int_ge(fd, 0);
	drvstats_source_read(&s, fd, &nic, NSEC_PER_SEC, &sample);
	ck_assert_uint_eq(sample.have, 0);
	drvstats_source_close(&s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("source-drvstats");
	TCase *t = tcase_create("source-drvstats");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, queue_of_a_name, 0, sizeof(names) / sizeof(names[0]));
	tcase_add_test(t, no_device_no_bit);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
