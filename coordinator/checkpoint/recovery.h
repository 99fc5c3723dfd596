/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_CHECKPOINT_RECOVERY_H
#define COORDINATOR_CHECKPOINT_RECOVERY_H

/*
 * What disks do to the job: which checkpoint it goes on from when the newest
 * cannot be used, and the news that a directory cannot be written
 *
 * A start that ends before it has gone on from its checkpoint may have ended
 * for its sake.  It has, if the application says so; and it is taken to have,
 * if two starts from it ended in that way, or the very first one of this
 * job, after which it would be over.  Then the checkpoint is set aside and the
 * one before is tried.  If that was only a guess and the job fails all the
 * same, everything is put back.  What is a guess is in the checkpoint
 * directory, so that a coordinator that takes over knows it too.
 *
 * The file system of the checkpoint directory may stand still.  While ranks
 * compute, each look at it comes right behind an answer that it gave to a
 * process of its own (disk.h), so that this one does not hang.  Looks before a
 * start, and after a loss, are made as they are: no rank computes that they
 * could hold up.
 */

#include "coordinator/checkpoint/disk.h"
#include "coordinator/checkpoint/store.h"
#include "coordinator/checkpoint/unreadable.h"
#include "core/job.h"
#include "core/member.h"

struct checkpoint_recovery;

struct checkpoint_recovery_events {
	/* A disk cannot be written, or can be again. */
	void (*disk)(void *user, const char *text, bool well);
	/* The former checkpoint is not kept. */
	void (*unkept)(void *user, const char *text);
	/* The job goes on from older; newest: what it was to go on from, as
	 * far as that is known. */
	void (*went_back)(void *user, const struct checkpoint *newest,
			  const struct checkpoint *older, const char *why);
	/* The job begins anew; text: why. */
	void (*begins_anew)(void *user, const char *text);
	/* After checkpoint_recovery_on_order(): the order to save may go out,
	 * and the newest checkpoint may be looked for. */
	void (*may_save)(void *user);
};

int checkpoint_recovery_create(struct checkpoint_recovery **out,
			       struct loop *loop, const struct jobfile *job,
			       const char *state_dir, const char *bindir,
			       const struct checkpoint_recovery_events *events,
			       void *user, struct error *err);
struct checkpoint_recovery *checkpoint_recovery_destroy(
	struct checkpoint_recovery *recovery); /* returns NULL */

DEFINE_CLEANUP(struct checkpoint_recovery, checkpoint_recovery_destroy)

/* The newest complete checkpoint that is known; mark 0: there is none. */
const struct checkpoint *
checkpoint_recovery_newest(const struct checkpoint_recovery *recovery);
/* Its step became known. */
void checkpoint_recovery_set_step(struct checkpoint_recovery *recovery,
				  uint64_t step);
/* Looks for a complete checkpoint; true if it is another than the one known.
 * An application may have written it unasked. */
bool checkpoint_recovery_find(struct checkpoint_recovery *recovery);

/* Before the job begins: an older checkpoint is put in place of a damaged one;
 * in a job that goes on, that is left to the next start.  -errno if it cannot
 * be told whether there is one; -EBADMSG if none can be read, and the job is to
 * end. */
int checkpoint_recovery_repair(struct checkpoint_recovery *recovery,
			       bool goes_on, enum checkpoint_found *out,
			       struct error *err);
/* The job has begun: tells what came of that. */
void checkpoint_recovery_on_begun(struct checkpoint_recovery *recovery,
				  enum checkpoint_found state);

/* After each event that moved the job; before: as it was. */
void checkpoint_recovery_on_step(struct checkpoint_recovery *recovery,
				 const struct job *before,
				 const struct job *job);

/* Another start is to be prepared: 0, or -ENOSPC with the reason why it would
 * not come up.  What is found out later is an event. */
int checkpoint_recovery_on_prepare(struct checkpoint_recovery *recovery,
				   struct error *err);

/* A checkpoint that nobody asked for can be written.  If it cannot, room is
 * made, and it is looked again. */
bool checkpoint_recovery_may_save(struct checkpoint_recovery *recovery);

/* The order to save is to go out, once the checkpoint directory answers. */
void checkpoint_recovery_on_order(struct checkpoint_recovery *recovery);

/* A start from a checkpoint is about to be made: it has to be there.  False: no
 * checkpoint can be read. */
bool checkpoint_recovery_on_start(struct checkpoint_recovery *recovery);

/* A line of epoch says that its checkpoint cannot be read. */
void checkpoint_recovery_on_unreadable(struct checkpoint_recovery *recovery,
				       unsigned epoch);

/* The ranks ended with that status of mpiexec before they made a step, and
 * unasked: CRASHED; UNREADABLE, and an older checkpoint is in its place; or
 * NO_CHECKPOINT. */
enum job_event_type
checkpoint_recovery_judge(struct checkpoint_recovery *recovery,
			  const struct job *job, int status);

/* What becomes of the job, of which no checkpoint can be read. */
const struct unreadable *
checkpoint_recovery_unreadable(const struct checkpoint_recovery *recovery);

/* An executor may say that it cannot write its files, or that it can again:
 * "". */
void checkpoint_recovery_on_report(struct checkpoint_recovery *recovery,
				   int member, const char *name,
				   const char *text);
void checkpoint_recovery_on_gone(struct checkpoint_recovery *recovery,
				 int member);

/* The file of what ranks print; "": it is written. */
void checkpoint_recovery_on_output(struct checkpoint_recovery *recovery,
				   const char *text);

/* What stands in the way of another start; what cannot be written; "": nothing.
 */
const char *
checkpoint_recovery_obstacle(const struct checkpoint_recovery *recovery);
const char *
checkpoint_recovery_trouble(const struct checkpoint_recovery *recovery);

/* Where no new checkpoint is, for a sentence. */
const char *checkpoint_recovery_dir(const struct checkpoint_recovery *recovery);

#endif
