/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rights.h"
#include "tests/check.h"

#include <linux/capability.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* A number of /proc/self/status. */
static unsigned long long status_of(const char *key)
{
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long long value = ~0ULL;
	char line[256];
	size_t n = strlen(key);

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, key, n) == 0 && line[n] == ':')
			value = strtoull(line + n + 1, NULL,
					 strncmp(key, "Cap", 3) == 0 ? 16 : 10);
	if (file)
		fclose(file);
	return value;
}

/* Whether a child that drops its rights finds it so. */
static bool is_so(bool (*test)(void))
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(rights_drop(NULL) == 0 && test() ? 0 : 1);
	return waitpid(pid, &status, 0) == pid && status == 0;
}

static bool no_new_privileges(void)
{
	return status_of("NoNewPrivs") == 1;
}

static bool has(unsigned capability)
{
	unsigned long long bit = 1ULL << capability;

	return ((status_of("CapEff") | status_of("CapPrm") |
		 status_of("CapInh")) &
		bit) != 0;
}

static bool has_none_that_is_dangerous(void)
{
	return !has(CAP_SYS_ADMIN) && !has(CAP_SYS_PTRACE) &&
	       !has(CAP_SYS_MODULE) && !has(CAP_NET_ADMIN) &&
	       !has(CAP_NET_RAW) && !has(CAP_MKNOD) && !has(CAP_SETPCAP);
}

static bool is_bound(void)
{
	return (status_of("CapBnd") & 1ULL << CAP_SYS_ADMIN) == 0;
}

static bool keeps_what_sshd_needs(void)
{
	return has(CAP_SETUID) && has(CAP_SETGID) && has(CAP_KILL) &&
	       has(CAP_IPC_LOCK);
}

static bool can_be_done_twice(void)
{
	return rights_drop(NULL) == 0;
}

static void nothing_gains_rights_by_its_file(void)
{
	CHECK(is_so(no_new_privileges));
}

static void capabilities_that_reach_further_are_gone(void)
{
	CHECK(is_so(has_none_that_is_dangerous));
	/* a process that cannot narrow the bounding set cannot use it either */
	CHECK(!has(CAP_SETPCAP) || is_so(is_bound));
}

static void root_keeps_those_of_a_container(void)
{
	CHECK(!(has(CAP_SETUID) && has(CAP_IPC_LOCK)) ||
	      is_so(keeps_what_sshd_needs));
}

static void the_second_time_changes_nothing(void)
{
	CHECK(is_so(can_be_done_twice));
}

RUN_TESTS(TEST(nothing_gains_rights_by_its_file),
	  TEST(capabilities_that_reach_further_are_gone),
	  TEST(root_keeps_those_of_a_container),
	  TEST(the_second_time_changes_nothing))
