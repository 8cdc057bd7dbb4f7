// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of io/genl: the codec, and requests that every kernel answers without privileges (about lo, which no driver
 * moderates). */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/socket.h>

#include "io/channel-coalesce.h"
#include "io/genl.h"
#include "io/uapi.h"

static const struct nic_info lo = { .ifindex = 1, .name = "lo" };

static struct genl open_genl(void)
{
	struct genl g;
	char err[ERR_MAX] = "";

	ck_assert_msg(genl_open(&g, err) == 0, "%s", err);
	return g;
}

static const struct nlattr *first_attr(struct nl_msg *msg)
{
	return nlmsg_attrdata(nlmsg_hdr(msg), 0);
}

START_TEST(uint_is_4_or_8_bytes)
{
	static const struct {
		uint64_t v;
		int len;
	} rows[] = {
		{ 0, 4 }, { 1, 4 }, { UINT32_MAX, 4 }, { 1ULL + UINT32_MAX, 8 }, { UINT64_MAX, 8 },
	};
	struct nl_msg *msg = nlmsg_alloc_simple(0x20, 0);
	uint64_t v = 0;

	ck_assert_int_eq(genl_put_uint(msg, 7, rows[_i].v), 0);
	ck_assert_int_eq(nla_len(first_attr(msg)), rows[_i].len);
	ck_assert_int_eq(genl_get_uint(first_attr(msg), &v), 0);
	ck_assert_uint_eq(v, rows[_i].v);
	nlmsg_free(msg);
}
END_TEST

START_TEST(uint_always_as_8_bytes_and_bad_lengths)
{
	struct nl_msg *msg = nlmsg_alloc_simple(0x20, 0);
	uint64_t v = 77;

	nla_put_u64(msg, 1, 5);
	ck_assert_int_eq(genl_get_uint(first_attr(msg), &v), 0);
	ck_assert_uint_eq(v, 5);
	nlmsg_free(msg);
	msg = nlmsg_alloc_simple(0x20, 0);
	nla_put_u16(msg, 1, 9);
	ck_assert_int_eq(genl_get_uint(first_attr(msg), &v), -EBADMSG);
	ck_assert_uint_eq(v, 5);
	nlmsg_free(msg);
}
END_TEST

/* Every knob of a channel goes out and comes back, with the largest value its type can hold. */
START_TEST(knobs_round_trip)
{
	enum knob_channel c = _i;
	struct nl_msg *msg = nlmsg_alloc_simple(0x20, 0);
	struct nlattr *tb[GENL_ATTR_MAX];
	struct knob_set want = { .have = 0 }, got = { .have = 0 };

	for (int k = 0; k < KNOB_COUNT; k++) {
		uint64_t v = knob_table[k].type == KNOB_TYPE_BOOL  ? 1
			     : knob_table[k].type == KNOB_TYPE_U32 ? UINT32_MAX
								   : UINT64_MAX;

		if (knob_table[k].channel == c)
			knob_put(&want, k, v);
	}
	ck_assert(want.have != 0);
	ck_assert_int_eq(genl_put_knobs(msg, KNOB_ALL, &want), 0);
	ck_assert_int_eq(nlmsg_parse(nlmsg_hdr(msg), 0, tb, GENL_ATTR_MAX - 1, NULL), 0);
	ck_assert_int_eq(genl_get_knobs(tb, c, &got), 0);
	ck_assert_uint_eq(got.have, want.have);
	for (int k = 0; k < KNOB_COUNT; k++) {
		if (knob_has(&want, k))
			ck_assert_msg(got.value[k] == want.value[k], "%s", knob_table[k].name);
	}
	nlmsg_free(msg);
}
END_TEST

START_TEST(knobs_mask_range_and_width)
{
	struct nl_msg *msg = nlmsg_alloc_simple(0x20, 0);
	struct knob_set s = { .have = 0 }, got = { .have = 0 };
	struct nlattr *tb[GENL_ATTR_MAX] = { NULL };

	knob_put(&s, KNOB_RX_USECS, 1ULL << 32);
	knob_put(&s, KNOB_ADAPTIVE_RX, 1);
	ck_assert_int_eq(genl_put_knobs(msg, KNOB_BIT(KNOB_RX_USECS), &s), -ERANGE);
	ck_assert_int_eq(genl_put_knobs(msg, KNOB_BIT(KNOB_ADAPTIVE_RX), &s), 0);
	ck_assert_int_eq(nla_type(first_attr(msg)), ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX);
	ck_assert_int_eq(nla_len(first_attr(msg)), 1);
	/* A byte where 4 belong is no value. */
	tb[ETHTOOL_A_COALESCE_RX_USECS] = (struct nlattr *)first_attr(msg);
	knob_put(&got, KNOB_TX_USECS, 3);
	ck_assert_int_eq(genl_get_knobs(tb, CHANNEL_COALESCE, &got), -EBADMSG);
	ck_assert_uint_eq(got.have, KNOB_BIT(KNOB_TX_USECS));
	nlmsg_free(msg);
}
END_TEST

START_TEST(fail_text)
{
	char err[ERR_MAX], longer[2 * ERR_MAX];

	ck_assert_int_eq(genl_fail(err, -ENOENT, "file %d", 7), -ENOENT);
	ck_assert_str_eq(err, "file 7: No such file or directory");
	genl_fail(err, -ENOENT, "%s", "");
	ck_assert_str_eq(err, "No such file or directory");
	genl_fail(err, 0, "plain");
	ck_assert_str_eq(err, "plain");
	ck_assert_int_eq(genl_fail(NULL, -EIO, "x"), -EIO);
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	genl_fail(err, -EIO, "%s", longer);
	ck_assert_uint_eq(strlen(err), ERR_MAX - 1);
}
END_TEST

START_TEST(get_without_support)
{
	struct genl g = open_genl();
	struct knob_set s = { .have = KNOB_BIT(KNOB_RX_USECS) };
	char err[ERR_MAX] = "";

	ck_assert_int_eq(coalesce_get(&g, &lo, &s, err), -EOPNOTSUPP);
	ck_assert_str_eq(err, strerror(EOPNOTSUPP));
	ck_assert_uint_eq(s.have, KNOB_BIT(KNOB_RX_USECS));
	genl_close(&g);
}
END_TEST

START_TEST(index_and_name_must_fit)
{
	const struct nic_info wrong = { .ifindex = 1, .name = "nosuch0" };
	const struct nic_info gone = { .ifindex = 999999, .name = "nosuch0" };
	struct genl g = open_genl();
	struct knob_set s = { .have = 0 };
	char err[ERR_MAX] = "";

	ck_assert_int_eq(coalesce_get(&g, &wrong, &s, err), -ENODEV);
	ck_assert_msg(strstr(err, "do not match") != NULL, "%s", err);
	ck_assert_int_eq(coalesce_get(&g, &gone, &s, err), -ENODEV);
	ck_assert(err[0] != '\0');
	ck_assert_int_eq(coalesce_get(&g, &gone, &s, NULL), -ENODEV);
	genl_close(&g);
}
END_TEST

START_TEST(missing_family)
{
	struct genl g = open_genl();
	struct genl_notify n;
	struct nl_msg *msg;
	char err[ERR_MAX] = "";
	struct knob_set s = { .have = 0 };

	g.family[GENL_NETDEV] = g.family[GENL_ETHTOOL] = g.monitor_group = 0;
	ck_assert_int_eq(genl_request(&g, GENL_NETDEV, NETDEV_CMD_NAPI_GET, true, &msg), -EOPNOTSUPP);
	ck_assert_int_eq(genl_policy_max(&g, GENL_NETDEV, NETDEV_CMD_NAPI_SET), -EOPNOTSUPP);
	ck_assert_int_eq(coalesce_get(&g, &lo, &s, err), -EOPNOTSUPP);
	ck_assert(err[0] != '\0');
	ck_assert_int_eq(genl_notify_open(&g, &n, err), -EOPNOTSUPP);
	genl_close(&g);
	genl_close(&g);
}
END_TEST

START_TEST(probe_commands)
{
	struct genl g = open_genl();

	ck_assert_int_ge(genl_policy_max(&g, GENL_ETHTOOL, ETHTOOL_MSG_COALESCE_SET),
			 ETHTOOL_A_COALESCE_RATE_SAMPLE_INTERVAL);
	ck_assert_int_eq(genl_policy_max(&g, GENL_ETHTOOL, 250), -EOPNOTSUPP);
	genl_close(&g);
}
END_TEST

/* Answers that nobody waited for must not be taken for those of the next request. */
START_TEST(stale_answers_are_skipped)
{
	struct genl g = open_genl();
	struct knob_set s = { .have = 0 };
	struct nl_msg *msg;

	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(genl_request(&g, GENL_ETHTOOL, 250, false, &msg), 0);
		ck_assert_int_ge(nl_send_auto(g.sk, msg), 0);
		nlmsg_free(msg);
	}
	ck_assert_int_ge(genl_policy_max(&g, GENL_ETHTOOL, ETHTOOL_MSG_COALESCE_GET), 1);
	ck_assert_int_eq(coalesce_get(&g, &lo, &s, NULL), -EOPNOTSUPP);
	genl_close(&g);
}
END_TEST

static int count_reply(uint8_t cmd, struct nlattr **tb, void *arg)
{
	ck_assert_int_ne(cmd, 0);
	ck_assert(tb[1] != NULL);
	return ++*(int *)arg == 2 ? -ECANCELED : 0;
}

START_TEST(time_limit)
{
	struct genl g = open_genl();
	char err[ERR_MAX] = "";
	struct nl_msg *msg;
	int n = 0;

	/* A request that is granted and wants no ack is never answered. */
	nl_socket_disable_auto_ack(g.sk);
	g.timeout_ms = 30;
	ck_assert_int_eq(genl_request(&g, GENL_ETHTOOL, ETHTOOL_MSG_STRSET_GET, false, &msg), 0);
	nlmsg_hdr(msg)->nlmsg_type = NLMSG_NOOP;
	ck_assert_int_eq(genl_call(&g, msg, count_reply, &n, err), -ETIMEDOUT);
	ck_assert_msg(strstr(err, "30 ms") != NULL, "%s", err);
	nl_socket_enable_auto_ack(g.sk);
	ck_assert_int_ge(genl_policy_max(&g, GENL_ETHTOOL, ETHTOOL_MSG_COALESCE_GET), 1);
	genl_close(&g);
}
END_TEST

START_TEST(callback_ends_with_its_error)
{
	struct genl g = open_genl();
	struct nl_msg *msg;
	int n = 0;

	/* A dump of all families: more than two. */
	g.family[GENL_NETDEV] = GENL_ID_CTRL;
	ck_assert_int_eq(genl_request(&g, GENL_NETDEV, CTRL_CMD_GETFAMILY, true, &msg), 0);
	ck_assert_int_eq(genl_call(&g, msg, count_reply, &n, NULL), -ECANCELED);
	ck_assert_int_eq(n, 2);
	ck_assert_int_ge(genl_policy_max(&g, GENL_ETHTOOL, ETHTOOL_MSG_COALESCE_GET), 1);
	genl_close(&g);
}
END_TEST

static void no_event(int ifindex, enum genl_event what, void *arg)
{
	(void)arg;
	ck_abort_msg("event %d of %d", what, ifindex);
}

START_TEST(notify_never_blocks)
{
	struct genl g = open_genl();
	struct genl_notify n = { NULL };
	char err[ERR_MAX];

	ck_assert_int_eq(genl_notify_open(&g, &n, err), 0);
	ck_assert_int_ge(genl_notify_fd(&n), 0);
	ck_assert(fcntl(genl_notify_fd(&n), F_GETFD) & FD_CLOEXEC);
	ck_assert_int_eq(genl_notify_read(&n, no_event, NULL), 0);
	genl_notify_close(&n);
	genl_notify_close(&n);
	genl_close(&g);
}
END_TEST

int main(void)
{
	struct genl g;
	char err[ERR_MAX];
	Suite *s = suite_create("genl");
	TCase *t = tcase_create("codec"), *k = tcase_create("kernel");
	SRunner *r;
	int failed;

	tcase_add_loop_test(t, uint_is_4_or_8_bytes, 0, 5);
	tcase_add_test(t, uint_always_as_8_bytes_and_bad_lengths);
	tcase_add_loop_test(t, knobs_round_trip, 0, CHANNEL_COUNT);
	tcase_add_test(t, knobs_mask_range_and_width);
	tcase_add_test(t, fail_text);
	suite_add_tcase(s, t);
	if (genl_open(&g, err) == 0) {
		tcase_add_test(k, get_without_support);
		tcase_add_test(k, index_and_name_must_fit);
		tcase_add_test(k, missing_family);
		tcase_add_test(k, probe_commands);
		tcase_add_test(k, stale_answers_are_skipped);
		tcase_add_test(k, time_limit);
		tcase_add_test(k, callback_ends_with_its_error);
		tcase_add_test(k, notify_never_blocks);
		genl_close(&g);
	} else {
		fprintf(stderr, "without a kernel's answers: %s\n", err);
	}
	suite_add_tcase(s, k);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
