// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The threads of a run, each given the struct load. Clients end with stop_phase, servers with quit.
 */
#pragma once

#include "vload.h"

#define PORT_SINK 9000
#define PORT_RR 9001
#define PORT_TCP 9002

void *load_udp_thread(void *arg);
void *load_rr_thread(void *arg);
void *load_tcp_thread(void *arg);

void *load_sink_thread(void *arg);
void *load_rr_server_thread(void *arg);
void *load_tcp_sink_thread(void *arg);
void *load_spin0_thread(void *arg);
void *load_spin1_thread(void *arg);
