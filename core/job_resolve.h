/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_JOB_RESOLVE_H
#define CORE_JOB_RESOLVE_H

/*
 * Every decision of a job that depends on more than (state, event)
 *
 * What comes out is what the table in job.c is read with.
 */

#include "core/job.h"

/* Events as the rules see them. */
enum job_trigger {
	ON_NOTHING,
	ON_ENOUGH, /* executors for the target */
	ON_SOME,   /* too few in time, but more than the job has */
	ON_UNFIT,
	ON_AIM,     /* another size than the target, while no rank runs */
	ON_SETTLED, /* the goal is the size that the job has */
	ON_GROW,
	ON_SHRINK,
	ON_PREPARED,
	ON_UNPREPARED,
	ON_SAVED,
	ON_UNSAVED,
	ON_KEPT,
	ON_STOPPED,
	ON_STOPPED_ALONE, /* and no executors to go on with */
	ON_REPLACED_SOON,
	ON_SUSPENDED,
	ON_RANKS_UP,
	ON_RANKS_ONLY, /* up, and it is not proven that they went on */
	ON_RESUMED,
	ON_STEP,
	ON_DUE,
	ON_UNREADABLE,
	ON_ANEW,
	ON_FINISHED,
	ON_BAD_SIZE,
	ON_LOSS,
	ON_LAST_LOSS,
	ON_LEAVE,
	ON_LEAVE_ALONE, /* and no executors stay that could run it */
	ON_HASTE,       /* no time, or no way, to prepare before they leave */
	ON_BREAK,       /* nor for a checkpoint */
	ON_RESTARTED,
	ON_TIMEOUT,
	ON_HAND_OVER,
	ON_CANCEL,
	ON_SUSPEND,
};

enum job_trigger job_resolve(const struct job *job,
			     const struct job_event *event);

#endif
