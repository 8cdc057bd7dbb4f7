// SPDX-License-Identifier: GPL-2.0-or-later
/* Settings of single queues through the kernel backend, on veth: deferral of the NAPI instance of each. Relies on ip,
 * ethtool and a network namespace of its own. */
#include <check.h>

#include "io/backend-kernel.h"
#include "io/netdev-genl.h"
#include "ns.h"

static struct backend *b;
static char err[ERR_MAX];

static void assert_knobs(const struct knob_set *s, uint64_t timeout, uint64_t defer)
{
	ck_assert_uint_eq(s->have, knob_channel_mask(CHANNEL_NAPI));
	ck_assert_uint_eq(s->value[KNOB_GRO_FLUSH_TIMEOUT], timeout);
	ck_assert_uint_eq(s->value[KNOB_NAPI_DEFER_HARD_IRQS], defer);
}

START_TEST(one_by_one)
{
	struct queue_setting q[4], want[2] = { { .queue = 0 }, { .queue = 1 } };
	struct nic_info nic = ns_nic("vb0", true);
	struct nic_map map;

	nic.rx_queues = 2;
	ck_assert_int_eq(b->ops->read_queues(b, &nic, q, 4), 2);
	ck_assert_int_eq(b->ops->map(b, &nic, &map), 0);
	ck_assert_uint_ne(map.rx_napi[0], 0); /* the driver links none, so they are taken in order */
	ck_assert_uint_lt(map.rx_napi[0], map.rx_napi[1]);
	knob_put(&want[0].knobs, KNOB_GRO_FLUSH_TIMEOUT, 50000);
	knob_put(&want[0].knobs, KNOB_NAPI_DEFER_HARD_IRQS, 2);
	knob_put(&want[1].knobs, KNOB_NAPI_DEFER_HARD_IRQS, 4); /* of the other one nothing but this */
	ck_assert_msg(b->ops->write_queues(b, &nic, want, 2, err) == 0, "%s", err);
	ck_assert_int_eq(b->ops->read_queues(b, &nic, q, 4), 2);
	assert_knobs(&q[0].knobs, 50000, 2);
	assert_knobs(&q[1].knobs, 0, 4);
	want[1].queue = 7;
	ck_assert_int_eq(b->ops->write_queues(b, &nic, want, 2, err), -EINVAL);
	ck_assert_int_eq(ns_run("ip link set vb0 down"), 0);
	nic.up = false;
	ck_assert_int_lt(b->ops->read_queues(b, &nic, q, 4), 0);
}
END_TEST

static void setup(void)
{
	ck_assert_int_eq(ns_run("ip link add va0 type veth peer name vb0 numrxqueues 4 numtxqueues 1"), 0);
	ck_assert_int_eq(ns_run("ethtool -L vb0 rx 2 && ethtool -K vb0 gro on"), 0);
	ck_assert_int_eq(ns_run("ip link set va0 up && ip link set vb0 up"), 0);
	ck_assert_msg(backend_kernel_open("/", &b, err) == 0, "%s", err);
}

static void teardown(void)
{
	b->ops->close(b);
	ns_run("ip link del va0 2>/dev/null");
}

int main(void)
{
	Suite *s = suite_create("veth-queues");
	TCase *c = tcase_create("veth-queues");

	ns_enter();
	ns_need_veth();
	ns_need_napi_set();
	tcase_set_timeout(c, 30);
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, one_by_one);
	suite_add_tcase(s, c);
	return ns_suite(s);
}
