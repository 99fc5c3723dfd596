/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/executor.h"

#include "executor/process.h"
#include "jobfile/exit.h"

#include <signal.h>

#define KILL_AFTER SECONDS(3)
#define LOOK_AGAIN MSEC(20)

/* Then others may have started from the checkpoint that its ranks would write
 * when they are told to leave. */
static bool is_given_up(const struct executor *ex)
{
	return ex->exit_code == EXIT_UNREACHABLE || ex->lease.is_over;
}

static void look(void *user)
{
	struct executor *ex = user;
	bool late = loop_now() - ex->kill_since > KILL_AFTER || is_given_up(ex);

	if (process_signal(0, false, late ? SIGKILL : 0) > 0)
		loop_timer_set(ex->loop, &ex->kill, LOOK_AGAIN, look, ex);
	else
		ex->killed(ex);
}

void executor_kill_ranks(struct executor *ex, void (*killed)(struct executor *))
{
	ex->killed = killed;
	ex->kill_since = loop_now();
	process_signal(0, false, is_given_up(ex) ? SIGKILL : SIGTERM);
	look(ex);
}
