// SPDX-License-Identifier: GPL-2.0-or-later
/* polls: the count of a device's own polls is paused once the free one is proved to be the same, and comes back on
 * suspicion. */
#include "engine/polls.h"

#include "../core/suite.h"

static struct poll_source source;
static unsigned switched;
static bool counting;

static void count_polls(struct backend *b, const struct nic_info *nic, bool on)
{
	(void)b;
	(void)nic;
	counting = on;
	switched++;
}

static const struct backend_ops ops = { .count_polls = count_polls };
static struct backend backend = { &ops };
static const struct nic_info nic = { .name = "eth0" };

/* n samples of a device with that traffic. */
static void see(unsigned n, double polls_ps, double net_rx_ps, double processed_ps)
{
	struct rates r = {
		.have = SAMPLE_LINK | SAMPLE_SOFTIRQ | SAMPLE_SOFTNET | (counting ? SAMPLE_POLLS : 0),
		.dt_s = 0.1,
		.rx_pps = 50000,
		.polls_ps = polls_ps,
		.net_rx_ps = net_rx_ps,
		.processed_ps = processed_ps,
	};

	for (unsigned i = 0; i < n; i++)
		poll_source_update(&source, &backend, &nic, &r);
}

static void begin(void)
{
	source = (struct poll_source){ 0 };
	switched = 0;
	counting = true;
}

START_TEST(paused_when_net_rx_is_the_same)
{
	begin();
	see(19, 50000, 51000, 51000);
	ck_assert(counting);
	see(1, 50000, 51000, 51000);
	ck_assert(!counting);
	see(600, 0, 51000, 51000); /* and stays so */
	ck_assert_uint_eq(switched, 1);
}
END_TEST

START_TEST(back_when_other_devices_are_busy)
{
	begin();
	see(20, 50000, 51000, 51000);
	see(2, 0, 90000, 90000); /* a moment of something else */
	see(1, 0, 51000, 51000);
	see(2, 0, 90000, 90000);
	ck_assert(!counting);
	see(1, 0, 90000, 90000);
	ck_assert(counting);
	see(600, 50000, 90000, 90000);
	ck_assert_uint_eq(switched, 2);
}
END_TEST

START_TEST(threads_are_not_in_net_rx)
{
	begin();
	see(600, 8000, 1700, 51000);
	ck_assert_uint_eq(switched, 0);
}
END_TEST

int main(void)
{
	const TTest *const all[] = {
		paused_when_net_rx_is_the_same,
		back_when_other_devices_are_busy,
		threads_are_not_in_net_rx,
	};

	return SUITE_RUN("polls", all);
}
