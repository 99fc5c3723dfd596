/* SPDX-License-Identifier: Apache-2.0 */
#include "core/end_cause.h"

#include <signal.h>
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
