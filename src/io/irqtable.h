// SPDX-License-Identifier: GPL-2.0-or-later
/* irqtable: the text of /proc/interrupts of any architecture and kernel since 3.x, and of
 * /sys/kernel/irq/N/per_cpu_count. Pure text functions without allocation (about 24 kB of stack). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IRQTABLE_CPUS_MAX 4096
#define IRQ_ACTION_MAX 64 /* room for one action's name */

/* One numbered interrupt. Points into the text and into the parser's stack: valid during the call only. */
struct irqtable_row {
	unsigned irq;
	unsigned n_cpus;       /* online CPUs, in the order of the table's head */
	const uint16_t *cpu;   /* their numbers */
	const uint32_t *count; /* as printed: modulo 2^32 */
	const char *actions;   /* "eth0-rx-0" or "ehci_hcd:usb1, eth1"; not terminated */
	size_t actions_len;    /* 0: nobody has requested it */
};

typedef int irqtable_fn(const struct irqtable_row *row, void *arg);

/* Calls fn for every row whose label is a number (not NMI, ERR, IPI0, ...); a value other than 0 ends it and is
 * returned. Rows with fewer counts than the head has CPUs (torn by CPU hotplug) are left out. -EINVAL: no head. */
int irqtable_parse(const char *text, irqtable_fn *fn, void *arg);

/* CPU numbers of a first line of "CPUn" labels, also that of /proc/softirqs. Returns how many (at most max); 0: no
 * head. */
unsigned irqtable_parse_head(const char *text, uint16_t *ret, unsigned max);

/* "0,23817" or the same with a newline. Returns how many values (at most max are kept), or -EINVAL. */
int irqtable_parse_counts(const char *text, uint32_t *ret, size_t max);

/* Steps through a list of actions ("a, b" or the sysfs form "a,b"). *pos starts at 0. false: no more.
 * Names that do not fit are cut. */
bool irqtable_next_action(const char *actions, size_t len, size_t *pos, char ret[IRQ_ACTION_MAX]);
