// SPDX-License-Identifier: GPL-2.0-or-later
/* irqname: what the name of an interrupt's action says: whose it is, for which direction, for which queue; and rules
 * for devices whose names do not say it. Pure text functions. Names of drivers do not occur here: rules are data. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "core/knob.h"

enum irq_role {
	IRQ_ROLE_UNKNOWN, /* nothing that we recognise */
	IRQ_ROLE_RX,
	IRQ_ROLE_TX,
	IRQ_ROLE_RXTX,
	IRQ_ROLE_CONTROL, /* link change, mailbox, errors, wake up: no packets */
};

struct irq_name {
	enum irq_role role;
	int number; /* after the role: queue, or vector; -1 none */
};

/* How interrupts of one kind of device are told apart when names do not do it. {0} = no rule. */
struct irq_rule {
	/* Roles in ascending order of interrupts with equal names: comma list of rx, tx, rxtx, other; a star after it
	 * means "as many as there are": of the only one with a star all that are left, of the first of two as many as
	 * the device has queues. "other,tx*,rx*"; "tx,rx"; "rxtx*". Empty: no such rule. */
	char order[48];
	/* The number in the name counts vectors, not queues: a queue's number is its rank among those of its role. */
	bool number_is_vector;
};

/* Where `owner` (netdev name, bus address, platform device) stands in an action's name as a whole word: "eth1" is in
 * "drv-eth1-rx-0" and "eth1", not in "eth10" or "veth1". NULL: not there. */
const char *irq_name_owner(const char *action, const char *owner);

/* Parses the part of the name that is not the owner's (owner NULL or not in it: the whole name). */
struct irq_name irq_name_parse(const char *action, const char *owner);

/* 0, or -EINVAL with err set: an unknown role, two stars of one role, more than two stars. */
int irq_rule_check(const struct irq_rule *rule, char err[ERR_MAX]);

/* The order from words with blanks between: "other tx* rx*". Returns 0 or -EINVAL (*ret untouched). */
int irq_rule_words(const char *words, struct irq_rule *ret);

/* Role and queue of each of n interrupts, by rule->order. number -1: not for one queue. Returns 0; -ENOENT: no order;
 * -ERANGE: n does not fit the order (then nothing is written). */
int irq_rule_apply(const struct irq_rule *rule, unsigned rx_queues, unsigned tx_queues, struct irq_name *ret, size_t n);
