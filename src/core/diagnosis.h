// SPDX-License-Identifier: GPL-2.0-or-later
/* diagnosis: names what limits a NIC now, with the numbers that led there. Rules with their reasons in the .c; what
 * can be done about it, as commands, in remedy.h. */
#pragma once
#include <stddef.h>

#include "core/evidence.h"
#include "core/nic.h"
#include "core/sample.h"

enum bottleneck {
#define BOTTLENECK(id, slug, coalescing, sentence, advice) BOTTLENECK_##id,
#include "core/bottlenecks.def"
#undef BOTTLENECK
	BOTTLENECK_COUNT
};

struct bottleneck_desc {
	const char *slug, *sentence, *advice;
	bool coalescing; /* false: the interval is not the cause, so none is advised */
};
extern const struct bottleneck_desc bottleneck_table[BOTTLENECK_COUNT];

/* All that a diagnosis looks at. Only nic and rates must be there. */
struct symptoms {
	const struct nic_info *nic;
	const struct rates *rates;
	double polls_ps;		 /* interrupts or polls; < 0 unknown */
	bool closed;			 /* a test showed that the load waits for its answers */
	double poll_usecs, packet_usecs; /* measured or prior cost of an interrupt, of a packet; 0 unknown */
	const struct knob_set *current;	 /* NULL: settings are not known */
	const struct knob_caps *caps;
	const struct evidence *evidence;
	const struct nic_map *map; /* for the numbers of interrupts in commands */
};

/* Numbers below 0 are not known. */
struct diagnosis {
	enum bottleneck class;
	uint32_t also; /* classes that hold beside it, as bits */
	double polls_ps, packets_per_poll, link_ratio, busiest_ratio, drops_ps, squeeze_ps;
	double interrupts_ps;
	double packet_work_ratio; /* packet work of the busiest CPU or NAPI thread, part of one CPU */
	double packet_usecs;	  /* packet work / packets: what one costs, its share of interrupts included */
	bool answers;		  /* as many small packets in as out: questions and answers */
	double wait_usecs;	  /* longest wait that the present settings add */
	struct evidence evidence;
};

void diagnose(const struct symptoms *s, struct diagnosis *ret);
/* What most of the last looks came to: a short interval holds few ticks of CPU time, and one burst is no bottleneck.
 * Zeroed at first. */
#define DIAGNOSIS_LOOKS 16
struct diagnosis_memory {
	unsigned char class[DIAGNOSIS_LOOKS];
	unsigned n; /* looks so far */
};
enum bottleneck diagnosis_vote(struct diagnosis_memory *m, enum bottleneck fresh);
/* "interrupt-bound: 50.1k packets/s, 1.0 packets per poll, CPU1 71% busy". Returns as snprintf. */
int diagnosis_explain(const struct diagnosis *d, const struct rates *r, char *buf, size_t size);
