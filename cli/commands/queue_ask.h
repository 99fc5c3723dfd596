/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMANDS_QUEUE_ASK_H
#define CLI_COMMANDS_QUEUE_ASK_H

/*
 * One call of the scheduler
 */

#include "cli/commands/args.h"
#include "cli/views/output.h"
#include "client/client.h"

/* How long the scheduler may take, which writes its queue to a disk. */
#define QUEUE_ANSWER SECONDS(10)

/* Connects, calls and disconnects; fn gets the answer.  Returns the exit
 * status, and has told of a failure. */
int queue_ask(const struct args *args, const struct output *output,
	      const char *call, const ProtobufCMessage *request,
	      const ProtobufCMessageDescriptor *answer, client_answer_f fn,
	      void *user);

/* A call answered by a QueueReply, which is printed; note: what has happened,
 * if the scheduler has nothing to say about it. */
int queue_command(const struct args *args, const struct output *output,
		  const char *call, const ProtobufCMessage *request,
		  const char *note);

/* The same with a QueueRequest about the job that is the first word. */
int queue_command_with_reason(const struct args *args,
			      const struct output *output, const char *call,
			      const char *note);

#endif
