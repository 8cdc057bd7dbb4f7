// SPDX-License-Identifier: GPL-2.0-or-later
/* backend: what the engine may do to NICs, behind one table of functions: the kernel, a recorded trace, or a
 * simulation. All return 0 or a negative errno (-ENODEV: the device is gone) and leave outputs untouched on failure;
 * `err` then holds one line without the interface's name, the kernel's extack text included. */
#pragma once
#include <stddef.h>

#include "core/evidence.h"
#include "core/knob.h"
#include "core/nic.h"
#include "core/sample.h"

struct backend; /* begins with a pointer to its operations */

struct backend_ops {
	const char *name;
	nsec_t (*now)(struct backend *b);
	/* Up to max NICs that could carry a policy, in order of ifindex. Returns how many there are, or a negative
	 * errno. */
	int (*list)(struct backend *b, struct nic_info *ret, size_t max);
	int (*caps)(struct backend *b, const struct nic_info *nic, struct nic_caps *ret);
	int (*map)(struct backend *b, const struct nic_info *nic, struct nic_map *ret);
	/* Counters of now. Sources that are missing have no bit; -ENODEV when the device is gone. */
	int (*sample)(struct backend *b, const struct nic_info *nic, struct sample *ret);
	/* Device-wide view of every readable knob; NAPI knobs: the largest over the NAPI instances. */
	int (*read)(struct backend *b, const struct nic_info *nic, struct knob_set *ret);
	/* Writes all of `want`, one request per channel, and reads back: *ret_got is what the device has now (only the
	 * channels written), also after a failure that changed something. */
	int (*write)(struct backend *b, const struct nic_info *nic, const struct knob_set *want,
		     struct knob_set *ret_got, char err[ERR_MAX]);
	/* Everything, exactly, to put it back later; restore writes only what differs. */
	int (*save)(struct backend *b, const struct nic_info *nic, struct nic_settings *ret);
	int (*restore)(struct backend *b, const struct nic_info *nic, const struct nic_settings *saved,
		       char err[ERR_MAX]);
	/* Settings of queues 0 .. n-1, one by one, as far as they can differ: coalescing by the per-queue ioctl, and
	 * deferral of the NAPI instance that serves receive queue i, where each has one of its own; a knob that cannot
	 * be told or set by queue has no bit. Returns n, at most max; -EOPNOTSUPP: nothing can. May be NULL. */
	int (*read_queues)(struct backend *b, const struct nic_info *nic, struct queue_setting *ret, unsigned max);
	/* Writes all n of them, in one ioctl, and one message an instance. want: ascending queue numbers; knobs without
	 * a bit stay. Does not read back. May be NULL. */
	int (*write_queues)(struct backend *b, const struct nic_info *nic, const struct queue_setting *want, unsigned n,
			    char err[ERR_MAX]);
	/* Whether the NIC's own polls are to be counted (they are at first): exact, but dear at high rates. May be
	 * NULL. */
	void (*count_polls)(struct backend *b, const struct nic_info *nic, bool on);
	/* Why the NIC's own polls are not counted, "" when they are. May be NULL. */
	const char *(*no_polls)(struct backend *b, const struct nic_info *nic);
	/* Whose the interrupts of one name are, in the order of their numbers, as a quirk has it: "other tx* rx*"; "":
	 * not known. Holds for maps and samples from then on. May be NULL. */
	void (*irq_order)(struct backend *b, const struct nic_info *nic, const char *order);
	/* Dear sources too, while someone waits for an answer: polls counted one by one and timed in bursts (each
	 * sample() then lasts 10 ms), NAPI threads, hardware counters. May be NULL. */
	void (*details)(struct backend *b, const struct nic_info *nic, bool on);
	/* Why a source that only details bring (one SAMPLE_ bit) is missing, "" when it is there. May be NULL. */
	const char *(*why_missing)(struct backend *b, const struct nic_info *nic, uint32_t source);
	/* What only a diagnosis asks for; dear. RATEs are totals: read twice, see evidence_between(). May be NULL. */
	int (*evidence)(struct backend *b, const struct nic_info *nic, struct evidence *ret);
	/* Frees what is kept for this NIC: descriptors, counters. It may come again. May be NULL. */
	void (*forget)(struct backend *b, const struct nic_info *nic);
	void (*close)(struct backend *b);
};

struct backend {
	const struct backend_ops *ops;
};
