/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/queue_ask.h"
#include "client/queue.h"
#include "jobfile/exit.h"
#include "proto/scheduler.h"

int cmd_priority(const struct args *args, const struct output *output)
{
	Bellows__V1__PriorityRequest request =
		BELLOWS__V1__PRIORITY_REQUEST__INIT;
	const char *word = args->words.at[1];
	char note[40];

	if (number_read(&request.priority, word) < 0 || request.priority == 0 ||
	    request.priority > QUEUE_PRIORITY_MAX)
		return output_fail(output, EXIT_USAGE,
				   "'%s' is no priority; a number from 1 to %d "
				   "is",
				   word, QUEUE_PRIORITY_MAX);
	request.job = (char *)args->words.at[0];
	snprintf(note, sizeof(note), "its priority is %u", request.priority);
	return queue_command(args, output, CALL_SET_PRIORITY, &request.base,
			     note);
}
