// SPDX-License-Identifier: GPL-2.0-or-later
/* metrics-totals: what happened on one interface since the daemon knows it. The device's own counters start anew with a
 * reset or another set of queues, and reports are of one tick; these only grow. */
#pragma once
#include "core/report.h"
#include "core/sample.h"

enum total {
#define TOTAL(id, source, field) TOTAL_##id,
#include "daemon/metrics-totals.def"
#undef TOTAL
	TOTAL_COUNT
};

enum queue_total { QUEUE_PACKETS, QUEUE_BYTES, QUEUE_INTERRUPTS, QUEUE_TOTAL_COUNT };

/* A counter: as read last, and how much it grew. */
struct growing {
	uint64_t raw, sum;
};

#define TOTALS_ERRNOS 8

struct totals {
	struct growing device[TOTAL_COUNT];
	struct growing queue[NIC_QUEUES_MAX][QUEUE_TOTAL_COUNT];
	unsigned n_queues, generation;
	nsec_t seen[32];  /* when each source was read last, by the number of its bit; 0: never */
	uint32_t based;	  /* sources whose `raw` can be compared with */
	uint64_t changes[KNOB_COUNT][REASON_COUNT], skipped[SKIP_COUNT], rollbacks;
	struct {
		int number; /* positive */
		uint64_t n;
	} errors[TOTALS_ERRNOS]; /* the last one takes all that have no room */
	enum bottleneck bottleneck; /* of the last interval that could be judged, when `judged` */
	bool judged;
};

/* One tick: s is what it read, NULL when that failed. */
void totals_count(struct totals *t, const struct sample *s, const struct report *r);
/* Is the source there now? Some are read less often than every tick. */
bool totals_fresh(const struct totals *t, enum sample_source source, nsec_t now);
enum sample_source totals_source(enum total which);

/* Share of each CPU in softirqs, averaged over some seconds: /proc/stat moves in steps of 10 ms. */
struct cpu_shares {
	unsigned n;
	double ratio[SAMPLE_CPUS_MAX]; /* < 0: not known */
	nsec_t counted;		       /* until when; 0: never */
};

bool cpu_shares_fresh(const struct cpu_shares *c, nsec_t now);
/* a: the sample before b. Does nothing when b was counted already or has no such source. */
void cpu_shares_count(struct cpu_shares *c, const struct sample *a, const struct sample *b);
