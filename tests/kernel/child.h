// SPDX-License-Identifier: GPL-2.0-or-later
/* child: other processes that tests start: command lines, and functions without privileges. */
#pragma once
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define NS_NOBODY 65534

/* Runs a command line; its exit status. */
__attribute__((format(printf, 1, 2))) static inline int ns_run(const char *fmt, ...)
{
	char cmd[512];
	va_list ap;
	int status;

	va_start(ap, fmt);
	vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	status = system(cmd);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* What fn returns (a negative errno or a small number) in a child without any capability. */
static inline int ns_unprivileged(int (*fn)(void *arg), void *arg)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (setgid(NS_NOBODY) < 0 || setuid(NS_NOBODY) < 0)
			_exit(255);
		_exit(-fn(arg) & 255);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
		return -EIO;
	return -WEXITSTATUS(status);
}
