/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_RUN_H
#define RUNNER_RUN_H

/*
 * A job from its start to its end, on this machine and its hosts
 * (local/local.h) or in a cluster (kube/follow.h)
 *
 *     starting ---> watching ---> leaving ---> on_end
 *
 * Every run ends: each step has a patience, after which the next harder step of
 * stop.h is taken.
 */

#include "base/cleanup.h"
#include "proto/bellows.pb-c.h"

#include <stdbool.h>
#include <stddef.h>

struct run;

/* These functions are not called from within the one that starts the run. */
struct run_events {
	void (*on_job)(void *user, const Bellows__V1__Job *job);

	/* Output of the application. */
	void (*on_output)(void *user, bool error, const char *data, size_t n);

	/* A sentence about the job, for people. */
	void (*on_say)(void *user, const char *sentence);

	/* Once: all of the job and of its output has been handed over. */
	void (*on_over)(void *user);

	/* Once: nothing comes any more, and run_result() is known.  The run is
	 * not destroyed from within. */
	void (*on_end)(void *user);
};

struct run_result {
	int code;      /* of jobfile/exit.h */
	bool over;     /* the job is, and its last message has said so */
	char why[640]; /* a sentence; "": there is nothing to say */
};

/* Takes the next harder step: the first request saves and stops, the second
 * stops at once, the third ends the programs or deletes the Job.  Of a run
 * whose job has ended, what is left is not waited for. */
void run_stop(struct run *run);

/* Output is not read until held is false again. */
void run_hold(struct run *run, bool held);

const struct run_result *run_result(const struct run *run);

/* What still runs is killed.  Returns NULL. */
struct run *run_destroy(struct run *run);

DEFINE_CLEANUP(struct run, run_destroy)

#endif
