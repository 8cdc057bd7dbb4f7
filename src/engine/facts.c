// SPDX-License-Identifier: GPL-2.0-or-later
/* facts: see facts.h. */
#include "engine/facts.h"

#include <string.h>

#include "io/procfile.h"
#include "io/timerfloor.h"

/* First row that occurs wins: a guest says so in its flags whatever the processor is. "CPU part" codes are those of the
 * in-order cores (Cortex-A35, A53, A55); larger cores of that family lie between and take the fallback. */
static const struct {
	const char *word, *prior;
} marks[] = {
	{ " hypervisor", "vm" },  { "0xd04", "arm-small" },  { "0xd03", "arm-small" },
	{ "0xd05", "arm-small" }, { "GenuineIntel", "x86" }, { "AuthenticAMD", "x86" },
};

const char *machine_prior_name(const char *cpuinfo)
{
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (strstr(cpuinfo, marks[i].word))
			return marks[i].prior;
	return "fallback";
}

void machine_facts_read(struct machine_facts *ret)
{
	struct machine_facts f = { .prior = *model_prior_by_name("fallback") };
	struct procfile file = PROCFILE_CLOSED;
	struct procroot root;

	timerfloor_measure(&f.timer_floor_usecs); /* stays 0, unknown, when it fails */
	if (procroot_open(&root, "/") == 0) {
		if (procfile_open(&file, &root, "proc/cpuinfo") == 0 && procfile_read(&file) == 0)
			f.prior = *model_prior_by_name(machine_prior_name(file.text));
		procfile_close(&file);
		procroot_close(&root);
	}
	*ret = f;
}
