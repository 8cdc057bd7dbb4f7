// SPDX-License-Identifier: GPL-2.0-or-later
/* bus caller: when a process counts as one that may change network settings: over made-up /proc files. */
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../core/suite.h"
#include "daemon/bus-access.h"

#define INITIAL "         0          0 4294967295\n"
#define ADMIN "0000000000001000"
#define FULL "000001ffffffffff"
#define NONE "0000000000000000"
#define NOWHERE "/nonexistent"

static char root[64];

/* With proc below dir. */
static bool may_below(const char *dir, pid_t pid, uid_t uid, int pidfd)
{
	struct procroot r = { -1 };
	bool may;

	ck_assert(procroot_open(&r, dir) == 0 || !strcmp(dir, NOWHERE));
	may = bus_caller_may(&r, pid, uid, pidfd);
	procroot_close(&r);
	return may;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

static void put(const char *who, const char *file, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/%s", root, who);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/proc/%s/%s", root, who, file);
	f = fopen(path, "w");
	ck_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* Process 42 as its files show it. */
static bool may(uid_t called, const char *uids, const char *inheritable, const char *effective, const char *ambient,
		const char *map)
{
	char status[512], path[128];
	bool r;

	strcpy(root, "/tmp/ethtuned-caller-XXXXXX");
	ck_assert(mkdtemp(root) != NULL);
	snprintf(path, sizeof(path), "%s/proc", root);
	mkdir(path, 0755);
	snprintf(status, sizeof(status),
		 "Name:\tx\nUmask:\t0022\nUid:\t%s\nGid:\t7\t7\t7\t7\nCapInh:\t%s\nCapPrm:\t%s\n"
		 "CapEff:\t%s\nCapBnd:\t" FULL "\nCapAmb:\t%s\n",
		 uids, inheritable, effective, effective, ambient);
	put("42", "status", status);
	put("42", "uid_map", map);
	put("self", "uid_map", INITIAL);
	r = may_below(root, 42, called, -1);
	nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	return r;
}

#define OWN "7\t7\t7\t7"

START_TEST(root_may)
{
	ck_assert(may_below(NOWHERE, 42, 0, -1));
	ck_assert(!may_below(NOWHERE, 42, 7, -1));
	ck_assert(!may_below(NOWHERE, 0, 7, -1));
}
END_TEST

START_TEST(the_capability_may)
{
	ck_assert(may(7, OWN, ADMIN, ADMIN, ADMIN, INITIAL));
	ck_assert(may(7, OWN, ADMIN, ADMIN, NONE, INITIAL));
	ck_assert(!may(7, OWN, NONE, NONE, NONE, INITIAL));
	ck_assert(!may(7, OWN, ADMIN, NONE, ADMIN, INITIAL)); /* not effective */
	ck_assert(!may(7, OWN, "ffffffffffffefff", "ffffffffffffefff", "ffffffffffffefff", INITIAL)); /* all but it */
}
END_TEST

/* unshare --user gives everybody all capabilities, over nothing of ours. */
START_TEST(a_user_namespace_of_its_own_means_nothing)
{
	ck_assert(!may(7, OWN, FULL, FULL, FULL, "         0          7          1\n"));
	ck_assert(!may(7, OWN, FULL, FULL, FULL, ""));
}
END_TEST

/* The call sent, then a program executed that may more than the caller. */
START_TEST(a_program_executed_since_means_nothing)
{
	ck_assert(!may(7, "7\t0\t0\t0", NONE, FULL, NONE, INITIAL)); /* setuid root */
	ck_assert(!may(7, "7\t0\t0\t0", FULL, FULL, FULL, INITIAL));
	ck_assert(!may(7, OWN, NONE, ADMIN, NONE, INITIAL)); /* file capabilities */
}
END_TEST

START_TEST(a_number_given_to_another_process_means_nothing)
{
	pid_t child = fork();
	int pidfd;

	if (child == 0)
		_exit(0);
	pidfd = (int)syscall(SYS_pidfd_open, child, 0);
	ck_assert_int_ge(pidfd, 0);
	waitpid(child, NULL, 0);
	/* even if whoever has the number now has every right */
	ck_assert(!may_below("/", getpid(), 7, pidfd));
	close(pidfd);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		root_may,
		the_capability_may,
		a_user_namespace_of_its_own_means_nothing,
		a_program_executed_since_means_nothing,
		a_number_given_to_another_process_means_nothing,
	};

	return SUITE_RUN("bus caller", tests);
}
