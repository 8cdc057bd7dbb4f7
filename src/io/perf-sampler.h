// SPDX-License-Identifier: GPL-2.0-or-later
/* perf-sampler: NAPI polls of all devices at once, cheap enough for always: one event a CPU on napi:napi_poll without
 * a filter, which writes every 61st poll into memory, every 7th at low rates. A record has the exact count of its CPU
 * so far and names the device: the sum over devices is exact but for the polls behind the last record of each CPU, and
 * the share of each device an estimate from as many records (5 % after a second at 25 000 polls/s; no estimate at all
 * while it is the only one).
 *
 * Costs, measured: 60 ns a poll; reading is a look into memory, no system call and no interrupt of other CPUs. Devices
 * are told by name and over all network namespaces, see source-perf.h. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/sample.h"
#include "io/procfile.h"
#include "io/source-perf.h"

struct perf_sampler;

/* id: of napi:napi_poll. Errors as those of perf_polls_open(). */
int perf_sampler_open(const struct procroot *root, uint64_t id, struct perf_sampler **ret, char err[ERR_MAX]);
struct perf_sampler *perf_sampler_close(struct perf_sampler *s); /* returns NULL; takes NULL */
void perf_sampler_pause(struct perf_sampler *s, bool pause);
/* How many polls a record of that CPU stands for now. */
unsigned perf_sampler_period(const struct perf_sampler *s, unsigned cpu);
/* Takes in what was recorded, and CPUs that came or went. */
int perf_sampler_read(struct perf_sampler *s);
/* As of the last read, since open; never shrinking. A device that never polled has zeros; false: too many names. */
bool perf_sampler_counts(const struct perf_sampler *s, const char *dev_name, struct poll_counts *ret);
