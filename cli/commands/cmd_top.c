/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/queue_live.h"
#include "cli/views/queue_top.h"
#include "jobfile/exit.h"

static void draw(const struct queue_live *live, FILE *to,
		 const Bellows__V1__Queue *queue,
		 const struct screen_size *size, bool again)
{
	queue_top_print(to, queue, size);
}

int cmd_top(const struct args *args, const struct output *output)
{
	const struct queue_live live = {
		.draw = draw,
		.args = args,
		.output = output,
		.keys = true,
	};

	if (!screen_is_terminal(args->term))
		return output_fail(output, EXIT_USAGE,
				   "top draws on a terminal, and standard "
				   "output is none; 'bellows queue --json' is "
				   "for programs");
	return queue_live_run(&live);
}
