// SPDX-License-Identifier: GPL-2.0-or-later
/* session: see session.h. Signals are blocked and read from a descriptor, so nothing is ever cut off in the middle. */
#include "cli/session.h"

#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "engine/config.h"
#include "io/backend-kernel.h"
#include "io/nic.h"

#define CAP_NET_ADMIN_BIT 12 /* linux/capability.h */

static int list_nics(struct session *s)
{
	size_t max = 64;

	for (;;) {
		struct nic_info *p = realloc(s->nics, max * sizeof(*p));
		int n;

		if (!p)
			return -ENOMEM;
		s->nics = p;
		n = s->backend->ops->list(s->backend, s->nics, max);
		if (n < 0)
			return n;
		s->n_nics = (size_t)n < max ? (size_t)n : max;
		if ((size_t)n <= max)
			return 0;
		max = 2 * (size_t)n;
	}
}

int session_open(struct session *s, const struct cmd *c)
{
	char err[ERR_MAX] = "";
	sigset_t set;
	int r;

	*s = (struct session){ .cmd = c, .signal_fd = -1, .terminal = isatty(STDERR_FILENO) };
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	s->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->signal_fd < 0)
		return cmd_fail(c, EXIT_FAILED, "cannot watch for signals: %s", strerror(errno));
	r = backend_kernel_open("/", &s->backend, err);
	if (r < 0)
		return cmd_fail(c, EXIT_FAILED, "cannot talk to the kernel: %s", err[0] ? err : strerror(-r));
	r = list_nics(s);
	if (r < 0)
		return cmd_fail(c, EXIT_FAILED, "cannot list the interfaces: %s", strerror(-r));
	r = config_load(NULL, NULL, &s->config, NULL, NULL);
	if (r < 0)
		return cmd_fail(c, EXIT_FAILED, "configuration: %s", strerror(-r));
	return EXIT_DONE;
}

void session_rules(const struct session *s, const struct nic_info *nic, const struct policy *fallback,
		   struct target_rules *ret)
{
	struct procroot root;

	if (procroot_open(&root, "/") < 0)
		root.fd = -1; /* then all that sysfs knows stays unknown */
	rules_find(s->config, &root, backend_kernel_finder(s->backend)->rtnl, nic, fallback, ret);
	procroot_close(&root);
}

void session_quirks(const struct session *s, const struct nic_info *nic, const struct knob_set *current,
		    struct nic_caps *caps, struct quirk_effect *ret)
{
	struct target_rules rules;
	struct policy any;

	policy_default(&any);
	session_rules(s, nic, &any, &rules);
	quirk_apply(rules.quirks, rules.n_quirks, &rules.subject, current, caps, ret);
}

void session_close(struct session *s)
{
	if (s->backend)
		s->backend->ops->close(s->backend);
	free(s->nics);
	config_free(s->config);
	if (s->signal_fd >= 0)
		close(s->signal_fd);
	*s = (struct session){ .signal_fd = -1 };
}

const struct nic_info *session_find(struct session *s, const char *name, int *ret_exit)
{
	for (size_t i = 0; i < s->n_nics; i++)
		if (!strcmp(s->nics[i].name, name))
			return &s->nics[i];
	if (if_nametoindex(name))
		*ret_exit = cmd_fail(s->cmd, EXIT_UNTUNABLE, "%s: has no interrupts of its own, nothing to tune", name);
	else
		*ret_exit = cmd_fail(s->cmd, EXIT_FAILED, "%s: no such interface", name);
	return NULL;
}

bool session_progress(void *session, double done_ratio)
{
	struct session *s = session;
	struct signalfd_siginfo info;

	if (read(s->signal_fd, &info, sizeof(info)) == sizeof(info))
		s->interrupted = true;
	if (s->terminal && s->doing)
		fprintf(stderr, "\r%s: %3.0f%%", s->doing, 100 * (done_ratio < 1 ? done_ratio : 1));
	return !s->interrupted;
}

void session_progress_end(struct session *s)
{
	if (s->terminal && s->doing)
		fprintf(stderr, "\r\033[K");
}

bool session_may_write(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	uint64_t caps = 0;
	char line[128];

	if (!f)
		return geteuid() == 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "CapEff: %" SCNx64, &caps) == 1)
			break;
	fclose(f);
	return caps >> CAP_NET_ADMIN_BIT & 1;
}

int session_state(struct session *s, struct state_dir *ret, int *ret_lock_fd)
{
	const char *path = state_default_path();
	int r = state_open(ret, path);

	if (r < 0)
		return cmd_fail(s->cmd, EXIT_FAILED, "%s: %s", path, strerror(-r));
	*ret_lock_fd = state_lock(ret);
	if (*ret_lock_fd >= 0)
		return EXIT_DONE;
	r = *ret_lock_fd;
	state_close(ret);
	if (r == -EWOULDBLOCK)
		return cmd_fail(s->cmd, EXIT_FAILED, "ethtuned is running and would undo it: stop it first");
	return cmd_fail(s->cmd, EXIT_FAILED, "%s/lock: %s", path, strerror(-r));
}
