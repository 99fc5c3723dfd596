/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMANDS_QUEUE_LIVE_H
#define CLI_COMMANDS_QUEUE_LIVE_H

/*
 * The queue of a scheduler, drawn again at each change; on a terminal each
 * second, too, for the times that pass
 */

#include "cli/commands/args.h"
#include "cli/views/output.h"
#include "cli/views/screen.h"
#include "client/queue.h"

struct queue_live {
	const char *job; /* number or name; NULL: all */
	/* again: another drawing stands before it */
	void (*draw)(const struct queue_live *live, FILE *to,
		     const Bellows__V1__Queue *queue,
		     const struct screen_size *size, bool again);
	const struct args *args;
	const struct output *output;
	bool keys, lines; /* of struct screen_config */
};

/* Until it is stopped.  Returns the exit status, and has told of a failure. */
int queue_live_run(const struct queue_live *live);

#endif
