// SPDX-License-Identifier: GPL-2.0-or-later
/* rtnl-request: one question to rtnetlink and its answers; what rtnl.c is made of. */
#pragma once
#include <netlink/msg.h>
#include <stddef.h>

#include "io/rtnl.h"

/* One message of the answer. A negative return ends the request with it. */
typedef int (*rtnl_reply_fn)(const struct nlmsghdr *h, void *arg);

/* A request of `type`; *ret_head (a pointer to the family's header) is its zeroed header. NULL: no memory. */
struct nl_msg *rtnl_request_new(int type, int flags, size_t head_len, void *ret_head);

/* Sends msg, frees it, and hands every message of the answer to fn. Returns 0 or the kernel's negative errno;
 * -ETIMEDOUT; -EAGAIN when the dump was not consistent: what fn got is then to be thrown away, and asked again. */
int rtnl_request(struct rtnl *r, struct nl_msg *msg, rtnl_reply_fn fn, void *arg);
