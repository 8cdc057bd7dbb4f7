// SPDX-License-Identifier: GPL-2.0-or-later
/* sample-cost: what a poll with its interrupt (a) and a packet (b) cost, out of polls that were timed one by one:
 * ns = a + b * packets, by least squares. */
#pragma once
#include <stdbool.h>

/* Sums over timed polls of one device; they only grow, so that two of them have a difference. */
struct poll_sums {
	double polls, packets, packets2; /* number, packets and squares of packets */
	double ns, ns2, packets_ns;	 /* time, its square, packets * time */
	double irqs, irq_ns;		 /* the device's interrupt handlers */
};

/* Error: one standard error. Times in us. */
struct cost_estimate {
	bool split; /* a and b can be told apart: polls brought different numbers of packets */
	double a_usecs, b_usecs, a_error_usecs, b_error_usecs; /* only if split */
	double confidence; /* of a: 1 - twice its relative error, 0 .. 1 */
	double poll_usecs, packet_usecs; /* mean of a whole poll, and of it by packet (0: no packets) */
	double polls, packets;		 /* that this rests on */
};

void poll_sums_add(struct poll_sums *s, double packets, double ns);
/* after - before. */
struct poll_sums poll_sums_since(const struct poll_sums *before, const struct poll_sums *after);
/* False: too few polls to say anything; *ret is zero then. */
bool cost_estimate(const struct poll_sums *s, struct cost_estimate *ret);
