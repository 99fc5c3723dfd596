/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_JOB_EVENTS_H
#define COORDINATOR_JOB_EVENTS_H

/*
 * What has happened and was not looked at yet, in the order in which it
 * happened
 *
 * Callbacks put events there (queue.c); step.c takes them out, one after the
 * other, once the callback has returned.  So nothing that a callback works on
 * changes or goes away below it.
 */

#include "base/list.h"
#include "core/job.h"

enum event_kind {
	EVENT_JOB,       /* for job_step() as it is */
	EVENT_EXECUTORS, /* executors may be ready for the size that the job
			  * waits for */
	EVENT_SAVED,   /* a checkpoint of the ranks of epoch was judged, and is
			* good */
	EVENT_STOPPED, /* no rank of the start that ran is left */
	EVENT_ENDED,   /* mpiexec of the start of epoch has ended */
	EVENT_OVERDUE, /* what was to come after that has not come in time */
};

enum { EVENT_REASON_MAX = 384 };

struct event {
	struct list link;
	enum event_kind kind;
	struct job_event job;
	char reason[EVENT_REASON_MAX]; /* for people */
};

/* The event is copied; -ENOMEM.  What the newest one says already is not put
 * again, if it says it often: executors may be ready, or a step was made. */
int events_put(struct list *events, const struct event *event);

/* The oldest one; false: there is none. */
bool events_take(struct list *events, struct event *out);

void events_clear(struct list *events);

#endif
