/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_CHECKPOINT_STORAGE_H
#define COORDINATOR_CHECKPOINT_STORAGE_H

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
 */

#include "coordinator/checkpoint/disk.h"
#include "coordinator/checkpoint/store.h"
#include "core/job.h"
#include "core/member.h"

struct storage;

struct storage_events {
	/* A disk cannot be written, or can be again. */
	void (*disk)(void *user, const char *text, bool well);
	/* The former checkpoint is not kept. */
	void (*unkept)(void *user, const char *text);
	/* The job goes on from older; newest: what it was to go on from, as
	 * far as that is known. */
	void (*went_back)(void *user, const struct checkpoint *newest,
			  const struct checkpoint *older, const char *why);
};

int storage_create(struct storage **out, struct loop *loop,
		   const struct jobfile *job, const char *state_dir,
		   const char *bindir, const struct storage_events *events,
		   void *user, struct error *err);
struct storage *storage_destroy(struct storage *storage); /* returns NULL */

DEFINE_CLEANUP(struct storage, storage_destroy)

/* The newest complete checkpoint that is known; mark 0: there is none. */
const struct checkpoint *storage_newest(const struct storage *storage);
/* Its step became known. */
void storage_set_step(struct storage *storage, uint64_t step);
/* Looks for a complete checkpoint; true if it is another than the one known.
 * An application may have written it unasked. */
bool storage_find(struct storage *storage);

/* Before the job begins: an older checkpoint is put in place of a damaged one;
 * in a job that goes on, that is left to the next start.  -errno if it cannot
 * be told whether there is one. */
int storage_mend(struct storage *storage, bool goes_on,
		 enum checkpoint_found *out, struct error *err);
/* The job has begun: tells what came of that. */
void storage_on_begun(struct storage *storage, enum checkpoint_found state);

/* After each event that moved the job; before: as it was. */
void storage_on_step(struct storage *storage, const struct job *before,
		     const struct job *job);

/* Another start is to be prepared: 0, or -ENOSPC with the reason why it would
 * not come up.  What is found out later is an event. */
int storage_on_prepare(struct storage *storage, struct error *err);

/* A checkpoint that nobody asked for can be written.  If it cannot, room is
 * made, and it is looked again. */
bool storage_may_save(struct storage *storage);

/* The order to save goes out. */
void storage_on_order(struct storage *storage);

/* A start from a checkpoint is about to be made: it has to be there. */
void storage_on_start(struct storage *storage);

/* A line of epoch says that its checkpoint cannot be read. */
void storage_on_unreadable(struct storage *storage, unsigned epoch);

/* The ranks ended with that status of mpiexec before they made a step, and
 * unasked: CRASHED; or UNREADABLE, and an older checkpoint is in its place. */
enum job_event_type storage_verdict(struct storage *storage,
				    const struct job *job, int status);

/* An executor may say that it cannot write its files, or that it can again:
 * "". */
void storage_on_report(struct storage *storage, int member, const char *name,
		       const char *text);
void storage_on_gone(struct storage *storage, int member);

/* The file of what ranks print; "": it is written. */
void storage_on_output(struct storage *storage, const char *text);

/* What stands in the way of another start; what cannot be written; "": nothing.
 */
const char *storage_obstacle(const struct storage *storage);
const char *storage_trouble(const struct storage *storage);

/* Where no new checkpoint is, for a sentence. */
const char *storage_dir(const struct storage *storage);

#endif
