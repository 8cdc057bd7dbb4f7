// SPDX-License-Identifier: GPL-2.0-or-later
/* source-pmu: hardware counters of every online CPU, of what runs in the kernel there: cycles, instructions, cache
 * misses (SAMPLE_PMU). libpfm4 knows how this processor encodes them. That it can encode an event does not say that the
 * event is there: most virtual machines have none. Reading costs an interrupt of each other CPU: for details only. */
#pragma once
#include <linux/perf_event.h>

#include "core/sample.h"
#include "io/procfile.h"

struct pmu_source;

/* Counts from now, with those of the three events that open. -ENOENT: none does; err says why in one line. */
int pmu_source_open(const struct procroot *root, struct pmu_source **ret, char err[ERR_MAX]);
struct pmu_source *pmu_source_close(struct pmu_source *p); /* returns NULL; takes NULL */
/* Sets SAMPLE_PMU and cycles, instructions, cache_misses of each CPU (0: that event is not there), scaled up where the
 * kernel had to share the hardware. */
void pmu_source_read(struct pmu_source *p, struct sample *ret);
/* An event in libpfm4's words ("cycles:k") as the kernel's attribute, ready but for `disabled`. Negative errno. */
int pmu_encode(const char *event, struct perf_event_attr *ret, char err[ERR_MAX]);
