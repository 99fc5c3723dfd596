/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_STOP_H
#define RUNNER_STOP_H

/*
 * How hard it is tried to end a job: each request, and each time-out, takes the
 * next harder step
 *
 *     NOT ---> SAVE ---> CANCEL ---> END ---> KILL ---> LEAVE
 *
 * Pure: what a step means for programs and objects is said by run.h's kinds.
 */

#include <stdbool.h>

enum stop_level {
	STOP_NOT,
	STOP_SAVE,   /* Cancel with save was sent to the coordinator */
	STOP_CANCEL, /* Cancel without */
	STOP_END,    /* programs got SIGTERM, or the Job was deleted */
	STOP_KILL,   /* programs got SIGKILL */
	STOP_LEAVE,  /* nothing is waited for any more */
	STOP_LEVELS,
};

enum stop_event {
	STOP_ASKED,         /* a person or a program wants the job to end */
	STOP_ASKED_UNHEARD, /* the same, and no coordinator could be told */
	STOP_FAILED,        /* the job cannot go on */
	STOP_LATE,          /* the step before has had no effect in time */
};

/* Moves *level; false: the event changes nothing. */
bool stop_step(enum stop_level *level, enum stop_event event);

#endif
