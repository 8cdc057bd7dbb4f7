// SPDX-License-Identifier: GPL-2.0-or-later
/* sample-cpu: how much CPU time interrupts and packets take, and from where that is known. */
#pragma once
#include <stdint.h>

struct sample;

/* Where CPU time of interrupts and packets is known from, best first: src/core/cputimes.def. */
enum cpu_time_source {
#define CPU_TIME_SOURCE(id, slug, accuracy, what) CPU_TIME_BY_##id,
#include "core/cputimes.def"
#undef CPU_TIME_SOURCE
	CPU_TIME_SOURCE_COUNT
};
struct cpu_time_desc {
	const char *slug, *accuracy, *what;
};
extern const struct cpu_time_desc cpu_time_table[CPU_TIME_SOURCE_COUNT];

/* Ratio of one CPU, never an average over several; error: one standard error. */
struct packet_cpu {
	enum cpu_time_source by;
	unsigned cpu;
	double ratio, error;
	double threads_ratio; /* part of it that NAPI threads took */
};

/* CPU that interrupts and packets took between a and b, from the best source that both have. have: of the rates. */
void packet_cpu_between(const struct sample *a, const struct sample *b, uint32_t have, struct packet_cpu *ret);
