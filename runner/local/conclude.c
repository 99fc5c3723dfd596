/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/exit.h"
#include "runner/local/internal.h"

#include <string.h>
#include <sys/wait.h>

/*
 * How a run has ended, by how its coordinator did
 */

/* The coordinator did not end by itself, or not at all. */
static void conclude_killed(struct local *local)
{
	struct run_result *result = &local->run.result;
	int status = local->coordinator.status;

	result->code = EXIT_INTERNAL;
	if (local->run.over)
		result->code = local->run.exit_code;
	else if (local->run.asked)
		result->code = EXIT_CANCELLED;
	else if (local->coordinator.running)
		snprintf(result->why, sizeof(result->why),
			 "the coordinator did not end");
	else
		snprintf(result->why, sizeof(result->why),
			 "the coordinator was ended by signal %d (%s)",
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
}

static void conclude_ended(struct local *local)
{
	struct run_result *result = &local->run.result;
	const char *last = local->last_error;
	int code = WEXITSTATUS(local->coordinator.status);

	result->code = code;
	if (!local->run.client.channel && local->run.asked) {
		result->code = EXIT_CANCELLED;
	} else if (!local->run.client.channel) {
		result->code = code ? code : EXIT_INTERNAL;
		snprintf(result->why, sizeof(result->why),
			 "the coordinator ended before it listened%s%s",
			 last[0] ? ": " : "", last);
	} else if (local->run.over) {
		run_conclude_over(&local->run);
		result->code = code;
	} else if (code == EXIT_SUSPENDED) {
		snprintf(result->why, sizeof(result->why),
			 "the coordinator was told to end: the job is saved, "
			 "and the same command goes on with it");
	} else if (code != 0 && !local->run.asked) {
		snprintf(result->why, sizeof(result->why),
			 "the coordinator ended with status %d%s%s", code,
			 last[0] ? ": " : "", last);
	}
}

void local_conclude(struct local *local)
{
	struct run_result *result = &local->run.result;

	if (local->run.ended)
		return;
	if (local->failure[0]) {
		result->code = local->failure_code;
		snprintf(result->why, sizeof(result->why), "%s",
			 local->failure);
	} else if (local->coordinator.running ||
		   !WIFEXITED(local->coordinator.status)) {
		conclude_killed(local);
	} else {
		conclude_ended(local);
	}
	run_end(&local->run);
}
