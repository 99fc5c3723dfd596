/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_CHILD_H
#define TESTS_UNIT_CHILD_H

/*
 * A child of this process that does nothing, and goes with it
 */

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t make_child(void)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

#endif
