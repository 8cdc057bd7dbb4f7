// SPDX-License-Identifier: GPL-2.0-or-later
/* backend-kernel: the running kernel as a backend. All of it concerns the caller's network namespace. */
#pragma once
#include "io/backend.h"

struct genl;
struct nic_finder;

/* root: "/" (tests: a directory that holds proc and sys). */
int backend_kernel_open(const char *root, struct backend **ret, char err[ERR_MAX]);

/* Plumbing that a daemon or command shares with the backend; owned by it. */
struct genl *backend_kernel_genl(struct backend *b);
const struct nic_finder *backend_kernel_finder(struct backend *b);
/* Why the polls of this NIC cannot be counted, or "" when they can. */
const char *backend_kernel_no_polls(struct backend *b, const struct nic_info *nic);
