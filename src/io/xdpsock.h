// SPDX-License-Identifier: GPL-2.0-or-later
/* xdpsock: AF_XDP sockets of the caller's network namespace and where they are bound (sock_diag). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/procfile.h"

struct nlmsghdr;

struct xdpsock {
	int ifindex;
	uint32_t queue;
	bool have_starved; /* kernels from 5.10 count: */
	uint64_t starved;  /* packets that found no buffer or no room in the socket's rings */
};

/* One message of the answer. False: another type, or the socket is not bound. */
bool xdpsock_parse(const struct nlmsghdr *h, struct xdpsock *ret);

/* Up to max of those bound; returns how many there are. -EOPNOTSUPP: this kernel does not tell. */
int xdpsock_list(struct xdpsock *ret, size_t max);

/* How many exist at all, bound or not, from proc/net/protocols: for kernels that do not tell more. -ENOENT: this one
 * has no AF_XDP. */
int xdpsock_count(const struct procroot *root);
