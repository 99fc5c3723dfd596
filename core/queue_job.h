/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_QUEUE_JOB_H
#define CORE_QUEUE_JOB_H

/*
 * A job of a scheduler's queue: what is stated about it, what it is known to
 * do, and what follows from both
 *
 * Wishes last: a grant, a hold and a cancellation stand until another is
 * stated.  What is to be done next follows from the difference between them and
 * the facts, however that difference came about, so it may be asked for at any
 * time, and after a restart.
 *
 *               grant > 0                 the coordinator answers
 *     WAITING -----------> STARTING -----------------------> RUNNING
 *       ^ |                                                 |  |  |
 *       | | held                     grant 0, or cancelled  |  |  | ended
 *       | v                      STOPPING <-----------------+  |  v
 *      HELD                         | | cancelled              | DONE, FAILED
 *       ^                     saved | +--------> CANCELLED     |
 *       | held                      v                          |
 *       +------------------------ PARKED <---------------------+ lost
 */

#include <stdbool.h>

enum queue_state {
	QUEUE_WAITING,
	QUEUE_HELD,
	QUEUE_STARTING,
	QUEUE_RUNNING,
	QUEUE_STOPPING,
	QUEUE_PARKED,
	QUEUE_DONE,
	QUEUE_FAILED,
	QUEUE_CANCELLED,
	QUEUE_STATES,
};

/* So many runs in a row that come no further are one too many; those that were
 * parked before do not count. */
enum { QUEUE_FUTILE_MAX = 10 };

/* Zero: a job that was submitted. */
struct queue_job {
	/* wishes */
	bool held, cancelled;
	unsigned grant; /* ranks that it may have; 0: none */

	/* facts */
	bool runs;       /* its programs do */
	bool answers;    /* its coordinator is heard */
	unsigned told;   /* the grant that its coordinator knows */
	bool began;      /* it ran before, and may have a checkpoint */
	bool stepped;    /* further than any run before */
	unsigned futile; /* runs in a row that came no further */

	bool over;
	enum queue_state end; /* DONE, FAILED or CANCELLED, if it is over */
	int code;             /* likewise: exit status of its run */
};

/* What brings the facts nearer to the wishes. */
enum queue_act {
	QUEUE_NOTHING,
	QUEUE_START,  /* its programs, on its grant */
	QUEUE_GRANT,  /* tell its coordinator the grant */
	QUEUE_CANCEL, /* tell its coordinator to end */
	QUEUE_DROP,   /* it has no programs, and is over: cancelled */
};

/* How a run of a job's programs ended. */
struct queue_exit {
	bool lost; /* they were killed, and the job is not over */
	int code;  /* of jobfile/exit.h */
	int saved; /* the exit code that says: the job has saved, and stops */
};

enum queue_state queue_job_state(const struct queue_job *job);

/* Whether the policy decides about it: it waits for slots, or has some. */
bool queue_job_waits(const struct queue_job *job);
bool queue_job_has_slots(const struct queue_job *job);

enum queue_act queue_job_act(const struct queue_job *job);

void queue_job_started(struct queue_job *job);
void queue_job_ended(struct queue_job *job, const struct queue_exit *how);

/* "waiting" */
const char *queue_job_state_name(enum queue_state state);

#endif
