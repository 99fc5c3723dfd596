/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_JOB_GOAL_H
#define CORE_JOB_GOAL_H

/*
 * The size that a job moves to while it computes, and when it tries
 *
 * The want and the grant are stated and last; the goal is the smaller one.  A
 * rescale to the goal that is dropped is tried again after a pause, which
 * doubles with each one that is dropped in a row.  A size whose starts fail
 * waits longer.  After JOB_FAILURES_MAX of them, or once the application
 * refused the size, it is not tried again until a number is stated anew: the
 * goal is the size that was proven before.
 *
 * These functions belong to job.c and job_resolve.c.
 */

#include "core/job.h"

/* The want or the grant, whichever the event states; false: it states none. */
bool job_state_number(struct job *job, const struct job_event *event);

/* The pause after a rescale that was dropped; it begins now. */
void job_postpone(struct job *job, msec_t now);

/* A start of that many ranks failed before it was proven.  for_good: it is not
 * to be tried again. */
void job_count_failure(struct job *job, unsigned ranks, bool for_good,
		       msec_t now);

/* The start of job->begun ranks is proven. */
void job_count_success(struct job *job);

#endif
