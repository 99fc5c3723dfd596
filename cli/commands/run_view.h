/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMANDS_RUN_VIEW_H
#define CLI_COMMANDS_RUN_VIEW_H

/*
 * What `bellows run` shows of a run, here or in a cluster
 *
 *     view_begin() -> the run is started -> view_follow() -> view_end()
 *
 * SIGINT, SIGTERM and SIGHUP stop the run.
 */

#include "cli/commands/args.h"
#include "cli/views/show.h"
#include "runner/run.h"

/* Zero-initialised but for args and output. */
struct run_view {
	const struct args *args;
	const struct output *output;
	struct loop *loop; /* borrowed */
	struct show *show;
	struct run *run; /* set once it was started */
	bool ended;
};

/* The events of the run; their user is the view. */
extern const struct run_events run_view_events;

int view_begin(struct run_view *view, struct loop *loop, struct error *err);

/* Runs the loop until the run has ended and all is written; draws the timeline.
 * Returns the exit status of the command, and says why if it is not 0. */
int view_follow(struct run_view *view);

/* Destroys the run, too. */
void view_end(struct run_view *view);

#endif
