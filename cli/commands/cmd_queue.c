/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"
#include "cli/commands/queue_ask.h"
#include "cli/commands/queue_live.h"
#include "cli/views/queue_chart.h"
#include "jobfile/exit.h"
#include "proto/scheduler.h"

struct asking {
	const struct args *args;
	const struct output *output;
	int r; /* of the drawing */
	struct error err;
};

static struct queue_table table_of(const struct args *args,
				   const struct screen_size *size)
{
	return (struct queue_table){
		.width = size->columns < QUEUE_COLUMNS ? size->columns
						       : QUEUE_COLUMNS,
		.all = args->all || args->words.n,
		.full = args->words.n,
	};
}

static void on_answer(void *user, const ProtobufCMessage *answer)
{
	struct asking *asking = user;
	const struct args *args = asking->args;
	const Bellows__V1__Queue *queue = (const Bellows__V1__Queue *)answer;
	const struct screen_size size = screen_size(args->term);
	const struct queue_table table = table_of(args, &size);

	asking->output->queue(stdout, queue, &table);
	if (args->svg)
		asking->r = queue_chart_save(args->svg, queue, &table,
					     &asking->err);
}

static void draw(const struct queue_live *live, FILE *to,
		 const Bellows__V1__Queue *queue,
		 const struct screen_size *size, bool again)
{
	const struct queue_table table = table_of(live->args, size);

	if (again && !live->lines && !screen_is_terminal(live->args->term))
		fputc('\n', to);
	live->output->queue(to, queue, &table);
}

/* Returns the exit status. */
static int ask_once(const struct args *args, const struct output *output)
{
	struct asking asking = {.args = args, .output = output};
	Bellows__V1__ListRequest request = BELLOWS__V1__LIST_REQUEST__INIT;
	int code;

	if (args->words.n)
		request.job = (char *)args->words.at[0];
	code = queue_ask(args, output, CALL_LIST, &request.base,
			 &bellows__v1__queue__descriptor, on_answer, &asking);
	return asking.r < 0
		       ? output_fail(output, EXIT_SYSTEM, "%s", asking.err.text)
		       : code;
}

int cmd_queue(const struct args *args, const struct output *output)
{
	const struct queue_live live = {
		.job = args->words.n ? args->words.at[0] : NULL,
		.draw = draw,
		.args = args,
		.output = output,
		.lines = args->json,
	};
	struct error err;

	if (args->watch && args->svg)
		return output_fail(output, EXIT_USAGE,
				   "--svg draws the queue once, without "
				   "--watch");
	if (args->svg && file_check(args->svg, &err) < 0)
		return output_fail(output, EXIT_SYSTEM, "%s", err.text);
	return args->watch ? queue_live_run(&live) : ask_once(args, output);
}
