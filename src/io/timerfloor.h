// SPDX-License-Identifier: GPL-2.0-or-later
/* timerfloor: how late short timers are on this machine. */
#pragma once

/* A prior for the real period of the kernel's NAPI deferral timer, T' = T + *ret_usecs while polls find little: the
 * lower quartile of the lateness of 15 sleeps of 50 us. The time that a poll needs for its packets comes on top; that
 * is the load's, not the machine's, and has to be learnt from the poll rate. Takes 1 ms, never 5 or more (unless
 * the thread gets no CPU). The calling thread's timer slack is as before afterwards.
 * 0; -ETIMEDOUT when the CPUs are too busy to tell; the errno of prctl. */
int timerfloor_measure(double *ret_usecs);
