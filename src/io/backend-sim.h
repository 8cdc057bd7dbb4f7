// SPDX-License-Identifier: GPL-2.0-or-later
/* backend-sim: one NIC of nicsim behind struct backend, in simulated time: the whole engine runs on it, with the
 * manners of a driver that tests choose. */
#pragma once
#include "core/nicsim.h"
#include "io/backend.h"

struct backend_sim_config {
	struct sim_profile profile; /* its own copy: tests change what they need */
	const char *load;	    /* see simload_build() */
	uint64_t seed;
	uint64_t step[KNOB_COUNT]; /* the driver rounds down to it; 0 = not */
	uint64_t most[KNOB_COUNT]; /* the driver silently takes no more; 0 = no such limit */
	uint32_t dead;		   /* knobs that read back as written, and do nothing */
	uint32_t frozen;	   /* knobs whose write succeeds, and that read back as before */
};

/* *ret is to be closed with its operation. Returns 0, -ENOMEM, -EINVAL, -ENOENT (load). */
int backend_sim_new(const struct backend_sim_config *cfg, struct backend **ret);
void backend_sim_run(struct backend *b, nsec_t dt);
void backend_sim_nic(const struct backend *b, struct nic_info *ret);
/* Someone else's hand: past the manners above. */
void backend_sim_put(struct backend *b, enum knob k, uint64_t value);
uint64_t backend_sim_value(const struct backend *b, enum knob k); /* what reading it says */
void backend_sim_counters(const struct backend *b, struct nicsim_counters *ret);
