/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_CHECKPOINT_STORAGE_H
#define COORDINATOR_CHECKPOINT_STORAGE_H

/*
 * What disks do to the job: which checkpoint it goes on from when the newest
 * is no good, and who is told that something cannot be written
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
#include "coordinator/checkpoint/keep.h"
#include "core/job.h"
#include "core/member.h"
#include "proto/bellows.pb-c.h"

struct coordinator;

struct storage {
	struct keep *keep;
	struct disk *disk;
	struct loop_timer note; /* of what writes without being told to */

	unsigned unreadable; /* epoch whose ranks say that it is */
	uint64_t failed;     /* mark of what the last start that ended too soon
			      * was to go on from */
	unsigned failures;   /* how many one after the other */
	bool unread; /* what the ranks that run left could not be looked at */

	char *ill[MEMBERS_MAX]; /* what executors cannot write; owned */
};

int storage_create(struct coordinator *c, const char *bindir,
		   struct error *err);
void storage_destroy(struct coordinator *c);

/* Ranks that were told to save have left, with 0: whether that is no end. */
bool storage_left_unsaved(const struct coordinator *c);

/* Before the job begins: an older checkpoint is put in place of a damaged one;
 * in a job that goes on, that is left to the next start.  -errno if it cannot
 * be told whether there is one. */
int storage_mend(struct coordinator *c, enum keep_state *out,
		 struct error *err);
/* It has begun: tells what came of that. */
void storage_on_begun(struct coordinator *c, enum keep_state state);

/* After each event that moved the job; before: as it was. */
void storage_on_step(struct coordinator *c, const struct job *before);

/* Another start is to be prepared: 0, or -ENOSPC with the reason why it would
 * not come up.  What is found out later drops it too. */
int storage_on_prepare(struct coordinator *c, struct error *err);

/* A checkpoint that nobody asked for can be written.  If it cannot, room is
 * made, and it is looked again. */
bool storage_may_save(struct coordinator *c);

/* The order to save goes out. */
void storage_on_order(struct coordinator *c);

/* A start is about to be made: what it is to go on from has to be there. */
void storage_on_start(struct coordinator *c);

/* A line of epoch says that its checkpoint cannot be read. */
void storage_on_unreadable(struct coordinator *c, unsigned epoch);

/* The ranks ended with that status of mpiexec before they made a step, and
 * unasked: CRASHED; or UNREADABLE, and an older checkpoint is in its place. */
enum job_event_type storage_verdict(struct coordinator *c, int status);

/* An executor may say that it cannot write its files, or that it can again. */
void storage_on_report(struct coordinator *c, int member,
		       const Bellows__V1__Disk *report);
void storage_on_gone(struct coordinator *c, int member);

/* Where no new checkpoint is, for a sentence. */
const char *storage_dir(const struct coordinator *c);

/* The file of what ranks print; "": it is written. */
void storage_on_output(struct coordinator *c, const char *text);

#endif
