/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_JOB_H
#define CORE_JOB_H

/*
 * Job life cycle
 *
 * A job is a value.  job_step() is the only function that moves it: it takes
 * one event and does no I/O, reads no clock and cannot fail.  What has to be
 * true in the world follows from the state alone (job_effect), so bringing it
 * about twice must be harmless.
 *
 * Two numbers are stated from outside and last: the want (SCALE), ranks that
 * the job should have, and the grant (GRANT), ranks that it may have.  Their
 * minimum is the goal.  While the job computes at another size, it moves to the
 * goal: after a new number, after a loss or a drain once executors are there
 * again, after its own restart.  A rescale that is dropped is tried again later
 * (core/job_goal.h).
 *
 *           executors          ranks up (RESUMING till proven)
 *   WAITING ---------> STARTING -------> RUNNING <----------------+
 *      ^                  ^               |   | grow              | too late,
 *      | nobody left      |               |   v                   | refused,
 *      |                  |        shrink |  GROWING --------->---+ not saved
 *      |                  |               |   | executors         |
 *      |                  |               v   v                   |
 *      |                  |             PREPARING ------------>---+
 *      |                  |                 | prepared            |
 *      |     stopped      |      saved      v                     |
 *      +------------- STOPPING <--------- SAVING ------------->---+
 *                         ^
 *                         | a rank or executor is lost (any state with ranks)
 *
 * A job whose ranks have ended may go on at once with the executors that are
 * left, or first wait a moment for others that are about to be ready
 * (REPLACING).
 *
 * From GROWING to SAVING the ranks of the old start compute.  Each start has a
 * number, its epoch.  PREPARING wires up the next start while the old one still
 * computes, so two numbers are alive: epoch, whose ranks run, and next.  A
 * report of any other start is stale and changes nothing; only PREPARED and
 * UNPREPARED are about next.
 *
 * A start from a checkpoint runs only when it has proven that it went on from
 * there; until then it is RESUMING.  One that began afresh instead has failed,
 * and is not tried again at the same size: it would overwrite the checkpoint.
 *
 * An executor that has ranks and will leave tells so before (LEAVE).  The job
 * prepares to go on without it, or with another one in its place, and saves,
 * all within the time that is left; what does not fit is left out: first the
 * preparing, then the checkpoint.  An executor that leaves meanwhile is left
 * by the same rescale.  If the executors that stay cannot run the job, it waits
 * for others once it is saved.  None of this
 * counts as a loss.
 *
 * A coordinator that was killed leaves no rank behind.  The one that takes its
 * place is told its events again, and then RESTARTED: a rescale whose
 * checkpoint was not known to be complete is dropped, any other goes on, from
 * WAITING. That is no loss of the application's, and does not count as one.
 *
 * A coordinator that has to leave (HAND_OVER) has the job save and stop in the
 * time that is left, as for an executor; the job is then WAITING, for the next
 * coordinator.
 *
 * A checkpoint that is due for safety's sake (DUE) is a rescale to the size
 * that it has: prepared while the ranks compute, and dropped likewise.
 *
 * A start that could not read its checkpoint (UNREADABLE) is made again from an
 * older one, which the caller has put in its place; it counts as a loss.  If no
 * checkpoint that is left can be read (NO_CHECKPOINT), the job fails, or begins
 * anew where its user allows that.
 *
 * A start is proven when its ranks made a step or a checkpoint.  A start that
 * fails unproven at a new size goes back to the size that was proven before;
 * the very first start of an application that ends itself is not tried again.
 * Otherwise losses are counted, and forgiven with each checkpoint.
 */

#include "base/time.h"

#include <stdbool.h>
#include <stdint.h>

enum job_state {
	JOB_WAITING,  /* for executors; no rank runs */
	JOB_STARTING, /* ranks come up, from the checkpoint if there is one */
	JOB_RESUMING, /* they are up, and have to prove that they went on */
	JOB_RUNNING,
	JOB_GROWING,   /* ranks run at the old size while executors come */
	JOB_PREPARING, /* ranks run while the next start waits at its gates */
	JOB_SAVING,    /* ranks run and write a checkpoint */
	JOB_STOPPING,  /* no rank is to be left */
	JOB_REPLACING, /* none is; executors in place of lost ones will be
			* ready in a moment */
	JOB_DONE,
	JOB_FAILED,
	JOB_CANCELLED,
	JOB_SUSPENDED, /* saved; may be started again later */
};

enum job_event_type {
	JOB_EV_EXECUTORS,  /* size: largest that the ready executors can run */
	JOB_EV_UNFIT,      /* an executor cannot run this job at all */
	JOB_EV_SCALE,      /* size: the want; the caller checked it */
	JOB_EV_GRANT,      /* size: the grant, at least 1 rank */
	JOB_EV_PREPARED,   /* every rank of next waits at its gate */
	JOB_EV_UNPREPARED, /* the start in preparation failed; size: not 0 if
			    * the application refuses its size for good */
	JOB_EV_SAVED,      /* a complete checkpoint, newer than the order */
	JOB_EV_UNSAVED,    /* the application cannot write one; ranks compute */
	JOB_EV_KEPT,    /* one that the application wrote unasked; it goes on */
	JOB_EV_STOPPED, /* no rank left; size: as of EXECUTORS */
	JOB_EV_REPLACED_SOON, /* the same, and more executors will be ready in
			       * a moment */
	JOB_EV_RANKS_UP,      /* all ranks run, each where it belongs */
	JOB_EV_RESUMED,       /* proof that they went on from the checkpoint */
	JOB_EV_RESTARTED_CLEAN, /* proof that they did not */
	JOB_EV_STEP,      /* the application made its first step of a start, not
			   * before the checkpoint's; size: not 0 if none was
			   * seen, and it is believed */
	JOB_EV_FINISHED,  /* all ranks left with exit code 0, unasked */
	JOB_EV_CRASHED,   /* the application failed, or left before its end */
	JOB_EV_UNSTARTED, /* the ranks could not be brought up */
	JOB_EV_LOST,      /* a rank was killed, or an executor, mpiexec or one
			   * of its daemons is lost */
	JOB_EV_STALLED,   /* they stand still, and are to start again */
	JOB_EV_LEAVE,     /* one that runs ranks will leave; size: as of
			   * EXECUTORS, of executors that stay, up to the target */
	JOB_EV_RESTARTED, /* the coordinator was, and no rank is left; size: 1
			   * if there is a checkpoint, otherwise 0 */
	JOB_EV_TIMEOUT,   /* job->deadline passed; size: as of EXECUTORS */
	JOB_EV_UNREADABLE,    /* ranks ended for their checkpoint's sake, and an
			       * older one is in its place */
	JOB_EV_NO_CHECKPOINT, /* the same, and none that is left can be read;
			       * size: 1 if the job is to begin anew, otherwise
			       * 0 */
	JOB_EV_DUE,           /* a checkpoint is */
	JOB_EV_HAND_OVER, /* the coordinator is to leave, and another one goes
			   * on; leave: as of LEAVE */
	JOB_EV_CANCEL,
	JOB_EV_SUSPEND, /* save, stop, and leave it at that */
};

/* What the caller keeps true for as long as the job stays in its state. */
enum job_effect {
	JOB_DO_WAIT,      /* nothing runs; hold executors */
	JOB_DO_START,     /* have the ranks of job->epoch run */
	JOB_DO_COMPUTE,   /* leave the ranks alone; nothing is in preparation */
	JOB_DO_GATHER,    /* the same, and hold executors for the target */
	JOB_DO_PREPARE,   /* have the ranks of job->next wait at their gates */
	JOB_DO_SAVE,      /* have a checkpoint newer than the state */
	JOB_DO_STOP,      /* have no rank of job->epoch */
	JOB_DO_HAND_OVER, /* exit, and leave executors to the next one */
	JOB_DO_END,       /* have no rank and no executor, then exit */
};

struct job_event {
	enum job_event_type type;
	msec_t now;
	unsigned epoch; /* start the report is about; 0 is about no start */
	unsigned size;
	msec_t leave; /* LEAVE, HAND_OVER: instant by which a checkpoint must
		       * be there */
};

/* How long a job stays in a state that waits, and how much it endures. */
struct job_patience {
	msec_t executors; /* initial ones: WAITING */
	msec_t grow;      /* new ones: GROWING */
	msec_t start;     /* STARTING, PREPARING */
	msec_t resume;    /* RESUMING; 0: no proof is asked for */
	msec_t save;      /* SAVING */
	msec_t stop;      /* STOPPING */
	msec_t replace;   /* REPLACING */
	unsigned retries; /* losses between two checkpoints */
};

enum {
	JOB_NO_GRANT = INT32_MAX, /* the job may have any number of ranks */
	JOB_FAILURES_MAX = 3,     /* failed starts in a row at one size */
};

struct job {
	struct job_patience patience;
	enum job_state state;
	unsigned want;   /* ranks that it should have, as stated last */
	unsigned grant;  /* ranks that it may have; or JOB_NO_GRANT */
	unsigned size;   /* ranks of the last start that came up; 0 before */
	unsigned begun;  /* ranks of the start of epoch; 0 before */
	unsigned target; /* ranks it moves to; 0: to none, it is suspended */
	unsigned proven; /* size of the last proven start; 0 before */
	bool resumed;    /* the start of epoch went on from the checkpoint, if
			  * there was one */
	bool stepped;    /* the start of epoch is proven */
	bool worked;     /* some start was */
	unsigned starts; /* numbers given out so far */
	unsigned epoch, next;
	unsigned retries_left;
	bool has_checkpoint;
	unsigned failed, failures; /* a size whose starts failed, how many did
				    * in a row; 0: none */
	unsigned instead; /* the goal if that size is not tried any more */
	unsigned drops;   /* rescales to the goal that were dropped in a row */
	msec_t again;     /* no rescale to the goal begins before; 0: at once */
	msec_t leave;     /* instant by which the first executor has left, or
			   * the coordinator; 0: none leaves */
	bool hands_over;  /* once no rank is left, the job waits for the next
			   * coordinator */
	msec_t deadline;  /* instant of JOB_EV_TIMEOUT; 0 is never */
};

void job_init(struct job *job, unsigned initial,
	      const struct job_patience *patience, bool has_checkpoint,
	      msec_t now);

/* False, and nothing changes, if the event is stale or not expected.  A number
 * that is stated is always expected until the job is over. */
bool job_step(struct job *job, const struct job_event *event);

enum job_effect job_effect(const struct job *job);

/* Ranks that executors must be held for. */
unsigned job_ranks_held(const struct job *job);

/* The size that the job moves to while it computes. */
unsigned job_goal(const struct job *job);
/* The size for which EXECUTORS counts those that are ready; 0: the job waits
 * for none. */
unsigned job_ranks_awaited(const struct job *job);
/* Executors that are of use, each of which runs up to per ranks: those of the
 * ranks that are held, or for the goal.  Executors that leave are not of use
 * any more; leaving is how many do. */
unsigned job_executors_wanted(const struct job *job, unsigned per,
			      unsigned leaving);

bool job_is_over(const struct job *job);
/* The ranks of job->epoch are meant to compute. */
bool job_computes(const struct job *job);
/* A start was prepared, or ordered to save, in vain: the ranks compute on. */
bool job_has_dropped(const struct job *job, const struct job *before);

const char *job_state_name(enum job_state state);
const char *job_event_name(enum job_event_type type);

#endif
