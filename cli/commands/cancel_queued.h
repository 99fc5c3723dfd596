/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMANDS_CANCEL_QUEUED_H
#define CLI_COMMANDS_CANCEL_QUEUED_H

#include "cli/commands/args.h"
#include "cli/views/output.h"

/* Cancels the job that is the first word if the queue of a scheduler has it,
 * and waits until it is over.  Returns the exit status, and has told of a
 * failure; or -1: there is no such job in a queue. */
int cancel_queued(const struct args *args, const struct output *output,
		  msec_t patience);

#endif
