/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/instant.h"
#include "cli/commands/queue_ask.h"
#include "jobfile/exit.h"
#include "proto/scheduler.h"

static void on_reply(void *user, const ProtobufCMessage *answer)
{
	const struct output *output = user;

	output->explained(stdout, (const Bellows__V1__ExplainReply *)answer);
}

int cmd_explain(const struct args *args, const struct output *output)
{
	Bellows__V1__ExplainRequest request =
		BELLOWS__V1__EXPLAIN_REQUEST__INIT;
	struct error err;

	if (args->instant &&
	    instant_read(&request.at, args->instant, time(NULL), &err) < 0)
		return output_fail(output, EXIT_USAGE, "--at: %s", err.text);
	request.job = (char *)args->words.at[0];
	return queue_ask(args, output, CALL_EXPLAIN, &request.base,
			 &bellows__v1__explain_reply__descriptor, on_reply,
			 (void *)output);
}
