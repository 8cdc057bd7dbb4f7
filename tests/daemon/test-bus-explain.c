// SPDX-License-Identifier: GPL-2.0-or-later
/* bus explain: what is remembered of the ticks, and what is said about it. */
#include "buscall.h"
#include "daemon/bus-reject.h"

static struct report tick(enum reason why, uint32_t written)
{
	struct report r = { .now = 1, .state = TARGET_ACTIVE, .decided = { true }, .written = written };

	r.decision[QUEUE_RX].reason = why;
	return r;
}

START_TEST(what_repeats_is_one_entry)
{
	static struct history h;
	struct report r = tick(REASON_STEADY, 0);

	for (unsigned i = 0; i < 100; i++)
		history_add(&h, &r, 1000 + i);
	ck_assert_uint_eq(h.n, 1);
	ck_assert_uint_eq(history_get(&h, 0)->times, 100);
	ck_assert_uint_eq(history_get(&h, 0)->first_usec, 1000);
	ck_assert_uint_eq(history_get(&h, 0)->last_usec, 1099);
	r = tick(REASON_LAW, KNOB_BIT(KNOB_RX_USECS));
	history_add(&h, &r, 2000); /* each change is one of its own */
	history_add(&h, &r, 2001);
	ck_assert_uint_eq(h.n, 3);
	r = tick(REASON_STEADY, 0);
	r.decided[QUEUE_RX] = false;
	history_add(&h, &r, 3000); /* decided nothing */
	ck_assert_uint_eq(h.n, 3);
}
END_TEST

START_TEST(the_last_ones_are_kept_in_order)
{
	static struct history h;

	for (unsigned i = 0; i < 3 * HISTORY_MAX + 5; i++) {
		struct report r = tick(REASON_LAW, KNOB_BIT(KNOB_RX_USECS));

		history_add(&h, &r, i);
	}
	ck_assert_uint_eq(h.n, HISTORY_MAX);
	for (unsigned i = 0; i < HISTORY_MAX; i++)
		ck_assert_uint_eq(history_get(&h, i)->first_usec, 3 * HISTORY_MAX + 4 - i);
	ck_assert_ptr_null(history_get(&h, HISTORY_MAX));
}
END_TEST

START_TEST(the_reason_is_that_of_the_change)
{
	struct report r = tick(REASON_STEADY, KNOB_BIT(KNOB_RX_RING));
	char text[HISTORY_TEXT];

	r.why[KNOB_RX_RING] = REASON_RING_SIZE;
	snprintf(r.message, ERR_MAX, "rx-ring 256 -> 512: 12 drops/s");
	ck_assert_int_eq(history_reason(&r), REASON_RING_SIZE);
	ck_assert_str_eq(history_sentence(&r, REASON_RING_SIZE, text, sizeof(text)), r.message);
	r = tick(REASON_STEADY, 0);
	ck_assert_int_eq(history_reason(&r), REASON_STEADY);
	ck_assert(strstr(history_sentence(&r, REASON_STEADY, text, sizeof(text)), "packets/s") != NULL);
	r.yielded = KNOB_BIT(KNOB_RX_USECS);
	ck_assert_int_eq(history_reason(&r), REASON_OVERRIDE);
}
END_TEST

static char rejected[8192];

static void collect(const char *sentence, void *arg)
{
	size_t n = strlen(rejected);

	(void)arg;
	snprintf(rejected + n, sizeof(rejected) - n, "%s\n", sentence);
}

static void ask(int ifindex)
{
	rejected[0] = 0;
	reject_explain(members_find(&w.fleet.members, ifindex), w.now, collect, NULL);
}

static void says(const char *text)
{
	ck_assert_msg(strstr(rejected, text) != NULL, "no '%s' in: %s", text, rejected);
}

START_TEST(alternatives_have_their_price)
{
	bus_world_open();
	busy(2, "eth0", WORLD_TIMERS, 0);
	busy(3, "veth1", WORLD_DEFERRAL, 1);
	world_add(&w, 4, "plain", WORLD_NOTHING, 2);
	fleet_sync(&w.fleet);
	bus_world_run(10);
	ask(2);
	says("rx-usecs 0 us instead of");
	says("% more");
	says("latency cap of 250 us");
	says("software deferral: the kernel offers none");
	ask(3);
	says("gro-flush-timeout");
	says("hardware timers: the driver offers none");
	ask(4);
	says("any change: ");
	bus_world_close();
}
END_TEST

START_TEST(what_stands_in_the_way_is_said)
{
	struct member *m;

	bus_world_open();
	busy(2, "eth0", WORLD_TIMERS, 0);
	fleet_sync(&w.fleet);
	bus_world_run(10);
	m = members_find(&w.fleet.members, 2);
	m->target->watch.avoid[KNOB_RX_USECS] = (struct avoid){ 3, 100, w.now + 60 * NSEC_PER_SEC, NSEC_PER_SEC };
	m->target->yielded = KNOB_BIT(KNOB_RX_FRAMES);
	m->control.state = CONTROL_PAUSED;
	ask(2);
	says("rx-usecs 100: it got worse with it; 3 in its place for another 60 s");
	says("rx-frames at all: someone else set it");
	says("any change: paused on request");
	m->target->yielded = 0;
	m->control.state = CONTROL_AUTO;
	bus_world_close();
}
END_TEST

START_TEST(the_answer_has_numbers_and_sentences)
{
	const char *key, *types;
	bool text = false, pps = false;
	sd_bus_message *m;
	unsigned n = 0;

	bus_world_open();
	busy(2, "eth0", WORLD_TIMERS, 0);
	fleet_sync(&w.fleet);
	bus_world_run(10);
	m = manager_call("Explain", "su", "eth0", 3);
	ck_assert(!sd_bus_message_get_error(m));
	ck_assert_int_gt(sd_bus_message_enter_container(m, 'a', "a{sv}"), 0);
	while (sd_bus_message_enter_container(m, 'a', "{sv}") > 0) {
		n++;
		while (sd_bus_message_enter_container(m, 'e', "sv") > 0) {
			ck_assert_int_gt(sd_bus_message_read(m, "s", &key), 0);
			text |= !strcmp(key, "text");
			pps |= !strcmp(key, "packets_per_second");
			ck_assert_int_gt(sd_bus_message_peek_type(m, NULL, &types), 0);
			ck_assert_int_ge(sd_bus_message_skip(m, "v"), 0);
			sd_bus_message_exit_container(m);
		}
		sd_bus_message_exit_container(m);
	}
	ck_assert_uint_eq(n, 3);
	ck_assert(text && pps);
	sd_bus_message_exit_container(m);
	ck_assert_int_gt(sd_bus_message_enter_container(m, 'a', "s"), 0);
	ck_assert_int_eq(sd_bus_message_at_end(m, false), 0);
	sd_bus_message_unref(m);
	bus_world_close();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		what_repeats_is_one_entry,     the_last_ones_are_kept_in_order, the_reason_is_that_of_the_change,
		alternatives_have_their_price, what_stands_in_the_way_is_said,	the_answer_has_numbers_and_sentences,
	};

	return SUITE_RUN("bus explain", tests);
}
