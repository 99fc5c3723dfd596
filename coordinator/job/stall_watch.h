/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_JOB_STALL_WATCH_H
#define COORDINATOR_JOB_STALL_WATCH_H

/*
 * Tells that the job stands still (`stall_after` of the job file), and has it
 * start again from its checkpoint if that is asked for (`on_stall: restart`)
 *
 * See core/stall.h for what counts as progress.  What the coordinator does not
 * read, because its own output is full, it cannot judge: such time does not
 * count, nor does time in which an executor with ranks was silent for as long
 * as its lease, for its ranks are stopped then.
 */

#include "core/stall.h"
#include "loop/loop.h"

struct driver;

struct stall_watch {
	struct stall stall;
	bool held_back; /* output of ranks is not read */
	struct loop_timer timer;
};

/* The job begins, in a new coordinator or not. */
void stall_watch_begin(struct driver *driver);
/* After each event that the job took. */
void stall_watch_on_job(struct driver *driver);
/* The ranks of the start that runs have made a step that is new. */
void stall_watch_on_step(struct driver *driver);

void stall_watch_fini(struct stall_watch *watch);

#endif
