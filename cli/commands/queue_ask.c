/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/queue_ask.h"

#include "cli/exit_code.h"
#include "jobfile/exit.h"
#include "proto/scheduler.pb-c.h"
#include "runner/find.h"

int queue_ask(const struct args *args, const struct output *output,
	      const char *call, const ProtobufCMessage *request,
	      const ProtobufCMessageDescriptor *answer, client_answer_f fn,
	      void *user)
{
	struct client client = {0};
	struct error err;
	int r;

	r = queue_open(&client, &args->lookup, &err);
	if (r == 0)
		r = client_call(&client, call, request, answer, QUEUE_ANSWER,
				fn, user, &err);
	client_close(&client);
	return r < 0 ? output_fail(output, exit_code_of(r), "%s", err.text)
		     : EXIT_DONE;
}

struct reply_view {
	const struct output *output;
	const char *note;
};

static void on_reply(void *user, const ProtobufCMessage *answer)
{
	const Bellows__V1__QueueReply *reply =
		(const Bellows__V1__QueueReply *)answer;
	const struct reply_view *view = user;
	const struct queue_answer queued = {
		.number = reply->number,
		.name = reply->name,
		.note = *reply->note ? reply->note : view->note,
	};

	view->output->queued(stdout, &queued);
}

int queue_command(const struct args *args, const struct output *output,
		  const char *call, const ProtobufCMessage *request,
		  const char *note)
{
	struct reply_view view = {output, note};

	return queue_ask(args, output, call, request,
			 &bellows__v1__queue_reply__descriptor, on_reply,
			 &view);
}

int queue_command_with_reason(const struct args *args,
			      const struct output *output, const char *call,
			      const char *note)
{
	Bellows__V1__QueueRequest request = BELLOWS__V1__QUEUE_REQUEST__INIT;

	request.job = (char *)args->words.at[0];
	request.reason = (char *)(args->reason ? args->reason : "by hand");
	return queue_command(args, output, call, &request.base, note);
}
