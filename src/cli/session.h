// SPDX-License-Identifier: GPL-2.0-or-later
/* session: one run of a command against this machine: the kernel backend, the interfaces, Ctrl-C, the progress line. */
#pragma once
#include "cli/cmd.h"
#include "core/nic.h"
#include "engine/rules.h"
#include "engine/state.h"
#include "io/backend.h"

struct session {
	const struct cmd *cmd;
	struct backend *backend;
	int signal_fd;	   /* INT, TERM and HUP arrive here from now on */
	bool terminal;	   /* stderr is one: a progress line is welcome */
	bool interrupted;  /* one arrived */
	const char *doing; /* what the progress line says */
	struct nic_info *nics;
	size_t n_nics;
	struct config *config; /* as the daemon reads it; what is wrong with it is for `check` to say */
};

/* Returns EXIT_DONE, or the exit code after one line on stderr. session_close() also after a failure. */
int session_open(struct session *s, const struct cmd *c);
void session_close(struct session *s);
/* NULL after one line on stderr with *ret_exit: no such interface, or none that could ever be tuned. */
const struct nic_info *session_find(struct session *s, const char *name, int *ret_exit);
/* Policy and quirks of an interface. fallback: where no policy fits. */
void session_rules(const struct session *s, const struct nic_info *nic, const struct policy *fallback,
		   struct target_rules *ret);
/* What is known of its driver, whatever its policy: narrows *caps, fills *ret. current: as quirk_apply()'s defaults. */
void session_quirks(const struct session *s, const struct nic_info *nic, const struct knob_set *current,
		    struct nic_caps *caps, struct quirk_effect *ret);
/* An advise_progress: shows the line, and says false once a signal arrived. */
bool session_progress(void *session, double done_ratio);
void session_progress_end(struct session *s);

/* CAP_NET_ADMIN is effective: writing is worth a try. */
bool session_may_write(void);
/* The directory of saved originals, locked against a running daemon. Returns an exit code as above. */
int session_state(struct session *s, struct state_dir *ret, int *ret_lock_fd);
