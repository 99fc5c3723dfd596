/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_COORDINATOR_H
#define COORDINATOR_COORDINATOR_H

/*
 * The coordinator of one job
 *
 * Everything that happens becomes an event of core/job, and waits in a queue
 * until the callback that put it there has returned; job_step() decides, and
 * the effect of the state it leads to is carried out here: start, prepare,
 * save, stop, end.  Nothing else moves the job, and no effect minds being done
 * twice.
 *
 *     service.c (rpc)  member_events.c (executors)  launch_events.c (ranks)
 *            \                    |                     /
 *             +----------> events.c, a queue <---------+
 *                                |
 *                    drive.c, which calls job_step()
 *                                |
 *               effects.c   leaving.c   periodic.c   storage.c
 *
 * This header is for the files of this room.
 */

#include "coordinator/checkpoint/storage.h"
#include "coordinator/config.h"
#include "coordinator/job/events.h"
#include "coordinator/job/periodic.h"
#include "coordinator/journal/record.h"
#include "coordinator/launch/launcher.h"
#include "coordinator/launch/launches.h"
#include "coordinator/launch/trial.h"
#include "coordinator/members/members.h"
#include "coordinator/service/sink.h"
#include "core/job.h"
#include "core/resume.h"
#include "jobfile/exit.h"
#include "metrics/listen.h"
#include "rpc/renew.h"
#include "rpc/token.h"

struct coordinator {
	const struct config *config;
	struct loop *loop;
	struct jobfile *jobfile;
	struct list events; /* see events.h */
	struct job job;
	unsigned held; /* executors that are to be held for it */
	struct record *record;
	struct history *history; /* of the record */
	char reason[384];        /* of the state it is in */
	char trouble[240];       /* of executors that do not come; "": none */
	char shortfall[REASON_MAX]; /* why its size is not its want; "" */
	int exit_code;              /* once it is over */

	struct rpc *rpc;
	struct rpc_server *server, *health, *kub; /* see doors.h */
	struct metrics *metrics;       /* NULL: nobody is to see them */
	struct token token;            /* "": none is asked for */
	struct tls_identity tls;       /* empty: it does not encrypt */
	struct renew renew;            /* of that */
	struct list watchers, outputs; /* of service.c and output.c */
	struct loop_timer publish;
	bool published_soon;

	struct members *members;
	struct launcher_room reach;
	struct launcher *launcher;
	struct sink *sink;
	struct trials *trials;
	struct launches *launches;
	uint64_t incarnation;
	const struct former *former;
	unsigned former_starts;  /* made before this life */
	const struct past *past; /* that goes on; NULL: the job begins here */
	struct storage *storage;
	struct periodic periodic;

	/* of the start that runs */
	unsigned save_ordered; /* epoch whose ranks were told to save */
	bool judged;           /* and the answer has come: */
	bool saved;            /* a new checkpoint */
	bool unread; /* or none, and what is there cannot be looked at */
	unsigned progress_epoch; /* whose steps were seen last */
	struct resume resume;    /* what it has to prove */
	unsigned resumed_epoch;  /* epoch that has proven it */
	uint64_t ordered_at;     /* last step seen when told to save */
	uint64_t saved_after;    /* the same, of the checkpoint that it wrote */
	unsigned afresh;         /* epoch that did not go on, must not write */
	int app_status;          /* of mpiexec, as of waitpid() */
	bool app_ended;

	struct loop_timer deadline, proof, verdict, end, fenced;
	msec_t fence; /* no start before: ranks of the coordinator that was may
		       * compute until then, out of reach */
	msec_t ending_since;
	bool suspending;
};

/* Puts an event of the job into the queue.  reason: why, for people. */
void coordinator_post_event(struct coordinator *c,
			    const struct job_event *event, const char *reason);
/* The same of the event of that type, now. */
void coordinator_post(struct coordinator *c, enum job_event_type type,
		      unsigned epoch, unsigned size, const char *reason);
/* An event of another kind. */
void coordinator_post_kind(struct coordinator *c, enum event_kind kind,
			   unsigned epoch);
/* Takes out all events: step, journal, effect, publish.  The loop calls it
 * after each callback.  A callback whose answer says that something is in the
 * journal calls it before that answer. */
void coordinator_settle(struct coordinator *c);

/* progress.c: lines of rank 0's output, or of the application's log. */
void coordinator_on_line(struct coordinator *c, unsigned epoch,
			 const char *line);

/* verdict.c: the verdict of the executor of rank 0 on the checkpoint it was to
 * watch. */
void coordinator_on_checkpoint(struct coordinator *c,
			       const Bellows__V1__CheckpointReport *report);
/* What the end of the ranks means for the job; false: it is not known yet, or
 * nothing. */
bool verdict_on_ended(struct coordinator *c, struct event *event);
bool verdict_on_overdue(struct coordinator *c, struct event *event);

/* Sets the timer of the patience of the state it is in. */
void coordinator_arm_deadline(struct coordinator *c);

/* The exit code of a failure that an executor reports; a number that is none
 * is an error of ours. */
static inline int coordinator_exit_code(int reported)
{
	return reported > 0 && reported <= 255 ? reported : EXIT_INTERNAL;
}

/* No rank of the start that ran is left. */
void coordinator_on_stopped(struct coordinator *c);

/* effects.c: what the state asks for. */
void coordinator_carry_out(struct coordinator *c);
void coordinator_drop_next(struct coordinator *c);

/* leaving.c: executors that are recalled. */
void coordinator_on_recalled(struct coordinator *c, int member, msec_t grace);
/* Those of them that have ranks. */
unsigned coordinator_leavers(const struct coordinator *c);
/* Releases those that have none any more. */
void coordinator_let_go(struct coordinator *c);

extern const struct launch_events coordinator_launch_events;
extern const struct members_events coordinator_members_events;
extern const struct trials_events coordinator_trials_events;
extern const struct storage_events coordinator_storage_events;

/* capacity.c: ranks for which executors are ready, up to limit; 0: not even the
 * fewest. */
unsigned coordinator_possible(struct coordinator *c, unsigned limit);
/* The same once the executors that have joined are ready. */
unsigned coordinator_possible_soon(struct coordinator *c, unsigned limit);
/* Executors came or are to leave, or the job got to where it may use them. */
static inline void coordinator_post_executors(struct coordinator *c)
{
	coordinator_post_kind(c, EVENT_EXECUTORS, 0);
}
/* Makes JOB_EV_EXECUTORS of such an event; false: the job waits for none. */
bool coordinator_count_executors(struct coordinator *c, struct event *event);
/* Executors that are to be held are counted; true: it is another number. */
bool coordinator_hold_executors(struct coordinator *c);
/* Releases executors that are not to be held. */
void coordinator_release_surplus(struct coordinator *c);

/* Of coordinators that were here before. */
struct former {
	const struct past *past; /* NULL: there is no journal */
	struct journal_end end;  /* of it */
	/* Starts are numbered after these, so that nothing that is said of one
	 * of them is taken for ours. */
	unsigned starts;
};

/* former: borrowed until it runs. */
int coordinator_create(struct coordinator **out, struct loop *loop,
		       const struct config *config, const char *bindir,
		       const struct former *former, struct error *err);
/* Before it begins. */
int coordinator_show_metrics(struct coordinator *c, const char *address,
			     struct error *err);
/* Takes the job from its journal, or begins it; -errno if there may be a
 * checkpoint that cannot be looked at: it would be overwritten. */
int coordinator_begin(struct coordinator *c, struct error *err);
/* Then; returns the exit status. */
int coordinator_run(struct coordinator *c);
struct coordinator *coordinator_destroy(struct coordinator *c);

DEFINE_CLEANUP(struct coordinator, coordinator_destroy)

/* service.c */
/* Sends the job to all watchers within so many milliseconds. */
enum publish {
	PUBLISH_NOW = 0,
	PUBLISH_SOON = 100,
	PUBLISH_SELDOM = 1000, /* progress, which each step changes */
};
void service_publish(struct coordinator *c, enum publish within);
/* The last word to them. */
void service_finish(struct coordinator *c);

/* output.c: whole lines of a rank of a start, and the call Output. */
void output_show(struct coordinator *c, unsigned epoch, unsigned rank,
		 bool error, const uint8_t *text, size_t n);
void output_on_chunk(struct coordinator *c, struct rpc_call *call,
		     const Bellows__V1__OutputChunk *chunk);
void output_on_half(struct rpc_call *call);
void output_on_gone(struct coordinator *c, struct rpc_call *call);
void output_hold_back(struct coordinator *c, bool yes);

#endif
