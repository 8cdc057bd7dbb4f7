// SPDX-License-Identifier: GPL-2.0-or-later
/* log: what a line says on a terminal: the level, and one line for all knobs that changed for one reason. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "../core/capture.h"
#include "../core/suite.h"
#include "daemon/log.h"

static char said[4096];
static struct capture captured;

/* stderr goes to a file meanwhile. */
static void begin(void)
{
	unsetenv("JOURNAL_STREAM");
	captured = capture_begin(stderr);
}

static void end(void)
{
	capture_end(&captured, said, sizeof(said));
}

START_TEST(level)
{
	const struct log l = { LOG_NOTICE };

	begin();
	log_line(&l, LOG_INFO, "eth0", "quiet");
	log_line(&l, LOG_NOTICE, "eth0", "loud %d", 1);
	log_line(&l, LOG_ERR, NULL, "louder");
	end();
	ck_assert_str_eq(said, "ethtuned: eth0: loud 1\nethtuned: louder\n");
}
END_TEST

static struct report change(void)
{
	struct report r = { .nic = { .name = "eth0" } };

	knob_put(&r.before, KNOB_RX_USECS, 3);
	knob_put(&r.before, KNOB_RX_FRAMES, 1);
	knob_put(&r.before, KNOB_RX_RING, 256);
	knob_put(&r.now_set, KNOB_RX_USECS, 50);
	knob_put(&r.now_set, KNOB_RX_FRAMES, 32);
	knob_put(&r.now_set, KNOB_RX_RING, 512);
	r.written = r.now_set.have;
	r.decided[QUEUE_RX] = true;
	r.decision[QUEUE_RX] = (struct decision){ .change = true, .interval_usecs = 50, .from_usecs = 3, .pps = 50000,
						  .polls_ps = 50000, .cost_usecs = 6, .reason = REASON_LAW };
	r.why[KNOB_RX_USECS] = r.why[KNOB_RX_FRAMES] = REASON_LAW;
	r.why[KNOB_RX_RING] = REASON_RING_SIZE;
	strcpy(r.message, "receive ring 256 to 512 entries");
	return r;
}

START_TEST(one_line_a_reason)
{
	struct report r = change();
	char *ring, *usecs;

	begin();
	log_change(&(struct log){ LOG_INFO }, &r, r.written, "");
	end();
	usecs = strstr(said, "ethtuned: eth0: rx-usecs 3 -> 50, rx-frames 1 -> 32: 50k packets/s");
	ring = strstr(said, "ethtuned: eth0: rx-ring 256 -> 512: receive ring 256 to 512 entries\n");
	ck_assert_msg(usecs && ring, "%s", said);
	begin();
	log_change(&(struct log){ LOG_NOTICE }, &r, r.written, "");
	end();
	ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(only_what_was_asked_for)
{
	struct report r = change();

	r.why[KNOB_RX_RING] = REASON_PINNED;
	begin();
	log_change(&(struct log){ LOG_INFO }, &r, KNOB_BIT(KNOB_RX_RING), "would set ");
	end();
	ck_assert_msg(strncmp(said, "ethtuned: eth0: would set rx-ring 256 -> 512: the policy gives", 60) == 0, "%s",
		      said);
	ck_assert_ptr_null(strstr(said, "rx-usecs"));
}
END_TEST

/* Some drivers want several knobs in one message: those that keep their value went along. */
START_TEST(what_keeps_its_value_is_no_change)
{
	struct report r = change();

	knob_put(&r.now_set, KNOB_RX_FRAMES, 1);
	knob_put(&r.now_set, KNOB_RX_RING, 256);
	begin();
	log_change(&(struct log){ LOG_INFO }, &r, r.written, "");
	end();
	ck_assert_msg(strstr(said, "ethtuned: eth0: rx-usecs 3 -> 50: 50k packets/s"), "%s", said);
	ck_assert_msg(!strstr(said, "rx-frames") && !strstr(said, "rx-ring"), "%s", said);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		level,
		one_line_a_reason,
		only_what_was_asked_for,
		what_keeps_its_value_is_no_change,
	};

	return SUITE_RUN("log", tests);
}
