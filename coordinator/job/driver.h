/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_JOB_DRIVER_H
#define COORDINATOR_JOB_DRIVER_H

/*
 * The driver of one job
 *
 * Everything that happens becomes an event of core/job, and waits in a queue
 * until the callback that put it there has returned; job_step() decides, and
 * the effect of the state it leads to is carried out: start, prepare, save,
 * stop, end.  Nothing else moves the job, and no effect minds being done
 * twice.
 *
 *     member_events.c   launch_events.c   recovery_events.c  scale.c
 *            \                |                  |             /
 *             +----------> queue.c, the events that wait <----+
 *                                |
 *                    step.c, which calls job_step()
 *                                |
 *               effects.c    drain.c    periodic.c   capacity.c
 *
 * It owns what it drives: the starts, the executors, the checkpoints and the
 * journal.
 */

#include "base/list.h"
#include "coordinator/checkpoint/recovery.h"
#include "coordinator/journal/writer.h"
#include "coordinator/launch/launcher.h"
#include "coordinator/launch/launches.h"
#include "coordinator/members/members.h"
#include "core/eta.h"

struct driver;

/* Within how many milliseconds the clients that watch the job see a change. */
enum publish {
	PUBLISH_NOW = 0,
	PUBLISH_SOON = 100,
	PUBLISH_SELDOM = 1000, /* progress, which each step changes */
};

struct driver_events {
	/* The job, or what is shown of it, has changed. */
	void (*changed)(void *user, enum publish within);
	/* It is over, and nothing more will change. */
	void (*over)(void *user);
	/* Whole lines that a rank of a bare start has printed. */
	void (*printed)(void *user, unsigned epoch, unsigned rank, bool error,
			const char *text, size_t n);
};

/* What coordinators before this one have left. */
struct former {
	const struct journal_replay *replay; /* NULL: there is no journal */
	struct journal_end end;              /* of it */
	/* Starts are numbered after these, so that nothing that is said of one
	 * of them is taken for ours. */
	unsigned starts;
};

/* state_dir, journal_dir, bindir: the folders of what it writes, of its journal
 * and of our programs; borrowed, as the rest is. */
struct driver_config {
	struct loop *loop;
	const struct jobfile *jobfile;
	unsigned want, grant; /* as of jobfile_check_stated() */
	const char *state_dir, *journal_dir, *bindir;
	const struct former *former;
	const struct driver_events *events;
	void *user;
};

int driver_create(struct driver **out, const struct driver_config *config,
		  struct error *err);
struct driver *driver_destroy(struct driver *driver); /* returns NULL */

DEFINE_CLEANUP(struct driver, driver_destroy)

/* It will take the job from its journal. */
bool driver_goes_on(const struct driver *driver);

/* Ranks of a coordinator before this one may compute: no start before the
 * leases of their executors are over, which is so many milliseconds from now.
 */
msec_t driver_fence(struct driver *driver);

/* Takes the job from its journal, or begins it; -errno if there may be a
 * checkpoint that cannot be looked at: it would be overwritten; -EBADMSG if no
 * checkpoint can be read. */
int driver_begin(struct driver *driver, struct error *err);

/* Takes out the events that wait: step, journal, effect; up to one whose line
 * is not on the disk yet.  Called after each callback of the loop. */
void driver_settle(struct driver *driver);

/* fn runs, within driver_settle(), once no event waits and all that took effect
 * is in the journal.  Embedded in its owner, which has it removed from its list
 * if it goes away before. */
struct driver_visitor {
	struct list link;
	void (*fn)(void *user);
	void *user;
};

void driver_visit(struct driver *driver, struct driver_visitor *visitor);

/* The checkpoint directory is the job's until then: later nothing is started,
 * and no rank computes.  At first: for ever. */
void driver_own_until(struct driver *driver, msec_t until);

/* No rank of this job computes, here or elsewhere. */
bool driver_has_no_rank(const struct driver *driver);

/* The job is to end; save: with a checkpoint. */
void driver_cancel(struct driver *driver, bool save, const char *reason);
/* The job is saved within that time, and waits for the next coordinator; this
 * one ends.  Again, with less time: the checkpoint is not waited for as long.
 */
void driver_hand_over(struct driver *driver, msec_t within, const char *reason);
/* To the ranks, if there are any. */
void driver_signal(struct driver *driver, int signo);

/* Ranks of that start have printed something, or the application has logged it.
 */
void driver_on_output(struct driver *driver, unsigned epoch);
/* What ranks print is not read for a while, or again. */
void driver_hold_back(struct driver *driver, bool yes);
/* A line of rank 0's output, or of the application's log. */
void driver_on_line(struct driver *driver, unsigned epoch, const char *line);
/* The executor of rank 0 has judged the checkpoint that it was to watch. */
void driver_on_checkpoint(struct driver *driver,
			  const Bellows__V1__CheckpointReport *report);
/* Why executors do not come; "": they do.  At most DRIVER_TROUBLE_MAX bytes. */
enum { DRIVER_TROUBLE_MAX = 240 };
void driver_set_trouble(struct driver *driver, const char *text);

/* What there is to show. */
const struct job *driver_job(const struct driver *driver);
const struct history *driver_history(const struct driver *driver);
const char *driver_reason(const struct driver *driver); /* of its state */
const char *driver_trouble(const struct driver *driver);
/* One sentence says for how long the job stands still, and without what; "" and
 * 0: it does not. */
void driver_describe_stall(const struct driver *driver, char *text, size_t n);
msec_t driver_stall_length(const struct driver *driver);
/* Nothing is known of a job without ranks, or that stands still.  While a start
 * is made there is no rate, and its time is not in what is left. */
struct eta driver_eta(const struct driver *driver);
unsigned driver_held(const struct driver *driver); /* executors to be held */
int driver_exit_code(const struct driver *driver); /* once it is over */

/* What it drives. */
struct journal_writer *driver_journal_writer(const struct driver *driver);
struct members *driver_members(const struct driver *driver);
struct launcher *driver_launcher(const struct driver *driver);
struct launches *driver_launches(const struct driver *driver);
struct checkpoint_recovery *driver_recovery(const struct driver *driver);

#endif
