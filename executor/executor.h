/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_EXECUTOR_H
#define EXECUTOR_EXECUTOR_H

/*
 * An executor: joins the job, reports, obeys
 *
 *     away --JobInit--> joined --ActiveServer--> attached --Release--> leaving
 *      ^__________________________________________|  stream broke
 *
 * It decides nothing.  While it is away its ranks compute on; when the
 * coordinator stays away for longer than the patience, they are ended, because
 * somebody else may be about to start on the same checkpoint.  After each
 * attachment everything is reported once more: the coordinator takes a fact the
 * second time for nothing.
 */

#include "executor/config.h"
#include "loop/loop.h"

/* Runs until it was released or must end.  Returns the exit status. */
int executor_run(const struct config *config, struct loop *loop,
		 const char *bindir);

#endif
