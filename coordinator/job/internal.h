/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_JOB_INTERNAL_H
#define COORDINATOR_JOB_INTERNAL_H

/*
 * For the files of this folder; see driver.h
 */

#include "coordinator/job/driver.h"
#include "coordinator/job/eta_watch.h"
#include "coordinator/job/events.h"
#include "coordinator/job/match_watch.h"
#include "coordinator/job/periodic.h"
#include "coordinator/job/stall_watch.h"
#include "coordinator/launch/trial.h"
#include "core/eta.h"
#include "core/resume_proof.h"
#include "jobfile/exit.h"

struct driver {
	struct driver_config config;
	struct loop *loop;
	const struct jobfile *jobfile;

	/* what it drives */
	struct members *members;
	struct launcher_room reach;
	struct launcher *launcher;
	struct launches *launches;
	struct trials *trials;
	struct checkpoint_recovery *recovery;
	struct journal_writer *writer;
	struct history *history; /* of the writer */

	struct list events;   /* see events.h */
	struct list visitors; /* of driver_visit() */
	struct job job;
	/* see step.c */
	struct {
		bool is;            /* an event waits for its line: */
		struct event event; /* and then the job will be so */
		struct job after;
		struct event next; /* to be taken before all others */
		bool has_next;
	} pending;
	bool settled;     /* no event was taken since what ends a round */
	unsigned held;    /* executors that are to be held */
	char reason[384]; /* of the state that it is in */
	char trouble[DRIVER_TROUBLE_MAX]; /* of executors that do not come */
	int exit_code;                    /* once it is over */
	const struct journal_replay
		*replay;        /* that goes on; NULL: the job begins here */
	unsigned former_starts; /* made before this life */

	struct loop_timer deadline;
	struct loop_timer surplus; /* the next release of a surplus executor */
	struct periodic periodic;
	struct stall_watch stall;
	struct eta_meter eta; /* see eta_watch.h */
	struct match_watch match;
	/* no start before: ranks of the coordinator that was may compute until
	 * then, out of reach; nor after: the job may be another's */
	struct {
		msec_t until, owned_until;
		struct loop_timer timer;
	} fence;

	/* the order to save, and what came of it */
	struct {
		unsigned epoch; /* whose ranks were told to */
		bool judged;    /* the answer has come: */
		bool saved;     /* a new checkpoint, */
		uint64_t step;  /* of that step; 0: it is not known */
		bool taken;     /* which was there before the order */
		bool unread;    /* or none, and what is there cannot be looked
				 * at */
		struct loop_timer overdue;
	} save;

	/* see progress.h */
	struct {
		unsigned epoch;             /* whose steps were seen last */
		struct resume_proof resume; /* what it has to prove */
		uint64_t from; /* step of the checkpoint that it goes on from;
				* 0: not known */
		unsigned resumed;         /* epoch that has proven it */
		unsigned restarted_clean; /* epoch that did not go on, must not
					     write */
		uint64_t ordered_at;      /* last step seen when told to save */
		uint64_t saved_after;     /* the same, of the checkpoint that it
					   * wrote */
		struct loop_timer proof;
		unsigned finished; /* epoch that has said its last word */
		uint64_t stride;   /* most steps between two that it showed */
	} progress;

	/* of the start that runs */
	int app_status; /* of mpiexec, as of waitpid() */
	bool app_ended;

	struct {
		msec_t since; /* the job is over; 0: it is not */
		struct loop_timer timer;
	} end;
};

/* ---- queue.c ---- */

/* Puts an event into the queue. */
void driver_put(struct driver *driver, const struct event *event);
/* Puts an event of the job into the queue.  reason: why, for people. */
void driver_post_event(struct driver *driver, const struct job_event *event,
		       const char *reason);
/* The same of the event of that type, now. */
void driver_post(struct driver *driver, enum job_event_type type,
		 unsigned epoch, unsigned size, const char *reason);
/* An event of another kind. */
void driver_post_kind(struct driver *driver, enum event_kind kind,
		      unsigned epoch);
/* Executors came or are to leave, or the job got to where it may use them. */
static inline void driver_post_executors(struct driver *driver)
{
	driver_post_kind(driver, EVENT_EXECUTORS, 0);
}

static inline void driver_publish(struct driver *driver, enum publish within)
{
	driver->config.events->changed(driver->config.user, within);
}

/* Tells it and writes it down, unless the job is over or it was told just now.
 */
static inline void driver_notice(struct driver *driver,
				 Bellows__V1__NoticeKind kind, const char *text,
				 enum publish within)
{
	if (!job_is_over(&driver->job) &&
	    journal_writer_notice(driver->writer, kind, text))
		driver_publish(driver, within);
}

/* The exit code of a failure that an executor reports; a number that is none
 * is an error of ours. */
static inline int driver_reported_code(int reported)
{
	return reported > 0 && reported <= 255 ? reported : EXIT_INTERNAL;
}

/* ---- step.c ---- */

/* Sets the timer of the patience of the state that the job is in. */
void driver_arm_deadline(struct driver *driver);
/* The line of the pending event is on the disk. */
void driver_on_written(void *user);

/* ---- effects.c: what the state asks for ---- */

void driver_carry_out(struct driver *driver);
void driver_drop_next(struct driver *driver);
/* If the job still saves: its ranks are told to. */
void driver_order_save(struct driver *driver);
/* No rank of the start that ran is left. */
void driver_on_stopped(struct driver *driver);

/* ---- save_result.c ---- */

/* What the end of the ranks means for the job; false: it is not known yet, or
 * nothing. */
bool save_result_on_ended(struct driver *driver, struct event *event);
void save_result_on_saved(struct driver *driver, struct event *event);
bool save_result_on_overdue(struct driver *driver, struct event *event);

/* ---- drain.c: executors that are drained ---- */

/* The executor has ranks that run or begin. */
bool drain_has_ranks(const struct driver *driver, int member);
/* Executors that are draining and have ranks. */
unsigned driver_draining(const struct driver *driver);
/* Releases draining executors that have no ranks. */
void driver_release_drained(struct driver *driver);

/* ---- capacity.c ---- */

/* Ranks for which executors are ready, up to limit; 0: not even the fewest. */
unsigned driver_possible(struct driver *driver, unsigned limit);
/* The same once the executors that have joined are ready. */
unsigned driver_possible_soon(struct driver *driver, unsigned limit);
/* Makes JOB_EV_EXECUTORS of an EVENT_EXECUTORS; false: the job waits for none.
 */
bool driver_count_executors(struct driver *driver, struct event *event);
/* Makes JOB_EV_STOPPED of an EVENT_STOPPED, or JOB_EV_REPLACED_SOON. */
void driver_count_stopped(struct driver *driver, struct event *event);
/* Executors that are to be held are counted; true: it is another number. */
bool driver_hold_executors(struct driver *driver);
/* The executor is not ready any more, has no ranks, and the job has enough
 * others. */
bool driver_spares(const struct driver *driver, int member);
/* Releases executors that are not to be held.  One that has just joined is kept
 * for a while: it may be there in place of one whose loss is not noticed yet.
 */
void driver_release_surplus(struct driver *driver);

/* ---- recovery_events.c ---- */

/* No checkpoint can be read: true if the job begins anew.  If it does not, this
 * is its exit status. */
bool driver_begins_anew(struct driver *driver);

/* ---- callbacks ---- */

extern const struct launch_events driver_launch_events;
extern const struct members_events driver_members_events;
extern const struct trials_events driver_trials_events;
extern const struct checkpoint_recovery_events driver_recovery_events;

#endif
