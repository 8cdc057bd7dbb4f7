// SPDX-License-Identifier: GPL-2.0-or-later
/* apply: the only way to a device's knobs. Saves originals once, writes only what differs from the last readback, reads
 * back what the device took, remembers what it refuses or clamps, and puts everything back. */
#pragma once
#include "core/nic.h"
#include "engine/state.h"
#include "io/backend.h"

struct apply {
	struct backend *backend;
	struct state_dir *state; /* NULL: originals are kept in memory only */
	bool dry_run;
	bool saved; /* original holds something */
	struct nic_settings original;
	struct nic_settings seen; /* scratch of the last full reading; its NAPI ids tell when they changed */
	struct knob_set current;  /* last readback */
	struct knob_set asked;	  /* last request for each knob, and what came of it: */
	struct knob_set got;
	uint32_t together; /* knobs that a driver wants all in one message, or it spoils those left out */
	uint32_t dead;	  /* refused as unsupported: not tried again */
	uint32_t clamped; /* took another value than asked, already told */
};

struct apply_result {
	uint32_t written, clamped, dead; /* clamped, dead: new ones only */
	struct knob_set before;
	int error;
	char message[ERR_MAX];
};

void apply_init(struct apply *a, struct backend *b, struct state_dir *state, bool dry_run);
/* Reads the present values. With originals on disk (a crash): puts them back first; err then says so when that failed,
 * in which case they stay on disk as the originals. */
int apply_attach(struct apply *a, const struct nic_info *nic, char err[ERR_MAX]);
/* Brings the device to `want` (knobs without a bit stay). A request equal to the last one whose answer still stands is
 * not repeated. Returns 0 (also when nothing had to be done) or the negative errno that is in ret->error too. */
int apply_set(struct apply *a, const struct nic_info *nic, const struct knob_set *want, struct apply_result *ret);
/* Reads the present values into a->current and a->seen. */
int apply_read(struct apply *a, const struct nic_info *nic);
/* Saves the originals, also on disk, unless they are. Who writes by another way than apply_set() must do so before. */
int apply_save(struct apply *a, const struct nic_info *nic, char err[ERR_MAX]);
/* Re-reads into a->current. *ret_foreign: knobs that someone else changed since the last readback; *ret_reshaped: the
 * NAPI instances are other ones than before (down/up, channels), so that their values fell back by themselves. */
int apply_refresh(struct apply *a, const struct nic_info *nic, uint32_t *ret_foreign, bool *ret_reshaped);
/* The values before we changed anything, as a->current would show them: the originals, else the present ones. */
void apply_rest(const struct apply *a, struct knob_set *ret);
/* These knobs are someone else's: never put back, not after a crash either. Goes by the last reading. */
void apply_disown(struct apply *a, const struct nic_info *nic, uint32_t bits);
/* Values of these knobs as they are now become the originals, also on disk: they were someone else's. */
int apply_adopt(struct apply *a, const struct nic_info *nic, uint32_t bits);
/* Was this request answered already, and the answer still stands? Then it is not repeated. */
bool apply_answered(const struct apply *a, enum knob k, uint64_t value);
/* Would `want` bring everything that was written back to how it was found? The bits that differ now, 0: no. */
uint32_t apply_is_rest(const struct apply *a, const struct knob_set *want);
/* Puts originals back, except knobs in `keep` (someone else's now). Forgets them when done. */
int apply_restore(struct apply *a, const struct nic_info *nic, uint32_t keep, char err[ERR_MAX]);
/* What was put back reads less than it was, as the device counts steps of a clock? Once more, with what makes up for
 * it. Part of a restore. */
void apply_undo_rounding(struct apply *a, const struct nic_info *nic);
