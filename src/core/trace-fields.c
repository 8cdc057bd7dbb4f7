// SPDX-License-Identifier: GPL-2.0-or-later
/* trace-fields: see trace-fields.h. One row a counter. */
#include <stddef.h>

#include "core/trace-fields.h"

#define DEVICE(key, member, source)                                                                                    \
	{                                                                                                              \
		key, offsetof(struct sample, member), SAMPLE_##source, false                                           \
	}
#define CPU(key, member, source, time)                                                                                 \
	{                                                                                                              \
		key, offsetof(struct cpu_counters, member), SAMPLE_##source, time                                      \
	}
#define QUEUE(key, member)                                                                                             \
	{                                                                                                              \
		key, offsetof(struct queue_counters, member), SAMPLE_QUEUES, false                                     \
	}

const struct trace_field trace_device_fields[] = {
	DEVICE("rx-packets", rx_packets, LINK),
	DEVICE("rx-bytes", rx_bytes, LINK),
	DEVICE("tx-packets", tx_packets, LINK),
	DEVICE("tx-bytes", tx_bytes, LINK),
	DEVICE("rx-dropped", rx_dropped, LINK),
	DEVICE("rx-missed", rx_missed, LINK),
	DEVICE("rx-fifo", rx_fifo, LINK),
	DEVICE("rx-over", rx_over, LINK),
	DEVICE("tx-dropped", tx_dropped, LINK),
	DEVICE("ring-drops", ring_drops, RING_DROPS),
	DEVICE("interrupts", interrupts, IRQS),
	DEVICE("rx-interrupts", rx_interrupts, IRQS),
	DEVICE("tx-interrupts", tx_interrupts, IRQS),
	DEVICE("polls", polls, POLLS),
	DEVICE("empty-polls", empty_polls, POLLS),
	DEVICE("full-polls", full_polls, POLLS),
	DEVICE("carrier-changes", carrier_changes, CARRIER),
	DEVICE("tx-timeouts", tx_timeouts, TX_TIMEOUTS),
	{ NULL, 0, 0, false },
};

const struct trace_field trace_cpu_fields[] = {
	CPU("user", user_ns, CPU, true),
	CPU("system", system_ns, CPU, true),
	CPU("idle", idle_ns, CPU, true),
	CPU("irq", irq_ns, CPU, true),
	CPU("softirq", softirq_ns, CPU, true),
	CPU("steal", steal_ns, CPU, true),
	CPU("net-rx", net_rx, SOFTIRQ, false),
	CPU("net-tx", net_tx, SOFTIRQ, false),
	CPU("processed", processed, SOFTNET, false),
	CPU("backlog-dropped", backlog_dropped, SOFTNET, false),
	CPU("time-squeeze", time_squeeze, SOFTNET, false),
	CPU("traced", traced_ns, TRACED, true),
	CPU("traced-work", traced_work_ns, TRACED, true),
	CPU("napi-thread", napi_thread_ns, NAPI_THREADS, true),
	CPU("cycles", cycles, PMU, false),
	CPU("instructions", instructions, PMU, false),
	CPU("cache-misses", cache_misses, PMU, false),
	{ NULL, 0, 0, false },
};

const struct trace_field trace_queue_fields[] = {
	QUEUE("rx-packets", rx_packets),
	QUEUE("rx-bytes", rx_bytes),
	QUEUE("interrupts", interrupts),
	{ NULL, 0, 0, false },
};
