/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_LOCAL_PREVIOUS_RUN_H
#define RUNNER_LOCAL_PREVIOUS_RUN_H

/*
 * The run before, of the same job: it is over, it is ending, or it runs
 *
 *     DIR/run.lock   locked (base/lock.h) by the command that runs the job
 *     DIR/lock       locked by its coordinator, which may outlive the command
 *
 * A holder that was told to end, or whose job is over, writes "ending" into its
 * file.  Text in a file that nobody has locked means nothing.
 */

#include "base/error.h"
#include "base/time.h"
#include "runner/state_dir.h"

enum run_state {
	RUN_OVER, /* or there was none */
	RUN_ENDING,
	RUN_ALIVE, /* its command, or the coordinator that outlived it */
};

/* The run of dir at this moment, for a program that did not start it: an enum
 * run_state, or -errno with a sentence.  Does not wait, and a run that begins
 * meanwhile does not notice it.  A command that has just been started is not
 * seen before it has its lock. */
int previous_run_look(const struct state_dir *dir, struct error *err);

/* Locks DIR/run.lock for a new run of job, and returns the descriptor that
 * holds the lock.  If the run before is ending, calls tell(user) once and waits
 * until it has ended, so long at most.  -EBUSY with a sentence: it is not
 * ending, or did not end in that time. */
int previous_run_await(const struct state_dir *dir, const char *job,
		       msec_t patience, void (*tell)(void *user), void *user,
		       struct error *err);

/* This run, which holds that lock, is ending. */
void previous_run_mark_ending(int lock);

#endif
