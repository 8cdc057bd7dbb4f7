// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of the ioctls (channel-queue, ethtool-ioctl) against a fake driver: this program's ioctl() takes the place of
 * libc's. The fake has QUEUES queues and behaves as the kernel's ethtool code does. */
#include <check.h>
#include <errno.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <linux/sockios.h>

#include "io/channel-queue.h"
#include "io/ethtool-ioctl.h"
#include "io/uapi.h"

#define QUEUES 3
#define FIRST_STATS 2

static const struct nic_info nic = { .ifindex = 5, .name = "fake0" };

/* As new for each test. */
static struct {
	struct ethtool_coalesce queue[QUEUES];
	unsigned n_stats, grow, calls; /* grow: statistics that appear between two calls */
} fake;

static int per_queue(struct ethtool_per_queue_op *op)
{
	struct ethtool_coalesce *c = (struct ethtool_coalesce *)op->data;

	for (unsigned q = 0; q < MAX_NUM_QUEUE; q++) {
		if (!(op->queue_mask[q / 32] & 1U << q % 32))
			continue;
		if (q >= QUEUES)
			return EINVAL;
		if (op->sub_command == ETHTOOL_GCOALESCE) {
			*c = fake.queue[q];
			c->cmd = ETHTOOL_GCOALESCE;
		} else if (c->rx_coalesce_usecs > 1000) {
			return ERANGE;
		} else {
			fake.queue[q] = *c;
		}
		c++;
	}
	return 0;
}

static int strings(struct ethtool_gstrings *g)
{
	g->len = fake.n_stats;
	for (unsigned i = 0; i < fake.n_stats; i++)
		snprintf((char *)g->data + (size_t)i * ETH_GSTRING_LEN, ETH_GSTRING_LEN, "stat_%u", i);
	memset(g->data, 'x', ETH_GSTRING_LEN); /* the first name fills its field, without an end */
	fake.n_stats += fake.grow;
	fake.grow = 0;
	return 0;
}

static int statistics(struct ethtool_stats *s)
{
	s->n_stats = fake.n_stats;
	for (unsigned i = 0; i < fake.n_stats; i++)
		s->data[i] = 100 + i;
	return 0;
}

static int sset_info(struct ethtool_sset_info *s)
{
	memcpy(s->data, &fake.n_stats, sizeof(fake.n_stats));
	return 0;
}

static int ethtool(void *data)
{
	fake.calls++;
	switch (*(uint32_t *)data) {
	case ETHTOOL_PERQUEUE: return per_queue(data);
	case ETHTOOL_GSSET_INFO: return sset_info(data);
	case ETHTOOL_GSTRINGS: return strings(data);
	case ETHTOOL_GSTATS: return statistics(data);
	case ETHTOOL_GDRVINFO: return ETHT_ENOTSUPP;
	}
	return EOPNOTSUPP;
}

int ioctl(int fd, unsigned long request, ...)
{
	struct ifreq *ifr;
	va_list ap;

	(void)fd;
	va_start(ap, request);
	ifr = va_arg(ap, struct ifreq *);
	va_end(ap);
	if (strcmp(ifr->ifr_name, nic.name) != 0) {
		errno = ENODEV;
	} else if (request == SIOCGIFINDEX) {
		ifr->ifr_ifindex = nic.ifindex;
		return 0;
	} else {
		errno = ethtool(ifr->ifr_data);
		return errno ? -1 : 0;
	}
	return -1;
}

static void setup(void)
{
	memset(&fake, 0, sizeof(fake));
}

START_TEST(get_ends_at_the_first_that_fails)
{
	struct queue_setting q[8];
	char err[ERR_MAX];

	memset(q, 0xee, sizeof(q));
	for (unsigned i = 0; i < QUEUES; i++) {
		fake.queue[i].rx_coalesce_usecs = 10 * i;
		fake.queue[i].use_adaptive_tx_coalesce = i == 1;
	}
	ck_assert_int_eq(queue_get(0, &nic, 8, KNOB_BIT(KNOB_RX_USECS) | KNOB_BIT(KNOB_ADAPTIVE_TX), q, err), QUEUES);
	ck_assert_uint_eq(fake.calls, 1);
	for (unsigned i = 0; i < QUEUES; i++) {
		ck_assert_uint_eq(q[i].queue, i);
		ck_assert_uint_eq(q[i].knobs.have, KNOB_BIT(KNOB_RX_USECS) | KNOB_BIT(KNOB_ADAPTIVE_TX));
		ck_assert_uint_eq(q[i].knobs.value[KNOB_RX_USECS], 10 * i);
		ck_assert_uint_eq(q[i].knobs.value[KNOB_ADAPTIVE_TX], i == 1);
	}
	ck_assert_uint_eq(q[QUEUES].queue, 0xeeeeeeee);
	ck_assert_int_eq(queue_get(0, &nic, 2, KNOB_ALL, q, err), 2);
	ck_assert(queue_supported(0, &nic));
}
END_TEST

START_TEST(set_keeps_what_it_does_not_name)
{
	struct queue_setting want[2] = { { .queue = 0 }, { .queue = 2 } };
	char err[ERR_MAX];

	for (unsigned i = 0; i < QUEUES; i++) {
		fake.queue[i].tx_coalesce_usecs = 7 + i;
		fake.queue[i].rate_sample_interval = 9; /* a field without a knob */
	}
	knob_put(&want[0].knobs, KNOB_RX_USECS, 50);
	knob_put(&want[1].knobs, KNOB_RX_FRAMES, 8);
	ck_assert_msg(queue_set(0, &nic, want, 2, err) == 0, "%s", err);
	ck_assert_uint_eq(fake.calls, 2);
	ck_assert_uint_eq(fake.queue[0].rx_coalesce_usecs, 50);
	ck_assert_uint_eq(fake.queue[0].rx_max_coalesced_frames, 0);
	ck_assert_uint_eq(fake.queue[1].cmd, 0);
	ck_assert_uint_eq(fake.queue[2].cmd, ETHTOOL_SCOALESCE);
	ck_assert_uint_eq(fake.queue[2].rx_max_coalesced_frames, 8);
	ck_assert_uint_eq(fake.queue[2].tx_coalesce_usecs, 9);
	ck_assert_uint_eq(fake.queue[2].rate_sample_interval, 9);
}
END_TEST

START_TEST(set_passes_refusals_on)
{
	struct queue_setting want = { .queue = 1 };
	char err[ERR_MAX];

	knob_put(&want.knobs, KNOB_RX_USECS, 2000);
	ck_assert_int_eq(queue_set(0, &nic, &want, 1, err), -ERANGE);
	knob_put(&want.knobs, KNOB_RX_USECS, 1ULL << 32);
	ck_assert_int_eq(queue_set(0, &nic, &want, 1, err), -ERANGE);
	ck_assert_msg(strstr(err, "rx-usecs") != NULL, "%s", err);
	want.queue = QUEUES;
	ck_assert_int_eq(queue_set(0, &nic, &want, 1, err), -EINVAL);
	ck_assert_uint_eq(fake.queue[1].rx_coalesce_usecs, 0);
}
END_TEST

START_TEST(names_follow_the_number_of_statistics)
{
	struct drvstats s = { .n = 0 };
	char err[ERR_MAX], first[DRVSTATS_NAME + 1];

	fake.n_stats = FIRST_STATS;
	ck_assert_msg(drvstats_read(&s, 0, &nic, err) == 0, "%s", err);
	ck_assert_uint_eq(s.n, FIRST_STATS);
	ck_assert_uint_eq(s.generation, 1);
	memset(first, 'x', DRVSTATS_NAME);
	first[DRVSTATS_NAME] = '\0';
	ck_assert_str_eq(s.name[0], first);
	ck_assert_int_eq(drvstats_find(&s, "stat_1"), 1);
	ck_assert_uint_eq(s.value[1], 101);
	/* No names are fetched again while their number stays. */
	fake.calls = 0;
	ck_assert_int_eq(drvstats_read(&s, 0, &nic, err), 0);
	ck_assert_uint_eq(fake.calls, 2);
	/* Three more, and 500 more just between names and values. */
	fake.n_stats += 3;
	fake.grow = 500;
	ck_assert_msg(drvstats_read(&s, 0, &nic, err) == 0, "%s", err);
	ck_assert_uint_eq(s.n, FIRST_STATS + 503);
	ck_assert_uint_eq(s.generation, 3);
	ck_assert_uint_eq(s.value[FIRST_STATS + 502], 100 + FIRST_STATS + 502);
	fake.n_stats = 0;
	ck_assert_int_eq(drvstats_read(&s, 0, &nic, err), -EOPNOTSUPP);
	ck_assert_uint_eq(s.n, FIRST_STATS + 503);
	drvstats_free(&s);
}
END_TEST

START_TEST(kernel_private_errno)
{
	struct ethtool_identity id;
	char err[ERR_MAX];

	ck_assert_int_eq(ethtool_identity(0, &nic, &id, err), -EOPNOTSUPP);
	ck_assert_str_eq(err, strerror(EOPNOTSUPP));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("queue");
	TCase *c = tcase_create("queue");
	SRunner *r;
	int failed;

	tcase_add_checked_fixture(c, setup, NULL);
	tcase_add_test(c, get_ends_at_the_first_that_fails);
	tcase_add_test(c, set_keeps_what_it_does_not_name);
	tcase_add_test(c, set_passes_refusals_on);
	tcase_add_test(c, names_follow_the_number_of_statistics);
	tcase_add_test(c, kernel_private_errno);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
