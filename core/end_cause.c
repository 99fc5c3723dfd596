/* SPDX-License-Identifier: Apache-2.0 */
#include "core/end_cause.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

bool end_is_own(int status)
{
	if (!WIFEXITED(status))
		return false;
	switch (WEXITSTATUS(status)) {
	case 128 + SIGHUP:
	case 128 + SIGINT:
	case 128 + SIGKILL:
	case 128 + SIGTERM:
	case END_LOST_DAEMON:
		return false;
	}
	return true;
}

bool end_find_killed(const char *words, unsigned *rank, int *signo)
{
	static const char begin[] = "noticed that process rank ";

	while ((words = strstr(words, begin))) {
		words += sizeof(begin) - 1;
		if (sscanf(words,
			   "%9u with PID %*d on node %*s exited on signal %9d",
			   rank, signo) == 2)
			return true;
	}
	return false;
}
