/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/queue_ask.h"
#include "cli/commands/queue_live.h"
#include "proto/scheduler.h"

struct asking {
	const struct args *args;
	const struct output *output;
};

static void print(const struct args *args, const struct output *output,
		  FILE *to, const Bellows__V1__Queue *queue,
		  const struct screen_size *size)
{
	const struct queue_table table = {
		.width = size->columns < QUEUE_COLUMNS ? size->columns
						       : QUEUE_COLUMNS,
		.all = args->all || args->words.n,
		.full = args->words.n,
	};

	output->queue(to, queue, &table);
}

static void on_answer(void *user, const ProtobufCMessage *answer)
{
	const struct asking *asking = user;
	const struct screen_size size = screen_size(asking->args->term);

	print(asking->args, asking->output, stdout,
	      (const Bellows__V1__Queue *)answer, &size);
}

static void draw(const struct queue_live *live, FILE *to,
		 const Bellows__V1__Queue *queue,
		 const struct screen_size *size, bool again)
{
	if (again && !live->lines && !screen_is_terminal(live->args->term))
		fputc('\n', to);
	print(live->args, live->output, to, queue, size);
}

int cmd_queue(const struct args *args, const struct output *output)
{
	const struct asking asking = {args, output};
	const struct queue_live live = {
		.job = args->words.n ? args->words.at[0] : NULL,
		.draw = draw,
		.args = args,
		.output = output,
		.lines = args->json,
	};
	Bellows__V1__ListRequest request = BELLOWS__V1__LIST_REQUEST__INIT;

	if (args->watch)
		return queue_live_run(&live);
	if (live.job)
		request.job = (char *)live.job;
	return queue_ask(args, output, CALL_LIST, &request.base,
			 &bellows__v1__queue__descriptor, on_answer,
			 (void *)&asking);
}
