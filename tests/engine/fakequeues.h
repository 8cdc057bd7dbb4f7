// SPDX-License-Identifier: GPL-2.0-or-later
/* fakequeues: parts of fakenic.c: single queues, as operations of the backend and as parts of its other ones. */
#pragma once
#include "fakenic.h"

int fakequeues_read(struct backend *b, const struct nic_info *nic, struct queue_setting *ret, unsigned max);
int fakequeues_write(struct backend *b, const struct nic_info *nic, const struct queue_setting *want, unsigned n,
		     char err[ERR_MAX]);
void fakequeues_sample(struct fakenic *f, struct sample *ret);
void fakequeues_restore(struct fakenic *f, const struct nic_settings *saved);
