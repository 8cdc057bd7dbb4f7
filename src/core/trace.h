// SPDX-License-Identifier: GPL-2.0-or-later
/* trace: samples, settings and capabilities of one NIC as text, both ways. One line each, words separated by blanks:
 *
 *	nic name=eth0 driver=abc device=1 up=1 carrier=1 speed=1000 rx-queues=1 tx-queues=1
 *	caps rx-usecs=0..1023/1 rx-ring=64..4096 gro-flush-timeout napi=sysfs
 *	set rx-usecs=50 rx-frames=0
 *	at 0 rx-packets=0 rx-bytes=0 interrupts=0 cpu0.softirq=0 cpu0.idle=0
 *	at 10s rx-packets=700000 rx-bytes=900M cpu0.softirq=2700ms cpu0.idle=7300ms
 *
 * `at`: counters as they stood then; a key that is not given stands as in the line before, and one that never was is
 * absent; lines of the same time are one sample. Counters take k, M and G (1000s), times their unit. A word that
 * begins with '#' begins a comment. What may be told of a machine without telling whose it is: no addresses, no host
 * names. */
#pragma once
#include <stddef.h>

#include "core/evidence.h"
#include "core/nic.h"
#include "core/sample.h"

enum trace_line { TRACE_NOTHING, TRACE_NIC, TRACE_CAPS, TRACE_SET, TRACE_AT, TRACE_LINES };

/* All lines so far taken together. */
struct trace {
	struct nic_info nic;
	struct nic_caps caps;
	struct knob_set current;
	struct sample sample; /* of the last `at`; now is never 0 there */
	struct evidence evidence;
};

/* The number of a counter: "12", "70k", "1.5M". Returns 0, -EINVAL, -ERANGE. */
int trace_number(const char *text, uint64_t *ret);
/* Takes one line (its end may still be there) into *t. Returns what it was (enum trace_line), or -EINVAL with one line
 * in err; *t may then hold a part of it. */
int trace_read(struct trace *t, const char *line, char err[ERR_MAX]);
/* The line of that kind for *t. before: an `at` leaves out what it says already; NULL: all. Returns as snprintf. */
int trace_write(const struct trace *t, enum trace_line kind, const struct trace *before, char *buf, size_t size);
