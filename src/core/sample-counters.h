// SPDX-License-Identifier: GPL-2.0-or-later
/* sample-counters: the parts of a sample: its sources, and the counters of one CPU and one queue. See sample.h. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define SAMPLE_CPUS_MAX 512

enum sample_source {
	SAMPLE_LINK = 1 << 0,	    /* packets, bytes, drops of the device (rtnetlink) */
	SAMPLE_QUEUES = 1 << 1,	    /* packets of each receive queue */
	SAMPLE_IRQS = 1 << 2,	    /* interrupts of the device, per queue where the map knows */
	SAMPLE_POLLS = 1 << 3,	    /* NAPI polls of the device (tracepoint) */
	SAMPLE_CPU = 1 << 4,	    /* /proc/stat of every CPU */
	SAMPLE_SOFTIRQ = 1 << 5,    /* NET_RX, NET_TX softirqs of every CPU */
	SAMPLE_SOFTNET = 1 << 6,    /* softnet_stat of every CPU */
	SAMPLE_RING_DROPS = 1 << 7, /* drops that surely mean "ring full" */
	SAMPLE_IRQTIME = 1 << 8,    /* the kernel accounts IRQ time exactly: irq_ns and softirq_ns can be trusted */
	SAMPLE_CARRIER = 1 << 9,    /* carrier_changes of the device */
	SAMPLE_TX_TIMEOUTS = 1 << 10, /* tx_timeout of its transmit queues */
	/* only while someone asks for details: */
	SAMPLE_TRACED = 1 << 16,       /* softirqs and polls timed one by one, in bursts (perf) */
	SAMPLE_NAPI_THREADS = 1 << 17, /* run time of the device's NAPI threads */
	SAMPLE_PMU = 1 << 18,	       /* hardware counters of every CPU, kernel side (perf) */
};

struct cpu_counters {
	bool online;
	uint64_t user_ns, system_ns, idle_ns, irq_ns, softirq_ns, steal_ns; /* iowait is in idle, nice in user */
	uint64_t net_rx, net_tx;			    /* softirqs raised */
	uint64_t processed, backlog_dropped, time_squeeze; /* softnet_stat */
	uint64_t traced_ns, traced_work_ns;		   /* time traced; of it in interrupts and network softirqs */
	uint64_t napi_thread_ns;			   /* of the device's NAPI threads */
	uint64_t cycles, instructions, cache_misses;	   /* in the kernel */
};

enum polls_source {
#define POLLS_SOURCE(id, slug, what) POLLS_##id,
#include "core/pollsources.def"
#undef POLLS_SOURCE
	POLLS_SOURCE_COUNT
};
struct polls_desc {
	const char *slug, *what;
};
extern const struct polls_desc polls_table[POLLS_SOURCE_COUNT];

struct queue_counters {
	uint64_t rx_packets, rx_bytes, interrupts;
};
